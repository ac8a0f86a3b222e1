#!/bin/bash
# pen-graph convert, check and info from the outside, with gcv, gtst, graphchk and gpmetis as witnesses where they are
# installed. Usage: pen_graph_convert_test.sh PEN-GRAPH; silent on success.
tool=$1
. "$(dirname "$0")/support.bash" "$(dirname "$1")"

same() { cmp -s "$1" "$2" || { complain "not so: $1 and $2 are equal"; diff "$1" "$2" | head -5 >&2; }; }
words() { tr -s ' \t' ' ' < "$1" | sed 's/^ //; s/ $//' > "$2"; }
have() { command -v "$1" > /dev/null || { echo "skipped: no $1 as a witness" >&2; return 1; }; }

# A grid of 30 x 20 with edge weights and node weights.
awk 'BEGIN { w = 30; h = 20; n = w * h
    print n, 2 * n - w - h, "11"
    for (i = 0; i < n; i++) { x = i % w; y = int(i / w); s = 1 + i % 5
        if (y > 0) s = s " " (i - w + 1) " " (2 * i - w) % 7 + 1
        if (x < w - 1) s = s " " (i + 2) " " (2 * i + 1) % 7 + 1
        if (x > 0) s = s " " i " " (2 * i - 1) % 7 + 1
        if (y < h - 1) s = s " " (i + w + 1) " " (2 * i + w) % 7 + 1
        print s } }' > grid.graph

# ---- Formats, streams, compression
for ending in grf pen chaco; do
    status 0 "$tool" convert grid.graph grid.$ending
    status 0 "$tool" convert grid.$ending back.graph
    [ $ending = pen ] || same grid.graph back.graph
done
for ending in gz xz zst; do
    status 0 "$tool" convert grid.graph small.graph.$ending
    [ "$(wc -c < small.graph.$ending)" -lt "$(wc -c < grid.graph)" ] || complain "not so: $ending is smaller"
    status 0 "$tool" convert small.graph.$ending back.graph
    same grid.graph back.graph
done
# Penumbra's own format as well, and nothing stays in between
mkdir between
for ending in gz xz zst; do
    TMPDIR=between status 0 "$tool" convert grid.pen small.pen.$ending
    [ "$(wc -c < small.pen.$ending)" -lt "$(wc -c < grid.pen)" ] || complain "not so: small.pen.$ending is not smaller"
    TMPDIR=between status 0 "$tool" convert small.pen.$ending back.pen
    same grid.pen back.pen
done
# ... and goes through pipes: "-" is no file
echo mine > -
streams() # COMMAND, with "@" in place of the output
{
    status 0 "$tool" "${@/@/whole.pen}" --to=penumbra
    TMPDIR=between "$tool" "${@/@/-}" --to=penumbra > stream.pen 2> said || complain "not so: $*: $(cat said)"
    same whole.pen stream.pen
    [ "$(cat ./-)" = mine ] || complain "not so: $* leaves the file - as it is"
}
streams make hex:4x4 -o @
streams convert grid.graph @
streams order grid.graph @
streams check grid.graph --fix=@
TMPDIR=between "$tool" convert --from=penumbra --to=metis - - < grid.pen > back.graph || complain "not so: - is read"
status 0 "$tool" convert grid.pen sorted.graph
same sorted.graph back.graph
echo none | TMPDIR=between status 2 "$tool" info --from=penumbra -
[ "$(wc -l < said)" = 1 ] || complain "not so: one sentence: $(cat said)"
TMPDIR=between "$tool" convert --to=penumbra grid.graph - > /dev/full 2> said
[ $? -eq 2 ] || complain "not so: a full device is a failure"
says 'No space left on device'
gzip -c < small.pen.gz | head -c 200 > bad.pen.gz
TMPDIR=between status 2 "$tool" info bad.pen.gz
gzip -c < grid.graph > bad.pen.gz
TMPDIR=between status 2 "$tool" info bad.pen.gz
[ -z "$(ls between)" ] || complain "not so: left behind: $(ls between)"
gzip -c grid.graph > foreign.graph.gz
status 0 "$tool" convert foreign.graph.gz back.graph
same grid.graph back.graph
"$tool" convert --from=metis --to=scotch - - < grid.graph | "$tool" convert --from=scotch --to=metis - - > back.graph
same grid.graph back.graph

