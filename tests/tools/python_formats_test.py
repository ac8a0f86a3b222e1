#!/usr/bin/env python3
"""python_formats_test.py BIN SOURCES - formats of graphs that the Python package reads and writes for pen-graph: the
graphs, counts and findings of many texts; what is written reads back equal; files that are cut or damaged anywhere are
read or refused with a sentence; meshes against a count of common nodes."""
import contextlib
import gzip
import io
import itertools
import os
import random
import struct
import subprocess
import sys
import tarfile
import tracemalloc
from collections import Counter

sys.dont_write_bytecode = True
import formats_cases as cases
from python_checks import BIN, SOURCES, check, finish, has, leave_out, np, penumbra, tool, write
from python_checks import read as read_file
from penumbra import binaries, formats, lists, texts, xmls
from work_folder import work_folder

READERS, WRITERS = ({**lists.__dict__[all_], **binaries.__dict__[all_], **xmls.__dict__[all_]}
                    for all_ in ("READERS", "WRITERS"))
if has("scipy"):
    from penumbra import meshes
    READERS.update(meshes.READERS)


def read(name, data, **options):
    """(graph, findings); no graph if it is refused."""
    g = formats.FileGraph(directed=options.get("directed", False))
    try:
        READERS[name](io.BytesIO(data), formats.Options(**options), g)
    except formats.Refused as why:
        g.wrong(why.line, why.column, why.text)
        return None, g.findings
    return g, g.findings


def rows_of(g):
    """The rows, [[(node, weight)]], as tools/graph/arcs.h says, and the counts of what is merged."""
    notes, rows = Counter(), [[] for _ in range(g.nodes)]
    if g.form == formats.ROWS:
        weights = itertools.repeat(None) if g.edge_weights is None else g.edge_weights.tolist()
        for a, arc in enumerate(zip(g.neighbors.tolist(), weights)):
            rows[int(np.searchsorted(g.rows, a, side="right")) - 1].append(arc)
        return rows, notes
    weights = len(g.ends) * [None] if g.edge_weights is None else g.edge_weights.tolist()
    kept = g.form == formats.KEPT
    for (a, b), weight in zip(g.ends.tolist(), weights):
        if a == b and not kept:
            notes["loops"] += 1
            continue
        rows[a].append((b, weight, True))
        if not g.directed and a != b:
            rows[b].append((a, weight, False))
    if kept:
        return [[arc[:2] for arc in row] for row in rows], notes
    half = 1 if g.directed else 2
    merged = []
    for row in rows:
        of, places = {}, {}
        for k, (node, weight, out) in enumerate(row):
            of.setdefault(node, []).append((weight, out))
            if node not in places or out and not row[places[node]][2]:
                places[node] = k
        for found in of.values():
            directions = len({out for _, out in found})
            notes["duplicates"] += (len(found) - directions) / half
            notes["conflicts"] += sum(weight != found[0][0] for weight, _ in found) / half
            if not g.directed:
                notes["reversed" if directions == 2 else "one_way"] += 1 / 2
        merged.append([(node, of[node][0][0]) for node in sorted(of, key=places.get)])
    return merged, notes


def describe(g):
    rows, notes = rows_of(g)
    notes.update(values=g.real, gaps=g.gaps)
    labels = [f"'{name.decode()}'" for name in g.names] if g.names else formats.ids(g).tolist()
    def line(i, row):
        weights = "" if g.node_weights is None else "".join(f"[{w}]" for w in g.node_weights[i].tolist())
        return f"{labels[i]}{weights}:" + "".join(f" {labels[j]}" + f"({w})" * (w is not None) for j, w in row)
    counts = ["loops", "duplicates", "conflicts", "reversed", "one_way", "values", "gaps"]
    return "; ".join(itertools.starmap(line, enumerate(rows))) + \
        "".join(f" | {name} {int(notes[name])}" for name in counts if notes[name])


def in_place(findings):
    return "; ".join(f"{'note ' * (kind == 'note')}{line}:{column}: {text}" for kind, line, column, text in
                     sorted(findings, key=lambda found: found[1:3]))


