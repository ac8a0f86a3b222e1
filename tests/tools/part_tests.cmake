# pen-graph's make, order and part.
pen_test(library_test SOURCES tools/library_test.c)
target_link_libraries(library_test PRIVATE pen_files)
add_test(NAME pen_graph_part_test
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_graph_part_test.sh $<TARGET_FILE:pen-graph>
                 $<TARGET_FILE:library_test> ${CMAKE_BINARY_DIR}/lib)
pen_test_properties(pen_graph_part_test 300)
add_test(NAME pen_graph_order_test
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_graph_order_test.sh ${CMAKE_BINARY_DIR}/bin)
pen_test_properties(pen_graph_order_test 120)
