#!/bin/bash
# papers_readme_test.sh BIN SOURCE - every command of tests/bench/papers/README.md works, with fewer bodies, graphs,
# ranks and repetitions than it names, and prints the table or figure that it is for.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
mkdir -p build/release
ln -s "$bin" build/release/bin
ln -s "$source/tests" tests

awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$source/tests/bench/papers/README.md" | grep -v '^cmake ' |
    unfold |
    sed 's/--bodies=[0-9]*/--bodies=256/; s/--steps=[0-9]*/--steps=2/; s/--\(repeats\|graphs\)=[0-9]*/--\1=1/
        s/REPEAT=[0-9]*/REPEAT=1/; s/RANKS="\([0-9] [0-9]\).*"/RANKS="\1"/
        s/ 6 7 12 17$/ 12/; s/ hex-32 .*/ hex-32/; s/one_sided.sh .*/& --quick/' >commands
[ "$(wc -l <commands)" -eq 16 ] || complain "$(wc -l <commands) commands instead of 16"
only_slots
while IFS= read -r line; do
    if [[ $line == export* ]]; then
        eval "$line"
        continue
    fi
    patiently 100 bash -c "$line" >out 2>err </dev/null || complain "$line: exit status $?: $(head -5 err)"
    wanted=$(sed -n 's/.*--table=\([0-9]*\).*/Table \1/p; s/.*--figure=\([0-9]*\).*/Figure \1/p' <<<"$line")
    grep -q "^${wanted:-.*[0-9]}" out || complain "$line: no $wanted in what it prints: $(head -3 out)"
done <commands
finish