# ---- What two formats both hold comes back, and what is lost is said
status 0 "$tool" make hex:9x7,coordinates -o hex.pen
status 0 "$tool" convert hex.pen again.pen
same hex.pen again.pen
status 0 "$tool" part again.pen 3 --partitioner=row -o again.part
status 0 "$tool" convert --coords-to=hex.xyz hex.pen hex.graph
says 'dropped: .*width and height of the grid'
status 0 "$tool" convert --coords-to=hex.xyz --quiet hex.pen hex.graph
[ -s said ] && complain "not so: --quiet is quiet"
# Coordinates by the names of their columns, in any order of these and of the nodes.
{ echo y,gid,what,x; awk '{ print $2 "," NR - 1 ",hex," $1 }' hex.xyz | tac; } > named.csv
{ echo x,y; tr ' ' , < hex.xyz; echo; } > ordered.csv
for file in hex.xyz named.csv ordered.csv; do
    status 0 "$tool" convert hex.graph $file.pen --coords=$file
    same hex.xyz.pen $file.pen
done
sed 's/,x$/,east/' named.csv > bad.csv
status 2 "$tool" convert hex.graph bad.pen --coords=bad.csv
says 'bad.csv:1: the header must name the columns x, y and z, or x and y'
sed '7s/,hex//' named.csv > bad.csv
status 2 "$tool" convert hex.graph bad.pen --coords=bad.csv
says 'bad.csv:7: a row must have 4 fields, with numbers for coordinates and gid'
awk 'NR == 1 { print; next } { for (i = NF; i > 0; i--) printf "%s%s", $i, (i > 1 ? " " : "\n") }' hex.graph > \
    turned.graph
status 0 "$tool" convert turned.graph turned.pen
says 'dropped: the order of neighbours, now ascending as in every run'
for graph in hex turned; do
    for ending in el mtx gr grf; do
        status 0 "$tool" convert $graph.graph $graph.$ending
        status 0 "$tool" convert $graph.$ending back.graph
        same $graph.graph back.graph
    done
done
[ "$(wc -l < turned.el)" -gt "$(wc -l < hex.el)" ] || complain "not so: edges stand twice where that is needed only"

# A line stays one, whatever the names of files.
cp turned.graph $'turned\nagain.graph'
status 0 "$tool" convert $'turned\nagain.graph' again.pen
says '^pen-graph: turned\\x0aagain.graph: dropped: the order of neighbours'
printf '2 1\n2 2\n1\n' > $'bad\n.graph'
status 2 "$tool" check $'bad\n.graph'
says '^bad\\x0a.graph:2:3: error'

# ---- Refusals leave no file, and what is there alone
printf '3 2 10 2\n1 2 2\n3 0 1 3\n1 1 2\n' > many.graph
echo kept > out.grf
status 2 "$tool" convert many.graph out.grf
says 'several weights per node, node weights of 0; --lossy'
[ "$(cat out.grf)" = kept ] || complain "not so: out.grf is kept"
status 0 "$tool" convert --lossy many.graph out.grf
says 'dropped: several weights'
printf '%%%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 5\n' >whole.mtx
status 2 "$tool" convert whole.mtx other.grf
says "1 values dropped (in convert, --values takes a matrix's whole ones"
status 0 "$tool" convert --values whole.mtx whole.grf
printf '0\n2 2\n0 100\n-5 1 7\n7 1 -5\n' >negative.grf
echo kept > kept.map
for command in convert order; do
    status 2 "$tool" $command negative.grf other.pen --map=kept.map
    says '^pen-graph: negative.grf: node [12] has the label -5, must be at least 0$'
    [ "$(cat kept.map)" = kept ] || complain "not so: kept.map is kept"
