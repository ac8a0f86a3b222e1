# The core, for every transport; then under the one-sided components of Open MPI one by one, with the
# transports that they are for, and as a process without mpirun.
pen_mpi_test(run_test SOURCES mpi/run_test.c TIMEOUT 180)
pen_mpi_test(migrate_test SOURCES mpi/migrate_test.c)
pen_mpi_test(migrate_soak_test SOURCES mpi/migrate_soak_test.c support/pmpi.c RANKS 1 3 TIMEOUT 600)
pen_holding_tests(migrate_soak_test.1 migrate_soak_test.3)

# A thousand migrations of each graph, where no sanitizer makes them slow.
if(PEN_OPEN_MPI AND NOT PEN_CHECKING)
    foreach(ranks 2 3 4)
        add_test(NAME migrate_test.1000.${ranks} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks}
                 $<TARGET_FILE:migrate_test> 1000)
        pen_test_properties(migrate_test.1000.${ranks} 300)
        set_property(TEST migrate_test.1000.${ranks} PROPERTY PROCESSORS 2)
        set_property(TEST migrate_test.1000.${ranks} PROPERTY LABELS full)
    endforeach()
    set_property(TEST migrate_soak_test.1 migrate_soak_test.3 PROPERTY LABELS full)
endif()

# pen_run_test_under(name MPI mpiexec's arguments WITH run_test's arguments)
function(pen_run_test_under name)
    cmake_parse_arguments(RUN "" "" "MPI;WITH" ${ARGN})
    add_test(NAME run_test.${name} COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 ${RUN_MPI}
             $<TARGET_FILE:run_test>
             ${RUN_WITH})
    pen_test_properties(run_test.${name} 60)
    set_property(TEST run_test.${name} PROPERTY PROCESSORS 2)
endfunction()
if(PEN_OPEN_MPI)
    pen_run_test_under(osc_sm MPI --mca osc sm WITH --quick fence pscw passive shared)
    pen_run_test_under(osc_rdma MPI --mca osc rdma WITH --quick fence pscw passive)
    pen_run_test_under(osc_pt2pt MPI --mca osc pt2pt WITH fence pscw passive)
    pen_run_test_under(osc_pt2pt_tcp MPI --mca osc pt2pt --mca btl self,tcp
                       WITH --quick fence pscw passive blocking overlap
                       persistent neighbor)
    pen_run_test_under(osc_ucx MPI --mca osc ucx --mca osc_ucx_tls any --mca osc_ucx_devices any
                       WITH --quick fence pscw passive)
    # Among UCX's threads the search for leaks itself dies now and then.
    set_property(TEST run_test.osc_ucx APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
    pen_run_test_under(osc_distribution MPI --mca osc ^ucx,pt2pt WITH --quick fence pscw passive shared)
endif()

add_test(NAME run_test.singleton COMMAND run_test)
pen_test_properties(run_test.singleton 60)

if(PEN_CHECKING)
    pen_mpi_test(poison_test SOURCES mpi/poison_test.c RANKS 1 3)
endif()
pen_mpi_test(list_test SOURCES mpi/list_test.c)
pen_mpi_test(handles_test SOURCES mpi/handles_test.c TIMEOUT 180)
pen_holding_tests(handles_test.1 handles_test.2 handles_test.3 handles_test.4 handles_test.7)
