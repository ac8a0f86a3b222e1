# Benchmarks of pulls and transports: built with the tests, run by hand. pull.sh, neighbors.sh and auto.sh launch
# them for the tables; papers/speedups.sh, overheads.sh and cut.sh launch the applications.
pen_bench(pull_bench pull.c)
pen_bench(neighbors_bench neighbors.c)
pen_bench(sparse_bench sparse.c)
pen_bench(auto_bench auto.c)
