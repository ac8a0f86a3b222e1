# Benchmarks of pulls and transports: built with the tests, run by hand; pull.sh, neighbors.sh, auto.sh and
# papers.sh launch them and the applications for the tables.
pen_bench(pull_bench pull.c)
pen_bench(neighbors_bench neighbors.c)
pen_bench(auto_bench auto.c)
