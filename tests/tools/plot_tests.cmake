# pen-plot, where it is built.
if(TARGET pen-plot)
    add_test(NAME pen_plot_test COMMAND ${CMAKE_COMMAND} -E env "MPIEXEC=${MPIEXEC_EXECUTABLE}"
             ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_plot_test.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
             $<TARGET_FILE:pairwise>)
    pen_test_properties(pen_plot_test 300)
    set_property(TEST pen_plot_test PROPERTY PROCESSORS 2)
else()
    pen_absent_test(pen_plot_test "pen-plot is not built: no python3")
endif()

# pen-sim's replays, which a plug-in takes part in.
add_test(NAME pen_sim_replay_test COMMAND ${CMAKE_COMMAND} -E env "MPIEXEC=${MPIEXEC_EXECUTABLE}"
         ${CMAKE_CURRENT_SOURCE_DIR}/tools/pen_sim_replay_test.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
         $<TARGET_FILE:pairwise> $<TARGET_FILE:fingerprint>)
pen_test_properties(pen_sim_replay_test 180)
set_property(TEST pen_sim_replay_test PROPERTY PROCESSORS 2)
# Depends on the clock: predictions against runs.
add_test(NAME predictions_test COMMAND ${CMAKE_COMMAND} -E env "MPIRUN=${MPIEXEC_EXECUTABLE}"
         ${CMAKE_CURRENT_SOURCE_DIR}/bench/predictions.sh ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} 128 60 3)
pen_test_properties(predictions_test 300)
set_tests_properties(predictions_test PROPERTIES RUN_SERIAL ON LABELS nightly)
