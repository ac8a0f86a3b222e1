#!/bin/bash
# observed_program_test.sh BIN - observables as a user meets them: runs that end by them, the file that grows while the
# run goes, the table and the summary, mistakes.
. "$(dirname "$0")/support.bash"

# A run ends by what is observed, behind the same step everywhere, and says so.
until="highest<0.3,moving nodes>100"
expect 0 0 wave --generate=hex:12x10 --steps=500 --until="$until" --observables=o.1 --dump=d.1 --verify
steps=$(sed -n 's/^ended  *after \([0-9]*\) steps: until highest<0.3,moving nodes>100$/\1/p' out)
[ "${steps:-500}" -lt 500 ] || complain "$ran: \"$(grep ended out)\""
head -1 o.1 | grep -q -x 'step,kinetic energy,highest,moving nodes' || complain "the CSV begins with $(head -1 o.1)"
awk -F, -v last="$steps" 'NR == 1 { next }
    $1 != NR - 2 { print "line " NR " is of step " $1 }
    $1 > 0 && ($3 < 0.3 && $4 > 100) != ($1 == last) { print "the end should be elsewhere than at " $1 }
    END { if ($1 != last) print "the last line is of step " $1 ", not " last }' o.1 >findings
[ ! -s findings ] || complain "the CSV: $(head -3 findings)"
echo "old" >o.n # is replaced
for ranks in 2 3 5; do
    expect 0 $ranks wave --generate=hex:12x10 --steps=500 --until="$until" --observables=o.n --dump=d.n --verify \
        --migrate-random=$ranks:0.2 --metrics=m.json
    cmp o.1 o.n && cmp d.1 d.n || complain "$ran: another result than on one rank"
    grep -q "^verified" out || complain "$ran: --verify is silent"
    grep -q -E "^ended .* $steps steps: until" out || complain "$ran: \"$(grep ended out)\""
done
grep -q "\"steps\": $steps," m.json && grep -q '"ended": "until",' m.json &&
    grep -q '"until": "highest<0.3,moving nodes>100",' m.json || complain "the metrics do not tell the end"
last=$(tail -1 o.1)
printf '    %-24s %s\n' "kinetic energy" "$(cut -d, -f2 <<<"$last")" highest "$(cut -d, -f3 <<<"$last")" \
    "moving nodes" "$(cut -d, -f4 <<<"$last")" | diff - <(grep -A3 '^observables at the end' out | tail -3) ||
    complain "$ran: the summary has other last observables"
grep -E '^ *[0-9]+ ' out >table && complain "$ran: prints a line a step: $(head -1 table)"
expect 0 2 wrong --generate=hex:6x6 --steps=9 --fault=done --verify --metrics=m.json
grep -q -x "ended       after 2 steps: done" out || complain "$ran: \"$(grep ended out)\""
grep -q '"ended": "done",' m.json && grep -q '"until": null,' m.json && grep -q '"cut_off": false,' m.json ||
    complain "the metrics do not tell: done"

# What ends by itself has no limit but one that somebody gave; where that comes first, it is told.
expect 0 2 wave --generate=hex:200x3 --until="moving nodes>=600" --metrics=m.json --progress=on
steps=$(sed -n 's/^  "steps": \([0-9]*\),$/\1/p' m.json)
[ "$steps" -gt 100 ] && grep -q '"ended": "until",' m.json || complain "$ran: ended after $steps steps"
grep -q 'step [0-9]*, [0-9.]* s, kinetic energy' err || complain "$ran: progress: $(tr '\r' '\n' <err | head -3)"
expect 0 2 wave --generate=hex:12x10 --until="moving nodes<0" --steps=7 --quiet --metrics=m.json
[ "$(said wave)" = 'penumbra: wave: ended after 7 steps, its maximum, before --until=moving nodes<0: '"\
"'--steps=N allows more' ] || complain "$ran: says \"$(said wave)\""
[ ! -s out ] && grep -q '"cut_off": true,' m.json || complain "$ran: the metrics do not tell"
expect 0 2 cg --generate=hex:53x41 --sigma=0 --source=poles --tolerance=1e-12 --metrics=m.json
steps=$(sed -n 's/^  "steps": \([0-9]*\),$/\1/p' m.json)
[ "$steps" -gt 100 ] && grep -q '"ended": "done",' m.json || complain "$ran: ended after $steps steps"
[ ! "$(said cg)" ] || complain "$ran: says \"$(said cg)\""
expect 0 2 wrong --generate=hex:6x6 --quiet --metrics=m.json
grep -q '"steps": 30,' m.json && said wrong | grep -q 'wrong: ended after 30 steps, .* before it was done' ||
    complain "$ran: .end.steps: $(grep '"steps"' m.json), says \"$(said wrong)\""
