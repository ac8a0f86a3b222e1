#!/bin/bash
# pen_comm_test.sh BIN - pen-comm's table, CSV, JSON and model say the same, and what the plan of a graph computed by
# hand says; mistakes are explained before anything is measured.
tests=$(cd "$(dirname "$0")" && pwd)
. "$tests/support.bash"
command -v python3 >/dev/null || skip "no python3 to read JSON with"

quick="--rounds=2 --seconds=1"
least_with_interval="--rounds=6 --seconds=60"

# A path 0-1-2-3-4-5, two nodes to a rank: rank 1 pulls nodes 1 and 4, the others one node each.
printf '6 5\n2\n1 3\n2 4\n3 5\n4 6\n5\n' >path.graph
printf '0\n0\n1\n1\n2\n2\n' >path.part
expect 0 3 pen-comm --graph=path.graph --partitioner=file:path.part --records=8,24 $least_with_interval --csv=path.csv \
    --json=path.json \
    --model=model.json
mv out path.txt && mv err path.err
# A ring of four in which each of two ranks reads the other's two nodes: a run of two records each way.
printf '4 4\n2 4\n1 3\n2 4\n3 1\n' >ring.graph
printf '0\n0\n1\n1\n' >ring.part
expect 0 2 pen-comm --graph=ring.graph --partitioner=file:ring.part --records=16 $quick --eager=16384 --csv=ring.csv \
    --json=ring.json
# Each of three ranks pulls from both others.
expect 0 3 pen-comm --halo=2x64,512 $quick --csv=halo.csv
grep -q '3 ranks on 1 host, .*; halo 2x64,512$' out || complain "$ran: $(head -1 out)"
# Records that are delivered as mail: the one-sided transports, and messages.
expect 0 3 pen-comm --halo=2x64 --mail $quick --csv=mail.csv
grep -q '3 ranks on 1 host, .*; mail: halo 2x64$' out || complain "$ran: $(head -1 out)"
sides=$(grep '^mail' mail.csv | cut -d, -f2,3 | tr '\n' ' ')
[ "$sides" = "fence,one pscw,one passive,one shared,one overlap,two " ] || complain "$ran: $sides"
expect_mistake "mail.csv: it is of another graph, partition, list of records, number of ranks or --mail" 3 \
    pen-comm --halo=2x64 --join=mail.csv $quick
