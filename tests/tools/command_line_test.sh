#!/bin/bash
# command_line_test.sh BIN - questions are answered, mistakes are explained in one line: exit status 2, before
# anything is computed or written.
. "$(dirname "$0")/support.bash"

lib=$bin/../lib

shows() { grep -q -e "$1" out || complain "$ran: does not show $1"; }

expect 0 0 hex --help
for option in graph= generate= steps= partitioner= comm= verify dump= metrics= progress= quiet grain= \
    imbalance= seed= balancer= balance-when= load= balance-cost= trace=; do
    shows "^  --$option"
done
expect 0 2 wave --help --quiet
[ "$(grep -c '^Usage:' out)" -eq 1 ] || complain "$ran: $(grep -c '^Usage:' out) times Usage"
shows "^  --dt=TIME"
expect 0 0 heat --version
for word in "heat (Penumbra) [0-9.]*" "MPI .*[0-9]" "compiler .*[0-9]" "flags .*-ffp-contract=off" \
    "commit " "packages .*METIS [0-9.]*, Scotch [0-9.]*, uthash [0-9.]*" \
    "transports .* fence" "partitioners .*metis" "balancers .* diffusive"; do
    grep -q "^$word" out || complain "--version: no \"$word\" in $(cat out)"
done
expect 0 0 heat --list=partitioners
for name in block random one metis file; do shows "^$name"; done
for what in rows columns; do shows "$what=N: $what of parts"; done
expect 0 0 heat --list=balancers
for name in none central diffusive metis scotch PATH; do shows "^$name"; done
expect 0 0 heat --list=comm
for name in fence shared blocking; do shows "^$name .*-sided"; done
expect 0 0 heat --list=machines
shows '^hypercube'
expect 0 0 heat --list=generators
shows '^torus'
expect 0 0 pen-comm --list=machines
shows '^hypercube'
expect_mistake "must be partitioners, balancers, machines, comm or generators" 0 heat --list=hosts

expect 0 0 nbody --help
shows '^Example: mpirun -n 4 nbody --steps=100 --metrics=run.json$'
shows '^It brings its own graph'
for option in seed= save-graph= steps= partitioner=; do shows "^  --$option"; done
for option in graph= generate=; do
    ! grep -q -e "^  --$option" out || complain "$ran: offers --$option, which it refuses or does not heed"
done

expect 0 0 shock --help
shows '^  --generate=mesh:WxH  *the size of the mesh in squares'
for word in hexagon "torus"; do
    ! grep -q -e "$word" out || complain "$ran: offers $word, which it refuses"
done
expect 0 0 shock --generate=mesh:4x4 --steps=1 --quiet

# What each --help prints ends with a line end, as manual pages need it.
for program in pen-graph pen-draw pen-sim pen-plot pen-comm pen-keep pen-comm-both hex shock nbody battlefield; do
    commands=$(timeout 30 "$bin/$program" --help 2>&1 | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
    case $program in pen-graph | pen-sim | pen-plot) ;; *) commands= ;; esac
    for command in "" $commands; do
        timeout 30 "$bin/$program" $command --help >out 2>&1
        [ "$(tail -c 1 out | od -An -c | tr -d ' ')" = '\n' ] || complain "$program $command --help: ends without one"
    done
done

