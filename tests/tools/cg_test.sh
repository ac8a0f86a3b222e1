#!/bin/bash
# cg_test.sh BIN SOURCES - cg solves what a serial program solves, to the bit, on any number of ranks and with nodes
# that move; it says so where the residual is not what it seems to be.
. "$(dirname "$0")/support.bash"
command -v python3 >/dev/null || skip "it needs python3"

expect 0 0 hex --generate=hex:17x12 --steps=0 --quiet --save-graph=hex.graph
expect 0 0 hex --generate=hex:53x41 --steps=0 --quiet --save-graph=large.graph # more nodes than observe at once
expect 0 0 random --generate=random:nodes=150,degree=3,seed=4 --steps=0 --quiet --save-graph=random.graph
python3 - <<'END' # a ring with chords, whose edges have weights
rows = [{} for _ in range(60)]
for i in range(60):
    for j in ((i + 1) % 60, (i * 7 + 3) % 60):
        if i != j:
            rows[i][j] = rows[j][i] = 1 + (i * j) % 1000
with open("weights.graph", "w") as out:
    print(60, sum(map(len, rows)) // 2, "001", file=out)
    for row in rows:
        print(*(number for j in sorted(row) for number in (j + 1, row[j])), file=out)
END

# solves GRAPH SIGMA TOLERANCE INPUT STEPS: the dump is the serial program's, on every number of ranks.
solves()
{
    local options=(--graph="$1" --sigma="$2" --tolerance="$3" --source="$4" --steps="$5" --quiet) name="$1.$4.$5"
    python3 "$here/cg.py" "$@" >"$name" || complain "cg.py $*: failed"
    for way in "1 fence" "2 fence" "3 shared" "5 persistent"; do
        read -r ranks comm <<<"$way"
        expect 0 "$ranks" cg "${options[@]}" --comm="$comm" --dump="$name.$ranks" --verify --migrate-random=7:0.3
        cmp "$name" "$name.$ranks" || complain "$ran: not what the serial program has"
    done
}
here=$2/tests/tools
later solves hex.graph 0.1 1e-6 noise 200
later solves hex.graph 0 1e-10 poles 200
later solves large.graph 0.1 1e-6 noise 40
later solves random.graph 0.001 1e-9 noise 17
later solves weights.graph 2.5 1e-12 noise 500
wait

# It ends when it is done, and not with the steps that it may take; the residual of x is what r is.
expect 0 2 cg --graph=hex.graph --observables=observed.csv --quiet
python3 - <<'END' || complain "observed.csv: $(tail -2 observed.csv)"
import csv
lines = list(csv.DictReader(open("observed.csv")))
last, before = lines[-1], lines[-2]
first = float(lines[0]["r.r"])
limit = 1e-12 * first
assert 10 < len(lines) < 100, len(lines)
assert float(last["r.r"]) == float(before["r.r"]) <= limit < float(lines[-3]["r.r"]), (last, before)
assert abs(float(last["(b - Ax)^2"]) / float(last["r.r"]) - 1) < 1e-4, last
assert all(float(line["(b - Ax)^2"]) == 0 for line in lines[1:-1])
END

# Nothing to do, nothing to solve.
expect 0 2 cg --generate=hex:1x1 --source=poles --steps=10 --dump=nothing --quiet
[ "$(cat nothing)" = "0 0" ] || complain "$ran: x is $(cat nothing)"

# Where the iteration's residual is smaller than that of x can be, and where there is no solution.
expect 1 2 cg --graph=hex.graph --tolerance=1e-30 --steps=2000 --quiet
said cg | grep -q "tolerance cannot be reached" || complain "$ran: says \"$(said cg)\""
printf '3 1\n2\n1\n\n' >parts.graph
expect 1 2 cg --graph=parts.graph --sigma=0 --source=poles --steps=2000 --quiet
said cg | grep -q "do not add up to 0" || complain "$ran: says \"$(said cg)\""

expect_mistake "--sigma=0 needs" 0 cg --sigma=0
expect_mistake "--sigma must be" 0 cg --sigma=-0.5
expect_mistake "--tolerance must be" 0 cg --tolerance=1
expect_mistake "--source must be noise or poles" 0 cg --source=ones
finish
