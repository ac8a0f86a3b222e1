#!/bin/bash
# one_sided_test.sh BIN SOURCE - one_sided.sh measures what is not there yet, its tables say what it measured, and
# choices of --comm=auto that were wrong are listed.
. "$(dirname "$0")/support.bash"
script=$2/tests/bench/papers/one_sided.sh
command -v python3 >/dev/null || skip "no python3 to read JSON with"
export MPIRUN=${MPIEXEC:-mpiexec}

measure()
{
    patiently 100 "$script" "$bin" found --quick >out 2>err ||
        complain "one_sided.sh: exit status $?: $(tail -3 out err)"
    ! grep -v "one_sided.sh: skipped: " err | grep . >&2 || complain "one_sided.sh: $(head -3 err)"
    grep "one_sided.sh: skipped: " err >&2
}
measure
networks=$(ls found/*-hexagons.json | wc -l)
[ "$networks" = 3 ] || grep -q 'skipped: 20us-10Gbs' err || complain "networks: $(ls found)"
[ "$(grep -c -E '^\| `[a-z]+` \| (one|two)-sided' out)" = 8 ] || complain "transports: $(cat out)"
[ "$(grep -c -E '^\| .* \| (hexagons|geometric|social) \|' out)" = $((3 * networks)) ] || complain "graphs: $(cat out)"
grep -q "^--comm=auto: $((6 * networks)) choices; " out || complain "choices: $(tail -3 out)"
grep -q '^commit .* cores, --records=' out || complain "settings: $(head -1 out)"
# The table has the medians of the files.
while IFS=, read -r sweep transport _ _ _ record _ _ _ _ _ _ _ median _; do
    [ "$sweep,$record" = halo,8 ] || continue
    case $transport in petsc-*) continue ;; esac
    printed=$(sed -n "s/^| \`$transport\` | [a-z-]* | \([0-9.e+]*\) (.*/\1/p" out)
    awk -v p="${printed:-0}" -v m="$median" 'BEGIN { d = p / (1e6 * m) - 1; exit !(d < 0.006 && d > -0.006) }' ||
        complain "$transport: $printed is printed, $median measured"
done <found/one-host-hexagons.csv
# Nothing is measured twice.
touch mark
rm found/one-host-social.json
measure
[ "$(find found -name '*.json' -newer mark)" = found/one-host-social.json ] ||
    complain "measured again: $(find found -name '*.json' -newer mark | xargs)"
# A choice of auto that is 4 % slower, outside the intervals, is told, and only that.
python3 - <<'PYTHON'
import json
path = "found/one-host-geometric.json"
table = json.load(open(path))
for row in table["rows"]:
    slow = {"fence": 1.04, "shared": 1.0}.get(row["transport"], 2.0)
    row["seconds"] = {"min": slow, "low": slow - 0.01, "median": slow, "high": slow + 0.01, "max": slow}
    row["noise"] = 0.0
    row["auto"] = row["transport"] == "fence"
    if row["record"] == 4096 and row["auto"]:
        row["seconds"]["low"] = 1.0
json.dump(table, open(path, "w"))
PYTHON
measure
grep -q '^one host, geometric, .* B: fence takes 1.04 times as long as shared$' out || complain "4 %: $(tail -3 out)"
[ "$(grep -c '^one host, geometric, ' out)" = 1 ] || complain "intervals that overlap: $(tail -3 out)"
finish
