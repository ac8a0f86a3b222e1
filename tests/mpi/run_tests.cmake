# The core, for every transport; then under the one-sided components of Open MPI one by one, and as a
# process without mpirun.
pen_mpi_test(run_test SOURCES mpi/run_test.c)
pen_mpi_test(migrate_test SOURCES mpi/migrate_test.c)
pen_mpi_test(migrate_soak_test SOURCES mpi/migrate_soak_test.c support/pmpi.c RANKS 1 3 TIMEOUT 600)

# A thousand migrations of each kind: skipped without PEN_TEST_SOAK in the environment.
foreach(ranks 2 3 4 7)
    add_test(NAME migrate_test.long.${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
             $<TARGET_FILE:migrate_test> --long)
    pen_test_properties(migrate_test.long.${ranks} 1800)
    set_property(TEST migrate_test.long.${ranks} PROPERTY PROCESSORS 2)
    set_property(TEST migrate_test.long.${ranks} PROPERTY LABELS soak)
endforeach()
set_property(TEST migrate_soak_test.1 migrate_soak_test.3 PROPERTY LABELS soak)

function(pen_run_test_under name)
    add_test(NAME run_test.${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 ${ARGN} $<TARGET_FILE:run_test>)
    pen_test_properties(run_test.${name} 60)
    set_property(TEST run_test.${name} PROPERTY PROCESSORS 2)
endfunction()
pen_run_test_under(osc_sm --mca osc sm)
pen_run_test_under(osc_rdma --mca osc rdma)
pen_run_test_under(osc_pt2pt --mca osc pt2pt)
pen_run_test_under(osc_pt2pt_tcp --mca osc pt2pt --mca btl self,tcp)
pen_run_test_under(osc_distribution --mca osc ^ucx,pt2pt)

add_test(NAME run_test.singleton COMMAND run_test)
pen_test_properties(run_test.singleton 60)

pen_mpi_test(poison_test SOURCES mpi/poison_test.c RANKS 1 3)
pen_mpi_test(list_test SOURCES mpi/list_test.c)
pen_mpi_test(handles_test SOURCES mpi/handles_test.c)
