# Writes OUTPUT, a header with COMPILER, FLAGS and the commit of a build, unless it says so already.
set(commit "$Format:%h$") # what git archive makes of it
if(commit MATCHES Format)
    set(commit)
    if(EXISTS "${SOURCE}/.git") # not that of a repository around it
        execute_process(COMMAND git describe --always --dirty --abbrev=10 WORKING_DIRECTORY "${SOURCE}"
                        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    if(NOT commit)
        set(commit unknown)
    endif()
endif()
string(REGEX REPLACE " +" " " FLAGS "${FLAGS}")
string(STRIP "${FLAGS}" FLAGS)
string(REGEX REPLACE "([\"\\])" "\\\\\\1" FLAGS "${FLAGS}")
set(text "#define PEN_BUILD \"compiler     ${COMPILER}\\nflags        ${FLAGS}\\ncommit       ${commit}\\n\"\n")
set(old "")
if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
endif()
