#!/bin/bash
# examples_test.sh BIN SOURCE [all] - the commands of the examples' texts and of the tutorial work, in order, for
# somebody who has what is installed on the path; with `all` also those that draw, which make the pictures that they
# name. No example is long, and each is told.
. "$(dirname "$0")/support.bash"
source_tree=$(cd "$2" && pwd) all=${3:-}
examples=$source_tree/apps/examples there=$work/there
cmake --install "$(dirname "$bin")" --prefix "$there" >log 2>&1 ||
    { complain "cmake --install: $(tail -5 log)"; finish; }
# A path without the blank of this test's folder: flags are words of a command line.
config=$(dirname "$(find there -name penumbra.pc)")
export PATH=$there/bin:$bin/examples:$PATH PKG_CONFIG_PATH=../$config LD_LIBRARY_PATH=$work/$config/..

# try TEXT LEAST: the commands of its sh blocks, at least so many
try()
{
    awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$1" | unfold >commands
    [ "$(wc -l <commands)" -ge "$2" ] || complain "only $(wc -l <commands) commands found in $1"
    while IFS= read -r line; do
        if [[ $line = pen-draw* || $line = pen-plot* ]]; then
            [ "$all" ] || continue
            has_matplotlib || { leave_out "no matplotlib: $line" && continue; }
        fi
        (only_slots; patiently 100 bash -c "$line") >../said 2>&1 </dev/null ||
            complain "$line: exit status $?: $(head -3 ../said)"
        picture=$(grep -o -E -e '-o [a-z]*\.(svg|gif)' <<<"$line" | cut -c 4-)
        [ ! "$picture" ] || grep -q -a -e '</svg>' -e ^GIF89a "$picture" || complain "$line: no picture"
    done <commands
}

mkdir examples && cd examples && canaries . || exit 1
try "$examples/README.md" 15
for source in "$examples"/*.c; do
    name=$(basename "$source" .c)
    [ "$(wc -l <"$source")" -lt 150 ] || complain "$source has $(wc -l <"$source") lines"
    grep -q "^## $name: " "$examples/README.md" || complain "the examples' text does not speak of $name"
    cmp -s "$source" "$there/share/doc/penumbra/examples/$name.c" || complain "$name.c is not installed"
done
grep -q '"efficiency": 0\.85' pairwise.json || complain "pairwise: $(grep '"work"' pairwise.json)"
python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate && break
done
if [ "$python" ]; then
    "$python" "$source_tree/tests/tools/examples_check.py" "$source_tree/tools/python" >wrong 2>&1 && [ ! -s wrong ] ||
        complain "what the examples compute: $(cat wrong)"
else
    leave_out "no python3 that has numpy: what the examples compute"
fi
# Warmth comes from the left plate, and all of it stays.
awk '{ sum += $2 } FNR == 40 { edge[FILENAME] = $2 }
     END { exit !(sum > 239999.99 && sum < 240000.01 && edge["left.txt"] > edge["right.txt"]) }' left.txt right.txt ||
    complain "coupled: heat is lost on the way"
cd ..

mkdir tutorial && cd tutorial && canaries . || exit 1
awk '/^```c$/ { on = ++programs == 1 ? "mine.c" : "sheep.c"; next } /^```/ { on = "" } on != "" { print >on }' \
    "$examples/tutorial.md"
try "$examples/tutorial.md" 15
./sheep --generate=mesh:1x1 --seed=2 --steps=4 --verify --quiet >../said 2>&1 ||
    complain "sheep at a node without neighbours: $(head -3 ../said)"
grep -q '^\.SH 7' "$there/share/man/man7/penumbra_tutorial.7" || complain "the tutorial has no manual page"
cd ..
finish
