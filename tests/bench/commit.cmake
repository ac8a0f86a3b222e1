# Writes OUTPUT, a header with the commit and the flags of a build, unless it says so already.
execute_process(COMMAND git describe --always --dirty --abbrev=10 WORKING_DIRECTORY "${SOURCE}"
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT commit)
    set(commit unknown)
endif()
set(text "#define BENCH_COMMIT \"${commit}\"\n#define BENCH_FLAGS \"${FLAGS}\"\n")
set(old "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
endif()
