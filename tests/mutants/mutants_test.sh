#!/bin/bash
# mutants_test.sh FOLDER - the tools for drawn mutants, on a project of one file: equal seeds draw equal mutants; a
# fault is found, and one that no test can see is told with its lines; neither the project nor the copy keeps a fault; a
# test that hangs, or that fails without a fault, is noticed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
project=$1/project
rm -rf "$1" && mkdir -p "$project" && cd "$project" || exit 1
fail() { echo "mutants_test: $*" >&2; exit 1; }

mkdir -p .github runtime/sum directory balance apps tools tests/mutants tests/support && touch LICENSE
cp "$here"/*.py "$here"/*.sh tests/mutants && cp "$here/../support/launch.sh" tests/support || exit 1
echo "runtime/sum 1 sum_test" >tests/mutants/folders.txt
cat >runtime/sum/sum.c <<'END'
int sum(const int *terms, int count);
int unseen(int a, int b);
void set(int *place);
int sum(const int *terms, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++) total += terms[i];
    return total;
}
int unseen(int a, int b) { return a ^ b; }
void set(int *place)
{
    *place = 1;
}
END
cat >tests/sum_test.c <<'END'
#include <stdio.h>
#include <string.h>
int sum(const int *terms, int count);
void set(int *place);
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--list") == 0) return puts("subject  of explore") < 0;
    int place = 0;
    set(&place);
    return sum((int[]){ 1, 2, 4 }, 3) != 7 || sum((int[]){ 5 }, 0) != 0 || place != 1;
}
END
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(sum C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
add_executable(core_one_process runtime/sum/sum.c tests/sum_test.c)
add_executable(explore runtime/sum/sum.c tests/sum_test.c)
file(WRITE ${CMAKE_BINARY_DIR}/tests/batch/batch_cases.h "CASE(sum_test, \"\")\n")
END
"${CMAKE:-cmake}" -S . -B ../build ${GENERATOR:+-G "$GENERATOR"} ${CC:+-DCMAKE_C_COMPILER="$CC"} >../log || fail "cmake"
find . -type f -exec cksum {} + | sort >../before

drawn() { tests/mutants/drawn.sh "$@"; }
drawn ../scratch ../build 6 6 >../first
status=$?
[ $status -ne 77 ] || { cat ../first && exit 77; }
grep -q '^found  runtime/sum/sum.c:[0-9]*:[0-9]* [a-z]*  by core_one_process [0-9 ]* sum_test: ' ../first ||
    fail "no fault was found: $(cat ../first)"
grep -A2 '^SURVIVES  runtime/sum/sum.c:10:' ../first | grep -q '^+int unseen(int a, int b) {.*}$' ||
    fail "none was told that survives: $(cat ../first)"
[ $status -eq 0 ] || fail "less than a fourth survives, and the exit status is $status"
grep -qx 'runtime/sum *6 drawn *[1-5] found' ../first || fail "there is no table: $(cat ../first)"
find . -type f -not -path '*/__pycache__/*' -exec cksum {} + | sort | cmp - ../before || fail "the project has changed"
../scratch/build-checking/bin/core_one_process || fail "the copy has kept a fault"
grep -q 'pen_mutant() == 6' ../scratch/source/runtime/sum/sum.c || fail "not all faults were built at once"
python=$(for p in python3 /usr/bin/python3; do "$p" -c 'import clang.cindex' 2>/dev/null && echo "$p" && break; done)
"$python" tests/mutants/draw.py ../build 1 6 >../once && "$python" tests/mutants/draw.py ../build 1 6 | cmp - ../once ||
    fail "a seed draws other mutants each time"
"$python" tests/mutants/draw.py ../build 2 6 | cmp -s - ../once && fail "two seeds draw the same"

# What a mutant is compared with passes.
sed -i 's/!= 7/!= 8/' tests/sum_test.c
drawn ../scratch ../build 1 1 >../wrong 2>&1 && fail "a test that fails without a fault finds all"
grep -q 'does not pass without any mutant' ../wrong || fail "it is not told: $(cat ../wrong)"
sed -i 's/!= 8/!= 7/' tests/sum_test.c
# Faults in place of the right lines, not before them; and a third of all survives.
mutant() # NAME OLD NEW
{
    printf '%s\n' "mutant: runtime/sum/sum.c:$1" 'guards: runtime/sum' 'file: runtime/sum/sum.c' "-$2" "+$3" ''
}
{
    mutant "13:1 another" '    *place = 1;' '    *place = 2;'
    mutant "13:2 another" '    *place = 1;' '    *place = 3;'
    mutant "10:1 unseen" 'int unseen(int a, int b) { return a ^ b; }' 'int unseen(int a, int b) { return a | b; }'
} | MUTANTS=/dev/stdin tests/mutants/run.sh ../scratch >../another 2>&1
status=$?
[ "$(grep -c '^found .* another  by ' ../another)" -eq 2 ] ||
    fail "a fault without a return is not found: $(cat ../another)"
[ $status -eq 1 ] && grep -q '^1 drawn mutants survive' ../another ||
    fail "a third survives, and the exit status is $status: $(cat ../another)"
# A fault that hangs, for which there is a limit.
sed -i 's/i++/i += 1/' runtime/sum/sum.c
{
    printf '%s\n' 'mutant: runtime/sum/sum.c:7:1 endless' 'guards: runtime/sum' 'file: runtime/sum/sum.c'
    sed -n '7s/.*/-&/p' runtime/sum/sum.c
    sed -n '7s/i += 1.*/i = 0) {}/;7s/.*/+&/p' runtime/sum/sum.c
} | MUTANTS=/dev/stdin tests/mutants/run.sh ../scratch >../endless 2>&1
grep -q 'endless  by .*signal' ../endless || fail "an endless loop is not found: $(cat ../endless)"