def test_texts(name, table, **options):
    usual = texts.blocks.__defaults__
    for size in (1, 7, usual[0]): # bytes read at once
        texts.blocks.__defaults__ = (size,)
        for text, graph, findings in table:
            data = text if isinstance(text, bytes) else text.encode("latin-1")
            g, found = read(name, data, **options)
            where = f"{name}, {text!r}, {size} bytes at once"
            check(where, g and describe(g).strip(), graph if graph is None else graph.strip())
            check(where + ": findings", in_place(found), findings or "")
    texts.blocks.__defaults__ = usual


def numbers(table):
    """Of "1 2 .3" the words of 8 bytes, those after a '.' of 4."""
    def data(text):
        return b"".join(struct.pack("<I", int(word[1:]) % 2**32) if word[0] == "." else struct.pack("<q", int(word))
                        for word in text.split())
    return [(data(text), *rest) for text, *rest in table]


def test_all_texts():
    test_texts("snap", cases.SNAP)
    test_texts("snap", cases.SNAP_DIRECTED, directed=True)
    for name in "col", "dimacs9":
        test_texts(name, cases.DIMACS_OTHERS)
    for name in "pace", "dimacs9":
        test_texts(name, cases.DIMACS)
    test_texts("dimacs9", cases.DIMACS_DIRECTED, directed=True)
    test_texts("graphml", cases.GRAPHMLS)
    test_texts("gexf", cases.GEXFS)
    test_texts("gexf", cases.GEXF_DIRECTED)
    test_texts("parhip", numbers(cases.PARHIP))
    test_texts("galois", numbers(cases.GALOIS))
    test_texts("dimacs9", numbers(cases.GALOIS_DIRECTED), directed=True) # an ending, two formats
    if "mesh" in READERS:
        test_texts("mesh", cases.DUAL)
        test_texts("mesh", cases.SIDES, common=2)
        test_texts("mesh", cases.NODAL, nodal=True)
        star = b"6000\n" + b"".join(b"1 %d\n" % k for k in range(2, 6002)) # grows with the square of the text
        check("a star", "edges for every byte" in in_place(read("mesh", star)[1]), True)
        tracemalloc.start()
        check("many weights", "more elements than" in in_place(read("mesh", b"2000 2000\n" + 2000 * b"1\n")[1]), True)
        check("memory for them", tracemalloc.get_traced_memory()[1] < 1 << 24, True)
        tracemalloc.stop()


# ---- What is written reads back --------------------------------------------------------------------------------------

def graph(draw, name):
    """A random graph in rows that the format holds."""
    n = draw.choice((2, 3, 8, 13) if name == "snap" else (1, 2, 3, 8, 13))
    g = formats.FileGraph(n, formats.ROWS, base={"snap": 0, "galois": 0, "parhip": 0}.get(name, 1))
    xml, weighted = name in ("graphml", "gexf"), name not in ("col", "pace") and draw.random() < 0.5
    g.directed = name in ("snap", "dimacs9", "galois", "graphml", "gexf") and draw.random() < 0.4
    rows = [{} for _ in range(n)]
    for _ in range(3 * n if n > 1 else 0):
        a, b = draw.sample(range(n), 2)
        weight = draw.choice((5, -3, 2**40, 0))
        rows[a].setdefault(b, weight)
        if not g.directed:
            rows[b][a] = rows[a][b]
    if name == "snap": # isolated nodes are lost
        for a in range(n - 1):
            rows[a].setdefault(a + 1, 1)
            rows[a + 1].setdefault(a, rows[a][a + 1])
    order = sorted if not xml and draw.random() < 0.5 else lambda row: draw.sample(list(row), len(row))
    if name in ("col", "pace") or xml:
        order = sorted
    ordered = [[(b, row[b]) for b in order(row)] for row in rows]
    g.rows = np.concatenate(([0], np.cumsum([len(row) for row in ordered])))
    g.neighbors = np.array([b for row in ordered for b, _ in row], np.int64)
    if weighted and len(g.neighbors):
        g.edge_weights = np.array([w for row in ordered for _, w in row], np.int64)
    if name in ("graphml", "gexf", "parhip") and draw.random() < 0.5:
        g.node_weights = np.array([[draw.choice((0, 1, -4, 2**50))] * (1 if name == "parhip" else 3) for _ in range(n)])
    if xml:
        g.coordinates = np.array([[draw.random(), -1e-300, 1e22] for _ in range(n)])
        g.part, g.node_sizes = np.arange(n, dtype=np.int32), np.arange(n) + 1
        if draw.random() < 0.5:
            g.names, g.base = [b"n<&\"%d\t\xc3\xa9" % k for k in range(n)], 0
    if (xml and not g.names or name == "snap") and draw.random() < 0.5:
        g.labels = np.arange(n) * 3 + 7
    return g


