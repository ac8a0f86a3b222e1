pen_test(pen_graph_formats_test SOURCES tools/formats_test.c TIMEOUT 300)
target_link_libraries(pen_graph_formats_test PRIVATE pen_files)
if(EXISTS ${CMAKE_SOURCE_DIR}/../shared/data/INDEX.md)
    set(PEN_DATA_DEFAULT ${CMAKE_SOURCE_DIR}/../shared/data)
endif()
set(PEN_DATA "${PEN_DATA_DEFAULT}" CACHE PATH "Graph files that the tests read, as their INDEX.md describes")
if(PEN_DATA)
    set_tests_properties(pen_graph_formats_test PROPERTIES ENVIRONMENT "${PEN_TEST_ENVIRONMENT};PEN_DATA=${PEN_DATA}")
endif()

add_test(NAME pen_graph_convert_test
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_graph_convert_test.sh $<TARGET_FILE:pen-graph>)
pen_test_properties(pen_graph_convert_test "")