expect 0 0 pen-comm --from=mail.csv
grep -q '^mail: 64 bytes per node, ' out && grep -q '^Here, ' out || complain "$ran: $(cat out)"
expect 0 1 pen-comm --generate=hex:4x4 --records=8 $quick --json=one.json --csv=one.csv
grep -q 'No rank pulls anything' out || complain "one rank: $(tail -1 out)"
# Without Python there is no table, but a file that needs none; others are refused before anything is measured.
mkdir none
printf '#!/bin/sh\nexit 1\n' >none/python3 && chmod +x none/python3
path=$PATH
PATH=$work/none:$PATH # launchers put their own folder first
for file in --csv=plain.csv --model=plain.machine; do
    expect 0 0 pen-comm --generate=hex:4x4 --records=8 $quick $file
    said pen-comm | grep -q 'warning: no tables, no verdict: Python 3' || complain "$ran: $(cat err)"
    [ -s ${file#*=} ] || complain "$ran: does not write $file"
done
expect 3 0 pen-comm --generate=hex:4x4 --records=8 $quick --csv=new.csv --json=new.json
[ ! -e new.csv ] || complain "$ran: measures before it asks for Python"
PATH=$path
# The name of a file cannot end a line.
cp ring.graph $'ring\n.graph'
expect 0 1 pen-comm --graph=$'ring\n.graph' --records=16 $quick --model=named.machine
! grep -q '^[^%].*graph' named.machine && grep -qF 'ring\x0a.graph' named.machine ||
    complain "$ran: $(cat named.machine)"
# Emulated hosts: whatever the load, nothing takes less than the network does. A pull by messages waits for one message
# from the other host; a pull with fences for those of both fences and of the get.
hosts()
{
    expect 0 0 pen-comm --hosts=2:$1 --halo=1x4000 $quick --csv=hosts.$1.csv
    grep -q "2 ranks on 2 hosts, .*; emulated network of $2; halo 1x4000\$" "$out" || complain "$ran: $(head -1 "$out")"
    [ "$(grep -c -E "^halo,($transports),.*,4000,1,4000,8000," hosts.$1.csv)" = 8 ] ||
        complain "$ran: $(cat hosts.$1.csv)"
    awk -F, -v least=$3 -v fence=$4 '/^halo/ && $12 < ($2 == "fence" ? fence : least) { print $2, $12 }' hosts.$1.csv |
        grep . >&2 && complain "$ran: these take less time than the network"
}
transports="fence|pscw|passive|shared|blocking|overlap|persistent|neighbor"
open_mpi=0
! has_open_mpi || open_mpi=1
if ! unshare --mount --uts true 2>err; then
    leave_out "no right to make namespaces: $(head -1 err): emulated hosts"
elif [ "$open_mpi" -gt 0 ]; then
    hosts latency=2e-3 "2000 us and inf GB/s" 2e-3 6e-3
    hosts bandwidth=1e6 "0 us and 0.001 GB/s" 4e-3 4e-3
    later unprivileged expect 3 0 pen-comm --hosts=2
    expect_mistake "--hosts=2: the ranks are on 1 host: start pen-comm without mpirun" 2 pen-comm --hosts=2
fi
# From its CSV come the same tables and the same verdict; and from tables whose verdict is known that one.
PYTHONSAFEPATH=1 expect 0 0 pen-comm --from=path.csv
diff <(sed -n '/^halo:/,$p' out) <(sed -n '/^halo:/,$p' path.txt | sed '/^A node/,/^$/d') >err ||
    complain "$ran: differs from what was printed before: $(head -3 err)"
# told ROWS SENTENCE ...: rows "transport halo_bytes min low median high noise", all at microseconds; the sentences
# follow from them.
told()
{
    sed -n 1p path.csv >known.csv
    while read -r transport bytes min low median high noise; do
        case $transport in fence | passive) side=one ;; *) side=two ;; esac
        echo "halo,$transport,$side,-,2,$((bytes / 8)),1,$bytes,1,1,1,${min}e-6,${low}e-6,${median}e-6," \
            "${high}e-6,9,$noise,-1,-1,0,0,$((bytes == chosen))" | tr -d ' '
    done <<<"$1" >>known.csv
    expect 0 0 pen-comm --from=known.csv
    for sentence in "${@:2}"; do
        grep -qF -e "$sentence" out || complain "a table of known verdict: no \"$sentence\" in: $(tail -4 out)"
    done
}
chosen= # bytes: there --comm=auto chose
slower='overlap 64 28 29 30 31 0.02'
told "fence 64 8 9 10 11 0
passive 64 5 9 12 13 0
$slower" 'Here, use fence: no transport is faster, and it has 3.00 times the speed of the best two-sided' \
    'At no size is the best one-sided' 'The default, fence, takes 0.33 times as long'
told "fence 64 8 9 10 29.5 0
$slower" 'Here, no difference' 'The default, fence, is as fast as'
told "fence 64 27 9 10 11 0
$slower" 'Here, no difference'
told "fence 64 8 9 28.9 28.95 0
$slower" 'Here, no difference'
told "fence 64 8 9 10 11 0.26
$slower" 'Here, no verdict: fewer than 6 samples, or noise of more than 25 %.'
told "fence 64 8 -1 10 -1 0
$slower" 'Here, no verdict'
! grep -q 'At no size' out || complain "a verdict on sizes without one: $(cat out)"
told "fence 64 8 9 10 11 0
$slower
fence 512 40 40 40 40 0.26
overlap 512 20 20 20 20 0" 'At no size with a verdict is the best one-sided' ' two-sided one; no verdict at 512 B.'
told "fence 64 28 29 30 31 0
overlap 64 8 9 10 11 0.02
fence 512 40 -1 40 -1 0
overlap 512 20 20 20 20 0
fence 4096 40 40 40 40 0
overlap 4096 20 20 20 20 0.3" \
    'One-sided loses at 64 B: even its best takes up to 3.00 times as long as overlap; no verdict at 512 B, 4 KiB.'
