#!/bin/bash
# command_line_test.sh BIN - questions are answered, mistakes are explained in one line: exit status 2, before
# anything is computed or written.
. "$(dirname "$0")/support.bash"

lib=$bin/../lib

shows() { grep -q -e "$1" out || complain "$ran: does not show $1"; }

expect 0 0 hex --help
for option in graph= grid= nodes= directed steps= partitioner= comm= verify dump= metrics= progress= quiet grain= \
    imbalance= balancer= balance-when= load= balance-cost= trace=; do
    shows "^  --$option"
done
expect 0 2 wave --help --quiet
[ "$(grep -c '^Usage:' out)" -eq 1 ] || complain "$ran: $(grep -c '^Usage:' out) times Usage"
shows "^  --dt=TIME"
expect 0 0 heat --version
shows "^penumbra [0-9]*\.[0-9]*\.[0-9]*$"
shows "MPI"
expect 0 0 heat --list-partitioners
for name in block random metis file; do shows "^$name"; done
expect 0 0 heat --list-balancers
for name in none central diffusive metis scotch PATH; do shows "^$name"; done
expect 0 0 heat --list-comm
for name in fence shared blocking; do shows "^$name .*-sided"; done

# What is wrong, and what was probably meant.
later expect_mistake "unknown option --step=5: did you mean --steps?" 2 hex --step=5
later expect_mistake "did you mean --partitioner?" 0 hex --partioner=block
later expect_mistake "unknown balancer centrl: did you mean central?" 2 hex --balancer=centrl
later expect_mistake "hex: balancer diffusive: unknown setting sped=3" 2 hex --balancer=diffusive:sped=3
later expect_mistake "hex: balancer metis: unknown setting sped=3" 0 hex --balancer=metis:sped=3
later expect_mistake "balancer central: its one setting is letter" 0 hex --balancer=central:speed
later expect_mistake "balancer none has no settings, but is given \"fast\"" 0 hex --balancer=none:fast
later expect_mistake "--balance-when=often: it is auto or every:N" 0 hex --balancer=metis --balance-when=often
later expect_mistake "--balance-when=every:0" 0 hex --balancer=metis --balance-when=every:0
later expect_mistake "--load=guessed: it is measured or declared" 0 hex --load=guessed
later expect_mistake "--load=declared: wave declares no costs" 2 wave --load=declared
later expect_mistake "--balance-cost is for declared loads" 0 hex --balance-cost=5
later expect_mistake "--balance-cost=5:many: it is BASE or BASE:PER_NODE" 0 hex --load=declared --balance-cost=5:many
later expect_mistake "plug-in ./nowhere.so" 2 hex --balancer=./nowhere.so
later expect_mistake "is no plug-in" 0 hex "--balancer=$lib/no_plugin.so"
later expect_mistake "was built for ABI 99 of plug-ins" 2 hex "--balancer=$lib/other_abi.so"
later expect_mistake "was built for ABI 99 of plug-ins" 2 hex "--partitioner=$lib/other_abi.so"
later expect_mistake "has no partitioner" 2 hex "--partitioner=$lib/pairwise.so"
later expect_mistake "its setting is the way in which it is wrong" 2 hex "--balancer=$lib/wrong_balancer.so"
later expect 3 3 hex "--partitioner=$lib/wrong_balancer.so:range"
later expect 3 3 hex "--partitioner=$lib/wrong_balancer.so:fail"
later expect 0 3 hex --steps=5 "--partitioner=$lib/wrong_balancer.so" --verify
later expect_mistake "--imbalance=disc needs a grid" 0 random --imbalance=disc
later expect_mistake "--imbalance is none, three-phase" 0 hex --imbalance=alternate:10:0
later expect_mistake "did you mean --grain?" 0 hex --gain=fine
later expect_mistake "unexpected argument steps=5" 0 hex steps=5
later expect_mistake "--steps=many: not a whole number" 0 hex --steps=many
later expect_mistake "--steps=-1: must be at least 0" 0 hex --steps=-1
later expect_mistake "--steps=9223372036854775808" 0 hex --steps=9223372036854775808
later expect_mistake "--steps needs a value" 0 hex --steps
later expect_mistake "--quiet=1: quiet takes no value" 0 hex --quiet=1
later expect_mistake "unknown partitioner mets: did you mean metis?" 2 hex --partitioner=mets
later expect_mistake "partitioner metis: unknown setting ufaktor=3: did you mean ufactor?" 0 hex \
    --partitioner=metis:ufaktor=3
later expect_mistake "unknown transport fences: did you mean fence?" 2 hex --comm=fences
later expect_mistake "--grid=12: it is WIDTHxHEIGHT" 0 hex --grid=12
later expect_mistake "--grid=0x5" 0 hex --grid=0x5
later expect_mistake "--nodes=0" 0 random --nodes=0
later expect_mistake "give one of" 0 hex --grid=3x3 --nodes=5
later expect_mistake "no graph: give --graph=FILE" 2 heat
later expect_mistake "--dialect=scotch: it is metis or chaco" 0 heat --graph=x --dialect=scotch
later expect_mistake "--progress=yes: it is auto, on or off" 0 hex --progress=yes
later expect_mistake "--grain" 3 hex --grain=5
later expect_mistake "--imbalance" 0 hex --imbalance=three-phase:x
later expect_mistake "--dt" 0 wave --dt=0
later expect_mistake "cannot read nowhere.graph" 3 heat --graph=nowhere.graph --dump=d --metrics=m
later expect_mistake "cannot read .: it is not a regular file" 0 heat --graph=.

# Partition files.
printf '0\n1\n0\n' >short.part
printf '0\n1\n0\n1\n0\n1\n1\n' >long.part
printf '0\n1\n0\n2\n0\n1\n' >range.part
printf '0\n1\n-1\n1\n0\n1\n' >negative.part
printf '0\n1\nx\n1\n0\n1\n' >letters.part
printf '0\n1\n0 0\n1\n0\n1\n' >words.part
printf '0\n1\n0\n1\n0\n1\n' >good.part
later expect_mistake "short.part:4: the file ends here, but the graph has 6 nodes" 2 hex --grid=3x2 \
    --partitioner=file:short.part
later expect_mistake "long.part:7: a line too many" 2 hex --grid=3x2 --partitioner=file:long.part
later expect_mistake "range.part:4: part 2, must be 0..1" 2 hex --grid=3x2 --partitioner=file:range.part --dump=d
later expect_mistake "negative.part:3: part -1" 2 hex --grid=3x2 --partitioner=file:negative.part
later expect_mistake "letters.part:3: \"x\", must be a part number" 2 hex --grid=3x2 --partitioner=file:letters.part
later expect_mistake "words.part:3: more than one word" 2 hex --grid=3x2 --partitioner=file:words.part
later expect_mistake "absent.part: No such file" 0 hex --grid=3x2 --partitioner=file:absent.part
later expect_mistake "partitioner file needs a path" 0 hex --grid=3x2 --partitioner=file
expect 0 2 hex --grid=3x2 --partitioner=file:good.part --verify
wait
left=$(ls -A | grep -v -E '\.part$|^(out|err|failed)$')
[ -z "$left" ] || complain "left behind: $left"
finish
