# The readers of pen-graph, and that of checkpoints, under libFuzzer, where there is a clang that has it; whatever
# compiler the rest is built with. A search in every run would fail by chance, on a change that has nothing to do with
# it: the tests replay the corpus, and search for a few seconds a reader from what earlier searches found, from the
# same seed, so that they try the same inputs until the readers change. With cmake -DPEN_FUZZ_SECONDS=600 they search
# for so many seconds, and tests/fuzz/keep.sh keeps what they have found.
set(PEN_FUZZ_SECONDS 0 CACHE STRING "Seconds of fuzzing per reader in a test run; 0: a few, the same search each time")
find_program(PEN_CLANG NAMES clang DOC "A clang with libFuzzer")
if(PEN_CLANG)
    set(PEN_FUZZ_FLAGS -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined)
    file(WRITE ${CMAKE_BINARY_DIR}/probe_fuzz.c
         "int LLVMFuzzerTestOneInput(const char *d, long n) { (void)d; (void)n; return 0; }\n")
    execute_process(COMMAND ${PEN_CLANG} ${PEN_FUZZ_FLAGS} -o ${CMAKE_BINARY_DIR}/probe_fuzz
                            ${CMAKE_BINARY_DIR}/probe_fuzz.c
                    RESULT_VARIABLE PEN_NO_FUZZER OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT PEN_CLANG OR PEN_NO_FUZZER)
    foreach(name readers_fuzz checkpoint_fuzz)
        pen_absent_test(${name} "no clang that has libFuzzer")
    endforeach()
