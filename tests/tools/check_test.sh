#!/bin/bash
# check_test.sh BIN SOURCE - how tools/check and tools/quickstart tell what they do: a step that lasts shows that it is
# alive, one that fails the end of its log and the remedy; a build's folder keeps what it has; the MPI is the one on the
# path; results of several builds become one file and one summary; nights take turns.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)

# Steps, in a copy of the project that has nothing else.
mkdir tools && cp "$source/tools/setup" tools
cat >tools/steps <<'END'
#!/bin/bash
set -euo pipefail
. "$(dirname "$0")/setup"
slow() { echo compiling; until [ -e told ]; do sleep 0.1; done; }
bad() { seq -f 'line %g' 40; echo "no such thing" >&2; return 7; }
begin_log
step "This is slow" "wait" slow
step "This fails" "mend it" bad
echo "never reached"
END
PEN_PROGRESS=0.2 timeout -k 5 60 bash tools/steps >out 2>err &
job=$!
until grep -qs compiling err || ! kill -0 $job 2>/dev/null; do sleep 0.1; done
: >told
wait $job
status=$?
[ $status -eq 7 ] || complain "a step that fails with 7 ends with $status: $(cat err)"
grep -q '^    after [0-9]* s: compiling$' err || complain "no progress is told: $(cat err)"
grep -q '^no such thing$' err && grep -q 'build/log/steps.log$' err && grep -q '^Remedy: mend it$' err ||
    complain "the step that fails says $(cat err)"
! grep -q '^line 1$' err && grep -q '^line 1$' build/log/steps.log || complain "the whole log is shown, or is not kept"
[ ! -s out ] || complain "steps print $(cat out)"

# A folder that was configured by the README's command, through a link, stays as it is; where its sources were
# elsewhere, it is configured anew.
printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(nothing NONE)' >CMakeLists.txt
cat >tools/builds <<'END'
#!/bin/bash
set -euo pipefail
. "$(dirname "$0")/setup"
begin_log
build_in "$root/build/one"
END
ln -s . link
cmake -S link -B build/one -G "Unix Makefiles" >log 2>&1 && : >build/one/mine || complain "cmake: $(cat log)"
built() # GENERATOR: and the file is still there
{
    bash tools/builds >out 2>err || complain "build_in: exit status $?: $(cat err)"
    [ -e build/one/mine ] || complain "build_in removed a file from the folder: $(cat err)"
    grep -qx "CMAKE_GENERATOR:INTERNAL=$1" build/one/CMakeCache.txt || complain "build_in: not with $1"
}
built "Unix Makefiles"
! grep -q configured err || complain "build_in says $(cat err)"
sed -i 's|^CMAKE_HOME_DIRECTORY:INTERNAL=.*|CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere|' build/one/CMakeCache.txt
built Ninja
grep -q '^build/one was configured from /elsewhere: it is configured anew$' err || complain "build_in says $(cat err)"

# The MPI is Open MPI: the one that the path finds first, unless the plain name is another's.
mkdir modules
printf '#!/bin/sh\n' >modules/mpirun.openmpi
chmod 755 modules/mpirun.openmpi
for said in "mpirun (Open MPI) 5.0.3:mpirun" "mpiexec (OpenRTE) 4.1.4:mpirun" "HYDRA build details:mpirun.openmpi"; do
    printf '#!/bin/sh\necho "%s"\n' "${said%:*}" >modules/mpirun
    chmod 755 modules/mpirun
    found=$(PATH=$PWD/modules:$PATH bash -c '. tools/setup && mpi_tool mpirun')
    [ "$found" = "$PWD/modules/${said##*:}" ] || complain "where mpirun says ${said%:*}, mpi_tool takes $found"
done

# Results, as ctest writes them.
case_of() # NAME STATUS CHILD OUTPUT
{
    printf '\t<testcase name="%s" classname="%s" time="1.5" status="%s">\n\t\t%s\n\t\t<system-out>%s</system-out>\n' \
        "$1" "$1" "$2" "$3" "$4"
    printf '\t</testcase>\n'
}
suite() # CASES
{
    printf '<?xml version="1.0" encoding="UTF-8"?>\n'
    printf '<testsuite name="(empty)"\n\ttests="9"\n\tfailures="9"\n\tskipped="9"\n\t>\n%s\n</testsuite>\n' "$1"
}
mkdir results && cd results || exit 1
suite "$(case_of good run '' fine
    case_of bad fail '<failure message=""/>' "$(seq -f 'part %g' 50; echo '1 &lt; 2 is wrong')"
    case_of core.3 run '' "$(printf '%s\n' 'case sums_test 0.25' 'skipped: &lt;far&gt;' 'case moves_test 1.00')"
    case_of core.4 fail '<failure message=""/>' "$(printf '%s\n' 'case sums_test 0.50' 'failed moves_test')"
    case_of left notrun '<skipped message="SKIP_RETURN_CODE=77"/>' 'left: skipped: no such machine')" >one.xml
