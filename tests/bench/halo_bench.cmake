# Benchmarks of pulls: built with the tests, run by hand. Transports, and the choices of auto, are measured by pen-comm.
pen_bench(pull_bench pull.c)
pen_bench(sparse_bench sparse.c)
