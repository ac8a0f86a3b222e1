#!/bin/bash
# science_test.sh BIN SOURCE - programs as a new user would write them, and examples: built against an
# installation alone, and compared to the bit with serial Python on several numbers of ranks, while nodes move at
# random: records, named values of the whole run, and the end where it is due. One is killed twice on its way.
. "$(dirname "$0")/support.bash"
command -v python3 >/dev/null || skip "no python3"
command -v pkg-config >/dev/null || skip "no pkg-config"
science=$(cd "$2" && pwd)/tests/consumer/science
cmake --install "$(dirname "$bin")" --prefix "$work/there" >log 2>&1 || { complain "$(tail -5 log)"; finish; }
lib=$(dirname "$(find there -name libpenumbra.a)")
flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs penumbra)
mkdir programs
examples=$science/../../../apps/examples
# The example potential with a preconditioner, the diagonal of the matrix.
sed -e 's|= own(v, R) + PEN_GLOBALS|= own(v, R) / pen_degree(v) + PEN_GLOBALS|' \
    -e 's|own(v, R) \* own(v, R)|own(v, R) * (own(v, R) / pen_degree(v))|' "$examples/potential.c" >preconditioned.c
[ "$(diff preconditioned.c "$examples/potential.c" | grep -c '^<')" -eq 2 ] || complain "no preconditioner is put in"
for source in preconditioned.c "$science"/*.c \
    "$examples"/{epidemic,pagerank,paths,potential,push,samplesort,stepping,travellers}.c; do
    name=$(basename "$source" .c)
    # shellcheck disable=SC2086
    cc -std=c11 -O2 -Wall -Wextra -Werror "$source" -o "programs/$name" $flags -lm "-Wl,-rpath,$work/$lib" 2>log ||
        complain "$name: $(head -5 log)"
done
command -v g++ >/dev/null || leave_out "no g++: shallow"
for source in "$science"/*.cpp; do
    command -v g++ >/dev/null || continue
    name=$(basename "$source" .cpp)
    # shellcheck disable=SC2086
    g++ -std=c++17 -O2 -Wall -Wextra -Werror "$source" -o "programs/$name" $flags "-Wl,-rpath,$work/$lib" 2>log ||
        complain "$name: $(head -5 log)"
done

# Graphs: pages that link to few others and some to none, roads between towns and a table of these, a field in the
# plane, two pieces, squares, a network.
python3 - <<'EOF'
import random
random.seed(7)
n = 60
reads = [sorted(random.sample([u for u in range(n) if u != v and u % 7], random.randint(0, 5))) for v in range(n)]
with open("pages.graph", "w", encoding="ascii") as file:
    file.write(f"{n} {sum(map(len, reads))}\n" + "".join(" ".join(str(u + 1) for u in row) + "\n" for row in reads))
towns = random.sample(range(1000, 9999), 40)
with open("roads.csv", "w", encoding="ascii") as file:
    file.write("from,to\n" + "".join(f"{a},{b}\n" for a, b in zip(towns, towns[1:])))
    file.write("".join(f"{towns[i]},{towns[i // 3]}\n" for i in range(8, 40)))
with open("towns.csv", "w", encoding="utf-8") as file:
    file.write("plz,name,east,north,people,jobs\n")
    for town in towns:
        east, north, jobs = random.uniform(0, 9), random.uniform(0, 9), random.choice(["", random.randint(10, 90)])
        file.write(f'{town},"Bad {town}, S\u00fcd",{east:.3f},{north:.3f},{town % 97 + 50},{jobs}\n')
EOF
tool=$work/there/bin/pen-graph
"$tool" make geometric:nodes=70,degree=7,seed=3,coordinates -o plane.pen &&
    "$tool" convert plane.pen plane.graph --lossy --coords-to=plane.xyz --quiet || complain "plane.graph"
"$tool" make mesh:9x8 -o squares.graph &&
    "$tool" make random:nodes=120,degree=5,seed=3 -o network.graph && "$tool" convert roads.csv roads.pen --quiet ||
    complain "squares.graph, network.graph or roads.pen"

bin=$work/programs
# same PROGRAM: as the serial one, by the last run's dump and the values in its metrics that the serial one names
same()
{
    # shellcheck disable=SC2046
    python3 -c 'import json, sys
run = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    print(name, run["steps"] if name == "steps" else float(run["observables_last"][name]))' \
        "$1.json" $(sed -n '/^steps/,$s/ .*//p' "$1.serial") | cat "$1.dump" - | diff "$1.serial" - >"$1.log" ||
        complain "$ran: serial <, parallel >: $(head -4 "$1.log")"
}
compare() # "RANKS" PROGRAM STEPS GRAPH "OPTIONS" [TABLE]
{
    python3 "$science/serial.py" "${@:2:3}" "${@:6}" >"$2.serial" || complain "serial.py $2"
    for ranks in $1; do
        # shellcheck disable=SC2086
        expect 0 $ranks "$2" --steps="$3" $5 --dump="$2.dump" --metrics="$2.json" --verify --migrate-random=$ranks:0.3
        same "$2"
    done
}
later compare "1 2 3 5" pagerank 200 pages.graph "--graph=pages.graph:directed --tolerance=1e-6"
later compare "1 2 3 5" paths 100 plane.graph "--graph=plane.pen" plane.xyz
later compare "1 2 3 5" schelling 30 squares.graph "--generate=mesh:9x8 --seed=5"
[ ! -e programs/shallow ] ||
    later compare "1 2 3" shallow 500 squares.graph "--generate=mesh:9x8,coordinates --output=water.pvd"
