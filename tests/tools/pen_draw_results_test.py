#!/usr/bin/env python3
"""pen_draw_results_test.py BIN SOURCES - what pen-draw draws of results is what runs wrote. 77 where there is no
matplotlib."""
import os
import xml.etree.ElementTree as xml
from types import SimpleNamespace

from pictures import PALETTE, check, colour, draw_file, good, main, np, penumbra, refuse, save, texts, to_hex
from penumbra import scenes, vtu

def drawn_results(path):
    return vtu.read_vtu(path), scenes.draw_results([path], None, 700)(0)


def faces(drawn):
    cells = next(c for c in drawn.axes.collections if type(c).__name__ == "PolyCollection")
    return cells.get_facecolors(), cells.get_paths()


def test_battle():
    options = ["--scenario=meeting", "--generate=hex:12x10", "--steps=25", "--output-every=10", "--quiet"]
    good("battlefield", *options, "--output=battle.pvd", ranks=3)
    good("battlefield", *options, "--output=alone.pvd")
    check("steps", [os.path.basename(p) for p in vtu.find_results("battle.pvd")],
          [f"battle-{k:06}.vtu" for k in (0, 10, 20, 25)])
    results, drawn = drawn_results("battle-000010.vtu")
    colours, paths = faces(drawn)
    c = results.columns
    check("hexes", (len(paths), len(paths[0].vertices)), (120, 7))
    red = (c["red"] > 0) & (c["blue"] == 0)
    blue = (c["blue"] > 0) & (c["red"] == 0)
    check("red ones, blue ones", (bool(red.any() and blue.any()), bool(np.all(colours[red, 0] > colours[red, 2])),
                                  bool(np.all(colours[blue, 2] > colours[blue, 0]))), (True, True, True))
    order = np.flatnonzero(red)[np.argsort(c["red"][red], kind="stable")]
    check("the deeper the more assets", bool(np.all(np.diff(colours[order].sum(1)) <= 1e-9)))
    bare = (c["red"] + c["blue"] == 0) & (c["holder"] == 2)
    check("terrain", np.allclose(colours[bare, :3], scenes.TERRAINS[c["terrain"][bare]]))
    held = (c["red"] + c["blue"] == 0) & (c["holder"] == 0)
    check("held", np.allclose(colours[held, :3],
                              0.7 * scenes.TERRAINS[c["terrain"][held]] + 0.3 * scenes.LIGHT[0]))
    dots = next(k for k in drawn.axes.collections if type(k).__name__ == "PathCollection")
    check("fights", len(dots.get_offsets()), int((c["engaged"] > 0).sum()))
    said = texts(save(drawn, "b.svg"))
    red = f"red {c['red'].sum()} assets in {c['red_units'].sum()} units"
    check("caption", {"step 10", red, "ranks (borders)"} <= set(said))
    check("flags of both commands", [int(np.count_nonzero(c["marks"] & bit)) for bit in (1, 2)], [1, 1])
    check("objectives", bool((c["marks"] & 4).any() and (c["marks"] & 8).any()))
    one, other = drawn_results("battle-000025.vtu")[1], drawn_results("alone-000025.vtu")[1]
    check("another number of ranks", np.array_equal(faces(one)[0], faces(other)[0]))
    check("borders of one rank", "ranks (borders)" in texts(save(other, "b.svg")), False)
    owners = results.columns["owner"]
    borders = scenes._sides(results.corners[:, :, :2], owners)[0]
    centres = results.points[:, :2]
    near = np.hypot(*(centres[:, None] - centres[None]).transpose(2, 0, 1))
    check("sides between ranks", len(borders),
          int(((near > 0.5) & (near < 1.1) & (owners[:, None] != owners)).sum() // 2))
    draw_file("battle.pvd", "battle.gif", {"size": "300"})
    from PIL import Image
    with Image.open("battle.gif") as moving:
        check("frames", moving.n_frames, 4)
    refuse("can only be a .gif", "battle.pvd")
    refuse("there is no column 'assets'", "battle-000025.vtu", values="assets")
    for name, value in (("coords", "a.xyz"), ("part", "a.part"), ("from", "metis"), ("directed", "")):
        refuse("--directed apply to graphs, not to the results battle.pvd", "battle.pvd", "new.gif", **{name: value})
    refuse("--window applies to a picture of a column: give", "battle-000025.vtu", window="0,0,1,1")
    refuse("--range applies to values, not to", "battle-000025.vtu", values="owner", range="0:1")
    draw_file("battle-000025.vtu", "b.png", {"values": "red"})


def test_shock():
    good("shock", "--generate=mesh:16x16", "--steps=5", "--output=shock.pvd", "--output-every=1", "--partitioner=row",
         "--quiet", ranks=3)
    results, drawn = drawn_results("shock-000005.vtu")
    colours, paths = faces(drawn)
    check("cells", len(paths), len(results.points))
    check("colours", [colour(c) for c in np.unique(np.round(255 * colours[:, :3]), axis=0)], sorted(PALETTE[:3]))
    check("of their ranks", [to_hex(c) for c in colours], [PALETTE[o] for o in results.columns["owner"]])
    # edges, from the sides of squares that lie on each other
    low, high = results.corners[:, :, :2].min(1), results.corners[:, :, :2].max(1)
    wide = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    touch = ((wide.min(2) > -1e-9) & (wide.max(2) > 1e-9)) & ~np.eye(len(low), dtype=bool)
    said = texts(save(drawn, "s.svg"))
    check(f"caption {said}", {"step 5", f"{len(paths)} cells", f"{touch.sum() // 2} edges"} <= set(said))
    owners = results.columns["owner"]
    other = owners[:, None] != owners
    off = max((touch & other)[owners == r].sum() / (touch[owners == r].sum() - (touch & ~other)[owners == r].sum() / 2)
              for r in range(3))
    counts = np.bincount(owners)
    check("its numbers", said[-2:], [f"imbalance {100 * max(abs(counts * 3 / counts.sum() - 1)):.1f} %",
                                     f"off-processor edges {100 * off:.1f} %"])
    save(drawn_results("shock-000000.vtu")[1])
    good("shock", "--generate=mesh:2x1", "--steps=3", "--output=few.vtu", "--partitioner=block", "--quiet", ranks=4)
    said = texts(save(drawn_results("few.vtu")[1], "s.svg"))
    check(f"ranks without cells: {said}: nan", any("nan" in text for text in said), False)


def bodies(at, owners, masses, cell_max=16):
    """Results as of nbody, with a body in each leaf."""
    places = np.zeros((len(at), 4, cell_max))
    places[:, :2, 0], places[:, 3, 0] = at, masses
    columns = {"places": places.reshape(len(at), -1), "owner": np.resize(owners, len(at)), "load": np.ones(len(at))}
    return SimpleNamespace(time=7.0, points=np.zeros((len(at), 3)), corners=None, graph=None, columns=columns)


def contours(drawn):
    """The limits of each rank's line, of a picture of 720 pixels: low and high x and y."""
    found = []
    for lines in drawn.axes.collections:
        points = np.concatenate([path.vertices for path in lines.get_paths()])
        found.append((points.min(0), points.max(0)))
    return found


def test_bodies():
    corners = np.array([(-1, -3), (3, -3), (-1, 1), (3, 1)], float) # of four ranks, each a square of bodies
    k, r = np.arange(800) // 4, np.arange(800) % 4
    at = corners[r] + 0.05 * np.column_stack((k % 14 - 6.5, k / 14 - 7.0))
    drawn = scenes._draw_bodies(bodies(at, r, 0.25), bodies(at, r, 0.25), 720)
    check("lines", len(contours(drawn)), 4)
    for rank, (low, high) in enumerate(contours(drawn)): # ascending y is upwards
        middle, wide = (low + high) / 2, high - low
        check(f"the place of rank {rank}: {middle}", (middle < 360).tolist(), [rank % 2 == 0, rank >= 2])
        check(f"the size of rank {rank}: {wide}", bool(np.all((wide > 40) & (wide < 240))))
    said = texts(save(drawn, "n.svg"))
    check("caption", said, ["step 7", "800 bodies in 800 leaves", "imbalance 1.000"])
    light = np.asarray(drawn.axes.images[0].get_array())
    spots = [light[y - 5:y + 5, x - 5:x + 5].mean() > 0.3 for y in (57, 180, 303) for x in (57, 180, 303)]
    check("light", spots, [True, False, True] + 3 * [False] + [True, False, True])
    alone = scenes._draw_bodies(bodies(at, r, 0.25), bodies(at, 0 * r, 0.25), 720)
    check("lines of one rank", len(contours(alone)), 0)
    # two ranks side by side: their lines meet, and do not lie upon each other
    x = -1 + 0.1 * (np.arange(800) % 40 + 0.5)
    at = np.column_stack((x, -2 + 0.1 * (np.arange(800) // 40 + 0.5)))
    left, right = contours(scenes._draw_bodies(bodies(at, 0, 1.0), bodies(at, np.where(x > 1, 3, 1), 1.0), 720))
    check(f"a border: {left} {right}", bool(350 < left[1][0] < 360 < right[0][0] < 370))
    # what is far away, or alone
    far = np.array([(50, 0), (-1e300, 0), (1e300, 1e300), (0, -50)])
    many = scenes._draw_bodies(bodies(at, 0, 1.0), bodies(np.concatenate((at, far)), np.zeros(804, int), 1.0), 720)
    check("bodies outside", texts(save(many, "n.svg"))[1], "804 bodies in 804 leaves")
    one = scenes._draw_bodies(bodies(at, 0, 1.0), bodies(at.mean(0)[None], [0], 1.0), 720)
    light = np.asarray(one.axes.images[0].get_array())
    row, column = np.unravel_index(light.argmax(), light.shape)
    check("where a single one is", (178 <= row <= 181, 178 <= column <= 181), (True, True))
    for some in (far[:1], far[:2]):
        save(scenes._draw_bodies(bodies(at, 0, 1.0), bodies(some, np.arange(len(some)), 1.0), 300))
    # of a run: the bodies of its leaves, all of them, on any number of ranks, and small
    for name, ranks in ("one", None), ("three", 3):
        good("nbody", "--bodies=300", "--steps=2", "--cell-max=8", "--quiet", f"--output={name}.pvd",
             "--output-every=1", ranks=ranks)
    found = [sorted(map(tuple, np.column_stack(scenes._bodies(vtu.read_vtu(f"{name}-000002.vtu"))[:2])))
             for name in ("one", "three")]
    check("bodies", (len(found[0]), found[0] == found[1]), (300, True))
    good("nbody", "--bodies=300", "--steps=2", "--cell-max=8", "--quiet", "--dump=bodies.txt")
    numbers = sorted(float.fromhex(words[i + 1]) for words in map(str.split, open("bodies.txt")) if words[1] == "leaf"
                     for i in range(5 + int(words[4]), len(words), 11))
    check("as in a dump", numbers, sorted(x for x, _, _ in found[0]))
    draw_file("three.pvd", "n-{frame}.svg", {"size": "740"})
    check("pictures", [n for n in sorted(os.listdir(".")) if n.startswith("n-")], [f"n-{k:04}.svg" for k in range(3)])
    check("a size", os.path.getsize("n-0002.svg") < 1000000)


def test_results():
    """Of other applications: cells, points and lines, by a column."""
    for graph, name in (("hex:12x9", "cells"), ("geometric:nodes=200,degree=6,coordinates", "points"),
                        ("mesh:4x3x3", "boxes")):
        good("heat", f"--generate={graph}", "--steps=9", f"--output={name}.vtu", "--quiet", ranks=2)
        results = vtu.read_vtu(f"{name}.vtu")
        draw_file(f"{name}.vtu", "r.svg", {"size": "600"})
        said = texts(xml.parse("r.svg").getroot())
        check(f"{name}: {said}",
              {f"{len(results.points)} nodes", "heat", f"{results.columns['heat'].max():g}"} <= set(said))
        draw_file(f"{name}.vtu", "r.svg", {"values": "owner", "size": "600"})
        check(f"{name} by rank", "2 parts" in texts(xml.parse("r.svg").getroot()))
    good("pen-graph", "make", "geometric:nodes=200,degree=6,coordinates", "-o", "same.pen")
    graph, results = penumbra.read_graph("same.pen"), vtu.read_vtu("points.vtu")
    check("edges of results", [np.array_equal(getattr(results.graph, part), getattr(graph, part))
                               for part in ("targets", "offsets")], [True, True])
    results.columns = {"velocity": np.zeros((200, 3)), **results.columns}
    scenes.read_vtu = lambda _: results
    check("the first column of one value", "heat" in texts(save(drawn_results("points.vtu")[1], "r.svg")))
    # Columns may have names of other applications' columns.
    for path, kind, names in (("cells.vtu", float, ("level", "x", "y", "mass")), ("cells.vtu", float, ("places",)),
                              ("points.vtu", np.int64, ("level", "x", "y", "mass"))):
        results = vtu.read_vtu(path)
        results.columns = {name: results.columns["heat"].astype(kind) for name in names}
        check(f"{path}, {names}", names[0] in texts(save(scenes.draw_results([path], None, 300)(0), "r.svg")))
    scenes.read_vtu = vtu.read_vtu
    # And names of the file's own arrays.
    results, data = vtu.read_vtu("cells.vtu"), open("cells.vtu", "rb").read()
    for name in "Points", "connectivity", "offsets", "types":
        open("named.vtu", "wb").write(data.replace(b'Name="heat"', b'Name="%s"' % name.encode()))
        named = vtu.read_vtu("named.vtu")
        check(f"a column {name}", (np.array_equal(named.columns[name], results.columns["heat"]),
                                   np.array_equal(named.corners, results.corners)), (True, True))
    # Cells of three dimensions are seen from the side; polygons of many corners in a plane are flat.
    angles = np.arange(8) * np.pi / 4
    octagon = np.column_stack((np.cos(angles), np.sin(angles), np.ones(8)))
    solids = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1), (0, 0, 1)], float)
    for what, cells, flat in (("octagons", octagon + [[(3, 0, 0)], [(0, 0, 0)]], True),
                              ("tetrahedra", solids[:4] + [[(0, 0, 3)], [(0, 0, 0)]], False),
                              ("wedges", solids + [[(0, 0, 3)], [(0, 0, 0)]], False)):
        scenes.read_vtu = lambda _, cells=cells: vtu.Results(0.0, {"a$b$": np.arange(2.0)}, cells.mean(1), cells, None)
        drawn = scenes.draw_results(["r$x$.vtu"], None, 700)(0)
        kinds = {type(shapes).__name__ for shapes in drawn.axes.collections if len(shapes.get_paths()) > 0}
        check(what, "PolyCollection" in kinds, flat)
        check("their height", drawn.height > 600, not flat)
        check("signs of names", {"r$x$.vtu", "a$b$"} <= set(texts(save(drawn, "r.svg"))))
    scenes.read_vtu = vtu.read_vtu
    open("bad.vtu", "w").write("<VTKFile/>")
    refuse("bad.vtu: not a .vtu file of results", "bad.vtu")
    open("bad.pvd", "w").write("<VTKFile/>")
    refuse("bad.pvd: it lists no files", "bad.pvd")


def test_time():
    """Of a program with a physical time: pictures, and what the module reads of the same states in each format."""
    np.save("conductivity.npy", np.full(63, 0.5))
    for ending in ("pvd", "csv"):
        good("examples/material", "--generate=hex:9x7", "--steps=5", "--dt=0.03", "--input=conductivity.npy", "--quiet",
             f"--output=plate.{ending}", "--output-every=2")
    states = penumbra.read_pvd("plate.pvd")
    check("times", [f"{time:.6g}" for time, _ in states], ["0", "0.06", "0.12", "0.15"])
    for time, path in states:
        results, table = penumbra.read_vtu(path), penumbra.read_csv(path.replace(".vtu", ".csv"))
        check(f"the time of {path}", (results.time, table["t"].tolist()), (time, 63 * [time]))
        check("its columns", {name: results.columns[name].tolist() for name in ("temperature", "conductivity")},
              {name: table[name].tolist() for name in ("temperature", "conductivity")})
    draw_file("plate-000002.vtu", "p.svg", {"size": "300"})
    check("a picture", "temperature" in texts(xml.parse("p.svg").getroot()))
    draw_file("plate.pvd", "p-{frame}.svg", {"size": "300"})
    check("pictures", [n for n in sorted(os.listdir(".")) if n.startswith("p-")], [f"p-{k:04}.svg" for k in range(4)])


main(test_battle, test_shock, test_bodies, test_results, test_time)