done
[ -e other.pen ] && complain "not so: no other.pen"
status 2 "$tool" convert nothing.graph other.grf
status 2 "$tool" convert grid.graph grid.unknown
status 2 "$tool" convert --from=metsi grid.graph other.grf
says 'did you mean metis'
[ -e other.grf ] && complain "not so: no other.grf"
printf '1 2\n2 2\n2 1\n9 1\n' > list.el
status 2 "$tool" convert list.el list.graph
says '1 loops dropped'
status 0 "$tool" convert --lossy --map=list.map list.el list.graph
[ "$(head -1 list.graph)" = '3 2' ] || complain "not so: list.graph has 3 nodes and 2 edges"
[ "$(wc -l < list.map)" -ge 3 ] || complain "not so: list.map has 3 nodes"
[ -z "$(ls | grep unfinished | grep -v 0123456789abcdef)" ] || complain "not so: nothing unfinished is left"

# ---- Who is killed or interrupted leaves no file
for signal in KILL TERM; do
    "$tool" make hex:1000x1000 -o late.graph.xz > said 2>&1 &
    until ls -l "/proc/$!/fd" 2>/dev/null | grep -qF ' (deleted)' || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
    kill -$signal $!
    wait $! 2> said
    found=$?
    [ $found -gt 128 ] || complain "not so: status after SIG$signal is $found"
    [ -z "$(ls | grep late)" ] || complain "not so: nothing is left after SIG$signal: $(ls | grep late)"
done

# ---- Questions and mistakes
for command in convert check info make part; do
    status 0 "$tool" $command --help
    says "^usage: pen-graph $command "
    ! grep -q -- '-o' said || says '^  -o FILE  '
    for wrong in --no-such-option=3 "$(printf '%s ' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18)"; do
        status 2 "$tool" $command $wrong
        [ "$(wc -l < said)" = 1 ] || { complain "not so: $command $wrong: one sentence"; cat said >&2; }
    done
done
status 2 "$tool" chekc grid.graph
says 'did you mean check'
status 2 "$tool"
status 0 "$tool" --version

# ---- Check
status 0 "$tool" check grid.graph
says '600 nodes, 1150 edges: nothing wrong'
printf '4 3\n2 2 3\n1\n1 x 3\n' > bad.graph
status 2 "$tool" check bad.graph
says '^bad.graph:2:3: error: node 1 has neighbour 2 more than once$'
says "^bad.graph:4:3: error: unexpected 'x'"
says '^bad.graph:4:5: error: node 3 is its own neighbour$'
status 2 "$tool" check --fix=good.graph bad.graph
says '1 loops dropped'
status 0 "$tool" check good.graph
"$tool" check --fix=- bad.graph > stream.graph 2> said
says '1 loops dropped'
same good.graph stream.graph
# A pipe is read once, so faults of the graph have no place.
mkfifo pipe
cat bad.graph > pipe &
patiently 10 "$tool" check --from=metis pipe --fix=piped.graph > said 2>&1
[ $? -eq 2 ] || complain "not so: a graph of a pipe is repaired"
wait $!
says '^pipe: error: node 1 has neighbour 2 more than once$'
same good.graph piped.graph
for output in nowhere/good.graph "good.mesh --to=mesh"; do
    # shellcheck disable=SC2086
    expect_mistake "${output%% *}: " 0 pen-graph check bad.graph --fix=$output # before the graph is read
