# What balancers achieve, on virtual ranks.
pen_bench(balance_virtual_bench balance_virtual.c)
target_include_directories(balance_virtual_bench PRIVATE ${METIS_INCLUDE_DIR})
pen_bench(when_bench when.c)
target_link_libraries(when_bench PRIVATE pen_battlefield)