suite "$(case_of good run '' fine)" >two.xml
printf '%s\n' "good quick" "bad full" "core.3 quick" "core.4 full" "left full" >one.txt
echo "good nightly" >two.txt
awk -f "$source/tests/support/junit.awk" one.txt one.xml two.txt two.xml >all.xml
awk -f "$source/tests/support/summary.awk" all.xml >summary && complain "a failure is no failure"
grep -q '^one        quick         3      0       1     0.0$' summary || complain "the table: $(cat summary)"
[ "$(tail -n 1 summary)" = "5 passed, 2 failed, 2 skipped" ] || complain "the last line is $(tail -n 1 summary)"
grep -q '^---- bad, one, failed after 1 s:$' summary && grep -q '^1 < 2 is wrong$' summary &&
    ! grep -q '^part 11$' summary && grep -q '^part 12$' summary || complain "of a test that failed: $(cat summary)"
suite "" | awk -f "$source/tests/support/summary.awk" >nothing && complain "no test is a success"
[ "$(head -n 1 nothing)" = "(empty): 0 passed, 0 failed, 0 skipped" ] || complain "of no test: $(cat nothing)"
! grep -q '^fine$' summary || complain "the output of a test that passed is shown"
grep -q '^    skipped  left: no such machine$' summary && grep -q '^    skipped  moves_test.3: <far>$' summary ||
    complain "the reason is not told: $(cat summary)"
if command -v python3 >/dev/null; then
    python3 - >found <<'END' || complain "the file of all results is no XML"
import xml.etree.ElementTree as tree
for suite in tree.parse("all.xml").getroot():
    cases = list(suite)
    listed = [len(cases)] + [sum(case.get("status") == kind for case in cases) for kind in ("fail", "notrun")]
    counted = [int(suite.get(kind)) for kind in ("tests", "failures", "skipped")]
    assert listed == counted, f"{suite.get('name')} has {listed} tests, failures and skipped ones; it says {counted}"
    for case in suite:
        depth = case.find("properties/property[@name='depth']").get("value")
        print(suite.get("name"), case.get("classname"), case.get("name"), depth, case.get("time"))
END
    printf '%s\n' "one one good quick 1.5" "one one bad full 1.5" "one one sums_test.3 quick 0.25" \
        "one one moves_test.3 quick 1" "one one core.4 full 1.5" "one one sums_test.4 full 0.5" \
        "one one left full 1.5" "two two good nightly 1.5" | diff - found >differences ||
        complain "the file of all results: $(cat differences)"
else
    leave_out "no python3 to read a file of results with"
fi
cd ..

# The lines that a program has executed, by folders.
if command -v gcc >/dev/null && command -v gcov >/dev/null; then
    mkdir -p code/one code/two covered
    printf '%s\n' 'int half(int x)' '{' 'if (x > 0)' 'return 1;' 'return 2;' '}' >code/one/half.c
    printf '%s\n' 'int half(int);' 'int main(void)' '{' 'return half(3) - 1;' '}' >code/two/main.c
    (cd covered && gcc --coverage -c "$PWD/../code/one/half.c" "$PWD/../code/two/main.c" &&
        gcc --coverage ./*.o -o both && ./both)
    "$source/tests/support/coverage.sh" code covered | tr -s ' ' >table
    printf '%s\n' 'one 4 lines 75.0 %' 'two 2 lines 100.0 %' 'all 6 lines 83.3 %' | diff - table >differences ||
        complain "the coverage: $(cat differences)"
else
    leave_out "no gcc or no gcov: coverage"
fi

# The share of a night; what is no night is refused before anything is built.
for night in '20789 6 7' '20790 0 7' 'all 0 1'; do
    read -r number share parts <<<"$night"
    said=$(PEN_TEST_NIGHT=$number "$source/tests/support/night.sh" sh -c 'echo $SHARE $PART' 2>/dev/null)
    [ "$said" = "$share $parts" ] || complain "night $number has the share $said, expected $share $parts"
done
for night in 0 -1 two 1e3; do
    PEN_TEST_NIGHT=$night "$source/tools/check" --nightly >out 2>&1
    status=$?
    [ $status -eq 2 ] && grep -q "PEN_TEST_NIGHT=$night: must be" out || complain "night $night: $status, $(cat out)"
done
finish
