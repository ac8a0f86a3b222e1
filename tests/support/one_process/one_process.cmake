# MPI in one process (one_process.h). Its functions come before those of the MPI library.
set(parts baton choices clock collectives comm communicators environment messages objects probes queue run switch
          variables waits windows work)
list(TRANSFORM parts REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/\\1.c")
# PT-Scotch's messages are not simulated: the partitioner is that of a build without it.
add_library(pen_one_process OBJECT ${parts} ${CMAKE_SOURCE_DIR}/balance/partition/partition_ptscotch.c)
target_link_libraries(pen_one_process PUBLIC pen_flags PRIVATE pen_private pen_tests_headers)
target_include_directories(pen_one_process SYSTEM PRIVATE ${SCOTCH_INCLUDE_DIR})
# Sanitizers must not see how ranks take turns.
target_compile_options(pen_one_process PRIVATE -g -Wall -Wextra -Wno-unused-parameter -Wconversion -Wshadow
                       -fno-sanitize=all
                       $<$<BOOL:${PEN_WERROR}>:-Werror>)
foreach(name pen_event_add pen_event_await pen_patience_is_crowded pen_affinity_mine pen_queued_seconds pen_run_open
             pen_call_nodes clock_gettime nanosleep sched_yield)
    target_link_options(pen_one_process INTERFACE -Wl,--wrap=${name})
endforeach()
find_package(Threads REQUIRED)
target_link_libraries(pen_one_process INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

# pen_per_rank(made main section objects): the object file ${made} of such files, of whose variables each rank has its
# own copy (variables.c). They are in a section of that name; the main function is called ${main}.
set(PEN_PER_RANK_OPTIONS -fno-common)
function(pen_per_rank made main section)
    add_custom_command(OUTPUT ${made} DEPENDS ${ARGN}
        COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${made} ${ARGN}
        COMMAND ${CMAKE_OBJCOPY} --redefine-sym main=${main} --rename-section .data=${section}
                --rename-section .bss=${section},alloc,load,data,contents --rename-section .data.rel=pen_rank_rel
                --rename-section .data.rel.local=pen_rank_rel ${made}
        COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# penumbra_one_process(target): the program ${target}_one_process, which runs that program's ranks in one process.
function(penumbra_one_process target)
    set(name ${target}_one_process)
    foreach(each SOURCES SOURCE_DIR LINK_LIBRARIES INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_OPTIONS)
        get_target_property(its_${each} ${target} ${each})
        if(NOT its_${each})
            set(its_${each})
        endif()
    endforeach()
    list(TRANSFORM its_SOURCES PREPEND ${its_SOURCE_DIR}/ REGEX "^[^/$]")
    add_library(${name}_sources OBJECT ${its_SOURCES})
    target_link_libraries(${name}_sources PRIVATE ${its_LINK_LIBRARIES})
    target_include_directories(${name}_sources PRIVATE ${its_INCLUDE_DIRECTORIES})
    target_compile_definitions(${name}_sources PRIVATE ${its_COMPILE_DEFINITIONS})
    target_compile_options(${name}_sources PRIVATE ${its_COMPILE_OPTIONS} -g ${PEN_PER_RANK_OPTIONS})
    set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}_per_rank.o)
    pen_per_rank(${made} pen_one_process_main pen_rank_data $<TARGET_OBJECTS:${name}_sources>)
    add_executable(${name} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/program.c ${made})
    target_link_libraries(${name} PRIVATE pen_one_process pen_private pen_tests_headers ${its_LINK_LIBRARIES})
endfunction()