chosen=512
told "fence 64 8 9 10 11 0
$slower
fence 512 40 40 40 40 0
overlap 512 41 41 41 41 0
fence 4096 90 90 90 90 0
overlap 4096 45 45 45 45 0
fence 8192 90 90 90 90 0
overlap 8192 45 45 45 45 0" 'Up to 64 B per rank and step, use fence' 'At 512 B per rank and step, no difference' \
    'From 4 KiB per rank and step on, use overlap: no transport is faster, and it has 2.00 times' \
    '--comm=auto chose, with its time over the fastest: overlap at 512 B (1.02).' \
    'One-sided loses at 4 KiB, 8 KiB: even its best takes up to 2.00 times as long as overlap.'
chosen=
# A file may have a row twice.
told "fence 64 18 19 20 21 0
fence 64 8 9 10 11 0
$slower" 'Here, use fence: no transport is faster, and it has 3.00 times'
# A line that misses by half is a model; what misses by more, and what is disturbed, is none.
told "fence 64 1 1 1 1 0
fence 512 9 9 9 9 0
fence 4096 1 1 1 1 0
passive 64 10 10 10 10 0
passive 4096 20 20 20 20 0.3
overlap 64 10 10 10 10 0
overlap 4096 20 20 20 20 0.2"
[ "$(sed -n '/^fitted/,/^Lines/s/  */ /gp' out | sed -n 2,4p | cut -d' ' -f1,2,4)" = 'fence - 88
passive - -
overlap 9.841 0' ] || complain "models: $(sed -n '/^fitted/,/^Lines/p' out)"
# Pictures are drawn from the tables; pen_plot_test looks at what they show.
if has_matplotlib; then
    for table in mail.csv one.json one.csv path.csv path.json; do
        expect 0 0 pen-plot comm $table -o drawn.svg
        grep -q '</svg>' drawn.svg || complain "$ran: drawn.svg is not complete"
        [ $table != mail.csv ] || ! grep -q "nothing is pulled" drawn.svg || complain "$ran: the picture is empty"
    done
    python3 "$tests/plot_check.py" comm drawn.svg path.json || complain "path.json: the picture differs from the table"
else
    leave_out "no matplotlib to draw with"
fi
# The two-sided rows of a launch at one eager limit join those of another.
run 0 pen-comm-both "${MPIEXEC:-mpiexec}" -n 2 "$bin/pen-comm" --graph=ring.graph --partitioner=file:ring.part \
    --records=16 $quick \
    --csv=both.csv
[ "$status" -eq 0 ] || complain "$ran: exit status $status: $(head -3 err)"
grep -q 'Two-sided transports at another eager limit are from .* took [0-9.]* times' out ||
    complain "$ran: does not tell of the launch before"
# What the second launch cannot do is told before the first; nobody can tell that one's table in advance.
both() { expect_mistake "$1" 0 pen-comm-both touch launched "${@:2}"; }
mkdir folder
expect_mistake "nosuch: cannot be started: no such program" 0 pen-comm-both nosuch pen-comm
TMPDIR=/nonexistent both "cannot write in /nonexistent"
EAGER=4k both "EAGER=4k: must be from 1 to 1073741824"
both "--eager=4096: the second launch has its own" --eager=4096
both "--join=path.csv: the second launch has its own" --join=path.csv
for file in --csv=nowhere/a.csv --json=path.csv/a.json --model=folder --csv=; do
    both "$file: cannot be written" $file
done
[ ! -e launched ] || complain "pen-comm-both launches what it refuses"
# A signal ends the launch, and nothing stays.
printf '#!/bin/bash\necho $$ >sleeper; exec sleep 1000\n' >launch && chmod +x launch
for signal in HUP INT TERM; do
    rm -f sleeper
    # Job control: commands in the background of a script ignore SIGINT.
    TMPDIR=$work/folder patiently 30 bash -c 'set -m; "$0" "$@" & echo $! >pid; wait $!' "$bin/pen-comm-both" ./launch \
        pen-comm 2>err &
    waiting=$!
    wait_until 10 test -s sleeper || complain "pen-comm-both launches nothing: $(cat err)"
    kill -$signal "$(cat pid)"
    wait $waiting
    status=$?
    [ $status -eq $((128 + $(kill -l $signal))) ] || complain "pen-comm-both: exit status $status after SIG$signal"
    ! kill -0 "$(cat sleeper)" 2>/dev/null || { complain "SIG$signal: the launch lives" && kill -9 "$(cat sleeper)"; }
    [ -z "$(ls folder)" ] || complain "SIG$signal: leaves $(ls folder)"
done
# No windows: what needs one is listed with the reason, the rest is measured; and there is no machine to write.
without_windows()
{
    OMPI_MCA_osc=rdma OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo TMPDIR=/nowhere \
        OMPI_MCA_osc_sm_backing_directory="$work/nowhere" "$@"
}
no_machine()
{
    without_windows expect 3 2 pen-comm --generate=hex:4x4 --records=8 $quick --model=none.machine
    said pen-comm | grep -q 'no one-sided communication' || complain "no windows: $(head -3 "$err")"
    [ ! -e none.machine ] || complain "a machine without links was written"
}
# A machine is what another launch reads; also where ranks of a package do not follow each other.
turns()
{
    patiently 60 "${MPIEXEC:-mpiexec}" -n 4 sh -c 'export HWLOC_SYNTHETIC="package:2 core:1 pu:1" HWLOC_THISSYSTEM=1
        exec taskset -c $((OMPI_COMM_WORLD_RANK % 2)) "$0" "$@"' "$bin/pen-comm" --generate=hex:8x8 --records=8 $quick \
        --model=turns.machine >"$out" 2>"$err" </dev/null ||
        complain "ranks of two packages in turn: $(head -3 "$err")"
}
if "$bin/pen-comm" --version | grep -q hwloc && taskset -c 0 true 2>err && taskset -c 1 true 2>err; then
    later turns
else
    leave_out "no hwloc, or no two processors to be bound to: a measured machine of two packages"
fi
if [ "$open_mpi" -gt 0 ]; then
    later without_windows expect 0 2 pen-comm --generate=hex:4x4 --records=8 $quick --json=none.json --model=none.model
    later no_machine
fi
later expect 0 1 pen-comm --generate=hex:4x4 --records=8 $quick --model=one.machine
# In equal blocks a rank pulls a row of four; where the other one is fast its two nodes need three.
later expect 0 2 pen-comm --generate=hex:4x4 --records=8 $quick --partitioner=block --machine=flat,speeds=1:7 \
    --csv=fast.csv
expect 0 3 pen-comm --graph=path.graph --partitioner=file:path.part --records=24 $quick --model=three.machine
# Noise that makes different speeds equal is told.
noise=$(sed -n 's/.*differ by less than \([0-9.e+]*\) %.*/\1/p' three.machine)
awk -v noise="$noise" -v told="$(said pen-comm | grep -c 'warning: three.machine: .* count as equal')" \
    'BEGIN { exit noise != 25 && told != (noise > 25) }' || complain "noise of $noise %: $(said pen-comm)"
ratio=$(sed -n 's/.*--partitioner=pagrid:ratio=\([^,]*\),.*/\1/p' three.machine)
expect 0 3 hex --graph=path.graph --steps=6 --machine=three.machine --partitioner="pagrid:ratio=$ratio" \
    --balancer=minex:units --balance-when=every:2:always --verify
wait
# The same next to nothing, two and eight processes that take all of a processor that they get.
for busy in 0 2 8; do
    loops=()
    for ((i = 0; i < busy; i++)); do
        setsid timeout 60 sh -c 'while :; do :; done' &
        loops+=($!)
    done
    expect 0 2 pen-comm --halo=1x64 --rounds=60 --seconds=1 --json=busy$busy.json
    [ $busy -eq 0 ] || kill "${loops[@]}"
done
[ "$(sed -n 's/^halo,fence,.*,1,\([0-9]*\),40,.*/\1/p' fast.csv)" = 24 ] || complain "shares are not as speeds"

python3 - "$open_mpi" <<'PYTHON' || failures=1
import csv, json, os, re, sys

failed = False

def check(what, found, expected):
    global failed
    if found != expected:
        print("pen_comm_test.sh: %s is %r, expected %r" % (what, found, expected), file=sys.stderr)
        failed = True

def rows_of(name):
    return list(csv.DictReader(open(name)))

PENUMBRA = {"fence", "pscw", "passive", "shared", "blocking", "overlap", "persistent", "neighbor"}
ONE_SIDED = {"fence", "pscw", "passive", "shared"}

# The plans.
path = rows_of("path.csv")
check("transports missing", PENUMBRA - {r["transport"] for r in path}, set())
for r in path:
    where = "%(sweep)s %(transport)s %(record)s %(neighbors)s" % r
    record = int(r["record"])
    if r["sweep"] == "halo":
        check(where + ": bytes, gets, most bytes, neighbours", [int(r[k]) for k in ("bytes", "gets", "halo_bytes",
            "neighbors")],
              [4 * record, 4, 2 * record, 2])
        window = 2 * 4 * record  # rank 1: two nodes, two shadows, two planes
    else:
        k = int(r["neighbors"])
        check(where + ": bytes, gets, most bytes, record", [int(r[x]) for x in ("bytes", "gets", "halo_bytes",
            "record")],
              [3 * k * 256 * 8, 3 * k, k * 256 * 8, 8])
        window = 2 * (k + 1) * 256 * 8
    if r["transport"] in PENUMBRA:
        check(where + ": window", int(r["window_bytes"]), window if r["transport"] in ONE_SIDED else 0)
        check(where + ": side", r["side"], "one" if r["transport"] in ONE_SIDED else "two")
    if r["transport"] in ("fence", "passive"):
        check(where + ": syncs", int(r["syncs"]), 6)  # two on each of three ranks
    times = [float(r[k + "_seconds"]) for k in ("min", "low", "median", "high", "max")]
    check(where + ": times", times == sorted(times) and 0.0 < times[0] < 5.0, True)
    check(where + ": interval of six samples", (times[1], times[3]), (times[0], times[4]))
    check(where + ": noise", (float(r["noise"]) > 0) == (times[4] > 2 * times[0]) and float(r["noise"]) < 1, True)
for record in ("8", "24"):
    check("choices of auto at " + record, sum(int(r["auto"]) for r in path if r["record"] == record), 1)
halo = [(r["transport"], r["record"]) for r in path if r["sweep"] == "halo"]
check("halo rows", len(halo), len(set(halo)))
for name in PENUMBRA:
    check(name + ": sizes", [r for t, r in halo if t == name], ["8", "24"])
    check(name + ": rings", [r["neighbors"] for r in path if r["sweep"] == "neighbors" and r["transport"] == name],
        ["1", "2"])
synthetic = [r for r in rows_of("halo.csv") if r["sweep"] == "halo" and r["transport"] in PENUMBRA]
check("transports of a synthetic halo", {r["transport"] for r in synthetic}, PENUMBRA)
for r in synthetic:
    record = int(r["record"])
    check(r["transport"] + " of a synthetic halo", [int(r[k]) for k in ("neighbors", "halo_bytes", "bytes", "gets")],
        [2, 2 * record, 6 * record, 6])
    check(r["transport"] + " of a synthetic halo: window", int(r["window_bytes"]),
        2 * 3 * record if r["side"] == "one" else 0)
check("sizes of a synthetic halo", [r["record"] for r in synthetic if r["transport"] == "fence"], ["64", "512"])
ring = rows_of("ring.csv")
for r in ring:
    check(r["transport"] + " on a ring", [int(r[k]) for k in ("bytes", "gets", "halo_bytes", "neighbors", "ranks")],
        [64, 2, 32, 1, 2])
    check(r["transport"] + ": no interval of two samples", (r["low_seconds"], r["high_seconds"]),
        ("-1.000000000e+00",) * 2)
    check(r["transport"] + ": eager", r["eager"], "-" if r["side"] == "one" else "16384")

# JSON and table against the CSV.
def close(a, b):
    return abs(a - b) <= 1e-8 * max(abs(a), abs(b)) + 1e-15

def compare(rows, document):
    check("JSON rows", len(document["rows"]), len(rows))
    for r, j in zip(rows, document["rows"]):
        where = "%(sweep)s %(transport)s %(record)s %(neighbors)s" % r
        check(where, [j[k] for k in ("sweep", "transport", "eager")], [r[k] for k in ("sweep", "transport", "eager")])
        for key in ("record", "neighbors", "halo_bytes", "bytes", "gets", "syncs", "window_bytes", "buffer_bytes"):
            check(where + " " + key, -1 if j[key] is None else j[key], int(r[key]))
        for key in ("min", "low", "median", "high", "max"):
            value = j["seconds"][key]
            check(where + " " + key, close(-1 if value is None else value, float(r[key + "_seconds"])), True)
        check(where + " noise", abs(j["noise"] - float(r["noise"])) <= 5e-5, True)
        shares = [j[k] for k in ("sync_share", "pull_share", "copy_share")]
        if float(r["sync_seconds"]) < 0:
            check(where + " shares", shares, [None] * 3)
        else:
            check(where + " shares add up", close(sum(shares), 1.0) and min(shares) >= 0.0, True)

document, model = json.load(open("path.json")), json.load(open("model.json"))
compare(path, document)
check("choices of auto in JSON", [r["transport"] for r in document["rows"] if r["auto"]],
    [r["transport"] for r in path if r["auto"] == "1"])
compare(ring, json.load(open("ring.json")))
check("schemas", (document["schema"], model["schema"]), ("penumbra-comm/1", "penumbra-comm-model/1"))
check("ranks, hosts", (document["ranks"], document["hosts"], model["ranks"]), (3, 1, 3))
check("rounds", document["rounds"], 6)
check("no rings of two ranks", {m["bytes_per_neighbor"] for m in json.load(open("ring.json"))["models"]}, {None})
check("no verdict from two samples", {v["faster"] for v in json.load(open("ring.json"))["verdicts"]}, {"unknown"})
check("models", model["transports"], document["models"])
for m in model["transports"]:
    mine = [r for r in path if r["transport"] == m["transport"] and r["sweep"] == "halo"]
    bad = max(float(r["noise"]) for r in mine) > 0.25 or m["misses"] > 0.75
    check(m["transport"] + ": no line", m["latency_seconds"] is None, bad)
    check(m["transport"] + ": neighbours", (m["neighbors"], m["bytes_per_neighbor"]), (2, 2048))
    check(m["transport"] + " is warned of", m["transport"] in open("path.err").read(), bad)
    for r in [] if bad else mine:
        line = m["latency_seconds"] + m["seconds_per_byte"] * int(r["halo_bytes"])
        check(m["transport"] + ": the line misses by what it says",
              abs(line / float(r["median_seconds"]) - 1.0) <= m["misses"] + 1e-6, True)

# Measured machines.
def close_to(a, b, part):
    return abs(a - b) <= part * max(abs(a), abs(b))

def machine_of(name, ranks):
    lines = [line.split() for line in open(name) if not line.startswith("%")]
    check(name + ": seconds", [line[0] for line in lines].count("seconds"), 1)
    lines = [line for line in lines if line[0] != "seconds"]
    check(name + " begins", lines[0], ["processors", str(ranks)])
    clusters = [line for line in lines if line[0] == "cluster"]
    check(name + ": ranks", sum(int(c[2]) for c in clusters), ranks)
    settings = [dict(s.split("=") for s in line[3].split(",")) for line in lines[1:]]
    speeds = [float(s["speed"]) for s in settings[:len(clusters)]]
    check(name + ": speeds", max(speeds) == 1.0 and min(speeds) > 0.01, True)
    for s in settings:
        check(name + ": links", "cost" not in s or 0 < float(s["cost"]) < 1 and 0 <= float(s["latency"]) < 1, True)
    return speeds, [(line[0], line[2], s.get("cost")) for line, s in zip(lines[1:], settings)]

speeds, lines = machine_of("three.machine", 3)
check("a cost", len([cost for kind, name, cost in lines if cost]) > 0, True)
text = open("three.machine").read()
check("comments", [word for word in ("3 ranks on 1 host", "of 24 bytes", "minex:ratio=", "pagrid:units")
    if word not in text], [])
ratios = [float(ratio) for ratio in re.findall(r"pagrid:ratio=([0-9.e+-]+),", text)]
check("ratios", len(ratios), 2)
cheapest = min(float(cost) for kind, name, cost in lines if cost)
check("a record's cost, in nodes", close_to(ratios[1], ratios[0] * cheapest, 0.02), True)
machine_of("one.machine", 1)
if os.path.exists("turns.machine"):
    speeds, lines = machine_of("turns.machine", 4)
    check("ranks in turn", [line[:2] for line in lines if line[0] == "cluster"], [("cluster", "1")] * 4)
    costs = [cost for kind, name, cost in lines if kind == "link"]
    check("links of ranks in turn: all", len(costs), 6)
    check("links of ranks in turn: between", len({costs[k] for k in (0, 2, 3, 5)}), 1)

# The same in JSON.
check("node", 0.0 < model["node_seconds"] < 1e-3 and close_to(model["node_neighbors"], 10 / 6, 1e-6), True)
check("records with a ratio", [r["record"] for r in model["ratios"]], [8, 24])
for r in model["ratios"]:
    expected = model["get_seconds_per_byte"] * r["record"] / model["node_seconds"]
    check("ratio", close_to(r["ratio"], expected, 1e-6), True)
check("latency", 0.0 <= model["get_latency_seconds"] < 1.0, True)
if sys.argv[1] != "0":
    check("ratio without a window", [r["ratio"] for r in json.load(open("none.model"))["ratios"]], [None])

printed, key = {}, None
for line in open("path.txt"):
    head = re.match(r"(halo|neighbors): (\d+) bytes per node, up to (\d+) neighbour", line)
    if head:
        key = head.groups()
    words = line.split()
    if key and len(words) == 16 and words[1] in ("one", "two"):
        printed[(*key, words[0])] = words[2:6] + words[11:16]
check("lines of the table", len(printed), len(path))
for r in path:
    found = printed.get((r["sweep"], r["record"], r["neighbors"], r["transport"]))
    numbers = ["-" if int(r[k]) < 0 else r[k] for k in ("bytes", "gets", "syncs", "window_bytes", "buffer_bytes")]
    check("%(transport)s in the table" % r, found and found[4:], numbers)
    for shown, key in zip(found or [], ("min_seconds", "median_seconds", "low_seconds", "high_seconds")):
        check("%s of %s in the table" % (key, r["transport"]), abs(float(shown) - 1e6 * float(r[key])) <= 0.00051, True)

# What it recommends for the least data is what took least time.
least = min(int(r["halo_bytes"]) for r in path if r["sweep"] == "halo")
fastest = min((float(r["median_seconds"]), r["transport"]) for r in path
              if r["sweep"] == "halo" and int(r["halo_bytes"]) == least and r["transport"] in PENUMBRA)
recommended = re.search(r"\buse ([a-z]+)", open("path.txt").read())
if document["verdicts"][0]["faster"] in ("one", "two"):
    check("what is recommended", recommended and recommended[1], fastest[1])

# Next to other work the same side is faster, or none.
for v in zip(*[json.load(open("busy%d.json" % n))["verdicts"] for n in (0, 2, 8)]):
    check("faster at %d bytes next to 0, 2, 8 busy processes" % v[0]["halo_bytes"],
          {"one", "two"} <= {r["faster"] for r in v}, False)

both = rows_of("both.csv")
for name in PENUMBRA:
    check(name + " in both", [r["eager"] for r in both if r["transport"] == name],
          ["-"] if name in ONE_SIDED else ["32768", "default"])
check("one rank", {(r["bytes"], r["gets"], r["halo_bytes"]) for r in rows_of("one.csv")}, {("0", "0", "0")})
if sys.argv[1] != "0":
    none = json.load(open("none.json"))
    check("cannot run", {c["transport"] for c in none["cannot_run"]} & PENUMBRA, ONE_SIDED)
    check("reasons", [c["reason"] for c in none["cannot_run"] if "no one-sided" not in c["reason"] and
        c["transport"] in ONE_SIDED], [])
    check("runs all the same", PENUMBRA - {r["transport"] for r in none["rows"]}, ONE_SIDED)
sys.exit(failed)
PYTHON

mkfifo pipe
sed 's/^halo,overlap,two,16384/halo,overlap,two,x,y/' ring.csv >broken.csv
later expect_mistake "unknown option --record=8: did you mean --records?" 2 pen-comm --record=8
later expect_mistake "--records=8,4: must be bytes, 1 to 1048576, ascending" 2 pen-comm --records=8,4
later expect_mistake "--records=: " 0 pen-comm --records=
later expect_mistake "--rounds=0: must be from 1" 0 pen-comm --rounds=0
later expect_mistake "--eager=9223372036854775807: must be from 1 to 1073741824" 2 pen-comm \
    --eager=9223372036854775807
later expect_mistake "pipe: cannot read: not a regular file" 2 pen-comm --join=pipe
later expect_mistake "--halo=2x8: must be NEIGHBOURSxBYTES, of 1 to 1 neighbours on 2 ranks" 2 pen-comm --halo=2x8
later expect_mistake "--halo=1x8 needs at least 2 ranks" 1 pen-comm --halo=1x8
later expect_mistake "--halo=1: must be" 2 pen-comm --halo=1
later expect_mistake "--halo=1x8,x: must be bytes, 1 to 1048576" 2 pen-comm --halo=1x8,x
later expect_mistake "--halo=1x8 needs no graph" 2 pen-comm --halo=1x8 --records=8
later expect_mistake "--halo=1x8 needs no graph, --save-graph" 2 pen-comm --halo=1x8 --save-graph=none.graph
later expect_mistake "--seconds=-1: must be above 0" 2 pen-comm --seconds=-1
later expect_mistake "--hosts=3: must be 2[:ranks=N,latency=T,bandwidth=B]" 0 pen-comm --hosts=3
later expect_mistake "--hosts: unknown setting delay=1. Known: ranks=N, latency=T" 0 pen-comm --hosts=2:delay=1
later expect_mistake "--hosts=2:latency=-1: latency must be from 0 to 1 s" 0 pen-comm --hosts=2:latency=-1
for unused in --csv=x.csv --halo=1x8 --records=8 --partitioner=block --save-graph=x.graph --mail; do
    later expect_mistake "--from=ring.csv: nothing is measured: omit" 0 pen-comm --from=ring.csv $unused
done
later expect_mistake "broken.csv:" 0 pen-comm --from=broken.csv
later expect_mistake "--eager=x: not a signed whole number" 0 pen-comm --eager=x
later expect_mistake "unknown partitioner mets: did you mean metis?" 2 pen-comm --partitioner=mets
later expect_mistake "machine flat:1: it has 1 processors, fewer than parts, 2" 2 pen-comm --machine=flat:1
later expect_mistake "give --graph or --generate, not both" 0 pen-comm --graph=x --generate=torus:4x4
later expect_mistake "unknown option --plot=x.svg" 2 pen-comm --plot=x.svg
later expect_mistake "nowhere/x.csv" 2 pen-comm --csv=nowhere/x.csv
later expect_mistake "nowhere/x.json" 0 pen-comm --csv=x.csv --json=nowhere/x.json
later expect_mistake "nowhere/x.model" 0 pen-comm --model=nowhere/x.model
later expect_mistake "nowhere/x.machine" 2 pen-comm --records=8 --model=nowhere/x.machine
later expect_mistake "--model=x.machine: a machine's unit of data is one record: give one size in --records" \
    2 pen-comm --model=x.machine
later expect_mistake "absent.csv: cannot read" 2 pen-comm --join=absent.csv --csv=x.csv
later expect_mistake "path.graph:1: not a file that --csv wrote" 2 pen-comm --join=path.graph
later expect_mistake "not a row of a file that --csv wrote" 0 pen-comm --join=broken.csv
later expect_mistake "ring.csv: it is of another graph" 2 pen-comm --join=ring.csv --generate=hex:4x4 \
    --records=16 $quick --csv=x.csv
wait
[ ! -e x.csv ] || complain "x.csv was written"
left=$(others_in | grep -E 'unfinished|^x\.')
[ -z "$left" ] || complain "left behind: $left"
finish
