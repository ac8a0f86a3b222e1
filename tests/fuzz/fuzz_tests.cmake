# The readers of files under libFuzzer, where there is a clang that has it; whatever compiler the rest is built with. A
# search in every run would fail by chance, on a change that has nothing to do with it: the tests replay the corpus, and
# search for a few seconds a reader from what earlier searches found, from the same seed, so that they try the same
# inputs until the readers change. Those of the night search anew, for $PEN_FUZZ_SECONDS each (60), and keep.sh keeps
# what they have found.
find_program(PEN_CLANG NAMES clang DOC "A clang with libFuzzer")
if(PEN_CLANG)
    set(PEN_FUZZ_FLAGS -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined)
    file(WRITE ${CMAKE_BINARY_DIR}/probe_fuzz.c
         "int LLVMFuzzerTestOneInput(const char *d, long n) { (void)d; (void)n; return 0; }\n")
    execute_process(COMMAND ${PEN_CLANG} ${PEN_FUZZ_FLAGS} -o ${CMAKE_BINARY_DIR}/probe_fuzz
                            ${CMAKE_BINARY_DIR}/probe_fuzz.c
                    RESULT_VARIABLE PEN_NO_FUZZER OUTPUT_QUIET ERROR_QUIET)
endif()
set(no_fuzzer "")
if(NOT PEN_CLANG OR PEN_NO_FUZZER)
    set(no_fuzzer "no clang that has libFuzzer")
elseif("${CMAKE_C_FLAGS_RELEASE}" MATCHES "--coverage")
    set(no_fuzzer "clang cannot link a library that gcc made for gcov")
