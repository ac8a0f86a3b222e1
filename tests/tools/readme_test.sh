#!/bin/bash
# readme_test.sh BIN SOURCE - every command in the README's sh blocks works, in order, in one folder, as for somebody who
# has built into build/release.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
mkdir -p build
ln -s "$(dirname "$bin")" build/release
for name in runtime directory balance apps tools tests CMakeLists.txt LICENSE; do ln -s "$source/$name" .; done
awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$source/README.md" >commands
[ "$(wc -l <commands)" -ge 15 ] || complain "only $(wc -l <commands) commands found in the README"
while IFS= read -r line; do
    case $line in
    "cmake -S"* | "cmake --build"*) continue ;; # that is how this test came to be
    esac
    timeout 100 bash -c "$line" >out 2>err </dev/null || complain "$line: exit status $?: $(head -5 err)"
done <commands

# The program in the README is the one in apps/, but for white space and comments.
bare() { sed 's#/\*.*\*/##' "$@" | tr -d ' \n'; }
awk '/^```c$/ { on = 1; next } /^```/ { on = 0 } on' "$source/README.md" >program.c
[ "$(bare program.c)" = "$(bare "$source/apps/heat.c")" ] || complain "the README's program is not apps/heat.c"
finish