else()
    get_target_property(sources pen_files SOURCES)
    get_target_property(common pen_tools_common SOURCES)
    list(APPEND sources ${common})
    list(TRANSFORM sources PREPEND ${CMAKE_SOURCE_DIR}/tools/)
    list(APPEND sources ${CMAKE_CURRENT_LIST_DIR}/readers_fuzz.c)
    list(APPEND sources ${CMAKE_SOURCE_DIR}/runtime/base/compress.c)
    set(definitions "")
    foreach(packer ZLIB LZMA ZSTD)
        if(${packer}_INCLUDE_DIR AND ${packer}_LIBRARY)
            list(APPEND definitions -DPEN_HAVE_${packer})
        endif()
    endforeach()
    file(GLOB fuzz_headers ${CMAKE_SOURCE_DIR}/tools/graph/*.h ${CMAKE_SOURCE_DIR}/tools/common/*.h
         ${CMAKE_CURRENT_LIST_DIR}/../tools/memory_input.h)
    set(fuzz_includes -I${CMAKE_SOURCE_DIR}/runtime/include)
    foreach(box base graph observe checkpoint directory partition rebalance balance view steer store halo workload run
            driver tools tests)
        list(APPEND fuzz_includes -I${CMAKE_BINARY_DIR}/include/${box})
    endforeach()
    foreach(directory ${MPI_C_INCLUDE_DIRS})
        list(APPEND fuzz_includes -isystem ${directory})
    endforeach()
    set(fuzz_compile ${PEN_CLANG} -std=c11 -O1 -g ${PEN_FUZZ_FLAGS} -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE)
    # Of the library, its binary reader has the fuzzer's eyes in it, too.
    set(fuzz_binary ${CMAKE_SOURCE_DIR}/runtime/graph/binary.c)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/bin/readers_fuzz
        COMMAND ${fuzz_compile} ${fuzz_includes} -c ${fuzz_binary} -o ${CMAKE_BINARY_DIR}/fuzz_binary.o
        COMMAND ${fuzz_compile} ${definitions} ${fuzz_includes} ${sources}
                ${CMAKE_BINARY_DIR}/fuzz_binary.o $<TARGET_FILE:penumbra> ${PEN_PRIVATE_LIBRARIES}
                ${MPI_C_LIBRARIES} -lm -o ${CMAKE_BINARY_DIR}/bin/readers_fuzz
        DEPENDS ${sources} ${fuzz_binary} ${fuzz_headers} penumbra VERBATIM)
    add_custom_target(readers_fuzz ALL DEPENDS ${CMAKE_BINARY_DIR}/bin/readers_fuzz)
    set(fuzz_options -timeout=100 -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0
                     -artifact_prefix=${CMAKE_BINARY_DIR}/)
    set(fuzz_command ${CMAKE_BINARY_DIR}/bin/readers_fuzz ${fuzz_options} -max_len=2048)
    add_test(NAME readers_fuzz COMMAND ${fuzz_command} -malloc_limit_mb=160 -runs=0 ${CMAKE_CURRENT_LIST_DIR}/corpus)
    pen_test_timeout(60 readers_fuzz)
    set(fuzz_found ${CMAKE_BINARY_DIR}/fuzz_found)
    file(REMOVE_RECURSE ${fuzz_found})
    file(ARCHIVE_EXTRACT INPUT ${CMAKE_CURRENT_LIST_DIR}/found.tar.xz DESTINATION ${fuzz_found})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/found.tar.xz)
    file(GLOB fuzz_corpus ${CMAKE_CURRENT_LIST_DIR}/corpus/*)
    math(EXPR fuzz_timeout "${PEN_FUZZ_SECONDS} + 120")
    foreach(reader metis chaco scotch mm dimacs9 dimacs10 snap csv mesh penumbra coordinates mapping .gz .xz .zst)
        set(limit 96)
        set(runs 20000)
        if(reader MATCHES "^\\.") # an archive may ask for 128 MiB (compress.c), whatever its size; that takes time, too
            set(limit 160)
            set(runs 2000)
        endif()
        if(PEN_FUZZ_SECONDS GREATER 0)
            file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz_corpus/${reader})
            set(search -max_total_time=${PEN_FUZZ_SECONDS} ${CMAKE_BINARY_DIR}/fuzz_corpus/${reader}
                ${CMAKE_CURRENT_LIST_DIR}/corpus ${fuzz_found}/${reader})
        else()
            file(GLOB seeds ${fuzz_found}/${reader}/*)
            string(REPLACE ";" "," seeds "${seeds};${fuzz_corpus}")
            file(WRITE ${CMAKE_BINARY_DIR}/fuzz_seeds/${reader} ${seeds})
            set(search -seed=1 -runs=${runs} -seed_inputs=@${CMAKE_BINARY_DIR}/fuzz_seeds/${reader})
        endif()
        add_test(NAME readers_fuzz.${reader} COMMAND ${fuzz_command} -malloc_limit_mb=${limit} ${search})
        pen_test_timeout(${fuzz_timeout} readers_fuzz.${reader})
        set_tests_properties(readers_fuzz.${reader} PROPERTIES ENVIRONMENT PEN_FUZZ_READER=${reader})
    endforeach()

    # Checkpoints: what stands between a file and a run has the fuzzer's eyes in it.
    set(fuzz_sources ${CMAKE_CURRENT_LIST_DIR}/checkpoint_fuzz.c)
    foreach(source runtime/checkpoint/format.c runtime/checkpoint/read.c runtime/base/bytes.c runtime/base/coder.c
            runtime/run/resume.c runtime/run/resume_state.c runtime/run/saved.c runtime/graph/validate.c
            balance/steer/memory.c)
        list(APPEND fuzz_sources ${CMAKE_SOURCE_DIR}/${source})
    endforeach()
    file(GLOB fuzz_headers ${CMAKE_SOURCE_DIR}/runtime/checkpoint/*.h ${CMAKE_SOURCE_DIR}/runtime/run/*.h
         ${CMAKE_CURRENT_LIST_DIR}/../mpi/checkpoint_case.h)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/bin/checkpoint_fuzz
        COMMAND ${fuzz_compile} ${fuzz_includes} -isystem ${XXHASH_INCLUDE_DIR} ${fuzz_sources} $<TARGET_FILE:penumbra>
                ${PEN_PRIVATE_LIBRARIES} ${MPI_C_LIBRARIES} -lm -o ${CMAKE_BINARY_DIR}/bin/checkpoint_fuzz
        DEPENDS ${fuzz_sources} ${fuzz_headers} penumbra VERBATIM)
    add_custom_target(checkpoint_fuzz ALL DEPENDS ${CMAKE_BINARY_DIR}/bin/checkpoint_fuzz)
    file(GLOB seeds ${fuzz_found}/checkpoint/* ${CMAKE_CURRENT_LIST_DIR}/checkpoints/*)
    set(fuzz_command ${CMAKE_BINARY_DIR}/bin/checkpoint_fuzz ${fuzz_options} -max_len=4096 -malloc_limit_mb=16)
    if(PEN_FUZZ_SECONDS GREATER 0)
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz_corpus/checkpoint)
        set(search -max_total_time=${PEN_FUZZ_SECONDS} ${CMAKE_BINARY_DIR}/fuzz_corpus/checkpoint
                   ${fuzz_found}/checkpoint ${CMAKE_CURRENT_LIST_DIR}/checkpoints)
    else()
        string(REPLACE ";" "," inputs "${seeds}")
        file(WRITE ${CMAKE_BINARY_DIR}/fuzz_seeds/checkpoint ${inputs})
        set(search -seed=1 -runs=4000 -seed_inputs=@${CMAKE_BINARY_DIR}/fuzz_seeds/checkpoint)
    endif()
    add_test(NAME checkpoint_fuzz COMMAND ${fuzz_command} ${search})
    pen_test_timeout(${fuzz_timeout} checkpoint_fuzz)
    # Several ranks take the same inputs, without the fuzzer's own search for leaks, which tries some of them twice.
    add_test(NAME checkpoint_fuzz.3 COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 ${fuzz_command}
                                            -detect_leaks=0 ${seeds})
    pen_test_properties(checkpoint_fuzz.3 120)
    set_property(TEST checkpoint_fuzz.3 PROPERTY PROCESSORS 2)
    set_property(TEST checkpoint_fuzz.3 APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0
                 OMPI_MCA_mpi_yield_when_idle=1)
endif()
