pen_test(pen_graph_formats_test SOURCES tools/formats_test.c TIMEOUT 300)
target_link_libraries(pen_graph_formats_test PRIVATE pen_files)
add_test(NAME pen_graph_convert_test
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_graph_convert_test.sh $<TARGET_FILE:pen-graph>)
pen_test_properties(pen_graph_convert_test "")
add_test(NAME pen_graph_lists_test
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_graph_lists_test.sh $<TARGET_FILE:pen-graph>)
pen_test_properties(pen_graph_lists_test "")
add_test(NAME pen_graph_export_test
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_graph_export_test.sh $<TARGET_FILE:pen-graph>)
pen_test_properties(pen_graph_export_test "")
add_test(NAME gexf_test
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/gexf_test.sh ${CMAKE_BINARY_DIR}/bin
                 ${PROJECT_SOURCE_DIR}/tools/python)
pen_test_properties(gexf_test "")
add_test(NAME pen_sim_exchange_test COMMAND ${CMAKE_COMMAND} -E env "MPIEXEC=${MPIEXEC_EXECUTABLE}"
         ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_sim_exchange_test.sh ${CMAKE_BINARY_DIR}/bin
         ${PROJECT_SOURCE_DIR}/tools/python)
pen_test_properties(pen_sim_exchange_test "")
