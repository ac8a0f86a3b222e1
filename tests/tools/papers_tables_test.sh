#!/bin/bash
# papers_tables_test.sh BIN - the tables of the MinEX paper beside ours, in every format the same numbers.
. "$(dirname "$0")/support.bash"
command -v python3 >/dev/null || skip "no python3 to read JSON with"

few="--bodies=256 --steps=2 --repeats=1 --contenders=minex,metis,metis-speeds,minex-rank"
expect 0 0 papers_bench minex-tables $few
mv out all.txt
for table in 1 2 3 4 5 6; do
    grep -q "^Table $table: " all.txt || complain "no table $table"
done
[ "$(grep -c '^Table' all.txt)" = 7 ] || complain "tables are missing, or too many"
for format in text csv json latex; do
    later expect 0 0 papers_bench minex-tables $few --table=6 --format=$format -o table.$format
done
later expect 0 0 papers_bench minex-tables $few --table=1 --measure=model --theta=0 -o model.txt
later expect 0 0 papers_bench minex-tables --bodies=64 --table=3 --steps=3 -o moves.txt
later expect 0 0 papers_bench minex-tables $few --table=6 --send=edge --channels=2 -o edge.txt
expect 0 0 papers_bench minex-tables --table=3 --steps=1 --bodies=16384 --contenders=metis -o paper.txt
wait
cmp -s <(sed -n '/^Table 6/,$p' all.txt) table.text || complain "table 6 is not the same alone"
cmp -s edge.txt table.text && complain "--send and --channels change nothing"
grep -q 'model, theta 0' model.txt || complain "the model is not named"
grep -q ' 1630 .* 2.16 ' paper.txt || complain "the paper's numbers are missing"
grep -q '16384 bodies: 4426 cells, 106200 edges, work 19.3 million units (paper: 4563, 99802, about 5.8; ' paper.txt ||
    complain "the graph or the paper's is not named: $(head -1 paper.txt)"
[ "$(grep -c '^Table.*; 256 bodies: [0-9]* cells.*the paper has other numbers' all.txt)" = 6 ] ||
    complain "a table does not name its graph"
[ "$(grep -c '\\begin{tabular}' table.latex)" = 2 ] || complain "no two tables in LaTeX"
python3 - <<'PYTHON' || failures=1
import csv, json
tables = json.load(open("table.json"))["tables"]
rows = [r for r in csv.reader(open("table.csv")) if r]
ok = len(tables) == 2 and len(tables[0]["rows"]) == 36 and len(tables[1]["rows"]) == 4
ok = ok and len(rows) == 36 + 4 + 2
for line, row in zip(rows[1:37], tables[0]["rows"]):
    ok = ok and line[0] == tables[0]["title"] and float(line[4]) == row["MinEX-G"] and row["MinEX-G"] > 0
if not ok:
    print("papers_tables_test.sh: CSV and JSON differ")
raise SystemExit(not ok)
PYTHON

expect_mistake "unknown format tex" 0 papers_bench minex-tables --format=tex
expect_mistake "unknown send ranks: did you mean rank?" 0 papers_bench minex-tables --send=ranks
expect_mistake "unknown measure models" 0 papers_bench minex-tables --measure=models
expect_mistake "--bodies=7: must be even" 0 papers_bench minex-tables --bodies=7
expect_mistake "--theta=2: must be from 0 to 1" 0 papers_bench minex-tables --theta=2
expect_mistake "--table=7: must be from 1 to 6" 0 papers_bench minex-tables --table=7
expect_mistake "unknown contender metiss: did you mean metis?" 0 papers_bench minex-tables --contenders=minex,metiss
expect_mistake "nowhere/x" 0 papers_bench minex-tables $few --table=2 -o nowhere/x
[ ! -e nowhere ] || complain "nowhere is there"
finish
