# MPI in one process (one_process.h). Its functions come before those of the MPI library.
add_library(pen_one_process OBJECT ${CMAKE_CURRENT_LIST_DIR}/baton.c ${CMAKE_CURRENT_LIST_DIR}/choices.c
            ${CMAKE_CURRENT_LIST_DIR}/objects.c ${CMAKE_CURRENT_LIST_DIR}/communicators.c
            ${CMAKE_CURRENT_LIST_DIR}/collectives.c ${CMAKE_CURRENT_LIST_DIR}/messages.c
            ${CMAKE_CURRENT_LIST_DIR}/windows.c ${CMAKE_CURRENT_LIST_DIR}/waits.c)
target_link_libraries(pen_one_process PUBLIC pen_flags PRIVATE pen_private pen_tests_headers)
# Sanitizers must not see how ranks take turns.
target_compile_options(pen_one_process PRIVATE -g -Wall -Wextra -Wconversion -Wshadow -fno-sanitize=all
                       $<$<BOOL:${PEN_WERROR}>:-Werror>)
foreach(name pen_event_await pen_patience_is_short clock_gettime nanosleep sched_yield)
    target_link_options(pen_one_process INTERFACE -Wl,--wrap=${name})
endforeach()
find_package(Threads REQUIRED)
target_link_libraries(pen_one_process INTERFACE Threads::Threads ${CMAKE_DL_LIBS})

# pen_per_rank(name SOURCES ... ): an object file of which each rank has its own variables (baton.c), from the sources of
# an existing target or list, with that target's settings. Its main function is called ${main}.
function(pen_per_rank name target main)
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(libraries ${target} LINK_LIBRARIES)
    get_target_property(includes ${target} INCLUDE_DIRECTORIES)
    get_target_property(definitions ${target} COMPILE_DEFINITIONS)
    get_target_property(options ${target} COMPILE_OPTIONS)
    list(TRANSFORM sources PREPEND ${folder}/ REGEX "^[^/$]")
    add_library(${name}_sources OBJECT ${sources})
    foreach(each libraries includes definitions options)
        if(NOT ${each})
            set(${each})
        endif()
    endforeach()
    target_link_libraries(${name}_sources PRIVATE ${libraries})
    target_include_directories(${name}_sources PRIVATE ${includes})
    target_compile_definitions(${name}_sources PRIVATE ${definitions} ${ARGN})
    target_compile_options(${name}_sources PRIVATE -g -fno-common -fno-zero-initialized-in-bss ${options})
    set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}_per_rank.o)
    add_custom_command(OUTPUT ${made} DEPENDS ${name}_sources $<TARGET_OBJECTS:${name}_sources>
        COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${made} $<TARGET_OBJECTS:${name}_sources>
        COMMAND ${CMAKE_OBJCOPY} --redefine-sym main=${main} --rename-section .data=pen_rank_data --rename-section .data.rel=pen_rank_rel
                --rename-section .data.rel.local=pen_rank_rel ${made}
        COMMAND_EXPAND_LISTS VERBATIM)
    set(${name}_libraries ${libraries} PARENT_SCOPE)
    set(${name}_object ${made} PARENT_SCOPE)
endfunction()

# penumbra_one_process(target): the program ${target}_one_process, which runs that program's ranks in one process.
function(penumbra_one_process target)
    pen_per_rank(${target}_one_process ${target} pen_one_process_main)
    add_executable(${target}_one_process ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/program.c ${${target}_one_process_object})
    target_link_libraries(${target}_one_process PRIVATE pen_one_process pen_tests_headers
                          ${${target}_one_process_libraries})
endfunction()
