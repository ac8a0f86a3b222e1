# Scotch: SCOTCH_INCLUDE_DIR, SCOTCH_LIBRARIES and PEN_PTSCOTCH, whether they contain PT-Scotch.
#
# The library of errors that return, libscotcherr, not the one of errors that exit. PT-Scotch comes with
# the sequential Scotch in it (Debian) or needs it beside (others); before it in either case, so that what
# both have is taken from one of them.
find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch REQUIRED)
find_library(SCOTCH_LIBRARY scotch REQUIRED)
find_library(SCOTCHERR_LIBRARY scotcherr REQUIRED)
find_library(PTSCOTCH_LIBRARY ptscotch)
find_library(PTSCOTCHERR_LIBRARY ptscotcherr)

# A process can have one MPI library: a PT-Scotch that needs another one than ours is not used.
set(PEN_PTSCOTCH FALSE)
if(PTSCOTCH_LIBRARY AND PTSCOTCHERR_LIBRARY AND EXISTS ${SCOTCH_INCLUDE_DIR}/ptscotch.h)
    set(PEN_PTSCOTCH TRUE)
    execute_process(COMMAND ${CMAKE_READELF} -d ${PTSCOTCH_LIBRARY} OUTPUT_VARIABLE dynamic ERROR_QUIET)
    if(dynamic MATCHES "\\[(libmpi[^]]*)\\]")
        set(needed ${CMAKE_MATCH_1})
        set(PEN_PTSCOTCH FALSE)
        foreach(library ${MPI_C_LIBRARIES})
            get_filename_component(library ${library} REALPATH)
            string(FIND "${library}" "/${needed}" at)
            if(at GREATER_EQUAL 0)
                set(PEN_PTSCOTCH TRUE)
            endif()
        endforeach()
        if(NOT PEN_PTSCOTCH)
            message(STATUS "No partitioner ptscotch: ${PTSCOTCH_LIBRARY} needs ${needed}, which is not this build's MPI")
        endif()
    endif()
endif()
if(PEN_PTSCOTCH)
    set(SCOTCH_LIBRARIES ${PTSCOTCH_LIBRARY} ${SCOTCH_LIBRARY} ${PTSCOTCHERR_LIBRARY})
else()
    set(SCOTCH_LIBRARIES ${SCOTCH_LIBRARY} ${SCOTCHERR_LIBRARY})
endif()
