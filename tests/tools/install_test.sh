#!/bin/bash
# install_test.sh BIN SOURCE - what is installed is whole: somebody else's project builds against it, by CMake and by
# pkg-config, plug-ins need the headers alone, manual pages are without fault, and completion completes. What a package
# brings: package_test.sh.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
build=$(dirname "$bin")
must() { "$@" >log 2>&1 || { complain "$*: $(tail -5 log)"; return 1; }; }

must cmake --install "$build" --prefix "$work/there" || finish
mv there "moved" # nothing in it may know where it was
there=$work/moved lib=$(dirname "$(find moved -name libpenumbra.a)")

# The same result by every way of building.
expect 0 0 heat --nodes=60 --steps=7
checksum=$(grep checksum out)
same() { [ "$(grep checksum "$1")" = "$checksum" ] || complain "$2: $(grep checksum "$1"), expected $checksum"; }

must cmake -S "$source/tests/consumer/installed" -B consumer "-DCMAKE_PREFIX_PATH=$there" && must cmake --build consumer
for kind in shared static; do
    timeout 30 "consumer/$kind" --nodes=60 --steps=7 >out 2>err || complain "consumer $kind: $(cat err)"
    same out "by CMake, $kind"
done
if command -v pkg-config >/dev/null; then
    flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs penumbra) ||
        complain "pkg-config knows no penumbra"
    # shellcheck disable=SC2086
    must cc -std=c11 "$source/apps/heat.c" -o by-pkg-config $flags -Wl,-rpath,"$work/$lib"
    timeout 30 ./by-pkg-config --nodes=60 --steps=7 >out 2>err || complain "by pkg-config: $(cat err)"
    same out "by pkg-config"
fi

# A plug-in, with the programs under their installed names.
must mpicc -std=c11 -Wall -Wextra -Werror -shared -fPIC "-I$there/include" -o pairwise.so \
    "$source/tests/consumer/pairwise.c"
bin=$there/bin
expect 0 3 pen-hex --grid=12x12 --steps=20 --balancer=./pairwise.so --imbalance=three-phase --load=declared --verify
grep -q 'pairwise.so: [1-9]' out || complain "$ran: the plug-in was not called: $(grep balancing out)"
expect 0 0 pen-graph --version

# Manual pages.
pages=0
for page in "$there"/share/man/man*/*; do
    pages=$((pages + 1))
    if command -v mandoc >/dev/null; then mandoc -T lint -W warning "$page" >log 2>&1 || complain "$(head -3 log)"; fi
    if command -v groff >/dev/null; then
        groff -ww -man -Tutf8 "$page" 2>log >/dev/null
        [ ! -s log ] || complain "$page: $(head -3 log)"
    fi
    [ "$(wc -l <"$page")" -gt 15 ] || complain "$page has $(wc -l <"$page") lines"
done
[ "$pages" -ge 12 ] || complain "$pages manual pages"
grep -q 'pen_run_fetch' "$there/share/man/man3/pen_run.3" || complain "pen_run.3 does not speak of pen_run_fetch"
grep -q 'balance..when' "$there/share/man/man1/pen-hex.1" || complain "pen-hex.1 does not speak of --balance-when"

# Completion, as bash would ask.
completes() # WORDS ... EXPECTED: the last word is completed
{
    local expected=${*: -1}
    found=$(
        PATH=$there/bin:$PATH
        . "$there/share/bash-completion/completions/pen-hex"
        compopt() { :; }
        COMP_WORDS=("${@:1:$#-1}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
        _penumbra "$1"
        echo "${COMPREPLY[*]}"
    )
    [ "$found" = "$expected" ] || complain "completion of ${*:1:$#-1}: \"$found\", expected \"$expected\""
}
completes pen-hex --balanc "--balancer= --balance-when= --balance-cost="
completes pen-hex --partitioner = sco "scotch"
completes pen-hex --load = "measured declared"
completes pen-graph con "convert"
completes pen-graph convert --lo "--lossy"
[ ! -e "$there/bin/pen-plot" ] || completes pen-plot cat "categories"
finish
