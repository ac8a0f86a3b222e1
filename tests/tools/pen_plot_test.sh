#!/bin/bash
# pen_plot_test.sh BIN PLUGIN - pen-plot as a user runs it: its pictures and its page say what the metrics say, and
# what is wrong is told in one sentence.
tests=$(cd "$(dirname "$0")" && pwd)
sources=${tests%/tests/tools}
plugin=$(realpath "$2")
. "$tests/support.bash"
has_matplotlib || skip "no matplotlib to draw with"

# well_formed FILE: xmllint where there is one; python's parser reads all that plot_check.py sees anyway.
well_formed()
{
    command -v xmllint >/dev/null || return 0
    xmllint --noout --nonet "$1" 2>err || complain "$1 is not well-formed: $(head -3 err)"
}

# picture KIND METRICS...: as SVG, whose numbers are right, and as PNG
picture()
{
    local kind=$1
    shift
    expect 0 0 pen-plot "$kind" "$@" -o "$kind picture.svg"
    [ ! -s out ] && [ ! -s err ] || complain "$kind $*: said $(cat out err)"
    mv "$kind picture.svg" before.svg
    expect 0 0 pen-plot "$kind" "$@" -o "$kind picture.svg"
    cmp before.svg "$kind picture.svg" >&2 || complain "$kind $*: another picture each time"
    well_formed "$kind picture.svg"
    python3 "$tests/plot_check.py" "$kind" "$kind picture.svg" "$@" ||
        complain "$kind $*: the picture differs from the metrics"
    expect 0 0 pen-plot "$kind" "$@" -o "$kind.png"
    [ "$(head -c 8 "$kind.png" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || complain "$kind $*: no PNG"
}

# observed SUMS relative|"" METRICS...: as SVG
observed()
{
    local sums=$1 relative=$2
    shift 2
    expect 0 0 pen-plot observables "$@" "--of=$sums" ${relative:+--relative} -o observed.svg
    [ ! -s out ] && [ ! -s err ] || complain "observables $*: said $(cat out err)"
    well_formed observed.svg
    python3 "$tests/plot_check.py" "observables:$sums${relative:+:relative}" observed.svg "$@" ||
        complain "observables $sums $*: the picture differs from the metrics"
}

report()
{
    expect 0 0 pen-plot report "$@" -o page.html
    well_formed page.html
    python3 "$tests/plot_check.py" report page.html "$@" || complain "report $*: the page differs from the metrics"
}

# ---- What applications write
for ranks in 1 2 4; do
    later expect 0 $ranks hex --generate=hex:16x12 --steps=23 --imbalance=three-phase --load=declared \
        "--balancer=$plugin" --balance-when=every:5:always "--metrics=moved $ranks.json" --quiet
done
later expect 0 2 hex --generate=hex:16x12 --steps=23 --imbalance=three-phase --load=declared --metrics=still.json \
    --quiet
later expect 0 2 wave --generate=hex:9x8 --steps=6 --metrics=wave.json --observables=wave.csv:every=2 --quiet
later expect 0 2 hex --generate=hex:16x12 --steps=23 --imbalance=three-phase --load=declared --balancer=metis \
    --balance-when=every:5:always --machine=flat,speeds=1:2 --metrics=machine.json --quiet
later expect 0 1 hex --generate=hex:3x3 --steps=0 --metrics=none.json --quiet
later expect 0 2 nbody --bodies=300 --steps=12 --metrics=bodies.json --quiet
later expect 0 1 nbody --bodies=300 --steps=12 --dt=0.05 --metrics=other.json --quiet
later expect 0 1 wave --generate=hex:3x3 --steps=0 --metrics=unobserved.json --quiet
for ranks in 1 2; do later expect 0 $ranks examples/fire --generate=hex:16x12 "--metrics=fire $ranks.json" --quiet; done
wait
warm_up pen-plot matplotlib.figure matplotlib.backends.backend_svg matplotlib.backends.backend_agg

picture speedup still.json "moved 1.json" "moved 2.json" "moved 4.json"
picture seconds still.json "moved 1.json" "moved 2.json" "moved 4.json"
picture categories still.json "moved 1.json" "moved 2.json"
picture categories "moved 4.json"
picture categories "moved 1.json"
picture balance "moved 4.json"
picture balance still.json "moved 2.json"
picture loads "moved 4.json"
picture loads still.json "moved 2.json" "moved 4.json"
picture loads "moved 1.json"
picture active "fire 2.json"
picture active "fire 1.json" "fire 2.json"
report still.json "moved 1.json" "moved 2.json" "moved 4.json" wave.json none.json machine.json
report wave.json
observed kinetic,potential,kinetic+potential "" bodies.json
observed kinetic+potential relative other.json bodies.json
observed highest "" wave.json
observed "highest,kinetic energy+highest" "" wave.json wave.csv
observed "kinetic energy,highest,moving nodes" "" wave.csv
mv observed.svg named.svg
expect 0 0 pen-plot observables wave.csv -o observed.svg
cmp named.svg observed.svg >&2 || complain "observables wave.csv: not all of them, as if they were named"
printf 'step,u\n0,-1.7e308\n1,1.7e308\n' >diverged.csv
expect 0 0 pen-plot observables diverged.csv -o diverged.svg
picture categories bodies.json
python3 - "moved 4.json" >older.json <<'PYTHON'
import json, sys
m = json.load(open(sys.argv[1]))
m["schema"] = "penumbra-metrics/1"
for newer in ("versions", "date", "hosts", "command", "graph", "options", "ended", "until"):
    m.pop(newer, None)
json.dump(m, sys.stdout)
PYTHON
picture balance older.json # what was written before

# ---- Many files, long runs, names with everything in them: made from what is there
python3 - <<'PYTHON' || { complain "no metrics to go on with"; finish; }
import copy, json, random
random.seed(8)
base = json.load(open("moved 4.json"))

def write(path, ranks, loop, **others):
    m = copy.deepcopy(base)
    m["per_rank"] = [copy.deepcopy(m["per_rank"][i % 4]) for i in range(ranks)]
    for i, rank in enumerate(m["per_rank"]):
        rank["rank"] = i
        for key in rank["seconds"]: rank["seconds"][key] = round(random.random() / ranks, 9)
    m["history"]["loads"] = [m["history"]["loads"][i % 4] for i in range(ranks)]
    m.update(ranks=ranks, **others)
    m["seconds"]["loop"] = loop
    json.dump(m, open(path, "w"))

for comm in ["fence", "shared", "passive"]:
    for ranks in [2, 4, 8, 16]:
        for turn in range(3):   # the median counts
            write("many %s %02d %d.json" % (comm, ranks, turn), ranks, random.uniform(8, 9) / ranks, comm=comm)
write("many fence 01 0.json", 1, 9.0, comm="fence")
for comm in range(20): write("crowd %02d.json" % comm, 2 + comm % 2, 1 + comm % 7, comm="c%d" % (comm // 2))
name = "a<b>&'\"`_{}\\n^2 @x $(touch gone) `touch gone` %s é \u0001\ufffe"
loads = [[round(random.random(), 6) for s in range(512)] for rank in range(4)]
write("odd ' \" & $(touch gone) <x>.json", 4, 1.0, app=name, balancer=name, steps=2050,
      history={"stride": 4, "unit": "seconds", "loads": loads},
      balance_calls=[dict(base["balance_calls"][0], step=10 * i, applied=i % 3 > 0,
          moved_nodes=300000 + i if i % 3 else 0)
                     for i in range(1, 100)])
values = [random.uniform(-1, 1) for m in range(300)]
holes = [None if m % 7 == 3 else v + 5 for m, v in enumerate(values)]
write("odd observed.json", 4, 1.0, app=name, observables_stride=4, steps=1203,
      observables={"a'b": values, "hole": holes, "same": [3] * 300, "none": [None] * 300, "zero": [0] * 300})
# The same problem on one rank and on two; and resumed, with a history of loads of all steps, and of those since then.
later = {"stride": 1, "unit": "units", "loads": [row[10:] for row in base["history"]["loads"][:2]]}
rest = {"active_nodes": {"stride": 1, "nodes": [100 + s for s in range(13)]}, "checkpoints": {"resumed": 10}}
write("alone.json", 1, 10.0)
write("pair.json", 2, 5.0)
write("resumed here.json", 2, 0.5, **rest)
write("resumed there.json", 2, 0.5, **rest)
there = json.load(open("resumed there.json"))
json.dump({**there, "history": later}, open("resumed there.json", "w"))
# Runs that no one repeats: their options differ, when they balance, or their machines.
for ranks in 1, 2:
    for number, dt in enumerate((0.1, 0.25)):
        write(f"dt {number} {ranks}.json", ranks, 8 / (number + ranks), options={"dt": dt})
    write(f"when {ranks}.json", ranks, 7 / ranks, run_options={"balance.when": "every:7"})
    write(f"machine {ranks}.json", ranks, 3 / ranks, machine="flat,speeds=3", balancer="none", balance_calls=[])
nulls = json.load(open("machine.json"))
for call in nulls["balance_calls"]: call["dilation_after"] = call["step_time_before"] = None
json.dump(nulls, open("nulls.json", "w"))
write("nothing.json", 3, 0.0, history={"stride": 1, "unit": "units", "loads": [[0], [0], [0]]}, balance_calls=[])
for ranks in 1, 2: write(f"replayed {ranks}.json", ranks, 6 / ranks, replayed=True, checkpoints={"resumed": 10})
old = json.load(open("still.json"))
del old["history"]
json.dump(old, open("old.json", "w"))
PYTHON
picture speedup "many fence 01 0.json" many\ fence\ [!0]*.json many\ fence\ 0[!1]*.json many\ [ps]*.json
# No run on one rank; passive has one run, and that on the fewest.
picture speedup many\ fence\ [!0]*.json many\ fence\ 0[!1]*.json many\ passive\ 02\ 0.json
picture seconds "many fence 01 0.json" many\ fence\ [!0]*.json many\ fence\ 0[!1]*.json many\ [ps]*.json
picture balance "odd ' \" & \$(touch gone) <x>.json"
picture loads nothing.json
for command in speedup seconds report; do
    ending=svg
    [ $command != report ] || ending=html
    expect 0 0 pen-plot $command alone.json pair.json "resumed here.json" "resumed there.json" -o resumed.$ending
    [ "$(grep -c "^pen-plot: resumed here.json, resumed there.json: left out, since" err)" -eq 1 ] ||
        complain "$ran: says $(cat err)"
    python3 "$tests/plot_check.py" $command resumed.$ending alone.json pair.json "resumed here.json" \
        "resumed there.json" || complain "$ran: differs from the metrics"
done
for command in balance loads active; do picture $command "resumed here.json" "resumed there.json"; done
# Replays of a resumed run's record all have times of the same steps.
picture speedup "replayed 1.json" "replayed 2.json"
expect 0 0 pen-plot report "replayed 1.json" "replayed 2.json" -o replayed.html
[ ! -s err ] || complain "$ran: says $(cat err)"
python3 "$tests/plot_check.py" report replayed.html "replayed 1.json" "replayed 2.json" ||
    complain "$ran: differs from the metrics"
different=("dt 0 1.json" "dt 0 2.json" "dt 1 1.json" "dt 1 2.json" "when 1.json" "when 2.json" "machine 1.json"
    "machine 2.json")
picture speedup "${different[@]}"
for label in 'dt=0.1, .*no machine, .*, every:5:always' 'dt=0.25, ' ', every:7' ', flat,speeds=3, no balancer'; do
    grep -q "$label" "speedup picture.svg" || complain "no label has \"$label\""
done
report "${different[@]}" still.json nulls.json
# named COMMAND FILE FILE: the files' names are the labels, with folders where the names are the same.
named()
{
    # shellcheck disable=SC2086
    expect 0 0 pen-plot $1 "$2" "$3" -o named.svg
    for name in "$2" "$3"; do
        grep -q ">$name\(: highest\)*<" named.svg || complain "$ran: no label is $name"
    done
}
cp still.json same.json
mkdir this that && cp still.json wave.csv this && cp still.json wave.csv that
named balance still.json same.json
named balance this/still.json that/still.json
named "observables --of=highest" this/wave.csv that/wave.csv
observed "a'b,hole" "" "odd observed.json"
observed "a'b+hole+same" relative "odd observed.json"
observed same "" "odd observed.json"
observed zero "" "odd observed.json"
observed same,none "" "odd observed.json"
picture balance nothing.json
report still.json old.json
expect 0 0 pen-plot speedup crowd*.json -o crowd.svg
well_formed crowd.svg
expect 0 0 pen-plot report crowd*.json "odd ' \" & \$(touch gone) <x>.json" -o crowd.html
well_formed crowd.html
grep -qF "\$(touch gone) \`touch gone\` %s" crowd.html || complain "the odd name is another one in the pictures"
[ ! -e gone ] || complain "a name was run as a command"
grep -qF "a&lt;b&gt;&amp;" crowd.html || complain "the odd name is not on the page"

# ---- What is wrong is told in one line, and nothing is written
mistake()
{
    local text=$1
    shift
    echo before >new.svg
    expect_mistake "$text" 0 pen-plot "$@"
    [ "$(cat new.svg)" = before ] || complain "pen-plot $*: new.svg was written"
    rm -f new.svg
    compgen -G 'new*' >/dev/null && complain "pen-plot $*: left $(echo new*)"
}
mistake "did you mean speedup" spedup wave.json -o new.svg
mistake "missing output" loads wave.json
mistake "the file's name is missing" loads wave.json -o
mistake "-o is given twice" loads wave.json -o new.svg -o new2.svg
mistake "usage: pen-plot loads FILE" loads -o new.svg
mistake "must end in .svg or .png" loads wave.json -o new.pdf
mistake "must end in .html" report wave.json -o new.svg
mistake "--width" loads wave.json --width=49 -o new.svg
mistake "--hight" loads wave.json --hight=49 -o new.svg
mistake "cannot read missing.json: No such file" loads missing.json -o new.svg
mistake "the same problem on different numbers of ranks" speedup wave.json still.json -o new.svg
mistake "each of these runs was resumed or took no step" speedup none.json "resumed here.json" -o new.svg
mistake "took no steps" loads none.json -o new.svg
mistake "before that was recorded" balance still.json old.json -o new.svg
mistake "none.json has no numbers of active nodes" active none.json -o new.svg
mistake "in units" loads still.json wave.json -o new.svg

mistake "wave.csv: line 1: not JSON" balance wave.csv -o new.svg
mistake "unknown observable kinetik: did you mean kinetic? Known: " observables bodies.json --of=px,kinetik -o new.svg
mistake "unknown observable " observables bodies.json --of=kinetic+ -o new.svg
mistake "unknown observable kinetic" observables bodies.json wave.json --of=kinetic -o new.svg
mistake "still.json: this run has no observables" observables still.json --of=kinetic -o new.svg
mistake "unobserved.json: this run took no steps" observables unobserved.json --of=highest -o new.svg
mistake "odd observed.json: no finite numbers" observables "odd observed.json" --of=none -o new.svg
mistake "zero is 0 at first" observables "odd observed.json" --of=zero --relative -o new.svg
mistake "--of" loads wave.json --of=highest -o new.svg

# What pen-comm measures, which has a test of its own, here made up: both sweeps; nothing to pull; an odd name
python3 - <<'PYTHON'
import json
rows = [{"transport": t, "one_sided": one, "eager": eager, "sweep": sweep, "neighbors": n, "halo_bytes": b,
         "seconds": {"min": 1e-7, "median": 1e-6 * (k + 1 + b / 900), "max": 1,
                     **({"low": 8e-7 * (k + 1 + b / 900), "high": 3e-6 * (k + 1 + b / 900)} if t == "fence" else
                        {"low": None, "high": None})}}
        for k, (t, one, eager) in enumerate([("fence", True, "-"), ("overlap", False, "default"),
                                             ("overlap", False, "32768"), ("a<b>$x$", False, "default")])
        for sweep, n, b in [("halo", 2, 64), ("halo", 2, 1024), ("halo", 2, 70000), ("neighbors", 1, 512),
                            ("neighbors", 2, 1024), ("neighbors", 3, 1536)]]
for name, use in (("comm", rows), ("halo", [r for r in rows if r["sweep"] == "halo"])):
    json.dump({"schema": "penumbra-comm/1", "setting": "3 ranks on 1 host; a_b 9$ & c", "rows": use},
              open(name + ".json", "w"))
json.dump({"schema": "penumbra-comm/1", "setting": "", "rows": [dict(rows[0], halo_bytes=0)]},
          open("none-comm.json", "w"))
with open("comm.csv", "w") as out:
    print("sweep,transport,side,eager,ranks,record,neighbors,halo_bytes,bytes,gets,syncs,min_seconds,low_seconds,"
          "median_seconds,high_seconds,max_seconds,noise,sync_seconds,copy_seconds,window_bytes,buffer_bytes,auto",
          file=out)
    for r in rows:
        seconds = ["%.9e" % (-1 if value is None else value)
                   for value in map(r["seconds"].get, ("min", "low", "median", "high", "max"))]
        print(r["sweep"], r["transport"], "one" if r["one_sided"] else "two", r["eager"], 3, 8, r["neighbors"],
              r["halo_bytes"], 0, 0, 0, *seconds, 0.0, -1.0, 0.0, 0, 0, 0, sep=",", file=out)
json.dump({"rows": rows, "setting": "3 ranks"}, open("csv-comm.json", "w"))
PYTHON
picture comm comm.json
picture comm halo.json
expect 0 0 pen-plot comm none-comm.json --width=200 -o nothing.svg
grep -q "nothing is pulled" nothing.svg || complain "a picture of no pulls does not say so"
expect 0 0 pen-plot comm comm.csv -o csv.svg
python3 "$tests/plot_check.py" comm csv.svg csv-comm.json || complain "comm.csv: the picture differs from the table"

# What pen-sim prints, which has a test of its own
cat >replay.csv <<'CSV'
table,ranks,balancer,when,efficiency,work-only efficiency,imbalance,cut
"Replay of x, y",2,none,auto,0.5,0.55,1.9,40
"Replay of x, y",2,a<b>$x$,auto,0.9,0.95,1.1,44
"Replay of x, y",16,none,auto,0.25,0.3,3.5,140
"Replay of x, y",16,a<b>$x$,auto,0.4,0.8,1.4,170

table,cost,value,unit,from
Costs,node,1,ns,x
Costs,misfit,40,%,"root mean square, of the times"
CSV
sed 's/40,%,.*/89,%,much: use work-only columns/' replay.csv >misfit.csv
picture replay misfit.csv
sed 's/work-only eff/eff/' misfit.csv >bad.csv
mistake "bad.csv: a row has no number in the column work-only efficiency" replay bad.csv -o new.svg
picture replay replay.csv
sed -n '1,3p' replay.csv >two.csv
picture replay two.csv
mistake "comm.csv: not what pen-sim replay" replay comm.csv -o new.svg
sed 's/imbalance/worst/' replay.csv >bad.csv
mistake "bad.csv: a row has no number in the column imbalance" replay bad.csv -o new.svg
sed '3s/,1.1,/,nan,/' replay.csv >bad.csv
mistake "bad.csv: a row has no number in the column imbalance" replay bad.csv -o new.svg
sed '3s/,44//' replay.csv >bad.csv
mistake "bad.csv: a row has more or fewer columns than the first line" replay bad.csv -o new.svg
head -c 200000 /dev/zero >bad.csv
mistake "bad.csv: not what pen-sim replay" replay bad.csv -o new.svg
mistake "wave.json: line 1: not what pen-comm --json or --csv writes" comm wave.json -o new.svg
mistake "unexpected argument halo.json" comm comm.json halo.json -o new.svg
sed 's/"sweep"/"swept"/' comm.json >"new bad.json" && mv "new bad.json" bad.json
mistake "bad.json: rows[0].sweep is missing" comm bad.json -o new.svg
sed '3s/[^,]*$/x/' comm.csv >bad.csv
mistake "bad.csv:3: not a row of a file that --csv wrote" comm bad.csv -o new.svg
head -c -30 comm.csv >bad.csv
mistake ": not a row of a file that --csv wrote" comm bad.csv -o new.svg
sed '2s/[0-9.]*e-/abc/' comm.csv >bad.csv
mistake "bad.csv:2: not a row of a file that --csv wrote" comm bad.csv -o new.svg

# broken TEXT SED-SCRIPT: metrics with a fault
broken()
{
    sed "$2" "moved 2.json" >"new bad.json"
    cmp -s "new bad.json" "moved 2.json" && complain "sed '$2' changes nothing"
    mv "new bad.json" bad.json
    mistake "bad.json: $1" report still.json bad.json -o new.html
}
broken "line 5: not JSON" '5s/:/=/'
broken "line 5: not JSON" '5,$d'
broken "line 1: not a file of --metrics" 's/penumbra-metrics.2/penumbra-metrics\/3/'
broken "line 1: not a file of --metrics" '2d'
broken "not JSON: it has \"app\" twice" '/^  "app"/p'
broken "not JSON: NaN is not a number" 's/"ranks": 2/"ranks": NaN/'
broken "ranks must be an integer, at least 1" 's/"ranks": 2/"ranks": 99999999999999999999/'
broken "ranks must be an integer, at least 1" 's/"ranks": 2/"ranks": 0/'
broken "per_rank has 2 elements, must have one per rank: 3" 's/"ranks": 2/"ranks": 3/'
broken "app must be a text" 's/"app": "hex"/"app": 7/'
broken "nodes is missing" '/^  "nodes"/d'
broken "seconds.init must be a number, at least 0" '/^  "seconds"/s/"init": /"init": -/'
broken "per_rank[1].seconds.balance is missing" '/"rank": 1,/s/"balance"/"balanced"/'
broken "partition must be an object" 's/"partition": {\(.*\)}/"partition": [1]/'
broken "history.stride must be an integer" 's/"stride": 1/"stride": 0/'
broken "seconds.loop must be a number" '/^  "seconds"/s/"loop": [^,}]*/"loop": 1e999/'
broken "history.unit must be" 's/"unit": "units"/"unit": "pounds"/'
broken "history.loads[1] must be an array as long" '/"loads"/,/]]/s/, [0-9.]*\]\]/]]/'
broken "history.loads[0][0] must be a number" '/"loads"/,/]]/s/^    \[[0-9.]*,/    [null,/'
broken "observables_stride must be an integer, at least 1" 's/"observables_stride": 1/"observables_stride": 0/'
broken "observables must be an object" 's/"observables": {}/"observables": []/'
broken "balance_calls[0].applied must be true or false" '/"step": 5,/s/"applied": [a-z]*/"applied": 1/'
: >empty.json
mistake "empty.json: line 1: not JSON" loads empty.json -o new.svg
head -c 5000 "$bin/pen-plot" >program.json
mistake "program.json: line 1: not JSON" loads program.json -o new.svg
mkdir folder.json
mistake "folder.json: not a regular file" loads folder.json -o new.svg

# ---- Where nothing can be written, or nobody draws
ln wave.json wave.svg
mistake "wave.json and wave.svg are the same file" loads wave.json -o wave.svg
ln -s wave.json link.svg
mistake "wave.json and link.svg are the same file" loads wave.json -o link.svg
mistake "cannot write missing/new.svg" loads wave.json -o missing/new.svg
mistake "cannot write missing/new.html" report wave.json -o missing/new.html
mistake "must end in .svg or .png" loads wave.json -o ""
mistake "must end in .svg or .png" loads wave.json -o new.svg/
mkfifo pipe.svg
ln -s /dev/full full.html
ln -s /proc/self/fd/1 open.svg
mistake "cannot write pipe.svg: not a regular file" loads wave.json -o pipe.svg
mistake "cannot write full.html: not a regular file" report wave.json -o full.html
mistake "cannot write open.svg: not a regular file" loads wave.json -o open.svg
restrained=(sh -c 'ulimit -f 4 && exec "$@"' sh)
mistake "cannot write new.svg: File too large" loads wave.json -o new.svg
restrained=()
# A link in a folder that is writable for all, another user's if possible, is replaced, and not what it leads to.
mkdir -m 1777 shared
echo another >another.svg
ln -s "$work/another.svg" shared/link.svg
[ "$(id -u)" -ne 0 ] || chown -h 12345 shared/link.svg
ln -s another.svg own.svg
ln -s nowhere dangling.svg
for name in shared/link own dangling; do
    expect 0 0 pen-plot loads wave.json -o $name.svg
    [ "$(cat another.svg)" = another ] || complain "$ran: replaces what the link leads to"
    [ ! -L $name.svg ] && grep -q '</svg>' $name.svg || complain "$ran: $(ls -l $name.svg)"
done
[ "$(ls shared)" = link.svg ] && [ ! -e nowhere ] || complain "a link: $(ls shared nowhere)"

# nobody_draws TEXT MODULE: Python finds no such module
nobody_draws()
{
    local kind=svg
    mkdir -p without && echo 'raise ImportError("there is none")' >"without/$2.py"
    for command in loads report; do
        PYTHONPATH=$work/without "$bin/pen-plot" $command wave.json -o new.$kind >out 2>err
        status=$?
        [ $status -eq 3 ] || complain "$command without $2: exit status $status, expected 3"
        [ "$(wc -l <err)" -eq 1 ] && grep -qF "$1" err ||
            complain "$command without $2 says \"$(cat err)\", expected \"$1\""
        compgen -G 'new*' >/dev/null && complain "$command without $2 left $(echo new*)"
        kind=html
    done
    for word in --help --version; do
        PYTHONPATH=$work/without "$bin/pen-plot" $word >out 2>&1 || complain "pen-plot $word needs $2: $(cat out)"
    done
    rm "without/$2.py"
}
nobody_draws "matplotlib, which is not installed" matplotlib
nobody_draws "matplotlib, which is not installed" numpy

# From where it is installed, and from the sources
tree=$work/there
mkdir -p "$tree/bin" "$tree/lib/python3/dist-packages"
cp "$bin/pen-plot" "$tree/bin/"
patiently 30 "$tree/bin/pen-plot" --help >out 2>err && complain "pen-plot --help without its modules: status 0"
[ "$(wc -l <err)" -eq 1 ] && grep -q "python3-penumbra" err || complain "pen-plot without its modules says $(cat err)"
cp -r "$sources"/tools/python/penumbra* "$tree/lib/python3/dist-packages/"
for program in "$tree/bin/pen-plot" "$sources/tools/python/pen-plot"; do
    patiently 30 "$program" loads wave.json -o where.svg || complain "$program draws nothing"
    rm -f where.svg
done

# ---- Help
for command in "" speedup seconds categories balance loads observables comm replay report; do
    expect 0 0 pen-plot $command --help
    grep -q "^usage: pen-plot ${command:-COMMAND}" out || complain "$command --help prints $(head -1 out)"
done
expect 0 0 pen-plot --version
grep -qx "pen-plot (Penumbra) [0-9.]*" out || complain "--version prints $(cat out)"
finish
