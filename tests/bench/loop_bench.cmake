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

# The applications themselves, compiled as they are but for the names of main and pen_main.
add_library(bench_apps OBJECT ${CMAKE_SOURCE_DIR}/apps/average.c ${CMAKE_SOURCE_DIR}/apps/grain.c
            ${CMAKE_SOURCE_DIR}/apps/heat.c)
target_link_libraries(bench_apps PRIVATE pen_app_build)
target_compile_definitions(bench_apps PRIVATE main=bench_heat_main pen_main=bench_pen_main)
target_compile_options(bench_apps PRIVATE -include ${CMAKE_CURRENT_LIST_DIR}/step_apps.h)

pen_bench(step_bench step.c step_petsc.c hand.c)
target_link_libraries(step_bench PRIVATE bench_apps pen_apps_headers)
find_package(Threads REQUIRED)
pen_bench(memory_bench memory.c)
pen_bench(migrate_bench migrate.c)
pen_bench(fetch_bench fetch.c)
pen_bench(read_graph read_graph.c)
target_link_libraries(memory_bench PRIVATE Threads::Threads)

if(PEN_HAVE_PETSC)
    target_compile_definitions(step_bench PRIVATE BENCH_PETSC=1)
    target_include_directories(step_bench SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS})
    target_link_libraries(step_bench PRIVATE ${PETSC_LINK_LIBRARIES})
endif()
