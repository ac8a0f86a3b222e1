#!/bin/bash
# papers_figures_test.sh BIN - the figures of METIS and PaGrid beside what the documents tell.
. "$(dirname "$0")/support.bash"

# simulate OPTION ...: longer than other programs of tests may take, in the checking build on a busy machine
simulate()
{
    patiently 250 "$bin/papers_bench" pagrid-figures --graphs=1 "$@" 2>"$err" || complain "$*: $(cat "$err")"
}
later simulate --figure=12 -o 12.txt
later simulate --figure=12 --receive=together -o together.txt
later simulate --figure=6 --hop=0 --format=csv -o 6.csv
later simulate --figure=17 --seed=2 --ratio=0.1 -o 17.txt
wait

# What table 3 tells: 0.458 s on one processor, 0.236, 0.136, 0.0829 and 0.0638 s on 2, 4, 8 and 16.
grep -qE '^printed: METIS +fine +1\.94 +3\.37 +5\.52 +7\.18$' 12.txt || complain "table 3: $(grep printed 12.txt)"
grep -qE '^printed: METIS +fine +1\.96 +3\.44 +5\.95 +5\.23$' 17.txt || complain "table 6: $(grep printed 17.txt)"
# A record and hop take 0.45 of a fine node: the bands of 8 nodes that two processors get cost 3.6 nodes.
grep -qE '^PaGrid +fine +1\.80 ' 12.txt || complain "two bands: $(grep PaGrid 12.txt)"
grep -qE '^METIS +coarse +1\.98 ' 12.txt || complain "two bands, coarse: $(grep METIS 12.txt)"
grep -qE ',METIS,coarse,2\.00,4\.00,8\.00,16\.00$' 6.csv || complain "without a network: $(grep METIS 6.csv)"
grep -qE '^ +12 +METIS, coarse +METIS, fine +1\.[1-9]' 12.txt || complain "coarse is not above fine: $(tail -3 12.txt)"
[ "$(grep -c '^Figure' 12.txt)" = 1 ] || complain "figures that nobody asked for"
[ "$(grep -c '^PaGrid' 12.txt)" = 4 ] || complain "lines are missing, or too many"
awk '/^METIS +fine/ { if (++n == 1) { for (i = 3; i <= 6; i++) turn[i] = $i } else
         for (i = 3; i <= 6; i++) { less += $i < turn[i]; more += $i > turn[i] } }
     END { exit !(n == 2 && !less && more) }' 12.txt together.txt || complain "messages in turn are not slower"

expect_mistake "--figure=8: must be 6, 7, 12 or 17" 0 papers_bench pagrid-figures --figure=8
expect_mistake "unknown receive in-turns: did you mean in-turn?" 0 papers_bench pagrid-figures --receive=in-turns
expect_mistake "--hop=-1: must be from 0 to 1" 0 papers_bench pagrid-figures --hop=-1
expect_mistake "--ratio=-1: must be at least 0" 0 papers_bench pagrid-figures --ratio=-1
expect_mistake "unknown format tex" 0 papers_bench pagrid-figures --format=tex
expect_mistake "nowhere/x" 0 papers_bench pagrid-figures --figure=6 -o nowhere/x
finish
