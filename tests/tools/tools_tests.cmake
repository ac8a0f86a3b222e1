# The programs as a user runs them.
pen_test_program(wrong tools/wrong.c)

function(pen_tool_test name)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E env "MPIEXEC=${MPIEXEC_EXECUTABLE}"
             ${CMAKE_CURRENT_SOURCE_DIR}/tools/${name}.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${ARGN})
    pen_test_properties(${name} 120)
    set_property(TEST ${name} PROPERTY PROCESSORS 2)
endfunction()
pen_tool_test(apps_test)
pen_tool_test(command_line_test)
pen_tool_test(metrics_test)
pen_tool_test(bad_files_test ${CMAKE_SOURCE_DIR}/../shared/data)
pen_tool_test(faults_test)
pen_tool_test(full_disk_test)
pen_tool_test(progress_test)
pen_tool_test(leftovers_test)
