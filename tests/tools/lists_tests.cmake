pen_test(compress_test SOURCES tools/compress_test.c)
target_link_libraries(compress_test PRIVATE pen_files)
pen_test(lists_test SOURCES tools/lists_test.c)
target_link_libraries(lists_test PRIVATE pen_files)
