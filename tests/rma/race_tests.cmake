# Races between ranks in one process. The boxes that store into windows and load from them are compiled once
# more, for ThreadSanitizer; the others come from the library as they are.
set(probe ${CMAKE_BINARY_DIR}/probe_races)
file(WRITE ${probe}.c "int main(void) { return 0; }\n")
execute_process(COMMAND ${CMAKE_C_COMPILER} -fsanitize=thread -o ${probe} ${probe}.c RESULT_VARIABLE linked
                OUTPUT_QUIET ERROR_QUIET)
execute_process(COMMAND ${probe} RESULT_VARIABLE started OUTPUT_QUIET ERROR_QUIET)
if(linked OR started)
    pen_absent_test(race_test "no ThreadSanitizer that works here")
    return()
endif()

pen_test_program(race_test rma/race_test.c)
target_link_libraries(race_test PRIVATE pen_one_process)
foreach(box store halo run)
    get_target_property(sources pen_${box} SOURCES)
    target_sources(race_test PRIVATE ${sources})
endforeach()
foreach(source event meeting) # what orders the ranks' memory
    target_sources(race_test PRIVATE ${CMAKE_SOURCE_DIR}/runtime/base/${source}.c)
endforeach()
target_include_directories(race_test PRIVATE ${METIS_INCLUDE_DIR} ${SCOTCH_INCLUDE_DIR})
target_compile_definitions(race_test PRIVATE PEN_CHECKING=1) # planes are poisoned
target_compile_options(race_test PRIVATE -O1 -g -fsanitize=thread)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
    target_compile_options(race_test PRIVATE -Wno-tsan) # it knows no fences: those of passive stand beside messages
endif()
target_link_options(race_test PRIVATE -fsanitize=thread)
add_test(NAME race_test COMMAND race_test)
pen_test_properties(race_test 300)
set_tests_properties(race_test PROPERTIES PROCESSORS 2)
set_property(TEST race_test APPEND PROPERTY ENVIRONMENT TSAN_OPTIONS=halt_on_error=1)