done
status 2 "$tool" check --fix=more.grf --to=scotch many.graph
says 'format scotch cannot hold this: several weights per node'
[ -e more.grf ] && complain "not so: no more.grf"
printf 'from,to,km\nUlm,Bonn,430.5\nBonn,Jena,361.2\nJena,Jena,1\n' > trips.csv
status 0 "$tool" check --fix=good.csv trips.csv
says '^repaired: 1 loops dropped$'
sed -e 's/from,to,km/source,target,weight/' -e '$d' trips.csv > left.csv
same left.csv good.csv
status 2 "$tool" check --fix=trips.graph --to=metis trips.csv
says 'format metis cannot hold 2 values of the edges'
[ -e trips.graph ] && complain "not so: no trips.graph"
status 0 "$tool" check --fix=good.mtx whole.mtx
same whole.mtx good.mtx
status 0 "$tool" part trips.csv 2 -o trips.part
says '2 values are not used as weights'
status 0 "$tool" info trips.csv
says '^edge weight  none: 2 values are not used'
awk '{ print NR % 3 }' hex.xyz > hex.part
status 0 "$tool" check hex.graph --coords=hex.xyz --part=hex.part
says '^hex.xyz: of 2 dimensions: nothing wrong$'
says '^hex.part: 3 parts: nothing wrong$'
printf '1\nx\n' > bad.part
head -5 hex.xyz > bad.xyz
status 2 "$tool" check hex.graph --coords=bad.xyz --part=bad.part
says '^bad.xyz: error: 58 nodes have no coordinates'
says "^bad.part:2:1: error: unexpected 'x'"
status 2 "$tool" check hex.graph --coords=bad.xyz --fix=more.pen --to=penumbra
says '^pen-graph: bad.xyz: coordinates are not repaired'
[ -e more.pen ] && complain "not so: no more.pen"
status 2 "$tool" check hex.graph --coords=bad.xyz --fix=less.graph
same hex.graph less.graph
status 0 "$tool" check hex.graph --coords=hex.xyz --fix=more.pen --to=penumbra
status 0 "$tool" convert more.pen more.graph --coords-to=more.xyz
same hex.xyz more.xyz
status 2 "$tool" check --limit=1 bad.graph
says 'and [0-9]* more'

# ---- Info
status 0 "$tool" info grid.graph
says '^nodes *600$'
says '^degree *min 2, median 4, max 4'
says '^components *1,'
says '^diameter *at least 48,'
status 0 "$tool" info --ranks=3 --bytes=24 grid.graph
says '^a run *on 3 ranks, 24 bytes of state per node, .*: at most 60 shadows,'
{ echo 80 79 && echo && yes 1 | head -79; } > star.graph # 79 nodes read the first one
status 0 "$tool" info --directed --ranks=8 star.graph
says '^a run *on 8 ranks, .*: at most 1 shadows,'
says '^components *1,'
"$tool" part grid.graph 3 --partitioner=block -o grid.part 2>/dev/null || complain "part: no grid.part"
status 0 "$tool" info --part=grid.part grid.graph
says '^a run *on 3 ranks'
status 0 "$tool" --help
says convert

# ---- Witnesses
if have gcv; then
    "$tool" convert grid.graph ours.grf && gcv -ic -os grid.graph theirs.grf || complain "not so: both write .grf"
    words ours.grf a; words theirs.grf b; same a b
    gcv -is -oc ours.grf theirs.graph && "$tool" convert theirs.grf ours.graph || complain "not so: both write .graph"
    words ours.graph a; words theirs.graph b
    sed '1s/ 0*11$/ 11/' b > c; same a c
fi
if have gtst; then
    gtst ours.grf > said 2>&1 || { complain "not so: gtst accepts ours.grf"; cat said >&2; }
fi
if have graphchk; then
    for file in ours.graph good.graph list.graph; do
        graphchk $file > said 2>&1 && says ' correct' || complain "not so: graphchk accepts $file: $(cat said)"
    done
fi
if have gpmetis; then
    gpmetis ours.graph 4 > said 2>&1 || { complain "not so: gpmetis accepts ours.graph"; cat said >&2; }
fi

finish