def same(a, b):
    def key(g, part):
        value = getattr(g, part)
        return value.tolist() if isinstance(value, np.ndarray) else value
    parts = ("nodes", "node_weights", "node_sizes", "labels", "part", "coordinates", "names", "base", "directed")
    wrong = [part for part in parts if key(a, part) != key(b, part) and not (part == "base" and a.labels is not None)]
    rows = [sorted(row) if b.form == formats.KEPT else row for row in rows_of(b)[0]]
    return wrong + ["rows"] * (rows_of(a)[0] != rows)


def test_round_trips():
    draw = random.Random(3)
    for name in WRITERS:
        for k in range(40):
            g = graph(draw, name)
            if name == "dimacs9" and g.edge_weights is None:
                g.edge_weights = np.ones(len(g.neighbors), np.int64) # which are read as none
            data = b"".join(WRITERS[name](g))
            back, found = read(name, data, directed=g.directed)
            if name == "dimacs9" and np.all(g.edge_weights == 1):
                g.edge_weights = None
            check(f"{name}, graph {k}: findings", in_place(found), "")
            check(f"{name}, graph {k}", back and same(g, back), [])


def test_frames():
    """What travels to pen-graph and back is the same."""
    draw = random.Random(4)
    for name in ("snap", "graphml", "parhip"):
        for _ in range(10):
            g = graph(draw, name)
            g.values = None if g.edge_weights is None else g.edge_weights + 0.5
            back = formats.unpack(io.BytesIO(b"".join(bytes(piece) for piece in formats.pack(g, formats.ROWS))))
            check(f"the frame of {name}", same(g, back), [])
            check("values", back.values, g.values)


# ---- Damage ----------------------------------------------------------------------------------------------------------

def survive(name, data):
    g, found = read(name, data, directed=len(data) % 2 == 0, reals=len(data) % 3 == 0)
    if g is None:
        check(f"{name}: a finding of {data!r}", bool(found), True)
    elif g.form == formats.ROWS:
        check(f"{name}: rows of {data!r}", [np.all(np.diff(g.rows) >= 0), g.rows[-1] == len(g.neighbors),
                                             np.all((g.neighbors >= 0) & (g.neighbors < g.nodes))], [True] * 3)
    else:
        check(f"{name}: ends of {data!r}", [g.ends.shape[1:] == (2,), np.all(g.ends >= 0), np.all(g.ends < g.nodes),
                                             g.edge_weights is None or len(g.edge_weights) == len(g.ends)], [True] * 4)


def fuzzed():
    """(format, text) of the fuzz targets' inputs. The first line is not text: in the corpus, it begins with the format;
    inputs that searches have found are in a folder of that name."""
    folder = os.path.join(SOURCES, "tests/fuzz")
    names = sorted(os.listdir(folder + "/corpus"))
    inputs = [(None, read_file(os.path.join(folder, "corpus", name))) for name in names]
    with tarfile.open(os.path.join(folder, "found.tar.xz")) as archive:
        inputs += [(entry.name.split("/")[-2], archive.extractfile(entry).read()) for entry in archive
                   if entry.isfile()]
    for name, data in inputs:
        first, _, text = data.partition(b"\n")
        name = name or first.split(b" ")[0].decode("latin-1")
        if name in READERS:
            yield name, text


