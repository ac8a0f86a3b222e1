#!/usr/bin/env python3
"""input_program_test.py BIN - files that NumPy, pandas and SciPy write are what a program reads (valued, of
tests/consumer): of every type, byte order, version and shape, packed and plain, on several ranks; and what is wrong
with the command line or a file ends with one line and exit status 2. Needs NumPy; without pandas or SciPy what they do
is left out."""
import gzip
import importlib.util
import itertools
import lzma
import os
import shutil
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
from work_folder import canaries, work_folder

BIN = os.path.abspath(sys.argv[1])
MPIEXEC = os.environ.get("MPIEXEC", "mpiexec")
WIDTH, HEIGHT = 7, 5
NODES = WIDTH * HEIGHT
failures = 0


def complain(text):
    global failures
    failures += 1
    print(f"input_program_test.py: {text}", file=sys.stderr)


def leave_out(why):
    print(f"input_program_test.py: skipped: {why}", file=sys.stderr)


def has(module):
    return importlib.util.find_spec(module) is not None


def run(ranks, *inputs, options=()):
    """What a run, of no step without --steps, says of each node: porosity, conductivity, and of its arcs the flow."""
    launcher = [MPIEXEC, "-n", str(ranks)] if ranks else []
    steps = [] if any(o.startswith("--steps=") for o in options) else ["--steps=0"]
    command = [*launcher, os.path.join(BIN, "valued"), f"--generate=mesh:{WIDTH}x{HEIGHT}", "--dump=dump", "--quiet",
               *steps, *(f"--input={i}" for i in inputs), *options]
    if os.path.exists("dump"):
        os.remove("dump")
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if not os.path.exists("dump"):
        return done.returncode, done.stderr.strip(), None
    with open("dump") as file:
        rows = [[float(word) for word in line.split()] for line in file]
    return done.returncode, done.stderr.strip(), rows


def reads(what, expected, *inputs, column=2, ranks=0, options=()):
    """The program has these values in that column of its dump."""
    code, said, rows = run(ranks, *inputs, options=options)
    if code != 0 or rows is None:
        complain(f"{what}: exit status {code}: {said}")
    elif not np.array_equal([row[column] for row in rows], np.asarray(expected, dtype=float), equal_nan=True):
        complain(f"{what}: {[row[column] for row in rows]}, expected {list(expected)}")


def refuses(what, sentence, *inputs, options=()):
    code, said, rows = run(0, *inputs, options=options)
    if code != 2 or said != "valued: " + sentence or rows is not None:
        complain(f"{what}: exit status {code}, {said!r}, expected {'valued: ' + sentence!r}")


def arrays():
    """All that NumPy writes of numbers, in both orders of bytes."""
    some = np.arange(NODES) % 120
    kinds = ("?", "i1", "u1", "<i2", ">i2", "<u2", ">i4", "<i4", ">u4", "<i8", ">i8", "<u8", ">u8", "<f4", ">f4", "<f8",
             ">f8")
    for number, kind in enumerate(kinds):
        values = some.astype(kind)
        if values.dtype.kind in "if":
            values = -values
        if values.dtype.kind == "f":
            values = values / values.dtype.type(7)
        np.save("conductivity.npy", values.astype(kind))
        reads(f"an array of {kind}", values, "conductivity.npy", ranks=3 if number % 6 == 5 else 0)
    wide = np.random.default_rng(1).standard_normal((NODES, 4))
    for name, table in (("c", wide), ("fortran", np.asfortranarray(wide)), ("big", wide.astype(">f8")),
                        ("strided", wide[:, ::2].repeat(2, axis=1))):
        np.save(f"{name}.npy", table)
        reads(f"columns of {name}.npy", table[:, 2], f"-,,conductivity,porosity:{name}.npy", ranks=2)
    for version in ((1, 0), (2, 0), (3, 0)):
        with open("version.npy", "wb") as file:
            np.lib.format.write_array(file, wide[:, 1], version=version)
        reads(f"version {version}", wide[:, 1], "conductivity:version.npy")
    order = np.random.default_rng(2).permutation(NODES)
    np.save("by_gid.npy", np.column_stack((wide[order, 0], order)))
    reads("an array by gid", wide[:, 0], "conductivity,gid:by_gid.npy", ranks=3)


def packed():
    values = np.random.default_rng(3).standard_normal((NODES, 2))
    np.save("two.npy", values)
    np.save("turned.npy", np.asfortranarray(values))
    np.savetxt("two.csv", values, delimiter=",", header="conductivity,porosity", comments="", fmt="%.17g")
    both = "conductivity,porosity:"
    for name, names in (("two.npy", both), ("turned.npy", both), ("two.csv", "")):
        data = open(name, "rb").read()
        for ending, pack in ((".gz", gzip.compress), (".xz", lzma.compress)):
            with open(name + ending, "wb") as file:
                file.write(pack(data))
            reads(name + ending, values[:, 0], names + name + ending, ranks=2)
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", "-f", name], check=True)
            reads(name + ".zst", values[:, 1], names + name + ".zst", column=1)
        else:
            leave_out("no zstd to pack with")
        with open("cut.gz", "wb") as file:
            file.write(gzip.compress(data)[:-9])
        refuses(name + ", truncated", "cut.gz: the gzip archive is truncated", names + "cut.gz")


    data = open("two.npy", "rb").read()
    for name, other, sentence in (("long", data + b"x", "it is longer than its header says"),
                                  ("short", data[:-1], "it is shorter than its header says")):
        with open(name + ".gz", "wb") as file:
            file.write(gzip.compress(other))
        refuses(name, f"{name}.gz: {sentence}", both + name + ".gz")


