pen_test(options_test SOURCES unit/options_test.c)
pen_mpi_test(sparse_test SOURCES mpi/sparse_test.c)
pen_mpi_test(meeting_test SOURCES mpi/meeting_test.c)
pen_mpi_test(mpi_functions_test SOURCES mpi/mpi_functions_test.c)

# Launches of its own: with and without mpirun, with other components, on emulated hosts.
if(PEN_OPEN_MPI)
    pen_test(prepare_test SOURCES unit/prepare_test.c)
    pen_test_program(environment_test mpi/environment_test.c)
    foreach(part user root)
        add_test(NAME environment_test.${part} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/environment_test.sh
                 ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:environment_test> ${part})
        pen_test_properties(environment_test.${part} 120)
        set_property(TEST environment_test.${part} PROPERTY PROCESSORS 2)
    endforeach()
endif()
