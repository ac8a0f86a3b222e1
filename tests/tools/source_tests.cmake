# The sources themselves.
add_test(NAME structure_test COMMAND sh -c "${need_python}; exec \"$0\" \"$@\""
         ${CMAKE_CURRENT_SOURCE_DIR}/tools/structure_test.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
pen_test_properties(structure_test 120)
add_test(NAME words_test COMMAND sh -c "${need_python}; exec \"$0\" \"$@\""
         ${CMAKE_CURRENT_SOURCE_DIR}/tools/words_test.py ${CMAKE_SOURCE_DIR})
pen_test_properties(words_test 120)
add_test(NAME headers_test COMMAND sh -c "${need_python}; exec \"$0\" \"$@\""
         ${CMAKE_CURRENT_SOURCE_DIR}/tools/headers_test.py ${CMAKE_SOURCE_DIR})
pen_test_properties(headers_test 60)
add_test(NAME figures_on_pages_test COMMAND sh -c "${need_python}; exec \"$0\" \"$@\""
         ${CMAKE_CURRENT_SOURCE_DIR}/bench/pages.py ${CMAKE_SOURCE_DIR})
pen_test_properties(figures_on_pages_test 60)
add_test(NAME format_test COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/format_test.sh ${CMAKE_SOURCE_DIR})
pen_test_properties(format_test 120)
pen_tool_test(check_test ${CMAKE_SOURCE_DIR})
pen_tool_test(configure_test ${CMAKE_SOURCE_DIR})
# The other Debian that there is.
add_test(NAME debian13 COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/debian13.sh ${CMAKE_SOURCE_DIR})
pen_test_properties(debian13 7200)
set_property(TEST debian13 PROPERTY LABELS nightly)