def tables():
    if not has("pandas"):
        leave_out("no pandas")
        return
    import pandas as pd
    random = np.random.default_rng(4)
    table = pd.DataFrame({"gid": random.permutation(NODES), "Conductivity": random.standard_normal(NODES),
                          "note": ["a, \"quoted\"\nnote"] * NODES, "porosity": random.integers(0, 9, NODES) / 4})
    table.loc[table.index % 3 == 0, "porosity"] = np.nan
    expected = table.set_index("gid").sort_index()
    for end in ("\n", "\r\n"):
        table.to_csv("table.csv", index=False, lineterminator=end)
        for ranks in (1, 2, 3):
            reads("a table of pandas", expected["Conductivity"], "table.csv", ranks=ranks)
        reads("its missing values", expected["porosity"], "table.csv", column=1)
    table.rename(columns={"gid": "plz"}).to_csv("towns.csv", index=False)
    reads("one name in place of another", expected["Conductivity"], "gid=plz:towns.csv", ranks=2)
    expected[["Conductivity"]].to_csv("ordered.csv", index=False, float_format="%.3e", quoting=1)
    reads("a quoted table in order", [float("%.3e" % x) for x in expected["Conductivity"]], "ordered.csv", ranks=3)
    table[["gid", "Conductivity"]].rename(columns={"gid": "cell", "Conductivity": "k"}).to_csv("other.csv", index=False)
    reads("names in place of others", expected["Conductivity"], "gid,conductivity:other.csv")


def edges():
    node = np.arange(NODES).reshape(HEIGHT, WIDTH)
    pairs = np.concatenate((np.column_stack((node[:, :-1].ravel(), node[:, 1:].ravel())),
                            np.column_stack((node[:-1].ravel(), node[1:].ravel()))))
    flow = np.random.default_rng(5).standard_normal(len(pairs))
    of = {}
    for (a, b), value in zip(pairs, flow):
        of[a, b] = of[b, a] = value
    np.save("k.npy", np.ones(NODES))
    with open("edges.csv", "w") as file:
        file.write("from,to,flow\n")
        file.writelines(f"{a},{b},{value!r}\n" for (a, b), value in zip(pairs.tolist(), flow.tolist()))
    np.save("edges.npy", np.column_stack((flow, pairs)))
    expected = [of[a, b] for a, b in sorted(of)]
    np.save("flow.npy", np.array(expected))
    inputs = ["edges.csv", "flow,source,target:edges.npy", "flow.npy"]
    if has("scipy"):
        import scipy.sparse
        both = np.r_[pairs, pairs[:, ::-1]]
        matrix = scipy.sparse.csr_matrix((np.r_[flow, flow], (both[:, 0], both[:, 1])))
        matrix.sort_indices()
        np.save("data.npy", matrix.data)
        inputs.append("flow:data.npy")
    else:
        leave_out("no SciPy")
    for name in inputs:
        for ranks in (1, 3):
            code, said, rows = run(ranks, "conductivity:k.npy", name)
            if code != 0 or [value for row in rows for value in row[3:]] != expected:
                complain(f"edges from {name} on {ranks} ranks: exit status {code}: {said}")
    # One row of an edge is for both directions; a file that has two of some edges may have lost one of others.
    a, b = pairs[0].tolist()
    with open("edges.csv", "a") as file:
        file.write(f"{b},{a},{flow[0]!r}\n")
    warning = (f"penumbra: edges.csv: {len(pairs) - 1} edges have one row, which is used for both directions, and the "
               "others have two rows")
    code, said, rows = run(3, "conductivity:k.npy", "edges.csv", options=("--verify",))
    if code != 0 or said != warning or [value for row in rows for value in row[3:]] != expected:
        complain(f"edges with one row and with two: exit status {code}: {said!r}")


