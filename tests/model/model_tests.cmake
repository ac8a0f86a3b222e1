# The transports' synchronisation under all interleavings, and faults of it.
add_test(NAME model_test COMMAND ${CMAKE_CURRENT_LIST_DIR}/run.sh ${CMAKE_CURRENT_BINARY_DIR}/model)
pen_test_properties(model_test 300)
