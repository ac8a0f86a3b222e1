#!/bin/bash
# faults_test.sh BIN - when things go wrong around a run: what cannot be written is said before or after, a file
# under its final name is whole or untouched, and a rank that dies takes the others with it.
. "$(dirname "$0")/support.bash"

# Where nothing can be written is found out before the steps.
long=1000000000
expect_mistake "/dev/null: cannot write: not a regular file" 3 hex --quiet --steps=$long --dump=/dev/null
[ -c /dev/null ] || complain "/dev/null is no device any more"
expect_mistake "absent/d" 0 hex --quiet --steps=$long --dump=absent/d
expect_mistake "absent/m" 2 hex --quiet --steps=$long --metrics=absent/m
mkdir x-velocity.npy x.pvd y-displacement.npy
expect_mistake "x-velocity.npy: cannot write" 2 wave --quiet --steps=$long --output=x.npy
expect_mistake "x.pvd: cannot write" 0 wave --quiet --steps=$long --output=x.pvd
expect 0 2 wave --quiet --steps=1 --output=y.npy --output-fields=velocity
[ -e y-velocity.npy ] && rm -r ./*.npy x.pvd || complain "$ran: $(ls)"
mkdir folder
expect_mistake "folder: cannot write: not a regular file" 0 hex --quiet --steps=1 --save-graph=folder
mkdir locked && chmod a-w locked
unprivileged expect_mistake "locked/d" 2 hex --quiet --steps=1 --dump=locked/d

# A file that is there stays until its successor is complete.
echo before >d
expect_mistake "unknown" 0 hex --quiet --steps=1 --dump=d --comm=carrier-pigeon
[ "$(cat d)" = before ] || complain "an old dump was touched by a run that failed"
expect 0 2 hex --quiet --generate=hex:3x3 --steps=1 --dump=d
[ "$(wc -l <d)" -eq 9 ] || complain "the old dump was not replaced"

# Nodes lose their places, so that they cannot be drawn: the run ends where that is certain, and keeps the rest.
for ranks in 0 2; do
    rm -rf saved d m.json
    mkdir saved
    run $ranks wrong --quiet --generate=mesh:4x4 --steps=1000000 --fault=birth --output=x.vtu --dump=d \
        --metrics=m.json --checkpoint=saved
    [ $status -eq 2 ] && said wrong | grep -q "output=x.vtu: the graph is not a grid and has no coordinates" ||
        complain "$ran: status $status: $(said wrong)"
    said wrong | grep -q "so the run ended after step 3, and" || complain "$ran: $(said wrong)"
    [ ! -e x.vtu ] && [ "$(wc -l <d)" -eq 17 ] && [ -s m.json ] && [ -e saved/step-000000000003.checkpoint ] ||
        complain "$ran: leaves $(ls . saved)"
done
rm -rf saved d m.json

# A rank dies: the launcher ends, soon, and the dump does not appear.
for comm in fence shared blocking; do
    rm -f d
    SECONDS=0
    run_killed 3 wrong --generate=hex:20x20 --steps=1000 --kill-at=5 --comm=$comm --dump=d
    [ $status -ne 0 ] && grep -q -i -E 'signal:? 9' err || complain "$ran: exit status $status, not of a killed rank"
    [ $SECONDS -lt "$(by_load 15)" ] || $hung || complain "$ran: took $SECONDS s to end"
    [ ! -e d ] || complain "$ran: there is a dump"
done
left=$(others_in | grep -v -x -E 'out|err|folder|locked')
[ -z "$left" ] || complain "left behind: $left"
finish
