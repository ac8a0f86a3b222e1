# Benchmarks of steps and of set-up: built with the tests, with the flags of the library, and run by hand.
# Figures count in a Release build only.
set(built "${CMAKE_BUILD_TYPE}$<$<BOOL:${PEN_CHECKING}>: checking>")
add_custom_target(bench_commit
    COMMAND ${CMAKE_COMMAND} "-DSOURCE=${CMAKE_SOURCE_DIR}" "-DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/bench_build.h"
            "-DFLAGS=${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${built}"
            -P ${CMAKE_CURRENT_LIST_DIR}/commit.cmake
    BYPRODUCTS ${CMAKE_CURRENT_BINARY_DIR}/bench_build.h VERBATIM)

function(pen_bench name)
    list(TRANSFORM ARGN PREPEND bench/)
    pen_test_program(${name} ${ARGN} bench/bench.c)
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
    add_dependencies(${name} bench_commit)
    # Two equal loops differ by up to 20 % where one of them happens to straddle a line of decoded code.
    target_compile_options(${name} PRIVATE -falign-loops=64)
endfunction()

# The applications themselves, compiled as they are but for the names of main and of what pen_main calls.
function(pen_bench_apps name main)
    list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/apps/)
    add_library(${name} OBJECT ${ARGN})
    target_link_libraries(${name} PRIVATE pen_app_build)
    target_compile_definitions(${name} PRIVATE main=${main} pen_main_abi=bench_pen_main)
    target_compile_options(${name} PRIVATE -include ${CMAKE_CURRENT_LIST_DIR}/step_apps.h)
endfunction()
pen_bench_apps(bench_apps bench_heat_main average.c grain.c heat.c)
pen_bench_apps(bench_cg bench_cg_main cg.c)

pen_bench(order_bench order.c)
target_link_libraries(order_bench PRIVATE bench_apps pen_apps_headers)
pen_bench(step_bench step.c step_petsc.c hand.c)
target_link_libraries(step_bench PRIVATE bench_apps pen_apps_headers)
pen_bench(cg_bench cg.c cg_petsc.c hand.c)
target_link_libraries(cg_bench PRIVATE bench_cg)
find_package(Threads REQUIRED)
pen_bench(memory_bench memory.c)
pen_bench(migrate_bench migrate.c)
pen_bench(change_bench change.c)
target_link_libraries(change_bench PRIVATE pen_shock)
pen_bench(nbody_bench nbody.c nbody_serial.c)
target_link_libraries(nbody_bench PRIVATE pen_nbody)
target_compile_options(nbody_bench PRIVATE -O3 -fno-math-errno)
pen_bench(fetch_bench fetch.c)
pen_bench(observed_bench observed.c)
pen_bench(edges_bench edges.c)
pen_bench(checkpoint_bench checkpoint.c)
pen_bench(input_bench input.c)
pen_bench(read_graph read_graph.c)
target_link_libraries(memory_bench PRIVATE Threads::Threads)

if(PEN_HAVE_PETSC)
    foreach(peer step_bench cg_bench)
        target_compile_definitions(${peer} PRIVATE BENCH_PETSC=1)
        target_include_directories(${peer} SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS})
        target_link_libraries(${peer} PRIVATE ${PETSC_LINK_LIBRARIES})
    endforeach()
endif()
