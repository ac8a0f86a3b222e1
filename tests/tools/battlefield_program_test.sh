#!/bin/bash
# battlefield_program_test.sh BIN EXAMPLES - the battle as a user runs it: tables, summary, own scenarios,
# mistakes.
examples=$(cd "$2" && pwd)
. "$(dirname "$0")/support.bash"

# The table, on the terminal and as CSV, and the nodes are the same everywhere.
expect 0 0 battlefield --scenario=encirclement --generate=hex:20x14 --steps=40 --dump=d.1 --observables=-,o.1.csv
grep -E '^ *[0-9]+ ' out >table.1
[ "$(wc -l <table.1)" -eq 41 ] || complain "$ran: $(wc -l <table.1) lines in the table, expected 41"
[ "$(wc -l <o.1.csv)" -eq 42 ] || complain "$ran: $(wc -l <o.1.csv) lines of CSV, expected 42"
[ "$(sed 's/^ *//; s/  */,/g' table.1)" = "$(tail -n +2 o.1.csv)" ] || complain "$ran: the CSV is not the table"
grep -q -E '^red  *[0-9]+ of [0-9]+ units, .* holds [0-9]+ of 280 hexes$' out || complain "$ran: no summary"
grep -q -E '^    blue command at [0-9]+,[0-9]+: (held by|contested)' out ||
    complain "$ran: nobody told who holds the command"
for way in "2 shared metis" "3 fence row" "4 passive random:seed=2"; do
    read -r ranks comm partitioner <<<"$way"
    expect 0 "$ranks" battlefield --scenario=encirclement --generate=hex:20x14 --steps=40 --comm="$comm" \
        --partitioner="$partitioner" \
        --dump=d.n --observables=-,o.n.csv --verify
    grep -E '^ *[0-9]+ ' out | cmp - table.1 || complain "$ran: the table differs"
    cmp d.1 d.n || complain "$ran: the nodes differ"
    cmp o.1.csv o.n.csv || complain "$ran: the CSV differs"
done

expect 0 0 battlefield --scenario=meeting --generate=hex:12x10 --steps=25 --quiet
[ ! -s out ] || complain "$ran: --quiet prints $(head -1 out)"

# The examples, with the size that they ask for or that the command line gives.
expect 0 2 battlefield --scenario="$examples/bridges.txt" --steps=10 --verify
grep -q "^battlefield: 1120 nodes" out || complain "$ran: $(grep ' nodes' out), expected 1120"
expect 0 2 battlefield --scenario="$examples/hill.txt" --generate=hex:20x20 --steps=10 --verify

# What is wrong is told with file and line, before anything is computed.
printf 'size 6x6\n\nred armour 1 assets 5 at 9,0\n' >"bad place.txt"
printf 'red armour 4 assets 5 at 0,0\nred armour 4 assets 5 at 0,0\n' >crowd.txt
printf 'size 6x6\n\0\n' >zero.txt
later expect_mistake "bad place.txt:3: \"9\" is not a coordinate on this field: 0..5" 3 battlefield \
    --scenario="bad place.txt" --dump=d
later expect_mistake "crowd.txt:2: more than 6 units of a side in hex 0,0" 2 battlefield --scenario=crowd.txt --dump=f
later expect_mistake "zero.txt: not a text" 0 battlefield --scenario=zero.txt
later expect_mistake "bad place.txt:1: made for 6x6 hexes, but the field has 7x6" 2 battlefield \
    --scenario="bad place.txt" --generate=hex:7x6
later expect_mistake "meting: No such file or directory (built-in scenarios are meeting," 2 battlefield \
    --scenario=meting
later expect_mistake ".: not a regular file" 0 battlefield --scenario=.
later expect_mistake "give --generate=hex:WxH" 2 battlefield --generate=random:nodes=50
later expect_mistake "--observables needs an application with observables" 0 heat --generate=hex:2x2 --observables=o
wait
[ ! -e d ] && [ ! -e f ] && [ ! -e o ] || complain "left behind: $(ls -A)"
finish
