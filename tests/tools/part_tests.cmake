# pen-graph's make, order, part and draw.
pen_test(library_test SOURCES tools/library_test.c)
target_link_libraries(library_test PRIVATE pen_files)
add_test(NAME pen_graph_part_test
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_graph_part_test.sh $<TARGET_FILE:pen-graph>
                 $<TARGET_FILE:library_test> ${CMAKE_BINARY_DIR}/lib)
pen_test_properties(pen_graph_part_test 300)
add_test(NAME pen_graph_order_test
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_graph_order_test.sh ${CMAKE_BINARY_DIR}/bin)
pen_test_properties(pen_graph_order_test 120)
if(CAIRO_LIBRARY)
    add_test(NAME pen_graph_values_test
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_graph_values_test.sh $<TARGET_FILE:pen-graph>)
    pen_test_properties(pen_graph_values_test 120)
    pen_test(picture_test SOURCES tools/picture_test.c)
    target_link_libraries(picture_test PRIVATE pen_pictures)
else()
    pen_absent_test(pen_graph_values_test "no cairo to draw pictures with")
    pen_absent_test(picture_test "no cairo to read pictures with")
endif()
