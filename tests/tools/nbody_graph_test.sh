#!/bin/bash
# nbody_graph_test.sh BIN - the graph of the leaves that nbody saves is that of the last step, wherever they are, and
# the one that papers_bench makes of the same bodies; papers_bench takes such files and no others.
. "$(dirname "$0")/support.bash"
command -v python3 >/dev/null || skip "it needs python3"

# The bytes are the same for all ways of running, and those that follow from the dump: who is close, and what it takes.
flags="--bodies=600 --cell-max=5 --delta=0.8 --steps=6 --dt=0.1 --quiet"
later expect 0 1 nbody $flags --save-graph=1.graph --dump=dump --verify
later expect 0 2 nbody $flags --save-graph=2.graph --partitioner=random
later expect 0 3 nbody $flags --save-graph=3.graph --migrate-random=5:0.3 --verify
later expect 0 1 nbody $flags --save-graph=1.pen
later expect 0 3 nbody $flags --save-graph=3.pen --balancer=diffusive --load=declared --balance-when=every:2:always
for steps in 0 1 3; do
    later expect 0 2 nbody --bodies=256 --cell-max=12 --delta=0.72 --steps=$steps --save-graph=$steps.leaves --quiet
done
printf '3 1 2 3 0 0 0\n' >one
later expect 0 2 nbody --bodies=one --steps=2 --save-graph=one.graph --quiet
later expect 0 2 nbody $flags --until='leaves>1' --save-graph=until.graph
later expect 0 2 nbody ${flags/--steps=6/--steps=1} --save-graph=first.graph
wait
for ranks in 2 3; do cmp 1.graph $ranks.graph >&2 || complain "on $ranks ranks another graph is saved"; done
cmp 1.pen 3.pen >&2 || complain "on 3 ranks another graph is saved in the binary format"
expect 0 0 pen-graph convert --quiet 1.pen 1.text.graph
cmp 1.graph 1.text.graph >&2 || complain "the binary file has another graph than the text"
cmp 0.leaves 1.leaves >&2 || complain "the first step, which moves nothing, has another graph than the start"
! cmp -s 1.leaves 3.leaves || complain "bodies move, and the graph stays"
cmp until.graph first.graph >&2 || complain "a run that --until ends saves no graph of its end"
printf '1 0 111\n1 2\n' | cmp - one.graph >&2 || complain "one body: $(cat one.graph)"
python3 - <<'END' || complain "the graph is not that of the dump"
leaves = {}
for line in open("dump"):
    words = line.split()
    if words[1] == "leaf":
        leaves[int(words[0])] = (int(words[2]), int(words[3]), [int(w) for w in words[5:5 + int(words[4])]])
def path(gid):  # x decides first, which is the lowest bit of a digit
    return [int("{:03b}".format(int(d))[::-1], 2) for d in "{:o}".format(gid)[1:]]
order = sorted(leaves, key=path)
number = {gid: i + 1 for i, gid in enumerate(order)}
arcs = sum(len(close) for _, _, close in leaves.values())
wanted = ["%d %d 111" % (len(leaves), arcs)]
for gid in order:
    bodies, far, close = leaves[gid]
    work = bodies * (bodies - 1 + sum(leaves[c][0] for c in close) + far + 2)
    row = [bodies, work]
    for w in sorted(close, key=number.get): row += [number[w], leaves[w][0]]
    wanted.append(" ".join(map(str, row)))
found = open("1.graph").read().split("\n")
assert found[-1] == "" and len(leaves) > 100 and arcs > 1000
for line, right in zip(found, wanted): assert line == right, (line, right)
assert len(found) == len(wanted) + 1
END

# What papers_bench makes of the same bodies is the same, to the last number of its tables.
few="--contenders=minex,minex-gm,metis,diffusive"
for table in 1 2 4; do
    later expect 0 0 papers_bench minex-tables --table=$table $few --graph=1.leaves -o saved.$table
    later expect 0 0 papers_bench minex-tables --table=$table $few --bodies=256 -o made.$table
done
later expect 0 0 papers_bench minex-tables --table=4 $few --graph=3.leaves -o moved.4
later expect 0 0 papers_bench minex-tables --contenders=metis --repeats=1 --graph=1.leaves -o all
later expect 0 0 papers_bench minex-tables --table=2 --graph=1.pen -o binary
wait
for table in 1 2 4; do cmp made.$table saved.$table >&2 || complain "table $table is another one"; done
! cmp -s saved.4 moved.4 || complain "the graph after three steps gives the table of the first one"
[ "$(grep '^Table' all | cut -c7 | tr -d '\n')" = 124566 ] || complain "tables are missing: $(grep '^Table' all)"
grep -q ' 600 ' binary || complain "not 600 bodies: $(cat binary)"

# Mistakes.
quick="--bodies=20 --steps=1 --quiet"
mkdir folder && canaries folder
later expect_mistake "nowhere/g" 2 nbody ${quick/--steps=1/--steps=1000000} --save-graph=nowhere/g
later expect_mistake "folder: cannot write: not a regular file" 0 nbody $quick --save-graph=folder
later expect_mistake "missing" 0 papers_bench minex-tables --graph=missing
later expect_mistake "--table=3: its bodies move" 0 papers_bench minex-tables --graph=1.leaves --table=3
later expect_mistake "give one of --bodies and --graph" 0 papers_bench minex-tables --graph=1.leaves --bodies=64
printf '3 4\n2\n1 3\n2\n' >plain
printf '2 2 111\n2 40 2 3\n2 40 1 2\n' >apart
printf '2 2 111\n2 40 2 3\n3 5 1 2\n' >idle
later expect_mistake "plain: no graph of leaves, as nbody --save-graph writes it: it has no vertex sizes" 0 \
    papers_bench minex-tables --graph=plain -o tables
later expect_mistake "apart: the arc from node 0 to 1 weighs 3, but that one has 2 bodies" 0 \
    papers_bench minex-tables --graph=apart -o tables
later expect_mistake "idle: node 1 has a weight of 5, less than its 6 pairs of bodies" 0 \
    papers_bench minex-tables --graph=idle -o tables
printf '1 0 0 0 1000 0 0\n1 1 0 0 0 0 0\n' >fast
wait
run 2 nbody --bodies=fast --steps=3 --quiet --save-graph=fast.graph
[ "$status" -eq 1 ] || complain "$ran: status $status"
[ ! -e tables ] && [ ! -e fast.graph ] && [ ! -e nowhere ] || complain "what failed has left a file: $(ls)"
finish
