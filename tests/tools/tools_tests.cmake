# The programs as a user runs them.
pen_test_program(wrong tools/wrong.c)

function(pen_tool_test name)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E env "MPIEXEC=${MPIEXEC_EXECUTABLE}"
             ${CMAKE_CURRENT_SOURCE_DIR}/tools/${name}.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${ARGN})
    pen_test_properties(${name} 120)
    set_property(TEST ${name} PROPERTY PROCESSORS 2)
endfunction()
pen_tool_test(apps_test)
pen_tool_test(graph_collection_test "${PEN_DATA}")
set_property(TEST graph_collection_test PROPERTY TIMEOUT 300)
if(NOT PEN_OPEN_MPI)
    return()
endif()
# The sources themselves.
set(need_python "command -v python3 >/dev/null || { echo 'Skipped: it needs python3'; exit 77; }")
add_test(NAME structure_test COMMAND sh -c "${need_python}; exec \"$0\" \"$@\""
         ${CMAKE_CURRENT_SOURCE_DIR}/tools/structure_test.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
pen_test_properties(structure_test 120)
add_test(NAME format_test COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/format_test.sh ${CMAKE_SOURCE_DIR})
pen_test_properties(format_test 120)

pen_tool_test(command_line_test)
pen_tool_test(metrics_test)
pen_tool_test(bad_files_test)
add_test(NAME bad_files_test.collection COMMAND ${CMAKE_COMMAND} -E env "MPIEXEC=${MPIEXEC_EXECUTABLE}"
         ${CMAKE_CURRENT_SOURCE_DIR}/tools/bad_files_test.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} collection "${PEN_DATA}")
pen_test_properties(bad_files_test.collection 120)
set_property(TEST bad_files_test.collection PROPERTY PROCESSORS 2)
pen_tool_test(data_test "${PEN_DATA}")
set_property(TEST data_test PROPERTY TIMEOUT 300)
pen_tool_test(faults_test)
pen_tool_test(full_disk_test)
pen_tool_test(progress_test)
foreach(place here container)
    add_test(NAME leftovers_test.${place} COMMAND ${CMAKE_COMMAND} -E env "MPIEXEC=${MPIEXEC_EXECUTABLE}"
             ${CMAKE_CURRENT_SOURCE_DIR}/tools/leftovers_test.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${place})
    pen_test_properties(leftovers_test.${place} 120)
    set_property(TEST leftovers_test.${place} PROPERTY PROCESSORS 2)
endforeach()
pen_tool_test(pen_comm_test)
pen_test(comm_fit_test SOURCES tools/comm_fit_test.c)
target_link_libraries(comm_fit_test PRIVATE pen_comparison)
pen_tool_test(little_memory_test)

# The checking build's own eyes: a program that loses memory is found out.
if(PEN_LEAKS)
    add_test(NAME leak_detection COMMAND wrong --fault=leak --grid=3x3 --steps=2)
    pen_test_properties(leak_detection "")
    set_property(TEST leak_detection PROPERTY PASS_REGULAR_EXPRESSION "SUMMARY: AddressSanitizer: [0-9]+ byte.*leaked")
elseif(PEN_CHECKING)
    pen_absent_test(leak_detection "the leak sanitizer does not work here: no test of the checking build uses it")
endif()

# Somebody else's project links no sanitizers, and the programs on the path are Open MPI's.
if(PEN_OPEN_MPI AND NOT PEN_CHECKING)
    pen_tool_test(install_test ${CMAKE_SOURCE_DIR})
    pen_tool_test(package_test)
    pen_tool_test(readme_test ${CMAKE_SOURCE_DIR})
    set_property(TEST install_test package_test readme_test PROPERTY LABELS installed)
    set_property(TEST readme_test PROPERTY TIMEOUT 300)
endif()
