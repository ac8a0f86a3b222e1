# The papers' tables and figures. All but the commands is a library, which unit tests link: those of MinEX, too.
set(papers bench/papers)
add_library(pen_papers STATIC ${papers}/bodies.c ${papers}/bodies_graph.c ${papers}/contenders.c ${papers}/execute.c
    ${papers}/paper.c ${papers}/pulls.c)
target_include_directories(pen_papers SYSTEM PRIVATE ${SCOTCH_INCLUDE_DIR})
target_link_libraries(pen_papers PUBLIC pen_virtual_world pen_tools_common pen_bodies pen_private pen_tests_headers
                      PRIVATE pen_build)
pen_test_program(papers_bench ${papers}/main.c ${papers}/tables.c ${papers}/figures.c)
target_link_libraries(papers_bench PRIVATE pen_papers pen_simulation)
