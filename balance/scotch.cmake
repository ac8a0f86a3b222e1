# Scotch: SCOTCH_INCLUDE_DIR, SCOTCH_LIBRARIES and PEN_PTSCOTCH, whether they contain PT-Scotch; if they do,
# PTSCOTCH_INCLUDE_DIR, which is not everywhere the same folder.
#
# The library of errors that return, libscotcherr, not the one of errors that exit. PT-Scotch comes with
# the sequential Scotch in it (Debian) or needs it, too (others); before it in either case, so that what
# both have is taken from one of them.
find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)
find_library(SCOTCH_LIBRARY scotch)
find_library(SCOTCHERR_LIBRARY scotcherr)
pen_needs(Scotch SCOTCH_INCLUDE_DIR SCOTCH_LIBRARY SCOTCHERR_LIBRARY)
find_library(PTSCOTCH_LIBRARY ptscotch)
find_library(PTSCOTCHERR_LIBRARY ptscotcherr)
find_path(PTSCOTCH_INCLUDE_DIR ptscotch.h HINTS ${SCOTCH_INCLUDE_DIR} ${MPI_C_INCLUDE_DIRS} PATH_SUFFIXES scotch)

set(PEN_PTSCOTCH FALSE)
if(PTSCOTCH_LIBRARY AND PTSCOTCHERR_LIBRARY AND PTSCOTCH_INCLUDE_DIR)
    pen_has_our_mpi(PEN_PTSCOTCH ${PTSCOTCH_LIBRARY})
else()
    message(STATUS "Left out: PT-Scotch, which is not there")
endif()
if(PEN_PTSCOTCH)
    set(SCOTCH_LIBRARIES ${PTSCOTCH_LIBRARY} ${SCOTCH_LIBRARY} ${PTSCOTCHERR_LIBRARY})
else()
    set(SCOTCH_LIBRARIES ${SCOTCH_LIBRARY} ${SCOTCHERR_LIBRARY})
endif()