later compare "1 3" epidemic 100 network.graph \
    "--graph=network.graph --seed=4 --ill=0.02 --infection=0.3 --recovery=0.25"
later compare "1 3" quadtree 12 "" "--partitioner=rcb --balancer=diffusive --balance-when=every:3"
later compare "1 3" potential 100 squares.graph "--generate=mesh:9x8 --until=r.r<1e-9"
later compare "1 3" preconditioned 100 squares.graph "--generate=mesh:9x8 --until=r.r<1e-9"
later compare "1 3" towns 20 roads.csv \
    "--graph=roads.pen --input=gid=plz,x=east,y=north:towns.csv --partitioner=rcb --output=people.csv" towns.csv
later compare "1 2 3 5" travellers 60 network.graph "--graph=network.graph --seed=42"
later compare "1 3" push 1000 pages.graph "--graph=pages.graph:directed"
later compare "1 3" stepping 1000 plane.graph "--graph=plane.pen" plane.xyz
later compare "1 3" samplesort 1 "" "--keys=1000 --blocks=7 --seed=4"
wait
python3 - <<'EOF' || complain "towns: people.csv differs from the dump"
import csv
with open("people.csv") as table, open("towns.dump") as dump:
    people = {row["gid"]: float(row["people"]) for row in csv.DictReader(table)}
    assert people == {gid: float.fromhex(text) for gid, text in map(str.split, dump)}, people
EOF

# A long job: all its ranks are killed once it has written a checkpoint, twice, and it continues on other numbers of
# ranks, as if nothing had happened.
mkdir saved && canaries --checkpoints saved
newest=
further() { latest=$(compgen -G 'saved/step-*.checkpoint' | tail -1) && [[ $latest > $newest ]]; }
for ranks in 2 3; do
    "${MPIEXEC:-mpiexec}" -n $ranks "$bin/coloring" --graph=plane.graph --seed=6 --steps=1000000 --checkpoint=saved \
        --checkpoint-every=5 ${newest:+--resume} --quiet >"$out" 2>"$err" </dev/null &
    launcher=$!
    wait_until 20 further || complain "coloring on $ranks ranks writes no checkpoint: $(cat "$err")"
    pkill -9 -P $launcher coloring || { complain "coloring does not run on $ranks ranks"; kill $launcher; }
    ended $launcher
    further # the newest of all: a run writes on until it is killed
    newest=$latest
done
steps=$((10#${latest//[!0-9]/} + 30))
python3 "$science/serial.py" coloring $steps plane.graph >coloring.serial || complain "serial.py coloring"
expect 0 1 coloring --resume=saved --seed=6 --steps=$steps --dump=coloring.dump --metrics=coloring.json --verify
grep -q '"resumed": [1-9]' coloring.json || complain "$ran: has not continued"
same coloring

# What ends early does so for its reason, and a field that does not fit is refused.
expect 0 2 pagerank --graph=pages.graph:directed --steps=1000 --metrics=early.json
python3 - <<'EOF' || complain "pagerank did not end when it was done"
import json
run = json.load(open("early.json"))
assert run["steps"] < 100 and "done" in str(run), run["steps"]
EOF
expect 2 2 schelling --generate=hex:9x8
grep -q "square grids" err || complain "hexagons: $(cat err)"
finish
