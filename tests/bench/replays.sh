#!/bin/bash
# replays.sh - the records of records.sh with all balancers, on many virtual ranks: for each number of ranks a table of
# work-only efficiency, and one of the cut at the end as a multiple of none's. The last lines are geometric means over
# the records that all balancers can handle, as multiples of none's.
#
#     replays.sh BUILD/bin FOLDER [RANKS,... [WHEN]]
#
# On 64,1024,16384 virtual ranks, called every:10:always. A replay that is in FOLDER/replays already is not made again,
# so that this script goes on where it was ended. SECONDS_EACH (600) limits a replay: "over" in the table. "-": the
# balancer cannot handle the graph; rcb and sfc need a grid or coordinates. BALANCERS=NAME,... replays others.
set -eu
bin=$1 folder=$2 ranks=${3:-64,1024,16384} when=${4:-every:10:always} limit=${SECONDS_EACH:-600}
balancers=${BALANCERS:-none,diffusive,central,metis,scotch,rcb,sfc}
results=$folder/replays
mkdir -p "$results"
"$bin/pen-sim" --version | grep -E '^(pen-sim|flags|commit)'
echo "Virtual ranks $ranks; $when; at most $limit s each"
for parts in ${ranks//,/ }; do
    for record in "$folder"/*.record; do
        for balancer in ${balancers//,/ }; do
            name=$results/$(basename "$record" .record)-$parts-$balancer-${when//:/_}
            [ ! -e "$name.json" ] && [ ! -e "$name.over" ] || continue
            status=0
            timeout "$limit" "$bin/pen-sim" replay "$record" --ranks="$parts" --balance-when="$when" \
                --balancer="$balancer" --format=json -o "$name.part" || status=$?
            case $status in
            0) mv "$name.part" "$name.json" ;;
            124) echo "$limit s" >"$name.over" ;;
            *) exit $status ;;
            esac
        done
    done
done
python3 - "$results" "$ranks" "$balancers" "${when//:/_}" "$folder"/*.record <<'PYTHON'
import json, math, os, sys
results, ranks, balancers, when = sys.argv[1:5]
balancers = balancers.split(",")
names = [os.path.basename(path)[:-len(".record")] for path in sys.argv[5:]]

def row(name, parts, balancer):
    path = os.path.join(results, f"{name}-{parts}-{balancer}-{when}")
    if os.path.exists(path + ".over"):
        return None
    return json.load(open(path + ".json"))["tables"][0]["rows"][0]

def value(of, base, figure):
    """A figure of a replay, or why there is none. The cut is a multiple of none's."""
    if of is None or base is None:
        return "over"
    if of["calls"] and of["failed"] == of["calls"]:
        return "-"
    return of[figure] / (base[figure] if figure == "cut" else 1)

def line(name, values):
    width = max(10, *(len(b) + 2 for b in balancers))
    print(f"{name:28}" + "".join(f"{v:>{width}}" if isinstance(v, str) else f"{v:{width}.3f}" for v in values))

for parts in ranks.split(","):
    for title, figure in (("Work-only efficiency", "work-only efficiency"), ("Cut ÷ none's", "cut")):
        print(f"\n{title}, {parts} ranks")
        line("", balancers)
        whole = []
        for name in names:
            values = [value(row(name, parts, b), row(name, parts, balancers[0]), figure) for b in balancers]
            line(name, values)
            whole += [values] if not any(isinstance(v, str) for v in values) else []
        if whole:
            logs = [sum(math.log(v[i] / v[0]) for v in whole) / len(whole) for i in range(len(balancers))]
            line(f"mean of {len(whole)}", [math.exp(log) for log in logs])
PYTHON
