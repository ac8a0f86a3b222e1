#!/usr/bin/env python3
"""python_test.py BIN SOURCES - what tools/python/penumbra reads is what programs wrote, damage is told, and programs
run from Python end as they should. Needs NumPy; without pandas, SciPy or matplotlib what they do is left out."""
import csv
import gzip
import json
import lzma
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import types

sys.dont_write_bytecode = True
from python_checks import BIN, check, fails, finish, has, leave_out, np, penumbra, read, tool, write
from penumbra.blocks import asks
from work_folder import work_folder


# ---- Runs and what they leave ---------------------------------------------------------------------------------------


def means(graph, steps):
    """What hex has after so many steps, bit for bit."""
    values = [float(gid % 1000) for gid in graph.gids.tolist()]
    rows = np.split(graph.targets, graph.offsets[1:-1])
    for _ in range(steps):
        new = []
        for row in rows:
            total = 0.0
            for target in row.tolist():
                total += values[target]
            new.append(total / len(row))
        values = new
    return values


def test_run():
    run = penumbra.run("hex", ranks=3, generate="hex:7x5", steps=4, dump=True, trace=True, save_graph=True, record=True,
                       quiet=True, load="declared", balancer=None, verify=True, timeout=600)
    check("exit status", run.status, 0)
    check("neighbours of gid 8", run.save_graph.targets[slice(*run.save_graph.offsets[8:10])], [1, 2, 7, 9, 15, 16])
    check("gids", run.dump["gid"], np.arange(35))
    check("values", run.dump["value"], means(run.save_graph, 4))
    check("metrics", [run.metrics[key] for key in ("app", "ranks", "nodes", "edges")], ["hex", 3, 35, 82])
    check("kinds of events", sorted(set(run.trace["category"]) - {"pull"}), ["counter", "phase", "wait"])
    check("ranks of events", sorted(set(run.trace["rank"])), [0, 1, 2])
    check("steps of phases", sorted(set(run.trace["step"][run.trace["category"] == "phase"])), [0, 1, 2, 3])
    check("loads of steps", [step.loads.tolist() for step in run.record], 4 * [35 * [1.0]])
    check("nothing is left of the run", [os.path.exists(w.partition("=")[2]) for w in run.command if "/penumbra-" in w],
          5 * [False])
    check("words", list(penumbra.runs._words({"a_b": True, "c": [1, "x"], "d": None, "e": False, "f_": 0, "g": 1.5})),
          ["--a-b", "--c=1", "--c=x", "--f=0", "--g=1.5"])
    if has("scipy"):
        matrix = run.save_graph.to_scipy()
        values = np.arange(35) % 1000.0
        for _ in range(4):
            values = matrix @ values / np.diff(run.save_graph.offsets)
        check("values by SciPy", run.dump["value"], values)
    else:
        leave_out("no scipy: matrices")
    return run


