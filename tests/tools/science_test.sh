#!/bin/bash
# science_test.sh BIN SOURCE - computations of other sciences, as a new user would write them: built against an
# installation alone, and compared to the bit with serial Python on 1, 2, 3 and 5 ranks, while nodes move at random,
# with the end of each where it is due.
. "$(dirname "$0")/support.bash"
command -v python3 >/dev/null || skip "no python3"
command -v pkg-config >/dev/null || skip "no pkg-config"
science=$(cd "$2" && pwd)/tests/consumer/science
cmake --install "$(dirname "$bin")" --prefix "$work/there" >log 2>&1 || { complain "$(tail -5 log)"; finish; }
lib=$(dirname "$(find there -name libpenumbra.a)")
flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs penumbra)
mkdir programs
for source in "$science"/*.c; do
    name=$(basename "$source" .c)
    # shellcheck disable=SC2086
    cc -std=c11 -O2 -Wall -Wextra -Werror "$source" -o "programs/$name" $flags -lm "-Wl,-rpath,$work/$lib" 2>log ||
        complain "$name: $(head -5 log)"
done

# Graphs: pages that link to few others and some to none, a field in the plane, two pieces, squares.
python3 - <<'EOF'
import random
random.seed(7)
n = 60
reads = [sorted(random.sample([u for u in range(n) if u != v and u % 7], random.randint(0, 5))) for v in range(n)]
with open("pages.graph", "w", encoding="ascii") as file:
    file.write(f"{n} {sum(map(len, reads))}\n" + "".join(" ".join(str(u + 1) for u in row) + "\n" for row in reads))
EOF
tool=$work/there/bin/pen-graph
"$tool" make geometric:nodes=70,degree=7,seed=3,coordinates -o plane.pen &&
    "$tool" convert plane.pen plane.graph --lossy --coords-to=plane.xyz --quiet || complain "plane.graph"
"$tool" make mesh:9x8 -o squares.graph || complain "squares.graph"

bin=$work/programs
compare() # PROGRAM STEPS GRAPH "OPTIONS" [COORDINATES]
{
    python3 "$science/serial.py" "$1" "$2" "$3" ${5:+"$5"} >"$1.serial" || complain "serial.py $1"
    for ranks in 1 2 3 5; do
        # shellcheck disable=SC2086
        expect 0 $ranks "$1" --steps="$2" $4 --dump="$1.dump" --metrics="$1.json" --verify --migrate-random=$ranks:0.3
        { cat "$1.dump" && echo "steps $(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["steps"])' \
            "$1.json")"; } | diff "$1.serial" - >log || complain "$ran: serial <, parallel >: $(head -4 log)"
    done
}
later compare pagerank 200 pages.graph "--graph=pages.graph:directed --until=change<1e-6"
later compare sssp 100 plane.graph "--graph=plane.graph"
later compare components 100 plane.graph "--graph=plane.graph --until=changed<1"
later compare schelling 30 squares.graph "--generate=mesh:9x8 --seed=5"
later compare volume 50 plane.graph "--graph=plane.pen" plane.xyz
wait

# What ends early does so for its reason, and a field that does not fit is refused.
expect 0 2 sssp --graph=plane.graph --steps=1000 --metrics=early.json
python3 - <<'EOF' || complain "sssp did not end when it was done"
import json
run = json.load(open("early.json"))
assert run["steps"] < 100 and "done" in str(run), run["steps"]
EOF
expect 2 2 schelling --generate=hex:9x8
grep -q "square grids" err || complain "hexagons: $(cat err)"
finish
