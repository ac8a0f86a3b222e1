#!/bin/bash
# coverage.sh SOURCES BUILD - of a build with --coverage whose tests have run: a line for each folder of the sources,
# with its lines of code, and the percentage of them that tests have executed; then a line for all. A file that several
# programs contain counts once, by the program that executes most of it.
set -euo pipefail
sources=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
cd "$(mktemp -d)" && trap 'rm -r "$PWD"' EXIT
find "$build" -name '*.gcda' -print0 | xargs -0 -r gcov -n 2>/dev/null | awk -v sources="$sources/" '
    /^File / { file = substr($0, 7, length($0) - 7); known = index(file, sources) == 1 }
    known && /^Lines executed:/ {
        split($0, number, /[:% ]+/)
        file = substr(file, length(sources) + 1)
        lines[file] = number[5]
        done = number[3] / 100 * number[5]
        if (done > executed[file]) executed[file] = done
        known = 0
    }
    END {
        for (file in lines) {
            folder = file
            if (!sub("/[^/]*$", "", folder)) folder = "."
            all[folder] += lines[file]
            run[folder] += executed[file]
            total += lines[file]
            total_run += executed[file]
        }
        row = "%-30s %7d lines  %5.1f %%\n"
        for (folder in all) printf row, folder, all[folder], 100 * run[folder] / all[folder] | "sort"
        close("sort")
        if (total) printf row, "all", total, 100 * total_run / total
    }'
