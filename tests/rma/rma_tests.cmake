# What the transports ask of MPI, and what they do when MPI is slow.
pen_mpi_test(counters_test SOURCES rma/counters_test.c support/pmpi.c)
