# Plug-ins are built as their authors would, from the public headers alone.
function(pen_test_plugin name source)
    add_library(${name} MODULE ${source})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/runtime/include)
    target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
                           -Wmissing-prototypes)
    set_target_properties(${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
    target_compile_definitions(${name} PRIVATE ${ARGN})
endfunction()
pen_test_plugin(pairwise ${CMAKE_SOURCE_DIR}/apps/examples/pairwise.c)
pen_test_plugin(strips consumer/strips.c)
pen_test_plugin(fingerprint consumer/fingerprint.c)
pen_test_plugin(wrong_balancer consumer/wrong_balancer.c)
pen_test_plugin(other_abi consumer/wrong_balancer.c ABI=99)
pen_test_plugin(long_history consumer/wrong_balancer.c HISTORY=65)
pen_test_plugin(much_data consumer/wrong_balancer.c NODE_DATA=65537)
pen_test_plugin(many_counters consumer/wrong_balancer.c NINTH="9")
add_dependencies(balance_test pairwise wrong_balancer long_history much_data many_counters)
if(HWLOC_INCLUDE_DIR AND HWLOC_LIBRARY)
    pen_mpi_test(machine_host_test ALONE SOURCES mpi/machine_host_test.c RANKS 1 2 7)
else()
    pen_absent_test(machine_host_test "no hwloc to see packages with (Debian's libhwloc-dev)")
endif()

# A shared object that is no plug-in.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/no_plugin.c "int nothing(void);\nint nothing(void) { return 0; }\n")
pen_test_plugin(no_plugin ${CMAKE_CURRENT_BINARY_DIR}/no_plugin.c)

# Two thousand worlds where no sanitizer makes them slow.
if(PEN_OPEN_MPI AND NOT PEN_SANITIZE)
    pen_launch(machine_worlds_test.2000.2 2 300 $<TARGET_FILE:machine_worlds_test> 2000)
endif()
