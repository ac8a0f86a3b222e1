#!/usr/bin/env python3
"""pen_draw_test.py BIN SOURCES - what pen-draw draws of graphs and machines is what files say: pixels of pictures,
texts and shapes of SVG, and what is known of a picture before it is written. 77 where there is no matplotlib."""
import contextlib
import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

from pictures import BIN, DARK, GREY, PALETTE, SVG, check, colour, draw_file, good, main, np, penumbra, refuse, run
from pictures import save, texts, to_hex
from penumbra import canvas, drawing, machines, palette
from penumbra.values import read_values

# ---- Graphs ----------------------------------------------------------------------------------------------------------


def grid(wide, high, dimensions, strip, kind="", **more):
    """A mesh whose parts are strips; in three dimensions an upright sheet."""
    x, y = np.arange(wide * high) % wide, np.arange(wide * high) // wide
    rows, columns = [], []
    for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        there = (0 <= x + dx) & (x + dx < wide) & (0 <= y + dy) & (y + dy < high)
        rows.append(np.flatnonzero(there))
        columns.append(rows[-1] + dx + dy * wide)
    rows, columns = np.concatenate(rows), np.concatenate(columns)
    order = np.lexsort((columns, rows))
    places = {1: (x + 0.0 * y,), 2: (x, y), 3: (x, 0 * x, y)}[dimensions]
    graph = penumbra.Graph(np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=wide * high)))), columns[order],
                           np.arange(wide * high), coordinates=np.column_stack(places).astype(float), grid=kind,
                           shape=(wide, high, 1) if kind else None)
    return graph, (x // strip + (wide + strip - 1) // strip * (y // strip)).astype(int)


def test_lines():
    """41 x 21 nodes, 1000 pixels: a margin of 20, 24 from node to node, the first row at the bottom."""
    graph, parts = grid(41, 21, 2, 11)
    image = save(drawing.Picture(graph, "g", 1000, parts=parts).canvas)
    check("wide and high", (image.shape[1], 520 <= image.shape[0] < 600), (1000, True))
    wrong = [u for u in range(861) if colour(image[500 - u // 41 * 24, 20 + u % 41 * 24]) != PALETTE[parts[u]]]
    check("nodes of another colour", wrong, [])
    check("a cut", {colour(image[500 - y * 24, 20 + 10 * 24 + 12]) for y in range(21)}, {DARK})
    check("between edges, on an edge", (colour(image[32, 32]), colour(image[20, 32]) != "#ffffff"), ("#ffffff", True))
    again = save(drawing.Picture(graph, "g", 1000, parts=parts).canvas, "again.png")
    check("the same again", np.array_equal(image, again))
    graph, parts = grid(41, 21, 2, 21)
    image = save(drawing.Picture(graph, "g", 1000, (30.0, 15.0, 20.0, 10.0), parts).canvas)
    check("a window", [colour(image[500, x]) for x in (20 + 5 * 96, 20 + 48)], [PALETTE[1], DARK])


SHADES = np.array([[int(code[i:i + 2], 16) for i in (1, 3, 5)] for code in map(to_hex, map(canvas.VALUES, range(256)))])


def place(code):
    """On the map, 0 to 1."""
    apart = abs(SHADES - [int(code[i:i + 2], 16) for i in (1, 3, 5)]).sum(1)
    check(f"{code} is on the map", apart.min() <= 3)
    return apart.argmin() / 255


def check_values(what, found, expected):
    """Colours of nodes: places on the map, None where there is no value."""
    wrong = [u for u, (code, at) in enumerate(zip(found, expected))
             if (code != GREY if at is None else code == GREY or abs(place(code) - at) > 0.006)]
    check(what + ": nodes of wrong colours", (wrong, len(found)), ([], len(expected)))


def dots_of(picture):
    """The colours of dots."""
    styles = [dot.get("style") or "" for group in picture.iter(SVG + "g") if "PathCollection" in (group.get("id") or "")
              for dot in group.iter() if dot.tag in (SVG + "use", SVG + "path")]
    return [found[1] for found in (re.search("fill: (#[0-9a-f]*)", style) for style in styles) if found]


def drawn_values(path, **given):
    """The nodes' colours, and the picture."""
    draw_file(path, "v.svg", {"size": "1000", **given})
    picture = xml.parse("v.svg").getroot()
    shapes = [re.search("fill: (#[0-9a-f]*)", p.get("style") or "")[1]
              for group in picture.iter(SVG + "g") if "PolyCollection" in (group.get("id") or "")
              for p in group.iter(SVG + "path")]
    return shapes or dots_of(picture), picture


def test_values():
    good("pen-graph", "make", "hex:12x9,coordinates", "-o", "h.pen")
    good("pen-graph", "make", "mesh:6x5,coordinates", "-o", "m.pen")
    good("pen-graph", "make", "geometric:nodes=300,degree=7,coordinates", "-o", "g.pen")
    np.save("h.npy", np.arange(108.0))
    found, picture = drawn_values("h.pen", values="h.npy")
    check_values("hexagons", found, [u / 107 for u in range(108)])
    check("ends", [t for t in texts(picture) if t in ("0", "107")], ["0", "107"])
    cells = drawing.Picture(penumbra.read_graph("h.pen"), "h", 1000, bar=(0, 1))
    check("six corners, all within the picture", (cells.corners.shape[1:], cells.corners.min() > 19, bool(np.all(
        cells.corners < (cells.canvas.width - 19, cells.canvas.height - 19)))), ((6, 2), True, True))
    check("larger ones are lighter", bool(np.all(np.diff(SHADES @ (0.2126, 0.7152, 0.0722)) > -0.5)))
    # a column of an array; values beyond the range, and such as are none
    np.save("m.npy", np.array([(-u, 100 + u, 7) for u in range(30)], "<i4"))
    check_values("squares", drawn_values("m.pen", values="m.npy:1")[0], [u / 29 for u in range(30)])
    check_values("a range", drawn_values("m.pen", values="m.npy:1", range="105:115")[0],
                 [min(max((u - 5) / 10, 0), 1) for u in range(30)])
    check_values("one value", drawn_values("m.pen", values="m.npy:2")[0], 30 * [0.5])
    np.save("strange.npy", [math.nan, math.inf, -math.inf, 2.0, 4.0] + 25 * [3.0])
    found, picture = drawn_values("m.pen", values="strange.npy")
    check_values("infinite ones", found, [None, 1, 0, 0, 1] + 25 * [0.5])
    check("words", [t for t in texts(picture) if t in ("no value", "2", "4")], ["no value", "2", "4"])
    np.save("none.npy", np.full(30, math.nan))
    check_values("none at all", drawn_values("m.pen", values="none.npy")[0], 30 * [None])
    # a table whose rows are named by gids in any order, and not all there; a dump; gids in another order than nodes
    open("order.csv", "w").write("value\n" + "".join(f"{u}\n" for u in range(300)))
    whole = drawn_values("g.pen", values="order.csv")[0]
    check_values("dots", whole, [u / 299 for u in range(300)])
    open("gids.csv", "w").write("x,gid,a b\n" + "".join(f'text,{u},"{u}"\n' for u in reversed(range(300))))
    large = np.array([5, 2**63 - 1])
    open("large.csv", "w").write(f"gid,v\n{large[1]},2\n5,1\n")
    check("large gids", read_values("large.csv", None, large).tolist(), [1, 2])
    for head in "\ufeffgid,V", "GID,v", "v,gid ":
        open("heads.csv", "w").write(f"{head}\n" + "".join(f"{u},{u}\n" for u in reversed(range(9))))
        for column in "v", None:
            check(head, read_values("heads.csv", column, np.arange(9)).tolist(), list(range(9)))
    open("heads.csv", "w").write("T,t\n1,2\n")
    check("cases", [read_values("heads.csv", name, np.arange(1)).tolist() for name in ("T", "t")], [[1], [2]])
    open("dump", "w").write("".join(f"{u} name\t{u}\n" for u in range(300)))
    for values in "gids.csv:a b", "dump:2":
        check(values, drawn_values("g.pen", values=values)[0] == whole)
    open("some.csv", "w").write("gid,v\n0,0\n7,\n299,299\n" + "".join(f"{u},{u}\n" for u in range(10, 290)))
    check_values("some", drawn_values("g.pen", values="some.csv")[0],
                 [u / 299 if u in (0, 299) or 10 <= u < 290 else None for u in range(300)])
    open("l.grf", "w").write("0\n3 4\n0 100\n30 1 20\n10 1 20\n20 2 30 10\n")
    open("l.xyz", "w").write("2\n3\n30 3 0\n10 1 0\n20 2 0\n")
    np.save("l.npy", [10.0, 20.0, 30.0])
    check_values("gids in disorder", drawn_values("l.grf", coords="l.xyz", values="l.npy")[0], [1, 0, 0.5])
    open("l.map", "w").write("3\n30 1\n10 0\n20 2\n")
    draw_file("l.grf", "v.svg", {"coords": "l.xyz", "part": "l.map"})
    *_, dots = (g for g in xml.parse("v.svg").getroot().iter(SVG + "g") if "PathCollection" in (g.get("id") or ""))
    colours = sorted((float(dot.get("d").split()[1]), re.search("stroke: (#[0-9a-f]*)", dot.get("style"))[1])
                     for dot in dots.iter(SVG + "path"))
    check("parts by gid, from left to right", [code for _, code in colours], [PALETTE[p] for p in (0, 2, 1)])


def test_series():
    """A picture that moves, with one range for all of it; a series; a choice among several."""
    os.mkdir("out")
    for step in (100, 20, 3, 1000):
        np.save(f"out/heat-flow-{step}.npy", np.arange(108.0) + step)
    open("out/README", "w").write("no frame\n")
    draw_file("h.pen", "part-{frame}.svg", {"values": "out"})
    check("a series", sorted(n for n in os.listdir(".") if n.startswith("part-")),
          [f"part-{k:04}.svg" for k in range(4)])
    for k, step in enumerate((3, 20, 100, 1000)):
        picture = xml.parse(f"part-{k:04}.svg").getroot()
        check("the name of a state", f"heat-flow-{step}.npy" in texts(picture))
        codes = [re.search("fill: (#[0-9a-f]*)", p.get("style"))[1] for g in picture.iter(SVG + "g")
                 if "PolyCollection" in (g.get("id") or "") for p in g.iter(SVG + "path")]
        check_values(f"state {k}", codes, [(step + u - 3) / 1104 for u in range(108)])
    draw_file("h.pen", "out.gif", {"values": "out/*flow*:0", "size": "200"})
    from PIL import Image
    with Image.open("out.gif") as moving:
        check("frames, their time, and for ever",
              (moving.n_frames, moving.info["duration"], moving.info.get("loop")), (4, 200, 0))
    os.rename("out", "out[1]:?")
    draw_file("h.pen", "out.gif", {"values": "out[1]:?/*flow*", "size": "200"})
    os.rename("out[1]:?", "out")
    with Image.open("out.gif") as moving:
        check("frames of a pattern with signs", moving.n_frames, 4)

    def cut(k):
        if k > 0:
            raise penumbra.Error("cut")
        return canvas.Canvas(100, 100, 7)

    with contextlib.suppress(penumbra.Error):
        canvas.save("new{frame}.svg", 2, cut)
    check("what is left of a series without its second state", [n for n in os.listdir(".") if n.startswith("new")], [])
    np.save("out/heat-other-000001.npy", np.ones(108))
    refuse("it has several series", "h.pen", values="out")
    refuse("can only be a .gif", "h.pen", values="out/*flow*")
    refuse("new{frame}.gif: all states are in one .gif", "h.pen", "new{frame}.gif", values="out/*flow*")
    np.save("out/heat-flow-000021.npy", np.ones(107))
    refuse("107 rows", "h.pen", "new{frame}.svg", values="out/*flow*")


def test_areas():
    graph, parts = grid(200, 200, 2, 100, "squares")
    image = save(drawing.Picture(graph, "g", 500, parts=parts).canvas)[10:490, 10:490].reshape(-1, 3)
    of = {colour(c): n for c, n in zip(*np.unique(image, axis=0, return_counts=True))}
    check("white", of.get("#ffffff", 0), 0)
    check("parts", [230 * 230 < of.get(PALETTE[p], 0) <= 240 * 240 for p in range(4)], 4 * [True])
    values = drawing.Picture(graph, "g", 1000, bar=(0, 39999))
    image = save(values.show(np.arange(40000.0)))
    check_values("values in areas",
                 [colour(image[int(20 + (199 - y) * 960 / 199), int(20 + x * 960 / 199)]) for y in range(1, 199, 7)
                  for x in range(1, 199, 7)],
                 [(200 * y + x) / 39999 for y in range(1, 199, 7) for x in range(1, 199, 7)])
    for path, mark in (("large.svg", b"data:image/png;base64,"), ("large.pdf", b"/Subtype /Image")):
        save(values.canvas, path)
        check(f"{path} is an image", mark in open(path, "rb").read())
    # of two upright sheets the second one, behind the first one, is seen beside and above it only
    graph, parts = grid(200, 200, 3, 100)
    u = np.arange(40000)
    graph.coordinates = np.column_stack((u % 200, np.where(u < 20000, 0, 40), u // 200 % 100)).astype(float)
    drawn = drawing.Picture(graph, "g", 1000, parts=parts)
    image, at = save(drawn.canvas), drawn.at.astype(int)
    some = u[(u < 19600) & (u > 400) & (u % 200 > 40) & (u % 100 > 2) & (u % 100 < 98)]
    check("what is in front", [v for v in some if colour(image[at[v, 1], at[v, 0]]) != PALETTE[parts[v]]], [])
    check("what is behind", colour(image[at[200 * 199 + 50, 1], at[200 * 199 + 50, 0]]), PALETTE[2])
    # edges that are long on paper
    graph, parts = grid(200, 200, 2, 200)
    graph.coordinates = np.column_stack((u * 7919 % 40009, u * 104729 % 39989)).astype(float)
    drawn = drawing.Picture(graph, "g", 500, parts=parts)
    lines = [len(path.vertices) // 2 for c in drawn.canvas.axes.collections for path in c.get_paths()]
    check("lines", sum(lines) < 100000)
    check("what is said of it", any("long edges left out" in text for text in texts(save(drawn.canvas, "d.svg"))))


def test_colours():
    graph, parts = grid(200, 200, 2, 10)
    drawn = drawing.Picture(graph, "g", 500, parts=parts)
    one, other = parts[drawn.rows], parts[drawn.columns]
    apart = one != other
    alike = np.all(drawn.colours[one] == drawn.colours[other], axis=1)
    check("neighbours of one colour", bool((alike & apart).any()), False)
    graph, parts = grid(40, 20, 2, 10)
    drawn = drawing.Picture(graph, "<a & \"b\"> \x01r\xf6hre", 500, parts=parts)
    check("colours", len(np.unique(drawn.colours, axis=0)), 8)
    said = texts(save(drawn.canvas, "d.svg"))
    check("caption", said[1:], ["800 nodes", "1540 edges", "8 parts", "cut 100", *map(str, range(8))])
    check("title", said[0], "<a & \"b\"> ?r\xf6hre")
    drawn = drawing.Picture(graph, "$a$", 500, bar=(0, 1))
    drawn.canvas.text(9, 9, "$b$")
    said = texts(save(drawn.show(np.zeros(800), "$c\n\x01\udcff$"), "d.svg"))
    check("signs of names", [text for text in said if "$" in text], ["$b$", "$a$", "$c???$"])
    drawn = drawing.Picture(graph, "far apart", 500, parts=np.where(parts == 3, 2**31 - 2, parts))
    said = texts(save(drawn.canvas, "d.svg"))
    check("parts far apart", (len(np.unique(drawn.colours, axis=0)), "2147483647 parts" in said), (8, True))


def test_files():
    """Pictures are whole, the same at any time, and of grids whether the file says the places or not."""
    good("pen-graph", "part", "g.pen", "5", "-o", "g.map")
    for ending, begin, mark in ((".svg", b"<?xml", b"</svg>"), (".pdf", b"%PDF-", b"%%EOF"),
                                (".png", b"\x89PNG\r\n", b"IEND")):
        found = []
        for k in range(2):
            draw_file("g.pen", "f" + ending, {"part": "g.map"})
            found.append(open("f" + ending, "rb").read())
        check(f"{ending} begins, ends, is the same, and has no date", (
            found[0].startswith(begin), mark in found[0][-40:], found[0] == found[1], b"CreationDate" in found[0]),
            (True, True, True, False))
    cut = re.search("cut (\\d+)", subprocess.run([os.path.join(BIN, "pen-graph"), "info", "g.pen", "--part=g.map"],
                                                capture_output=True, text=True, check=False).stdout)[1]
    draw_file("g.pen", "f.svg", {"part": "g.map"})
    check("the cut", {"300 nodes", f"cut {cut}"} <= set(texts(xml.parse("f.svg").getroot())))
    os.mkdir("said")
    for kind in "hex:7x4", "mesh:5x6", "mesh:3x4x2", "torus:5x4":
        good("pen-graph", "make", kind, "-o", "grid.pen")
        good("pen-graph", "make", kind + ",coordinates", "-o", "said/grid.pen")
        draw_file("grid.pen", "grid.svg", {})
        draw_file("said/grid.pen", "said/grid.svg", {})
        check(kind, open("grid.svg").read() == open("said/grid.svg").read())
    good("pen-graph", "convert", "g.pen", "g.graph", "--lossy", "--coords-to=g.xyz", "--quiet")
    open("g.part", "w").write("".join(f"{u % 3}\n" for u in range(300)))
    os.mkdir("settings")
    open("settings/matplotlibrc", "w").write("font.family: monospace\naxes.edgecolor: red\nlines.linestyle: :\n")
    for folder in ".", "settings":
        os.environ["MATPLOTLIBRC"] = folder
        good("pen-draw", "g.graph", "--coords=g.xyz", "--part=g.part", "-o", f"{folder}/f.svg", "--size=800")
    del os.environ["MATPLOTLIBRC"]
    os.rename("g.graph", "-g.graph")
    good("pen-draw", "--coords=g.xyz", "-o", "dash.svg", "--", "-g.graph")
    os.rename("-g.graph", "g.graph")
    check("the user's settings", open("f.svg").read() == open("settings/f.svg").read())


def test_degenerate():
    for dimensions in 1, 2, 3:
        for wide, high, places in ((1, 1, [-1e300]), (9, 7, None), (9, 7, [0.0, 5e-324, 1e-323]), (200, 150, None),
                                   (200, 150, [1.0])):
            graph, _ = grid(wide, high, dimensions, 2)
            if places:
                graph.coordinates = np.resize(places, graph.coordinates.shape)
            save(drawing.Picture(graph, "g", 300).canvas)
    for wrong in math.inf, -math.inf, math.nan, 1.7e308:
        graph, _ = grid(3, 3, 2, 1)
        graph.coordinates[0, 0], graph.coordinates[5] = -1.7e308, wrong
        try:
            drawing.Picture(graph, "g", 300)
            check(f"{wrong}", "no mistake", "one")
        except penumbra.Error as why:
            check(f"{wrong}: {why}", "must be finite" in str(why))
    graph, _ = grid(3, 3, 2, 1)
    graph.offsets, graph.targets = np.zeros(10, int), np.empty(0, int)
    save(drawing.Picture(graph, "g", 300).canvas)


def test_mistakes():
    def table(text, sentence, column=""):
        open("bad.csv", "w").write(text)
        refuse("bad.csv" + sentence, "m.pen", values="bad.csv" + column)
    rows = "".join(f"{u},1\n" for u in range(30))
    table("gid,v\n" + rows + "30,1\n", ":32: node 30 is not in the graph")
    table("gid,v\n" + rows + "7,1\n", ":32: node 7 has a value already")
    table("gid,v\n1,2\n2,warm\n", ":3: a value must be a number, not 'warm'")
    table("gid,v\none,2\n", ":2: a gid must be an integer, not 'one'")
    table("gid,v\n1,2,3\n", ":2: 3 fields, the header has 2")
    table("gid,v,w\n1,2,3\n", ":1: which column? There are gid, v, w: --values=FILE:NAME")
    table("gid,v\n1,2\n", ":1: there is no column 'x'; there are gid, v", ":x")
    table("v\n" + 29 * "1\n", ": 29 rows, but the graph has 30 nodes")
    table("v\n" + 31 * "1\n", ": 31 rows, but the graph has 30 nodes")
    table("", ":1: the file has no header")
    table("v\n\"1\n", ": unexpected end of data")
    open("bad", "w").write("0 1 2\n1 2\n")
    refuse("bad:2: there is no column 2", "m.pen", values="bad:2")
    refuse("bad: column '0' of a dump, must be a number from 1", "m.pen", values="bad:0")
    open("bad", "w").write("0 1\n-1 2\n")
    refuse("bad:2:", "m.pen", values="bad")
    np.save("short.npy", np.ones(29))
    refuse("short.npy: 29 rows, but the graph has 30 nodes", "m.pen", values="short.npy")
    refuse("m.npy: which of the 3 columns?", "m.pen", values="m.npy")
    refuse("m.npy: there is no column '3', they are 0 to 2", "m.pen", values="m.npy:3")
    open("cut.npy", "wb").write(open("m.npy", "rb").read()[:-4])
    refuse("cut.npy: ", "m.pen", values="cut.npy:1")
    refuse("no file matches nothing*", "m.pen", values="nothing*")
    os.mkdir("empty")
    refuse("empty: it has no files numbered like", "m.pen", values="empty")
    for text in "2:1", "2", "1:x", "1:inf":
        refuse(f"--range={text}: must be", "m.pen", values="m.npy:1", range=text)
    refuse("--range needs --values", "m.pen", range="1:2")
    refuse("either --part or --values", "m.pen", values="m.npy:1", part="m.npy")
    open("short.part", "w").write(29 * "0\n")
    refuse("short.part: its 29 nodes are not the 30 nodes of the graph", "m.pen", part="short.part")
    open("short.part", "w").write(29 * "0\n" + "2147483647\n")
    refuse("short.part: part 2147483647, must be at most 2147483646", "m.pen", part="short.part")
    refuse("give --coords=FILE", "g.graph")
    refuse("end in .svg, .png, .pdf or .gif", "m.pen", "new.eps")
    refuse("missing output", "m.pen", None)
    for text in "1,2,3", "1,2,3,4,5", "1,2,3,x":
        refuse(f"--window={text}: must be X0,Y0,X1,Y1, numbers", "m.pen", window=text)
    refuse("--window=1,2,3,2 is empty", "m.pen", window="1,2,3,2")
    for text in "-1e308,0,1e308,1", "0,-1e308,1,1e308":
        refuse(f"--window={text.replace('e', 'e+')} is too large", "m.pen", window=text)
    for text in ":", ":0":
        refuse(f"--values={text}: the file's name is missing", "m.pen", values=text)
    refuse("--size=50: must be from 100 to 20000", "m.pen", size="50")
    refuse("nof", "m.pen", **{"from": "nof"})
    refuse("give either the file m.pen or --machine=flat:3", "m.pen", machine="flat:3")
    refuse("missing FILE: give", None)
    refuse("apply to graphs", None, machine="flat:3", part="g.map")
    refuse("apply to graphs", None, machine="flat:3", values="m.npy:1")
    refuse("--parts=3 needs a machine", "m.pen", parts="3")
    refuse("2048 processors, at most 1024 can be drawn", None, machine="flat:2048")
    refuse("65 clusters, at most 64", None, machine="clusters:65", parts="130")
    refuse("did you mean torus", None, machine="torsu:3")
    for words, text in ((["m.pen"], "missing output"),
                        (["nowhere.pen", "-o", "new.png"], "cannot read nowhere.pen: No such"),
                        (["m.pen", "--sise=3", "-o", "new.png"], "unknown option --sise"),
                        (["m.pen", "--size", "-o", "new.png"], "--size needs its value"),
                        (["m.pen", "h.pen", "-o", "new.png"], "unexpected argument h.pen"),
                        (["m.pen", "-o", "no/new.png"], "cannot write no/new.png: No such")):
        found, said = run("pen-draw", *words)
        check(f"{words}: {said}", (found, said.startswith("pen-draw: ") and text in said, said.count("\n")),
              (2, True, 1))
    os.mkdir("hollow")
    open("hollow/matplotlib.py", "w").write("raise ImportError('hollow')\n")
    done = subprocess.run([sys.executable, os.path.join(BIN, "pen-draw"), "m.pen", "-o", "new.png"], check=False,
                          env={**os.environ, "PYTHONPATH": "hollow"}, capture_output=True, text=True)
    check(f"without matplotlib: {done.stderr}",
          (done.returncode, done.stderr.count("\n"), "python3-matplotlib" in done.stderr), (3, 1, True))


# ---- Machines --------------------------------------------------------------------------------------------------------

LAB = "processors 6\ncluster fast 4 speed=4\ncluster slow 2 cost=2\nlink fast slow cost=9,latency=5\n"


def machine_of(spec, parts=0):
    name = "x.machine" if "\n" in spec else spec
    if "\n" in spec:
        open(name, "w").write(spec)
    words = ["--machine=" + ("./" if "\n" in spec else "") + name, *([f"--parts={parts}"] if parts else [])]
    return json.loads(subprocess.run([os.path.join(BIN, "pen-graph"), "info", "--json", *words],
                                     capture_output=True, text=True, check=True).stdout)


def test_machines():
    machine = machine_of(LAB)
    drawn, sketch = machines.draw_machine(machine, "lab", 1000), machines.Sketch(machine)
    image, picture = save(drawn), save(drawn, "m.svg")
    dots = [c for c in drawn.axes.collections if type(c).__name__ == "EllipseCollection"]
    offsets = [np.array(c.get_offsets()) for c in dots]
    groups, processors = offsets[0], offsets[-1]
    spot = lambda at, dx=0, dy=0: colour(image[int(at[1] + dy), int(at[0] + dx)])
    sizes = 2 * dots[-1]._widths
    check("areas are as speeds", abs(sizes[0] - 2 * sizes[4]) < 1e-9)
    check("a fast one, a slow one", (spot(processors[0], 0.4 * sizes[0]), spot(processors[4], 0.4 * sizes[4])),
          (PALETTE[1], PALETTE[0]))
    radius = dots[0]._widths[0]
    check("clusters", [spot(at, 0, -0.9 * radius) for at in groups], 2 * [palette.PALE])
    middle = groups.mean(0)
    check("a link, and beside it", (spot(middle), spot(middle, 0, 50)), (DARK, "#ffffff"))
    where = {text.get_text(): text for text in drawn.axes.texts}
    check("below", where["fast: processors 0-3"].get_position()[1] > groups[0][1] + radius)
    check("in the middle", where["within: cost 2"].get_position()[0], groups[1][0])
    check("texts", {"every link: cost 9, latency 5", "speed 1", "speed 4", "6 processors"} <= set(texts(picture)))
    for spec, between, others, switches in (
            ("torus:4x3", 3 * 3 + 4 * 2, 2 * (3 + 4), 0), ("torus:4x3x2", 2 * (3 * 3 + 4 * 2) + 12, 4 * (3 + 4), 0),
            ("torus:5", 5, 0, 0), ("torus:1x1", 0, 0, 0), ("hypercube:5", 80, 0, 0), ("tree:2x3x4", 0, 2 + 6, 3),
            ("tree:7", 0, 0, 0), (LAB, 0, 1, 0),
            ("processors 3\ncluster a 1\ncluster b 1\ncluster c 1\nlink a b cost=0.1\nlink b c cost=0.2\n", 0, 2, 0),
            ("processors 3\ncluster a 1\ncluster b 1\ncluster c 1\nlink a b\nlink b c\nlink a c\n", 0, 3, 0)):
        sketch = machines.Sketch(machine_of(spec))
        n = len(sketch.speeds)
        inside = sum(a < n and b < n for a, b, _ in sketch.lines)
        check(f"{spec}: lines between processors, others, switches",
              (inside, len(sketch.lines) - inside, len(sketch.switches)), (between, others, switches))
    check("a part of a torus", len(machines.Sketch(machine_of("torus:4x3", 10)).lines),
          (3 + 3 + 1 + 2 * 2 + 2) + 2 * (2 + 2))
    drawn = machines.draw_machine(machine_of(
        "processors 3\ncluster a 1\ncluster b 1\ncluster c 1\nlink a b cost=2\nlink b c cost=7\n"), "lab", 1000)
    lines = next(c for c in drawn.axes.collections if type(c).__name__ == "PathCollection")
    is_flat = [bool(np.ptp(path.vertices[:, 1]) < 1) for path in lines.get_paths()] # the dear one is
    widths = dict(zip(is_flat, lines.get_linewidths()))
    check("cheap ones are wide", widths[False] > 4 * widths[True])
    check("dear", {"cost 7", "links: cost 2 (wide) to 7 (thin)"} <= set(texts(save(drawn, "m.svg"))))


def test_room():
    """No text lies on other text, or leaves the picture; processors do not touch each other."""
    for spec, parts in (("clusters:5,kind=UP,between=4", 40), ("clusters:24,kind=DN", 512), ("clusters:64", 1024),
                        ("flat:100,speeds=1:2:3:4:5:6:7:8:9", 0), ("flat:1", 0), ("torus:32x32", 0),
                        ("torus:3x3x3,speeds=1:100", 0), ("hypercube:7", 0), ("tree:3x2x4,costs=30:7:1,latency=2", 0),
                        ("tree:16x4", 0), ("tree:2x2x2x2x2x2x2", 0), (LAB, 0)):
        drawn = machines.draw_machine(machine_of(spec, parts), "lab", 1000)
        figure = drawn.figure
        figure.canvas.draw()
        height = figure.bbox.height
        check(f"{spec}: its size", drawn.width <= 1000 and drawn.height <= 1000.5 and height < 1200)
        boxes = [text.get_window_extent() for axes in figure.axes for text in axes.texts
                 if text.get_text() and not text.get_path_effects()]
        check(f"{spec}: texts beyond the picture",
              [b for b in boxes if b.x0 < 0 or b.x1 > figure.bbox.width + 0.5 or b.y0 < 0 or b.y1 > height], [])
        shrunk = [b.shrunk(0.98, 0.98) for b in boxes]
        check(f"{spec}: texts on others",
              [(a, b) for i, a in enumerate(shrunk) for b in shrunk[:i] if a.overlaps(b)], [])
        dots = drawn.axes.collections[-1]
        at, radius = np.array(dots.get_offsets()), dots._widths
        apart = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1)) + 1e9 * np.eye(len(at))
        check(f"{spec}: processors touch", bool((apart < radius[:, None] + radius[None]).any()), False)


def test_inputs():
    """No picture replaces a file that is drawn."""
    good("pen-graph", "make", "hex:4x3", "-o", "cells.graph")
    good("pen-graph", "make", "hex:4x3,coordinates", "-o", "cells.pen")
    np.savetxt("cells.xy", np.arange(24.0).reshape(12, 2))
    np.save("cells.npy", np.arange(12.0))
    open("cells.part", "w").write(12 * "0\n")
    open("cells.machine", "w").write(LAB)
    for name, words in (("cells.pen", ()), ("cells.graph", ("--coords=cells.xy",)),
                        ("cells.npy", ("--values=cells.npy",)),
                        ("cells.xy", ("--coords=cells.xy",)), ("cells.part", ("--part=cells.part",)),
                        ("cells.machine", ())):
        kept = open(name, "rb").read()
        os.link(name, "same.png")
        drawn = name if not words else "cells.graph" if "--coords=cells.xy" in words else "cells.pen"
        check(name, run("pen-draw", drawn, *words, "-o", "same.png"),
              (2, f"pen-draw: {name} and same.png are the same file, which would be replaced: give the output another "
                  "name\n"))
        check(f"{name} is kept", (os.path.samefile(name, "same.png"), open(name, "rb").read() == kept), (True, True))
        os.unlink("same.png")


main(test_lines, test_values, test_series, test_areas, test_colours, test_files, test_degenerate, test_mistakes,
     test_machines, test_room, test_inputs)