def values_of_convert():
    """What pen-graph writes of real weights is what a run of the graph reads, from lists with names and without."""
    tool, weights = os.path.join(BIN, "pen-graph"), {}
    with open("trips.csv", "w") as file:
        file.write("from,to,km\n")
        for i in range(NODES):
            weights[i, (i + 1) % NODES] = weights[(i + 1) % NODES, i] = i + 0.125
            file.write(f"t{i:02},t{(i + 1) % NODES:02},{i + 0.125}\n")
    expected = [weights[pair] for pair in sorted(weights)]
    np.save("k.npy", np.ones(NODES))
    kinds = [("km.csv", "flow=value:"), ("km.npy", "flow:")]
    for graph, (values, names) in itertools.product(("trips.pen", "trips.graph"), kinds):
        command = [tool, "convert", "trips.csv", graph, "--lossy", "--quiet", f"--values-to={values}"]
        done = subprocess.run(command, capture_output=True, text=True)
        run_it = [MPIEXEC, "-n", "2", os.path.join(BIN, "valued"), f"--graph={graph}", "--steps=0", "--dump=dump",
                  "--quiet", "--input=conductivity:k.npy", f"--input={names}{values}"]
        ran = subprocess.run(run_it, capture_output=True, text=True, timeout=60)
        with open("dump" if ran.returncode == 0 else os.devnull) as file:
            found = [float(word) for line in file for word in line.split()[3:]]
        if done.returncode or found != expected:
            complain(f"{graph}, --values-to={values}: {done.stderr} {ran.stderr} {found}")


def command_line():
    np.save("k.npy", np.ones(NODES))
    np.save("conductivity.npy", np.ones(NODES - 1))
    good = "conductivity:k.npy"
    refuses("none", "valued needs a value of conductivity for each node: --input=FILE (.npy or CSV)")
    refuses("a file that is not there", "no.npy: cannot read: No such file or directory", "no.npy")
    refuses("a folder", ".: cannot read: not a regular file", ".")
    refuses("two of one", "k.npy: conductivity is in k.npy as well", good, good)
    refuses("too short", f"conductivity.npy: {NODES - 1} rows, but the graph has {NODES} nodes", "conductivity.npy")
    refuses("a name", "k.npy: it has none of the columns that valued takes: conductivity, porosity, flow, x, y, z; "
            "it has k", "k.npy")
    refuses("nothing", "input \"\": it is FILE or NAMES:FILE", "")
    whole = np.arange(NODES) + 2**53
    np.save("whole.npy", whole)
    refuses("an integer that is not a double", f"whole.npy: row 1: conductivity: no double is {whole[1]}",
            "conductivity:whole.npy")
    whole = 4 * np.arange(NODES) + 2**54
    np.save("whole.npy", whole)
    reads("integers that are doubles", whole, "conductivity:whole.npy")
    with open("row.csv", "w") as file:
        file.write("conductivity\n1e-320\n-1e-400\n" + "2\n" * (NODES - 2))
    refuses("a tiny number", "row.csv:3: conductivity: -1e-400 is too small for a double", "row.csv")
    with open("row.csv", "w") as file:
        file.write("conductivity\n" + "2\n" * NODES)
    code, said, rows = run(2, "row.csv")
    warning = "penumbra: row.csv: it has no column gid: its rows are taken in order, for the nodes 0, 1, 2, ..."
    if code != 0 or said != warning or any(row[2] != 2.0 for row in rows):
        complain(f"rows in order: exit status {code}: {said!r}")
    reads("two files", [1.0] * NODES, good, "porosity:k.npy", column=1, options=("--verify", "--check"))
    # A resumed run is verified from the first step on, with the values that the first run read.
    os.mkdir("saved")
    canaries("saved", "--checkpoints")
    save = ("--verify", "--checkpoint=saved")
    reads("saved", [1.0] * NODES, good, "porosity:k.npy", column=2, options=(*save, "--steps=2"))
    code, said, _ = run(0, good, options=(*save, "--resume", "--steps=3", "--accept=input"))
    if code != 1 or "a resumed run needs the --input of the first run for --verify" not in said:
        complain(f"verified without the values of the first run: exit status {code}: {said!r}")
    reads("resumed", [1.0] * NODES, good, "porosity:k.npy", column=2, options=(*save, "--resume", "--steps=3"))
    # Values are those of the checkpoint, so other files are refused, wherever they are.
    go_on = ("--checkpoint=saved", "--resume", "--steps=4")
    os.rename("k.npy", "moved.npy")
    moved = ("conductivity:moved.npy", "porosity:moved.npy")
    np.save("k.npy", 2 * np.ones(NODES))
    code, said, rows = run(2, good, "porosity:k.npy", options=go_on)
    other = "the run of the checkpoint read files with other contents by --input: results may depend on that; --accept="
    if code != 2 or other + "input continues" not in said or rows is not None:
        complain(f"resumed with another file: exit status {code}: {said!r}")
    reads("resumed, moved", [1.0] * NODES, *moved, column=2, options=go_on, ranks=2)
    reads("resumed, accepted", [1.0] * NODES, good, column=2, options=(*go_on[:2], "--steps=5", "--accept=input"))
    reads("resumed without files", [1.0] * NODES, column=2, options=(*go_on[:2], "--steps=6"))
    os.rename("moved.npy", "k.npy")
    reads("the default", [0.5] * NODES, good, column=1, options=("--verify",), ranks=2)


with work_folder():
    for part in (arrays, packed, tables, edges, values_of_convert, command_line):
        part()
sys.exit(failures > 0)