expect 0 2 wave --generate=hex:4x4 --steps=2 --quiet
[ ! "$(said wave)" ] || complain "$ran: says \"$(said wave)\""
expect 0 0 cg --help
grep -q 'steps=N .*most steps to run (until it is done)' out || complain "cg --help: $(grep -e --steps out)"
expect 0 2 wave --generate=hex:4x4 --steps=3 --metrics=m.json --progress=on
grep -q -x "ended       after 3 steps, the limit of --steps" out || complain "$ran: \"$(grep ended out)\""
grep -q '"ended": "steps",' m.json || complain "the metrics do not tell: steps"
grep -q 'step [0-9]* of 3 .*, kinetic energy [0-9.e+-]*, highest [0-9.e+-]*, moving nodes [0-9]*' err ||
    complain "$ran: the progress line has no observables: $(tr '\r' '\n' <err | head -3)"

# A table where it is asked for, the initial state first.
expect 0 2 wave --generate=hex:4x4 --steps=3 --observables=-
[ "$(grep -c -E '^ *[0-9]+ ' out)" -eq 4 ] || complain "$ran: $(grep -c -E '^ *[0-9]+ ' out) lines, expected 4"
expect 0 2 wave --generate=hex:4x4 --steps=3 --observables=- --quiet
[ ! -s out ] || complain "$ran: --quiet prints $(head -1 out)"
expect 0 2 wave --generate=hex:4x4 --steps=3 --observables=-,e:1.csv:every=2
[ "$(grep -c -E '^ *[02] ' out) $(grep -c '^[02],' e:1.csv) $(wc -l <e:1.csv)" = "2 2 3" ] ||
    complain "$ran: not steps 0 and 2, but $(cat out e:1.csv)"

# Where the serial computation ends behind another step, that is a difference.
expect 1 3 wrong --generate=hex:6x6 --steps=9 --fault=count --until="nodes>36" --verify --partitioner=block
said wrong | grep -q 'the first: end of the run: serial "step 1, nothing", parallel "step 1, until"' ||
    complain "$ran: says \"$(said wrong)\""
expect 1 3 wrong --generate=hex:6x6 --steps=9 --fault=count --until="nodes<=36" --verify --partitioner=block
said wrong | grep -q 'the first: end of the run: serial "step 1, until", parallel "step 9, nothing"' ||
    complain "$ran: says \"$(said wrong)\""

# A run that is killed leaves all lines up to then, whole.
for ranks in 0 3; do
    how=run
    [ $ranks -eq 0 ] || how=run_killed
    $how $ranks wrong --generate=hex:6x6 --steps=20 --kill-at=7 --observables=k.csv
    [ "$status" -ne 0 ] || complain "$ran: nobody was killed"
    seq 0 7 | sed -e '1s/.*/0,36,0,0/' -e '2,$s/$/,36,170,0/' -e '1i step,nodes,degrees_0,degrees_1' | diff - k.csv ||
        complain "$ran: left $(wc -l <k.csv) lines"
    rm k.csv
done

# Contributions and questions that do not fit the table end the program in a sentence.
for fault in "belongs:observable \"degrees_0\" belongs to another .observe" \
             "beyond:pen_observe: index 2, wrong has 2 observables" \
             "component:pen_observe: component 2, observable \"degrees\" has 2" \
             "index:pen_run_observed_int: index 2, wrong has 2 observables" \
             "kind:pen_run_observed_real: observable \"nodes\" is of the other kind"; do
    run 2 wrong --generate=hex:3x3 --steps=3 --fault="${fault%%:*}"
    [ "$status" -ne 0 ] && grep -q -F -e "${fault#*:}" err || complain "$ran: status $status, says \"$(head -3 err)\""
done

later expect_mistake "unknown observable highset: did you mean highest?" 2 wave --generate=hex:3x3 \
    --until="highset<1" --dump=d
later expect_mistake "--until: moving nodes<0.5: must be a whole number" 0 wave --generate=hex:3x3 \
    --until="moving nodes<0.5"
later expect_mistake "--until: not a condition: highest=1" 0 wave --generate=hex:3x3 --until="highest=1"
later expect_mistake "--until needs an application that has observables" 0 heat --generate=hex:3x3 --until="heat<1"
later expect_mistake "no/o.csv" 2 wave --generate=hex:3x3 --observables=no/o.csv
wait
[ ! -e d ] || complain "left behind: $(ls -A)"
finish