endif()
if(no_fuzzer)
    foreach(name readers_fuzz checkpoint_fuzz files_fuzz)
        pen_absent_test(${name} ${no_fuzzer})
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
    foreach(box base graph observe checkpoint input directory partition rebalance balance view steer store halo workload
            output run strict balancing debug observables inputs record results loop driver tools tests)
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
    set(fuzz_found ${CMAKE_BINARY_DIR}/fuzz_found)
    file(REMOVE_RECURSE ${fuzz_found})
    file(ARCHIVE_EXTRACT INPUT ${CMAKE_CURRENT_LIST_DIR}/found.tar.xz DESTINATION ${fuzz_found})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/found.tar.xz)

    # pen_fuzz_tests(name program reader corpus runs option ...): the short search, and that of the night.
    function(pen_fuzz_tests name program reader corpus runs)
        set(corpus ${CMAKE_CURRENT_LIST_DIR}/${corpus})
        set(command ${CMAKE_BINARY_DIR}/bin/${program} ${fuzz_options} ${ARGN})
        file(GLOB seeds ${fuzz_found}/${reader}/* ${corpus}/*)
        string(REPLACE ";" "," seeds "${seeds}")
        file(WRITE ${CMAKE_BINARY_DIR}/fuzz_seeds/${reader} ${seeds})
        add_test(NAME ${name} COMMAND ${command} -seed=1 -runs=${runs}
                 -seed_inputs=@${CMAKE_BINARY_DIR}/fuzz_seeds/${reader})
        add_test(NAME ${name}.long COMMAND sh -c "exec \"$0\" \"$@\" -max_total_time=\${PEN_FUZZ_SECONDS:-60}"
                 ${command} ${CMAKE_BINARY_DIR}/fuzz_corpus/${reader} ${corpus} ${fuzz_found}/${reader})
        file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz_corpus/${reader} ${fuzz_found}/${reader})
        pen_test_timeout(120 ${name})
        pen_test_timeout(720 ${name}.long)
        set_tests_properties(${name} ${name}.long PROPERTIES ENVIRONMENT PEN_FUZZ_READER=${reader})
        set_tests_properties(${name}.long PROPERTIES LABELS nightly)
    endfunction()

    add_test(NAME readers_fuzz COMMAND ${CMAKE_BINARY_DIR}/bin/readers_fuzz ${fuzz_options} -max_len=2048
                                       -malloc_limit_mb=160 -runs=0 ${CMAKE_CURRENT_LIST_DIR}/corpus)
    pen_test_timeout(60 readers_fuzz)
    foreach(reader metis chaco scotch mm dimacs10 csv tsv penumbra coordinates mapping .gz .xz .zst)
        set(limit 96)
        set(runs 20000)
        if(reader MATCHES "^\\.") # an archive may ask for 128 MiB (compress.c), whatever its size; that takes time, too
            set(limit 160)
            set(runs 2000)
        endif()
        pen_fuzz_tests(readers_fuzz.${reader} readers_fuzz ${reader} corpus ${runs} -max_len=2048
                       -malloc_limit_mb=${limit})
    endforeach()

    # pen_fuzz_program(name source ...): of the library, what stands between a file and a run has the
    # fuzzer's eyes in it.
    function(pen_fuzz_program name)
        list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
        set(program ${CMAKE_BINARY_DIR}/bin/${name})
        file(GLOB headers ${CMAKE_SOURCE_DIR}/runtime/*/*.h ${CMAKE_SOURCE_DIR}/balance/*/*.h
             ${CMAKE_SOURCE_DIR}/tests/mpi/checkpoint_case.h)
        add_custom_command(OUTPUT ${program}
            COMMAND ${fuzz_compile} ${definitions} ${fuzz_includes} -isystem ${XXHASH_INCLUDE_DIR} ${sources}
                    $<TARGET_FILE:penumbra> ${PEN_PRIVATE_LIBRARIES} ${MPI_C_LIBRARIES} -lm -o ${program}
            DEPENDS ${sources} ${headers} penumbra VERBATIM)
        add_custom_target(${name} ALL DEPENDS ${program})
    endfunction()

    pen_fuzz_program(files_fuzz tests/fuzz/files_fuzz.c runtime/base/npy.c runtime/base/csv.c runtime/base/bytes.c
                     runtime/input/source.c runtime/input/files.c runtime/input/rows.c
                     runtime/input/csv_part.c runtime/input/npy_part.c runtime/input/ranking.c
                     runtime/input/read.c runtime/workload/blocks.c runtime/workload/decode.c
                     runtime/workload/place_map.c runtime/workload/read.c runtime/debug/delays.c
                     balance/view/machine_text.c balance/view/network.c)
    foreach(reader input record machine delays)
        set(limit 8)
        if(reader STREQUAL record) # 2 KiB of zstd's stand for up to 64 MiB
            set(limit 96)
        endif()
        pen_fuzz_tests(files_fuzz.${reader} files_fuzz ${reader} files 3000 -max_len=2048
                       -malloc_limit_mb=${limit})
    endforeach()

    pen_fuzz_program(checkpoint_fuzz tests/fuzz/checkpoint_fuzz.c runtime/checkpoint/file.c
                     runtime/base/bytes.c runtime/base/coder.c runtime/checkpoint/resume.c runtime/checkpoint/restore.c
                     runtime/checkpoint/state.c runtime/graph/validate.c balance/steer/steer_state.c)
    pen_fuzz_tests(checkpoint_fuzz checkpoint_fuzz checkpoint checkpoints 4000 -max_len=4096 -malloc_limit_mb=16)
    file(GLOB seeds ${fuzz_found}/checkpoint/* ${CMAKE_CURRENT_LIST_DIR}/checkpoints/*)
    # Several ranks take the same inputs, without the fuzzer's own search for leaks, which tries some of them twice.
    add_test(NAME checkpoint_fuzz.3 COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3
             ${CMAKE_BINARY_DIR}/bin/checkpoint_fuzz ${fuzz_options} -max_len=4096 -malloc_limit_mb=16
             -detect_leaks=0 ${seeds})
    pen_test_properties(checkpoint_fuzz.3 120)
    set_property(TEST checkpoint_fuzz.3 PROPERTY PROCESSORS 2)
    set_property(TEST checkpoint_fuzz.3 APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0
                 OMPI_MCA_mpi_yield_when_idle=1)
endif()

# Command lines, likewise: the same ones until options change, and others in the night.
add_test(NAME command_lines_fuzz COMMAND ${CMAKE_CURRENT_LIST_DIR}/command_lines.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
         --seed=1 --runs=60)
add_test(NAME command_lines_fuzz.long COMMAND sh -c "exec \"$0\" \"$@\" --seconds=\${PEN_FUZZ_SECONDS:-60}"
         ${CMAKE_CURRENT_LIST_DIR}/command_lines.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
pen_test_properties(command_lines_fuzz 120)
pen_test_properties(command_lines_fuzz.long 720)
set_property(TEST command_lines_fuzz command_lines_fuzz.long PROPERTY PROCESSORS 2)
set_property(TEST command_lines_fuzz.long PROPERTY LABELS nightly)