# Help is short for itself, shows the name by which it was called, and an example that works.
for call in "0 hex -h" "2 wave -h" "0 pen-graph -h" "0 pen-graph convert -h" "0 pen-comm -h"; do
    # shellcheck disable=SC2086
    expect 0 $call
    call=${call#* }
    shows "^[Uu]sage: .*${call% -h} "
done
expect 0 0 pen-comm-both -h
shows '^pen-comm-both - '
ln -s "$bin/hex" pen-other
patiently 30 ./pen-other -h >out 2>err || complain "pen-other -h: $(cat err)"
ran="pen-other -h"
shows '^Usage: mpirun -n RANKS pen-other '
example=$(sed -n 's/^Example: mpirun -n 4 //p' out)
patiently 30 bash -c "./$example" >out 2>err || complain "the example of --help, $example: $(cat err)"
[ -s run.json ] || complain "the example of --help writes no metrics"
rm -f pen-other run.json

# Command lines that differ: one wrong one, or a question, ends all ranks.
for other in --stps=3 --help; do
    patiently 30 "${MPIEXEC:-mpiexec}" -n 1 "$bin/hex" --steps=3 : -n 1 "$bin/hex" $other >out 2>err
    status=$? expected=0
    [ $other = --help ] || expected=2
    [ $status -eq $expected ] || complain "hex --steps=3 beside hex $other: status $status, $(cat err)"
    [ $expected -eq 0 ] || grep -q "did you mean --steps" err || complain "hex beside hex $other: $(cat err)"
done

# What is wrong, and what was probably meant.
later expect_mistake "unknown option --step=5: did you mean --steps?" 2 hex --step=5
later expect_mistake "unknown balancer centrl: did you mean central?" 2 hex --balancer=centrl
later expect_mistake "hex: balancer diffusive: unknown setting sped=3" 2 hex --balancer=diffusive:sped=3
later expect_mistake "balancer central: unknown setting speed. Known: published" 0 hex --balancer=central:speed
later expect_mistake "balancer none: unknown setting fast. It has none" 0 hex --balancer=none:fast
later expect_mistake "--balance-when=often: must be auto, change or every:N" 0 hex --balancer=metis --balance-when=often
later expect_mistake "--balance-when=every:0" 0 hex --balancer=metis --balance-when=every:0
later expect_mistake "--load=guessed: must be measured or declared" 0 hex --load=guessed
later expect_mistake "--load=declared: wave declares no costs" 2 wave --load=declared
later expect_mistake "--balance-cost needs --load=declared" 0 hex --balance-cost=5
later expect_mistake "--balance-cost=5:many: must be BASE or BASE:PER_NODE" 0 hex --load=declared --balance-cost=5:many
later expect_mistake "plug-in ./nowhere.so" 2 hex --balancer=./nowhere.so
later expect_mistake "is not a plug-in" 0 hex "--balancer=$lib/no_plugin.so"
later expect_mistake "was built for ABI 99 of plug-ins" 2 hex "--balancer=$lib/other_abi.so"
later expect_mistake "was built for ABI 99 of plug-ins" 2 hex "--partitioner=$lib/other_abi.so"
later expect_mistake "65537 bytes of data per node, at most 65536" 2 hex "--balancer=$lib/much_data.so:foreign"
later expect_mistake "has no partitioner" 2 hex "--partitioner=$lib/pairwise.so"
later expect_mistake "its setting is the way in which it is wrong" 2 hex "--balancer=$lib/wrong_balancer.so"
later expect 2 3 hex "--partitioner=$lib/wrong_balancer.so:range"
later expect_mistake "node 0 gets part 1, must be 0..0" 0 hex "--partitioner=$lib/wrong_balancer.so:range"
later expect 3 3 hex "--partitioner=$lib/wrong_balancer.so:fail"
later expect_mistake "rank 1: it returned 17, which is not a pen_status" 2 hex \
    "--partitioner=$lib/wrong_balancer.so:silent"
later expect_mistake "two lines of text" 0 hex "--partitioner=$lib/wrong_balancer.so:lines"
later expect_mistake "partitioner rcb: unknown setting tolerence=1: did you mean tolerance?" 0 hex \
    --partitioner=rcb:tolerence=1
later expect_mistake "unknown balancer bad.so: the path of a plug-in has a slash: did you mean ./bad.so?" 0 hex \
    --balancer=bad.so
later expect_mistake "did you mean ./bad.so?" 0 hex --partitioner=bad.so
later expect_mistake "generators make them with the setting coordinates" 0 random --partitioner=rcb
# A balancer that cannot work costs one line, not the run.
unplaced()
{
    expect 0 2 grow --generate=tree:nodes=1 --steps=9 --quiet --balance-when=change --balancer="$1"
    said grow | grep -q "^penumbra: balancer $1, .*: the graph has no coordinates; .*; the run goes on unchanged$" &&
        [ "$(said grow | wc -l)" -eq 1 ] || complain "$ran: says \"$(said grow)\""
}
for balancer in rcb sfc; do later unplaced $balancer; done
later expect 0 3 hex --steps=5 "--partitioner=$lib/wrong_balancer.so" --verify
later expect_mistake "--imbalance=disc needs a grid" 0 random --imbalance=disc
later expect_mistake "--imbalance must be none, three-phase" 0 hex --imbalance=alternate:10:0
later expect_mistake "--damping must be at least 0 and below 1" 0 examples/push --generate=mesh:3x3 --damping=1
later expect_mistake "--tolerance must be greater than 0" 0 examples/push --generate=mesh:3x3 --tolerance=0
later expect_mistake "--tolerance must be at least 0" 0 examples/pagerank --generate=mesh:3x3 --tolerance=-1
for name in paths push stepping; do
    later expect_mistake "--start must be a node of the graph" 0 examples/$name --generate=mesh:3x3 --start=9
done
later expect_mistake "the meadow is a grid of 40x30 cells" 0 examples/grazers --generate=hex:64x64 --steps=3
later expect_mistake "the meadow is a grid of 40x30 cells" 0 examples/grazers --generate=mesh:40x30x2 --steps=3
later expect_mistake "unexpected argument steps=5" 0 hex steps=5
later expect_mistake "--model=a and --model=b: it can be given only once" 0 pen-comm --model=a --model=b
later expect_mistake "--by=rcm and --by=natural: it can be given only once" 0 pen-graph order a b --by=rcm --by=natural
later expect 0 0 hex --steps=1 --quiet --quiet
for name in x.pen.gz x.graph.xz; do
    later expect_mistake "$name: graphs are written without compression" 0 hex --steps=1 --save-graph=$name
done
later expect_mistake "--steps=many: not a signed whole number" 0 hex --steps=many
later expect_mistake "--steps needs its value after \"=\": --steps=5" 0 hex --steps 5
later expect_mistake "unknown partitioner mets: did you mean metis?" 2 hex --partitioner=mets
later expect_mistake "unknown partitioner \"\". Known: " 2 hex --partitioner=
later expect_mistake "unknown transport fences: did you mean fence?" 2 hex --comm=fences
later expect_mistake "generator hex: sizes \"12\", must be WxH" 0 hex --generate=hex:12
later expect_mistake "sizes \"0x5\", must be WxH, each at least 1" 0 hex --generate=hex:0x5
later expect_mistake "give --graph or --generate, not both" 0 hex --graph=x --generate=torus:4x4
later expect_mistake "the second name is a file's" 0 wave --generate=hex:3x3 --observables=-,-
later expect_mistake "--observables: every=0: must be at least 1" 0 wave --observables=-:every=0
later expect_mistake "--comm: unknown setting dely=x: did you mean delay? Known: explain, delay=FILE" 0 hex \
    --comm=:dely=x
later expect_mistake "no graph: give --graph=FILE" 2 heat
later expect_mistake "nbody brings its own graph: no option can name another one" 2 nbody --generate=hex:3x3
later expect_mistake "--graph=x:directd: unknown setting directd: did you mean directed?" 2 heat --graph=x:directd
later expect_mistake "--graph=x:load=-1: load=-1: must be from 0" 0 heat --graph=x:load=-1
later expect_mistake "--progress=yes: must be auto, on or off" 0 hex --progress=yes
later expect_mistake "--output=x.dat: must end in .npy, .csv, .vtu, .pvtu or .pvd" 2 hex --output=x.dat
later expect_mistake "--output=o/.npy: a name is missing before the ending" 0 hex --output=o/.npy
later expect_mistake "{step} and {name} must follow the last slash" 0 hex "--output=o/{step}/x.npy"
later expect_mistake "only {step} and, for .npy files" 0 hex "--output=x-{name}.csv"
later expect_mistake "--output-fields: hex has no member \"vlaue\": it has value, gid, owner, load" 2 hex \
    --output=x.csv --output-fields=gid,vlaue
later expect_mistake "\"value\" is named twice" 0 hex --output=x.csv --output-fields=value,value
later expect_mistake "--output-every needs --output=PATTERN" 0 hex --output-every=5
later expect_mistake "--output-every=0: must be at least 1" 0 hex --output=x.csv --output-every=0
later expect_mistake "the graph is not a grid and has no coordinates" 2 random --output=x.vtu
later expect_mistake "nowhere/at/x-value.npy" 2 hex --output=nowhere/at/x.npy
later expect_mistake "--grain" 3 hex --grain=5
later expect_mistake "--imbalance" 0 hex --imbalance=three-phase:x
later expect_mistake "--dt" 0 wave --dt=0
later expect_mistake "cannot read nowhere.graph" 3 heat --graph=nowhere.graph --dump=d --metrics=m
later expect_mistake "cannot read .: it is not a regular file" 0 heat --graph=.

# A graph in another format: which one, and what makes a graph of it, which works.
printf '3 2\n2\n1 3\n2\n' >good.graph
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n' >foreign.mtx
printf '2\n1 2 3\n2 3 4\n' >foreign.mesh
printf 'c roads\np sp 3 4\na 1 2 1\na 2 1 1\na 2 3 1\na 3 2 1\n' >foreign.gr
printf 'p edge 3 2\ne 1 2\ne 3 2\n' >foreign.col
printf '<graphml><graph edgedefault="undirected"><node id="a"/><node id="b"/>%s</graph></graphml>' \
    '<edge source="a" target="b"/>' >foreign.xml
printf '# Nodes: 3 Edges: 2\n0\t1\n1\t2\n' >foreign.snap
printf '7 8\n8 9\n' >foreign.edges
printf '0\n3 4\n0 000\n1 1\n2 0 2\n1 1\n' >foreign.grf
printf 'source,target,label\n0,1,road\n1,2,rail\n' >foreign.csv
printf 'from,to\nUlm,Bonn\nBonn,Jena\n' >foreign.table
foreign() # FILE WORDS
{
    local file=$1 command
    expect_mistake "$2" "${3:-0}" heat --graph="$file"
    command=$(said heat | sed -n 's/.*: \(pen-graph convert .*\)/\1/p')
    [ -n "$command" ] || { complain "$file: no pen-graph convert: $(said heat)"; return; }
    "$bin"/$command --quiet 2>"$err" || complain "$command: $(cat "$err")"
    expect 0 0 heat --graph="${command##* }" --steps=2 --quiet
    rm -f "${command##* }"
}
mkdir foreign # results go to where one is
cd foreign || exit 1
foreign ../foreign.mtx "it looks like a Matrix Market file: pen-graph convert --from=mm ../foreign.mtx foreign.graph" 3
foreign ../foreign.mesh "it looks like a METIS mesh"
foreign ../foreign.gr "it looks like a DIMACS or PACE file"
foreign ../foreign.col "it looks like a DIMACS or PACE file"
foreign ../foreign.xml "it looks like GraphML"
foreign ../foreign.snap "it looks like a SNAP edge list" 2
foreign ../foreign.edges "it looks like a SNAP edge list"
foreign ../foreign.grf "it looks like a Scotch graph"
foreign ../foreign.csv "it looks like a CSV edge list: pen-graph convert --lossy --ids-to=ids.csv ../foreign.csv \
foreign.graph" 2
foreign ../foreign.table "it looks like a CSV edge list: pen-graph convert --from=csv --lossy --ids-to=ids.csv \
../foreign.table"
grep -q '^2,Jena$' ids.csv || complain "names of a CSV list: $(cat ids.csv)"
for tool in gzip xz zstd; do
    ending=.${tool/gzip/gz} ending=${ending/zstd/zst}
    command -v $tool >/dev/null && "$bin/pen-graph" convert ../good.graph good.graph$ending 2>/dev/null || continue
    mv good.graph$ending ..
    foreign ../good.graph$ending "compressed by $tool"
done
cd .. && rm -r foreign foreign.* good.graph*
printf '{ "nodes": 3 }\n' >a.json
printf 'BZh91AY&SY' >a.bz2
printf 'nodes 3\n' >a.text
cp "$bin/heat" a.out
printf '3 2\n2 3\n1\n2\n' >directed.graph
printf '3 2\n2\n3\n\n' >halves.graph
later expect_mistake "it looks like JSON, which" 0 heat --graph=a.json
later expect_mistake "bzip2" 0 heat --graph=a.bz2
later expect_mistake "it looks like a program" 2 heat --graph=a.out
later expect_mistake "a.text:1: unexpected 'n' in the header" 0 heat --graph=a.text
later expect_mistake "is the graph directed (--graph=FILE:directed)?" 2 heat --graph=directed.graph
later expect_mistake "is the graph directed (--graph=FILE:directed)?" 2 heat --graph=halves.graph
later expect 0 0 heat --graph=halves.graph:directed --steps=2
cp halves.graph a:b.graph
later expect 0 2 heat --graph=a:b.graph:directed --steps=2
later expect_mistake "is the graph directed" 0 heat --graph=a:b.graph:
later expect_mistake "unknown setting b.graph. Known: directed, chaco, load=K" 0 heat --graph=a:b.graph
printf '2 1 100\n5 2\n7 1\n' >a.sized
printf '2 1 10 2\n1 5 2\n1 7 1\n' >a.loads
later expect 0 0 heat --graph=a.sized --steps=2
later expect_mistake "a.sized:2: node number 5, must be 1" 0 heat --graph=a.sized:chaco
later expect 0 0 heat --graph=a.loads:load=1 --steps=2
later expect_mistake "a.loads:1" 0 heat --graph=a.loads:load=2
wait
! said heat | grep -q 'looks like' || complain "a.text looks like something"
rm -f a.* a:b.graph directed.graph halves.graph

# Partition files.
printf '0\n1\n0\n' >short.part
printf '0\n1\n0\n1\n0\n1\n1\n' >long.part
printf '0\n1\n0\n2\n0\n1\n' >range.part
printf '0\n1\n-1\n1\n0\n1\n' >negative.part
printf '0\n1\nx\n1\n0\n1\n' >letters.part
printf '0\n1\n0 0\n1\n0\n1\n' >words.part
printf '0\n1\n0\n1\n0\n1\n' >good.part
later expect_mistake "short.part:4: the file ends here, but the graph has 6 nodes" 2 hex --generate=hex:3x2 \
    --partitioner=file:short.part
later expect_mistake "long.part:7: a line too many" 2 hex --generate=hex:3x2 --partitioner=file:long.part
later expect_mistake "range.part:4: part 2, must be 0..1" 2 hex --generate=hex:3x2 --partitioner=file:range.part \
    --dump=d
later expect_mistake "negative.part:3: part -1" 2 hex --generate=hex:3x2 --partitioner=file:negative.part
later expect_mistake "letters.part:3: \"x\", must be a part number" 2 hex --generate=hex:3x2 \
    --partitioner=file:letters.part
later expect_mistake "words.part:3: more than one word" 2 hex --generate=hex:3x2 --partitioner=file:words.part
# What may have no end, or nobody who writes it, is not waited for.
mkfifo pipe
for file in /dev/zero /dev/full pipe .; do
    later expect_mistake "$file: cannot read: not a regular file" 2 hex --generate=hex:3x2 --partitioner=file:$file \
        --dump=d
done
later expect_mistake "pipe: it is not a regular file" 2 hex --graph=pipe
later expect_mistake "plug-in ./pipe: not a regular file" 2 hex --generate=hex:3x2 --balancer=./pipe
later expect_mistake "plug-in ./pipe: not a regular file" 0 hex --generate=hex:3x2 --partitioner=./pipe
later expect_mistake "network delay file pipe: a pipe into which nothing is written" 2 hex --generate=hex:3x2 \
    --comm=overlap:delay=pipe
later expect_mistake "absent.part: cannot read: No such file" 0 hex --generate=hex:3x2 --partitioner=file:absent.part
later expect_mistake "partitioner file needs a path" 0 hex --generate=hex:3x2 --partitioner=file
expect 0 2 hex --generate=hex:3x2 --partitioner=file:good.part --verify
wait
left=$(others_in | grep -v -E '\.part$|^(out|err|failed|pipe)$')
[ -z "$left" ] || complain "left behind: $left"
finish