def test_damage():
    draw = random.Random(5)
    seeds = [(name, b"".join(WRITERS[name](graph(draw, name)))) for name in WRITERS for _ in range(2)]
    if "mesh" in READERS:
        seeds += [("mesh", b"% text\n3 1\n7 1 2 3\n8 2 3 4\n9 4 5 6\n"), ("mesh", b"2\n1 2\n2 3 4 5\n")]
    for name, data in fuzzed():
        survive(name, data)
        if len(data) < 300:
            seeds.append((name, data))
    odd = b"0123456789-+ \t\r\n%#.aeE\0:\xef"
    for name, data in seeds[:12] + draw.sample(seeds[12:], 30):
        for cut in range(0, len(data), 1 + len(data) // 200):
            survive(name, data[:cut])
        for _ in range(200):
            at = draw.randrange(len(data))
            survive(name, data[:at] + bytes([draw.choice(odd)]) + data[at + 1:])


# ---- Meshes ----------------------------------------------------------------------------------------------------------

def neighbours(elements, common, nodal, points):
    """The rows, from a count of what every two have in common."""
    own = [{e for e, element in enumerate(elements) if p in element} for p in range(points)] if nodal else elements
    def near(a, b):
        both = len(a & b)
        return both > 0 and (both >= common or both >= len(a) - 1 or both >= len(b) - 1)
    return [[j for j, b in enumerate(own) if j != i and near(a, b)] for i, a in enumerate(own)]


def test_meshio():
    if not has("meshio") or not has("scipy"):
        leave_out("no meshio and SciPy (Debian's python3-meshio, python3-scipy)")
        return
    import meshio
    draw = random.Random(6)
    points = [[x + draw.random() / 9, y, 0] for y in range(4) for x in range(5)]
    square = [[y * 5 + x, y * 5 + x + 1, y * 5 + x + 6, y * 5 + x + 5] for y in range(3) for x in range(4)]
    cells = [("line", [[0, 1], [1, 2]]), ("quad", square[:6]),
             ("triangle", [t for q in square[6:] for t in (q[:3], [q[0], q[2], q[3]])])]
    elements = [set(e) for _, block in cells[1:] for e in block]
    for ending in ("vtk", "vtu", "msh", "xdmf", "inp", "med"):
        if ending in ("xdmf", "med") and not has("h5py"):
            continue
        path = f"m.{ending}"
        with contextlib.redirect_stderr(io.StringIO()): # warnings
            meshio.Mesh(np.array(points), cells).write(path, **{"file_format": "gmsh22"} if ending == "msh" else {})
        for flags, common, nodal in (([], 1, False), (["--common=2"], 2, False), (["--nodal"], 1, True)):
            if flags and ending not in ("vtk", "xdmf"):
                continue
            tool("pen-graph", "convert", path, "m.pen", *flags)
            g = penumbra.read_graph("m.pen")
            check(f"{path} {flags}", [row.tolist() for row in np.split(g.targets, g.offsets[1:-1])],
                  neighbours(elements, common, nodal, len(points)))
            wanted = points if nodal else [np.mean([points[p] for p in e], 0) for e in
                                           (e for _, block in cells[1:] for e in block)]
            check(f"{path} {flags}: coordinates", np.allclose(g.coordinates, np.array(wanted)[:, :2], atol=1e-6), True)
    if has("h5py"): # the .xdmf file is short, its data are in another one
        grid = np.stack(np.meshgrid(*3 * [np.arange(16.0)]), -1).reshape(-1, 3)
        corner = np.arange(16**3).reshape(3 * [16])[:-1, :-1, :-1].ravel()
        with contextlib.redirect_stderr(io.StringIO()):
            meshio.Mesh(grid, [("tetra", np.concatenate([corner[:, None] + np.array(sorted(t)) for t in (
                (0, 1, 17, 273), (0, 1, 257, 273), (0, 16, 17, 273), (0, 16, 272, 273), (0, 256, 257, 273),
                (0, 256, 272, 273))]))]).write("cube.xdmf")
        tool("pen-graph", "convert", "cube.xdmf", "cube.pen")
        check("a cube", len(penumbra.read_graph("cube.pen").gids), 6 * 15**3)
        data = read_file("cube.h5")
        check("its data", run_convert("cube.xdmf", "cube.h5", "--to=penumbra")[:2], [2, 1])
        check("its data stay", read_file("cube.h5") == data, True)
    for name, data, said in (("bad.vtk", b"no mesh\n", "cannot read it: Illegal VTK header\n"),
                             ("bad.msh", b"", "cannot read it"), ("bad.vtu", b"<VTKFile>", "cannot read it\n"),
                             ("no.vtu", b"no mesh\n", "cannot read it\n"), ("m.vtk.gz", b"", "opens the file itself: "),
                             ("-", b"", "opens the file itself: ")):
        write(name, data)
        try:
            tool("pen-graph", "convert", name, "bad.pen", "--from=meshio")
            check(name, "converted", "refused")
        except Exception as why:
            check(name, [why.returncode, why.stderr.count("\n"), f"{name}: meshio {said}" in why.stderr], [2, 1, True])


# ---- What is missing on a machine ------------------------------------------------------------------------------------

def run_convert(source, target, *more, **changed):
    """Exit status, lines of the message, and what is in the folder then."""
    done = subprocess.run([os.path.join(BIN, "pen-graph"), "convert", source, target, *more], capture_output=True,
                          text=True, env={**os.environ, **changed})
    return [done.returncode, done.stderr.count("\n"), sorted(os.listdir("."))]


def test_python_that_dies():
    """Nothing is half-written, and an older output stays; no word of Python's where pen-graph gives up."""
    text = b"".join(b"%d %d\n" % (i, i + 1) for i in range(100000))
    write("path.el", text)
    write("cut.el.gz", gzip.compress(text)[:-5000])
    write("old.el", b"1 2\n")
    tool("pen-graph", "convert", "path.el", "path.pen")
    os.mkdir("half")
    write("half/python3", b'#!/bin/sh\n/usr/bin/python3 "$@" | head -c 200000\nexit 1\n')
    os.chmod("half/python3", 0o755)
    before, half = sorted(os.listdir(".")), "half:" + os.environ["PATH"]
    check("half an answer", run_convert("path.pen", "old.el", "--lossy", PATH=half), [3, 1, before])
    check("half a graph", run_convert("path.el", "new.pen", PATH=half), [3, 1, before])
    check("a text that is cut", run_convert("cut.el.gz", "new.pen"), [2, 1, before])
    check("the old output", read_file("old.el"), b"1 2\n")


def test_missing():
    """One sentence names the package; nothing is written."""
    write("a.el", b"0 1\n")
    write("a.vtk", b"")
    os.makedirs("none/bin")
    os.symlink("/bin/false", "none/bin/python3")
    for package in ("numpy", "scipy", "meshio"):
        os.makedirs(f"without-{package}")
        write(f"without-{package}/{package}.py", f"raise ImportError('no', name='{package}')\n".encode())
    for source, changed, text in (("a.el", {"PYTHONPATH": "without-numpy"}, "Debian's package is python3-numpy"),
                                  ("a.vtk", {"PYTHONPATH": "without-scipy"}, "Debian's package is python3-scipy"),
                                  ("a.vtk", {"PYTHONPATH": "without-meshio"}, "Debian's package is python3-meshio"),
                                  ("a.el", {"PATH": "none/bin"}, "Debian's is python3-penumbra"),
                                  ("a.el", {"PATH": "none"}, "Debian's package is python3")):
        done = subprocess.run([os.path.join(BIN, "pen-graph"), "convert", source, "out.pen"], capture_output=True,
                              text=True, env={**os.environ, **changed})
        check(f"{source} with {changed}: {done.stderr}", [done.returncode, done.stderr.count("\n"),
              text in done.stderr, source in done.stderr or "PATH" in changed, os.path.exists("out.pen")],
              [3, 1, True, True, False])


def test_found():
    """Packages of the system in a virtual environment that has none, and the scripts where Python does not look."""
    subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", "venv"], check=True)
    for changed in ({"PATH": os.path.abspath("venv/bin") + ":" + os.environ["PATH"]}, {"PYTHONSAFEPATH": "1"}):
        check(f"a.el with {changed}", run_convert("a.el", "out.pen", "--quiet", **changed)[:2], [0, 0])


with work_folder():
    for test in (test_all_texts, test_round_trips, test_frames, test_damage, test_meshio, test_python_that_dies,
                 test_missing, test_found):
        test()
finish()