def test_files():
    """The same files, kept, and read by something else."""
    run = penumbra.run("wave", ranks=2, generate="hex:6x4", steps=3, dump="w.txt", trace="w.trace",
                       observables="-,w.csv", metrics="w.json", progress="off")
    check("output", [run.dump, run.observables, "kinetic energy" in run.stdout], [None, None, True])
    check("metrics", run.metrics, json.loads(read("w.json")))
    lines = [line.split() for line in read("w.txt").decode().splitlines()]
    for name, column in (("gid", 0), ("value1", 1), ("value2", 2)):
        check(name, penumbra.read_dump("w.txt")[name].tolist(), [float(line[column]) for line in lines])
    check("columns by name", penumbra.read_dump("w.txt", ["u", "v"]).dtype.names, ("gid", "u", "v"))
    with open("w.csv", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    whole = penumbra.run("wave", ranks=2, generate="hex:6x4", steps=5, dump=True, output=True, output_every=2)
    check("arrays", {name: list(array) for name, array in whole.output.items()},
          {name: [0, 2, 4, 5] for name in ("displacement", "velocity")})
    check("the last array", whole.output["velocity"][5], whole.dump["value2"])
    for pattern, name in ("a/{name}.npy", "a/velocity.npy"), ("b.npy", "b-velocity.npy"):
        penumbra.run("wave", generate="hex:6x4", steps=5, output=pattern)
        check("an array", penumbra.read_outputs(pattern)["velocity"], whole.output["velocity"][5])
        check("its file", np.load(name), whole.output["velocity"][5])
    penumbra.run("wave", generate="hex:6x4", steps=5, output="c/{step}_{name}.npy")
    check("a step", list(penumbra.read_outputs("c/{step}_{name}.npy")["velocity"]), [5])
    penumbra.run("wave", generate="hex:6x4", steps=5, output="d/{step}-{name}-{step}.npy")
    check("a step that is named twice", list(penumbra.read_outputs("d/{step}-{name}-{step}.npy")["velocity"]), [5])
    penumbra.run("wave", generate="hex:6x4", steps=5, output="b.npy", output_every=5)
    grown = penumbra.run("grow", generate="tree:nodes=1", steps=30, output=True, output_every=10).output
    check("gids of all steps", [list(grown["gid"]), grown["gid"][0].tolist()], [[0, 10, 20, 30], [0]])
    check("as many as values", [len(a) for a in grown["gid"].values()], [len(a) for a in grown["sap"].values()])
    fails("arrays of two runs", "occurs both with and without steps", lambda: penumbra.read_outputs("b.npy"))
    fails("no arrays", "a/b.npy: there are no such files", lambda: penumbra.read_outputs("a/b.npy"))
    fails("arrays of a table", "w.csv: not the PATTERN.npy of", lambda: penumbra.read_outputs("w.csv"))
    observed = penumbra.read_observables("w.csv")
    check("observables", list(observed.dtype.names), names)
    check("their values", observed.tolist(), [tuple(map(float, row)) for row in rows])
    write("bins.csv", b"step,bins,bins_0,bins_1\n0,9,2,3\n1,9,4,1\n")
    check("components", penumbra.components(penumbra.read_observables("bins.csv"), "bins").tolist(), [[2, 3], [4, 1]])
    check("of metrics", penumbra.components({"bins_0": [2, 4], "bins_1": [3, 1]}, "bins").tolist(), [[2, 3], [4, 1]])
    fails("no components", "no observable step has several", lambda: penumbra.components(observed, "step"))
    events = json.loads(read("w.trace"))["traceEvents"]
    trace, spans = penumbra.read_trace("w.trace"), [e for e in events if e["ph"] == "X"]
    check("events", len(trace), len([e for e in events if e["ph"] in "XC"]))
    check("spans", [e["name"] for e in spans], trace["name"][trace["step"] >= 0].tolist())
    check("seconds of spans", np.allclose(trace["seconds"].sum(), 1e-6 * sum(e["dur"] for e in spans)), True)
    values = [e["args"]["value"] for e in events if e["ph"] == "C"]
    check("counters", trace["value"][trace["step"] < 0].tolist(), values)
    flat = penumbra.read_metrics("w.json", flat=True)
    check("a nested key", flat["halo.fields.displacement"], run.metrics["halo"]["fields"]["displacement"])
    check("values that are nested still", [key for key, value in flat.items() if isinstance(value, dict)], [])
    return run


def test_frames(runs):
    if not has("pandas"):
        return leave_out("no pandas: frames of metrics")
    frame = penumbra.metrics_frame("w.json", *[run.metrics for run in runs])
    check("files", frame["file"].tolist(), ["w.json", 1, 2])
    check("seconds", frame["seconds.loop"].tolist(), [run.metrics["seconds"]["loop"] for run in (runs[1], *runs)])
    check("lists in a frame", [c for c in frame if isinstance(frame[c][0], list)], [])
    ranks = penumbra.metrics_frame(*[run.metrics for run in runs], of="per_rank")
    check("ranks", ranks.groupby("file")["owned"].sum().tolist(), [35, 24])
    check("columns of ranks", "seconds.compute" in ranks, True)
    arcs = runs[0].save_graph.to_pandas()
    check("arcs", [len(arcs), arcs[arcs.source == 8].target.tolist()], [164, [1, 2, 7, 9, 15, 16]])


def test_texts():
    run = penumbra.run("battlefield", scenario="encirclement", steps=2, dump="b.txt", quiet=True)
    dump, lines = penumbra.read_dump("b.txt"), read("b.txt").decode().splitlines()
    check("texts", [f"{gid} {text}" for gid, text in dump], lines)
    check("nodes", len(dump), run.metrics["nodes"])
    write("large.txt", b"5 nan\n9007199254740993 -1e-3\n9223372036854775807 -inf\n")
    large = penumbra.read_dump("large.txt")
    check("large gids", large["gid"].tolist(), [5, 2**53 + 1, 2**63 - 1])
    check("their values", [str(x) for x in large["value"]], ["nan", "-0.001", "-inf"])
    write("whole.txt", b"1 9007199254740993 x\n2 4 yz\n")
    check("types", penumbra.read_dump("whole.txt", {"n": int, "t": "U2"}).tolist(),
          [(1, 2**53 + 1, "x"), (2, 4, "yz")])
    for text, place in ((b"3 1\n2 1\n", ""), (b"1 1\n1 1\n", ""), (b"-1 1\n", ""), (b"1 2\n2 3 4\n", "2:"),
                        (b"1 2\n\n3 4\n", ""), (b"1 2\n2 x\n", "2:"), (b"1.5 2\n", "1:"), (b"1 2\n\n3 x\n", "3:")):
        fails(repr(text), f"bad.txt:{place} ", lambda: penumbra.read_dump(write("bad.txt", text)))
    fails("a missing file", "nothing", lambda: penumbra.read_dump("nothing"), FileNotFoundError)
    os.mkfifo("pipe")
    fails("a pipe", "pipe: not a regular file", lambda: penumbra.read_dump("pipe"))


def test_programs():
    fails("no ranks", "0 ranks: must be at least 1", lambda: penumbra.run("hex", ranks=0))
    for ranks in (None, 2):
        error = fails("an unknown option", "hex: unknown option --stepz=3",
                      lambda: penumbra.run("hex", ranks=ranks, stepz=3))
        check("its status and lines", [error.status, len(str(error).splitlines())], [2, 1])
    error = fails("a file", "cannot read nowhere", lambda: penumbra.run("hex", ranks=2, graph="nowhere"))
    run = penumbra.run("hex", graph="nowhere", check=False, dump=True)
    check("check=False", [run.status, run.metrics, run.dump, run.stderr.strip()], [2, None, None, str(error)])
    penumbra.run("heat", generate="hex:3x3", steps=1, metrics="before.json", quiet=True)
    run = penumbra.run("heat", ranks=2, graph="nowhere", check=False, metrics="before.json", output=True)
    check("nothing of the run before", [run.status, run.metrics, run.output], [2, None, None])
    fails("a program", "program nonsense not found", lambda: penumbra.run("nonsense"))
    tool("pen-graph", "make", "hex:7x5", "-o", "field.pen")
    told = penumbra.run("pen-graph", "info", "field.pen", metrics=False).stdout
    check("a tool", "nodes        35\n" in told, True)
    alone = write("alone", b"#!/bin/sh\nshift 2\nexec \"$@\"\n")
    os.chmod(alone, 0o755)
    fails("another MPI's launcher", "1 ranks, not 3",
          lambda: penumbra.run("hex", ranks=3, generate="hex:3x3", steps=1, launcher=["./alone"]))
    done = penumbra.run("hex", ranks=1, generate="hex:3x3", steps=1, launcher="./alone", quiet=True)
    check("a launcher", done.command[:3], ["./alone", "-n", "1"])
    check("a path", penumbra.find_program(pathlib.Path("hex")), penumbra.find_program("hex"))
    before, os.environ["PATH"] = os.environ["PATH"], os.path.abspath("launchers")
    for said, launcher in (("mpiexec (OpenRTE) 4.1.4", "mpiexec"), ("HYDRA build details:", "mpiexec.openmpi")):
        for name, text in (("mpiexec", said), ("mpiexec.openmpi", ""), ("program", "with Open MPI")):
            os.makedirs("launchers", exist_ok=True)
            os.chmod(write(f"launchers/{name}", f"#!/bin/sh\necho '{text}'\n"), 0o755)
        found = penumbra.runs._find_launcher(os.path.abspath("launchers/program"))
        check(f"the launcher where mpiexec says {said}", found, [os.path.abspath(f"launchers/{launcher}")])
    os.environ["PATH"] = before


def running(text):
    """Processes that have it in their command lines."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if text.encode() in read(f"/proc/{pid}/cmdline") and int(pid) != os.getpid():
                found.append(int(pid))
        except OSError:
            continue
    return found


def left_over(text):
    """The same after a moment: who was killed dies when it is its turn."""
    for _ in range(300):
        if not running(text):
            break
        time.sleep(0.1)
    return running(text)


def test_ends():
    error = fails("a run without an end", "hex: ended because it took more than 1.5 seconds",
                  lambda: penumbra.run("hex", ranks=2, generate="hex:90x90", steps=10**9, timeout=1.5, quiet=True))
    check("its ranks", left_over(error.run.command[-4]), [])
    # Ranks may have process groups of their own, hold the output open, and not listen.
    script = b"#!/bin/bash\nset -m\nbash -c 'trap \"\" TERM; for i in {1..600}; do sleep 1; done' $1 &\nwait\n"
    stubborn = write("stubborn", script)
    os.chmod(stubborn, 0o755)
    error = fails("stubborn ranks", "because it took more than 0.5", lambda: penumbra.run("./stubborn", timeout=0.5))
    check("stubborn ranks that are there", left_over(error.run.command[1]), [])


# ---- Graphs and partitions ------------------------------------------------------------------------------------------


def test_asking():
    """Functions that use what can change though no record does are seen, wherever it is."""
    rules, drawn = types.ModuleType("rules"), lambda b, s: b.random_real(s, 1) < 0.5
    rules.drawn, rules.still, own = drawn, lambda b, s: b.degree(s), (drawn, drawn)

    def endless(b, s):
        return np.mean(b.now.heat[s]) + endless(b, s)

    check("what can change", [asks(function) for function in (
        drawn, lambda b: b.step, lambda b: min([b.random(s, 0) for s in b.gids]), lambda b: drawn(b, 0),
        lambda b: rules.drawn(b, 0), lambda b: own[1](b, 0), lambda b, rule=drawn: rule(b, 0),
        lambda b: getattr(b, "globals").dt, lambda b: np.random.random())], 9 * [True])
    check("what cannot", [asks(function) for function in (rules.still, lambda b: rules.still(b, 0), endless, len)],
          4 * [False])


def test_graphs():
    write("all.graph", b"5 4 111 2\n1 7 8 2 3\n2 9 10 1 3 3 4\n3 1 1 2 4 4 5\n4 2 2 3 5 5 6\n5 3 3 4 6\n")
    write("few.el", b"10 20 4\n20 7000000000 5\n7000000000 10 6\n")
    tool("pen-graph", "convert", "all.graph", "all.pen")
    tool("pen-graph", "convert", "--directed", "few.el", "few.pen")
    tool("pen-graph", "make", "hex:4x3,coordinates", "-o", "hex.pen")
    g = penumbra.read_graph("all.pen")
    check("offsets", g.offsets, [0, 1, 3, 5, 7, 8])
    check("targets", g.targets, [1, 0, 2, 1, 3, 2, 4, 3])
    check("arc weights", g.arc_weights, [3, 3, 4, 4, 5, 5, 6, 6])
    check("node weights", g.node_weights, [[7, 8], [9, 10], [1, 1], [2, 2], [3, 3]])
    check("node sizes", g.node_sizes, [1, 2, 3, 4, 5])
    check("gids", [g.gids.tolist(), g.directed, g.coordinates, g.shape], [[0, 1, 2, 3, 4], False, None, None])
    few = penumbra.read_graph("few.pen")
    check("sparse gids", [few.gids.tolist(), few.targets.tolist(), few.directed],
          [[10, 20, 7 * 10**9], [20, 7 * 10**9, 10], True])
    check("where they are", few.find([7 * 10**9, 10]), [2, 0])
    fails("a gid that is not there", "does not exist", lambda: few.find([11]), ValueError)
    h = penumbra.read_graph("hex.pen")
    check("a grid", [h.grid, h.shape], ["hexagons", (4, 3, 1)])
    distances = np.hypot(*(np.repeat(h.coordinates, np.diff(h.offsets), axis=0) - h.coordinates[h.targets]).T)
    check("distances of hexagons", np.allclose(distances, 1), True)
    if has("scipy"):
        check("a matrix", few.to_scipy().toarray(), [[0, 4, 0], [0, 0, 5], [6, 0, 0]])
    for packed, compress in (("all.pen.gz", gzip.compress), ("all.pen.xz", lzma.compress)):
        data = compress(read("all.pen"))
        check(packed, penumbra.read_graph(write(packed, data)).node_sizes, g.node_sizes)
        fails("half of " + packed, packed, lambda: penumbra.read_graph(write(packed, data[:len(data) // 2])))
    fails("text", "all.graph: not a binary graph", lambda: penumbra.read_graph("all.graph"))


def same_graph(what, a, b):
    for name in ("offsets", "targets", "gids", "directed", "node_weights", "node_sizes", "arc_weights", "coordinates",
                 "grid", "shape"):
        check(f"{what}: {name}", getattr(a, name), getattr(b, name))


def test_written_graphs():
    """What is written is what was read, byte by byte, and what pen-graph takes; text as pen-graph writes it."""
    for name in ("all.pen", "few.pen", "hex.pen"):
        penumbra.write_graph("again.pen", penumbra.read_graph(name))
        check(f"{name} again", read("again.pen"), read(name))
        penumbra.write_graph("again.pen.gz", penumbra.read_graph(name))
        same_graph(name, penumbra.read_graph("again.pen.gz"), penumbra.read_graph(name))
    penumbra.write_graph("again.graph", penumbra.read_graph("all.pen"))
    tool("pen-graph", "convert", "again.graph", "text.pen")
    same_graph("text", penumbra.read_graph("text.pen"), penumbra.read_graph("all.pen"))
    # Arrays, in any order; with an isolated node, in the end of which text has an empty line
    offsets, targets = [0, 2, 3, 5, 5], [2, 1, 0, 0, 2]
    fails("an edge to itself", "from a node to itself", lambda: penumbra.write_graph("x.pen", (offsets, targets)))
    targets = [2, 1, 0, 0, 1]
    fails("one direction", "not the same in both directions", lambda: penumbra.write_graph("x.pen", (offsets, targets)))
    penumbra.write_graph("arcs.pen", (offsets, targets), directed=True, coordinates=[[i, 0.5] for i in range(4)])
    g = penumbra.read_graph("arcs.pen")
    check("arcs", [g.targets.tolist(), g.directed, g.coordinates[3].tolist()], [[1, 2, 0, 0, 1], True, [3.0, 0.5]])
    tool("pen-graph", "check", "arcs.pen")
    pairs = ([0, 2, 3, 4, 4], [2, 1, 0, 0])
    penumbra.write_graph("pairs.graph", pairs, arc_weights=[5, 4, 4, 5], node_weights=np.arange(4.0))
    check("text of arrays", read("pairs.graph"), b"4 2 011\n0 2 4 3 5\n1 1 4\n2 1 5\n3\n")
    tool("pen-graph", "check", "pairs.graph")
    penumbra.write_graph("pairs.graph", pairs)
    check("plain text", read("pairs.graph"), b"4 2 000\n2 3\n1\n1\n\n")
    tool("pen-graph", "check", "pairs.graph")
    tool("heat", "--graph=arcs.pen:directed", "--steps=2", "--quiet")
    for what, text, call in (
            ("coordinates in text", "write a .pen", {"coordinates": np.zeros((4, 2))}),
            ("half a weight", "arc_weights: must be whole numbers from 1", {"arc_weights": [5, 4, 4, 0.5]}),
            ("no weight", "arc_weights: must be whole numbers from 1", {"arc_weights": [5, 4, 4, 0]}),
            ("large weights", "arc_weights: their sum must be < 10^18", {"arc_weights": [2**62] * 4}),
            ("large loads", "node_weights: their sum must be < 10^18", {"node_weights": [2**62] * 4}),
            ("weights that differ", "not the same in both directions", {"arc_weights": [5, 4, 4, 6]}),
            ("too few weights", "node_weights: must be", {"node_weights": [1, 2]}),
            ("no place", "coordinates: must be finite", {"coordinates": [[np.nan]] * 4}),
            ("one gid twice", "a gid that two nodes have", {"gids": [0, 1, 2, 2]}),
            ("a gid below 0", "gids: must be whole", {"gids": [0, 1, 2, -1]})):
        fails(what, text, lambda: penumbra.write_graph("x.graph", pairs, **call))
    penumbra.write_graph("grid.pen", pairs, grid="squares", shape=(2, 2, 1))
    tool("pen-graph", "check", "grid.pen")
    for grid, shape, text in (("hexen", (2, 2, 1), "there is no grid hexen, only squares"),
                              ("squares", None, "shape: must be"), ("squares", (2, 2), "shape: must be"),
                              ("squares", (3, 2, 1), "shape: (3, 2, 1) is not that of 4 nodes in squares"),
                              ("hexagons", (2, 1, 2), "is not that of 4 nodes in hexagons")):
        fails(f"{grid}, {shape}", text, lambda: penumbra.write_graph("x.pen", pairs, grid=grid, shape=shape))
    for name in ("x.pen.zst", "x.graph.zst", "x.PEN", "x.Pen.gz"):
        fails(name, "binary graphs end in .pen, compressed files in .gz or .xz",
              lambda name=name: penumbra.write_graph(name, pairs))
        check(name, os.path.exists(name), False)
    fails("too few targets", "do not ascend from 0 to the 2 targets",
          lambda: penumbra.write_graph("x.pen", ([0, 1, 3], [1, 0])))
    fails("an arc twice", "an arc that occurs twice", lambda: penumbra.write_graph("x.pen", ([0, 2, 2], [1, 1])))
    fails("no target", "the graph: a node that does not exist", lambda: penumbra.write_graph("x.pen", ([0, 1], [7])))
    fails("no nodes", "without nodes", lambda: penumbra.write_graph("x.pen", ([0], [])))
    fails("no folder", "nowhere", lambda: penumbra.write_graph("nowhere/x.pen", pairs), OSError)
    check("left behind", [name for name in os.listdir(".") if name.startswith((".penumbra", "x."))], [])
    if has("scipy"):
        import scipy.sparse
        for name, directed in (("few.pen", True), ("all.pen", False)):
            g = penumbra.read_graph(name)
            penumbra.write_graph("matrix.pen", g.to_scipy(), gids=g.gids, node_weights=g.node_weights,
                                 node_sizes=g.node_sizes)
            check(f"a matrix of {name}", read("matrix.pen"), read(name))
        penumbra.write_graph("ring.pen", scipy.sparse.coo_array(([1.0] * 4, ([0, 1, 2, 1], [1, 0, 1, 2]))))
        g = penumbra.read_graph("ring.pen")
        check("a matrix of ones", [g.targets.tolist(), g.directed, g.arc_weights], [[1, 0, 2, 1], False, None])


def test_partitions():
    tool("pen-graph", "part", "hex.pen", "3", "-o", "hex.part")
    tool("pen-graph", "part", "hex.pen", "3", "-o", "hex.map")
    parts = penumbra.read_partition("hex.part")
    check("parts", parts.tolist(), [int(line) for line in read("hex.part").split()])
    check("a mapping", penumbra.read_partition("hex.map"), parts)
    check("a mapping in disorder", penumbra.read_partition(write("x.map", b"3\n7 1\n5 0\n6 2\n")), [0, 2, 1])
    for text, place in ((b"1\n-1\n", ""), (b"1\nx\n", "2:"), (b"1\n\n2\n", ""), (b"2\n1 1\n", ""),
                        (b"2\n1 1\n1 0\n", ""), (b"2\n1 1\n2\n", "3:"), (b"1.5\n", "1:"), (b"1", "")):
        fails(repr(text), f"bad.part:{place} ", lambda: penumbra.read_partition(write("bad.part", text)))


def test_pictures():
    if not has("matplotlib"):
        return leave_out("no matplotlib: pictures")
    import matplotlib
    matplotlib.use("Agg")
    placed, grid = penumbra.read_graph("hex.pen"), penumbra.read_graph("hex.pen")
    grid.coordinates = None
    for graph in (placed, grid):
        axes = penumbra.draw(graph, penumbra.read_partition("hex.part"), s=5)
        lines, points = axes.collections
        check("lines", len(lines.get_segments()), len(graph.targets))
        check("points", np.allclose(points.get_offsets(), placed.coordinates), True)
        axes.figure.savefig("hex.png")
        check("a picture", read("hex.png")[:4], b"\x89PNG")
    return None


# ---- Workload records -----------------------------------------------------------------------------------------------


def number(value):
    more = [value >> 7 * k & 127 for k in range(max(1, -(-value.bit_length() // 7)))]
    return bytes(byte | 128 for byte in more[:-1]) + bytes(more[-1:])


def signed(value):
    return number(2 * value if value >= 0 else -2 * value - 1)


def text(value):
    return number(len(value)) + value


def gids(values):
    return number(len(values)) + b"".join(number(b - a - 1) for a, b in zip([-1, *values], values))


def row(gid, weights):
    """Of {neighbour: weight}."""
    near = sorted(weights)
    steps = [signed(near[0] - gid)] if near else []
    steps += [number(b - a - 1) for a, b in zip(near, near[1:])]
    return number(len(near)) + b"".join(steps) + b"".join(number(weights[n]) for n in near)


def place(gid):
    return struct.pack("<2d", gid / 2, -3.0)


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) % 2**64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
    return x ^ x >> 31


def hashed(data):
    h = mix(len(data))
    for k in range(0, len(data), 8):
        h = mix(h ^ int.from_bytes(data[k:k + 8], "little"))
    return h


def block(kind, content):
    head = struct.pack("<IIQQ", kind, 0, len(content), len(content))
    return head + struct.pack("<Q", mix(hashed(head)) ^ hashed(content)) + content


def planes(before, after):
    words = [struct.pack("<Q", struct.unpack("<Q", struct.pack("<d", a))[0] ^
                         struct.unpack("<Q", struct.pack("<d", b))[0]) for a, b in zip(before, after)]
    return b"".join(bytes(word[k] for word in words) for k in range(8))


def coded(before, after):
    """A step in runs of one node: the changes of the loads or, where there are none before, the loads."""
    count = len(after)
    return number(2) + number(1 if before else 0) + number(count) + planes(before or count * [0], after) + \
        count * number(1)


def known_record():
    """Nodes 1, 2, 4, 300 with places; then 2 and 300 go, 2 comes again as well as 5, 6 and 1000; then 1 goes."""
    world = text("ä".encode()) + b"".join(map(number, (3, 2, 1, 0, 2, 0, 0, 0, 0, 300, 16, 1)))
    world += text(b"go") + number(8) + number(1) + number(7)
    first = {1: {2: 1, 4: 200}, 2: {1: 1}, 4: {1: 200, 300: 3}, 300: {4: 3}}
    graph = gids(list(first)) + b"".join(signed(step) + row(gid, first[gid]) + place(gid)
                                         for gid, step in zip(first, (2, -2, 1, 0)))
    second = {1: {4: 200}, 2: {4: 9}, 4: {1: 200, 2: 9}, 5: {6: 1}, 6: {5: 1}, 1000: {}}
    came = {2: number(1) + number(2), 5: number(2) + signed(295), 6: number(2) + signed(-2),
            1000: number(1) + number(0)}
    change = gids([2, 300]) + gids(list(second)) + b"".join(
        came.get(gid, number(0)) + row(gid, second[gid]) + (place(gid) if gid in came else b"") for gid in second)
    # Places: 1, 2, 4, 300; 2 and 300 leave 1 and 3, and 2, 5, 6, 1000 take 3, 1, 4, 5.
    loads = [[1, 5, 7, 300], [1.5, 50, 4, 2, 6, 1e-3], [0, 50, 4, 2, 6, 1e300]]
    third = gids([1]) + gids([4]) + number(0) + row(4, {2: 9})
    steps = [coded(None, loads[0]), coded([1, 0, 7, 0, 0, 0], loads[1]), coded([0, *loads[1][1:]], loads[2])]
    end = number(10) + number(1) + struct.pack("<7d", 0.5, 1, 2, 3, 4, 5, 6)
    blocks = ((1, world), (2, graph), (4, steps[0]), (3, change), (4, steps[1]), (3, third), (4, steps[2]), (5, end))
    return b"penumbra-workload/2\n" + b"".join(block(*b) for b in blocks)


def test_known_record():
    write("known.record", known_record())
    check("pen-sim has it", "application            ä, on 3 ranks" in tool("pen-sim", "info", "known.record"), True)
    record = penumbra.read_record("known.record")
    check("the world", [record.world[key] for key in ("application", "ranks", "declared", "node_bytes")],
          ["ä", 3, 1, 300])
    check("phases", record.world["phases"], [{"name": "go", "bytes": 8}])
    check("owners", record.owners, [2, 0, 1, 1])
    for _ in range(2): # it can be gone through again
        one, two, three = list(record)
        check("steps", [one.number, two.number, three.number], [8, 9, 10])
        check("first gids and loads", [*one.graph.gids, *one.loads], [1, 2, 4, 300, 1, 5, 7, 300])
        check("first targets", one.graph.targets, [2, 4, 1, 1, 300, 4])
        check("first weights", one.graph.arc_weights, [1, 200, 1, 200, 3, 3])
        check("gids", two.graph.gids, [1, 2, 4, 5, 6, 1000])
        check("loads", two.loads, [1.5, 2, 4, 50, 6, 1e-3])
        check("offsets", two.graph.offsets, [0, 1, 2, 4, 5, 6, 6])
        check("targets", two.graph.targets, [4, 4, 1, 2, 6, 5])
        check("weights", two.graph.arc_weights, [200, 9, 200, 9, 1, 1])
        check("places", two.graph.coordinates, [[gid / 2, -3] for gid in two.graph.gids])
        check("last gids", three.graph.gids, [2, 4, 5, 6, 1000])
        check("last loads", three.loads, [2, 4, 50, 6, 1e300])
        check("last targets", three.graph.targets, [4, 2, 6, 5])
    check("times", record.times, dict(loop=0.5, nn=1, nl=2, ll=3, nt=4, lt=5, tt=6, open=True))


def test_records():
    """Of an application whose graph changes, against pen-sim and the dump; compressed, by each way that is there."""
    run = penumbra.run("shock", ranks=2, generate="mesh:6x4", depth=2, steps=6, record="shock.record", dump="shock.txt",
                       quiet=True)
    packed = any(kind and coding for kind, coding in zip(*[iter(codings("shock.record"))] * 2))
    check("blocks are compressed", packed, True)
    ways = ["zstandard"] * has("zstandard") + ["zstd"] * bool(shutil.which("zstd"))
    if not ways:
        leave_out("no zstd and no zstandard: records of applications")
    told = [line for line in tool("pen-sim", "info", "shock.record").splitlines() if line.startswith("load of all")]
    for way in ways:
        if way == "zstd":
            sys.modules["zstandard"] = None
        steps = list(penumbra.read_record("shock.record"))
        check("nodes by steps", [len(s.graph.gids) for s in steps], run.metrics["nodes_over_steps"]["nodes"])
        sums = [s.loads.sum() for s in steps]
        check("loads", np.allclose([float(told[0].split()[k]) for k in (-3, -1)], [min(sums), max(sums)]), True)
        check("edges", len(steps[-1].graph.targets), 2 * run.metrics["final"]["edges"])
    cells = penumbra.read_dump("shock.txt", {"level": int, "x": int, "y": int, "mass": int})
    graph, side = steps[-1].graph, 2 ** (2 - cells["level"])
    check("cells", graph.gids, cells["gid"])
    low = np.stack((cells["x"] * side, cells["y"] * side))[:, :, None]
    high = low + side[:, None]
    gap = np.maximum(low, low.transpose(0, 2, 1)) - np.minimum(high, high.transpose(0, 2, 1))
    rows, columns = np.nonzero((gap.max(axis=0) == 0) & (gap.min(axis=0) < 0))
    check("cells that meet", graph.targets, cells["gid"][columns])
    check("whom they meet", np.repeat(graph.gids, np.diff(graph.offsets)), cells["gid"][rows])
    path, os.environ["PATH"], sys.modules["zstandard"] = os.environ["PATH"], "", None
    if sys.version_info < (3, 14):
        fails("zstd without zstd", "the command zstd", lambda: list(penumbra.read_record("shock.record")))
    os.environ["PATH"] = path
    tool("pen-sim", "generate", "front", "--generate=geometric:nodes=60,coordinates", "--steps=3", "-o", "front.record")
    tool("pen-graph", "make", "geometric:nodes=60,coordinates", "-o", "front.pen")
    record, graph = penumbra.read_record("front.record", check=False), penumbra.read_graph("front.pen")
    check("places of a record", record.graph.coordinates, graph.coordinates)
    check("arcs of a record", record.graph.targets, graph.targets)
    check("steps", [step.number for step in record], [1, 2, 3])
    penumbra.run("battlefield", generate="hex:8x6", steps=2, load="declared", quiet=True, record="battle.record")
    check("loads of phases", [(step.loads.shape, step.loads[:, 0].sum())
                              for step in penumbra.read_record("battle.record")], 2 * [((48, 7), 48.0)])


def codings(path):
    """Kind and coding of each block."""
    data, at = read(path), 20
    while at < len(data):
        kind, coding, _, stored = struct.unpack_from("<IIQQ", data, at)
        yield from (kind, coding)
        at += 32 + stored


# ---- Damage ---------------------------------------------------------------------------------------------------------


def damaged(path, reader, *, flips=True, lines=False):
    """Cut off at every byte, and with every byte changed: an Error that names the file. `lines`: whole lines may be a
    file. `flips`: checksums find every change; where there are none, no other exception."""
    data, wrong = read(path), []
    tries = [data[:k] for k in range(len(data))]
    tries += [data[:k] + bytes([data[k] ^ 1 << k % 8]) + data[k + 1:] for k in range(len(data))]
    for k, bad in enumerate(tries):
        write("damaged", bad)
        try:
            reader("damaged")
            must = flips if k >= len(data) else not lines or bad and not bad.endswith(b"\n")
            if must:
                wrong.append(f"byte {k % len(data)}: nothing is said")
        except penumbra.Error as error:
            if not re.match(r"damaged:(\d+:)? ", str(error)) or len(str(error)) < 12 or "\n" in str(error):
                wrong.append(f"byte {k % len(data)}: {error}")
        except Exception as error:
            wrong.append(f"byte {k % len(data)}: {error!r}")
    check("damage of " + path, wrong[:3], [])


def test_damage():
    tool("pen-graph", "make", "hex:2x2,coordinates", "-o", "small.pen")
    damaged("small.pen", penumbra.read_graph)
    damaged("known.record", lambda path: list(penumbra.read_record(path)))
    damaged("w.txt", penumbra.read_dump, flips=False, lines=True)
    damaged("w.csv", penumbra.read_observables, flips=False, lines=True)
    damaged("x.map", penumbra.read_partition, flips=False, lines=True)
    for path, made in (("small.json", read("w.json")[:-1].strip()), ("small.trace", read("w.trace"))):
        found = json.loads(made)
        if "traceEvents" in found:
            found["traceEvents"] = found["traceEvents"][:4] + found["traceEvents"][-1:]
        else:
            found = {key: found[key] for key in ("schema", "seconds")}
        write(path, json.dumps(found).encode())
    damaged("small.json", penumbra.read_metrics, flips=False)
    damaged("small.trace", penumbra.read_trace, flips=False)
    np.save("a.npy", np.arange(6.0).reshape(2, 3))
    check("an array", penumbra.read_npy("a.npy"), np.arange(6.0).reshape(2, 3))
    check("a packed one", penumbra.read_npy(write("a.npy.gz", gzip.compress(read("a.npy")))), np.load("a.npy"))
    damaged("a.npy", penumbra.read_npy, flips=False)
    np.save("o.npy", np.array([{}], object))
    fails("an array of objects", "o.npy: not a NumPy array: ", lambda: penumbra.read_npy("o.npy"))


def main():
    signal.alarm(580) # a hang is a failure
    os.environ["PENUMBRA_BIN"] = BIN
    os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
    alone = "import sys, penumbra; sys.exit(bool({'pandas', 'scipy', 'matplotlib'} & set(sys.modules)))"
    where = {**os.environ, "PYTHONPATH": sys.path[0], "PYTHONDONTWRITEBYTECODE": "1"}
    check("what it imports", subprocess.run([sys.executable, "-c", alone], env=where, check=False).returncode, 0)
    with work_folder():
        test_frames([test_run(), test_files()])
        for test in (test_texts, test_programs, test_ends, test_asking, test_graphs, test_written_graphs,
                     test_partitions, test_pictures, test_known_record, test_records, test_damage):
            test()
    finish()


main()
