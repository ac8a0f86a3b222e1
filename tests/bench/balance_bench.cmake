# What balancers achieve, on virtual ranks.
pen_bench(balance_virtual_bench balance_virtual.c)
target_include_directories(balance_virtual_bench PRIVATE ${METIS_INCLUDE_DIR})
