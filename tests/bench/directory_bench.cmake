# Zoltan_DD is measured beside our directory where it is installed.
find_path(ZOLTAN_INCLUDE_DIR zoltan_dd.h PATH_SUFFIXES trilinos)
find_library(ZOLTAN_LIBRARY NAMES trilinos_zoltan zoltan)

pen_bench(directory_bench directory.c)
set(ZOLTAN_USABLE FALSE)
if(ZOLTAN_INCLUDE_DIR AND ZOLTAN_LIBRARY)
    pen_has_our_mpi(ZOLTAN_USABLE ${ZOLTAN_LIBRARY})
endif()
if(ZOLTAN_USABLE)
    target_compile_definitions(directory_bench PRIVATE BENCH_ZOLTAN=1)
    target_include_directories(directory_bench SYSTEM PRIVATE ${ZOLTAN_INCLUDE_DIR})
    target_link_libraries(directory_bench PRIVATE ${ZOLTAN_LIBRARY})
endif()
