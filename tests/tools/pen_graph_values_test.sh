#!/bin/sh
# pen-graph draw --values, as an XML parser and another way to Oklab see its pictures.
# Usage: pen_graph_values_test.sh PEN-GRAPH; silent on success, 77 where there is no python3.
tool=$1
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}"
command -v python3 >/dev/null || {
    echo "skipped: no python3 to read pictures with" >&2
    exit 77
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
python3 - "$tool" <<'END_OF_PYTHON'
import math, os, re, struct, subprocess, sys
import xml.etree.ElementTree as xml

TOOL, SVG = sys.argv[1], "{http://www.w3.org/2000/svg}"
GREY = "#999999"

def tool(*words): return subprocess.run([TOOL, *words], capture_output=True, text=True)
def run(*words):
    done = tool(*words)
    assert done.returncode == 0, (words, done)
def refuse(text, *words):
    done = tool("draw", *words)
    assert done.returncode == 2 and text in done.stderr and done.stderr.count("\n") == 1, (words, text, done)
    left = [name for name in os.listdir(".") if name.startswith("new")]
    assert not left, (words, left)
def draw(*words):
    run("draw", *words, "-o", "drawn.svg", "--size=1000")
    return xml.parse("drawn.svg").getroot()

def save(path, values, columns=1, kind="<f8", code="d"):
    shape = f"({len(values) // columns}, {columns})" if columns > 1 else f"({len(values)},)"
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (53 - len(header) % 64 + 64) + b"\n"
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header +
                           struct.pack(f"<{len(values)}{code}", *values))

def oklab(colour):
    """Of a colour of sRGB, forwards: the drawing program goes back."""
    light = [c / 255 for c in bytes.fromhex(colour[1:])]
    light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in light]
    dot = lambda row, v: sum(a * b for a, b in zip(row, v))
    lms = [dot(row, light) ** (1 / 3) for row in ((0.4122214708, 0.5363325363, 0.0514459929),
           (0.2119034982, 0.6806995451, 0.1073969566), (0.0883024619, 0.2817188376, 0.6299787005))]
    return [dot(row, lms) for row in ((0.2104542553, 0.7936177850, -0.0040720468),
            (1.9779984951, -2.4285922050, 0.4505937099), (0.0259040371, 0.7827717662, -0.8086757660))]
def place(colour):
    """On the map, 0 to 1, by its lightness; hue and chroma must be those of the place."""
    light, a, b = oklab(colour)
    at = (light - 0.25) / 0.68
    assert abs(math.hypot(a, b) - 0.1) < 0.01, colour
    assert abs((math.degrees(math.atan2(b, a)) - (325 - 225 * at) + 180) % 360 - 180) < 4, colour
    return at

def cells(group):
    """(colour, corners) of the cells in a frame, from below, row by row from left to right: as grids have nodes"""
    found = []
    for path in group.iter(SVG + "path"):
        if path.get("fill") is None: continue
        for cell in path.get("d").split("z")[:-1]:
            numbers = [[int(n) for n in step.split()] for step in re.split("[Ml]", cell)[1:]]
            for k in range(1, len(numbers)): numbers[k] = [a + b for a, b in zip(numbers[k - 1], numbers[k])]
            found.append((path.get("fill"), numbers))
    middle = lambda cell, k: sum(at[k] for at in cell[1]) / len(cell[1])
    return sorted(found, key=lambda cell: (-round(middle(cell, 1) / 20), middle(cell, 0)))
def texts(picture): return [text.text for text in picture.iter(SVG + "text")]
def near(a, b): return abs(a - b) < 0.005

# ---- A grid of hexagons: 12 x 9 cells, each of its node's colour, all of them within the picture
run("make", "hex:12x9,coordinates", "-o", "h.pen")
save("h.npy", [float(u) for u in range(108)])
picture = draw("h.pen", "--values=h.npy")
hexes = cells(picture)
assert len(hexes) == 108 and all(len(corners) == 6 for colour, corners in hexes), len(hexes)
for u, (colour, corners) in enumerate(hexes): assert near(place(colour), u / 107), (u, colour)
edge = [10 * float(picture.get(name)) for name in ("width", "height")]
for colour, corners in hexes: assert all(0 <= at[k] <= edge[k] for at in corners for k in (0, 1)), corners
assert texts(picture)[-2:] == ["0", "107"], texts(picture)
stops = [stop.get("stop-color") for stop in picture.iter(SVG + "stop")]
assert near(place(stops[0]), 0) and near(place(stops[16]), 0.5) and near(place(stops[-1]), 1), stops
lights = [oklab(stop) for stop in stops]
steps = [math.dist(a, b) for a, b in zip(lights, lights[1:])]
assert max(steps) < 1.2 * min(steps), steps

# ---- Squares, a column of an array; whole numbers; values beyond the range, and such as are none
run("make", "mesh:6x5,coordinates", "-o", "m.pen")
save("m.npy", [x for u in range(30) for x in (-u, 100 + u, 7)], 3, "<i4", "i")
for u, (colour, corners) in enumerate(cells(draw("m.pen", "--values=m.npy:1"))):
    assert len(corners) == 4 and near(place(colour), u / 29), (u, colour)
for u, (colour, corners) in enumerate(cells(draw("m.pen", "--values=m.npy:1", "--range=105:115"))):
    assert near(place(colour), min(max((u - 5) / 10, 0), 1)), (u, colour)
assert {near(place(colour), 0.5) for colour, corners in cells(draw("m.pen", "--values=m.npy:2"))} == {True}
save("strange.npy", [math.nan, math.inf, -math.inf, 2.0, 4.0] + 25 * [3.0])
picture = draw("m.pen", "--values=strange.npy")
strange = [colour for colour, corners in cells(picture)]
assert strange[0] == GREY and [round(2 * place(c)) for c in strange[1:6]] == [2, 0, 0, 2, 1], strange
assert "no value" in texts(picture) and texts(picture)[-2:] == ["2", "4"], texts(picture)
save("none.npy", 30 * [math.nan])
assert {colour for colour, corners in cells(draw("m.pen", "--values=none.npy"))} == {GREY}

# ---- Points: a table whose rows are named by gids in any order, and not all there; a dump
run("make", "geometric:nodes=300,degree=7,coordinates", "-o", "g.pen")
def circles(picture):
    return {(c.get("cx"), c.get("cy")): c.get("fill") for c in picture.iter(SVG + "circle") if c.get("fill") != GREY}
by_order = "\n".join(f"{u}" for u in range(300))
open("order.csv", "w").write("value\n" + by_order + "\n")
whole = draw("g.pen", "--values=order.csv")
open("gids.csv", "w").write("x,gid,a b\n" + "\n".join(f'text,{u},"{u}"' for u in reversed(range(300))) + "\n")
assert circles(draw("g.pen", "--values=gids.csv:a b")) == circles(whole) and len(circles(whole)) == 300
open("dump", "w").write("".join(f"{u} name\t{u}\n" for u in range(300)))
assert circles(draw("g.pen", "--values=dump:2")) == circles(whole)
open("some.csv", "w").write("gid,v\n0,0\n7,\n299,299\n" + "".join(f"{u},{u}\n" for u in range(10, 290)))
some = draw("g.pen", "--values=some.csv")
assert len(circles(some)) == 282 and circles(some).items() <= circles(whole).items()
assert sum(c.get("fill") == GREY for c in some.iter(SVG + "circle")) == 18 + 1  # and the caption's

# ---- Gids that a file has in another order than nodes: an array's are ascending
open("l.grf", "w").write("0\n3 4\n5 000\n30 1 20\n10 1 20\n20 2 30 10\n".replace("5 000", "0 100"))
open("l.xyz", "w").write("2\n3\n30 3 0\n10 1 0\n20 2 0\n")
save("l.npy", [10.0, 20.0, 30.0])
found = circles(draw("l.grf", "--coords=l.xyz", "--values=l.npy")).items()
found = sorted((float(at[0]), colour) for at, colour in found)
assert [round(2 * place(colour)) for x, colour in found] == [0, 1, 2], found

# ---- A folder: a picture that moves, with one range for all of it; a series; a choice among several
os.mkdir("out")
for step in (100, 20, 3, 1000): save(f"out/heat-flow-{step}.npy", [step + u for u in range(108)])
open("out/README", "w").write("no frame\n")
moving = draw("h.pen", "--values=out")
frames = [g for g in moving.iter(SVG + "g") if g.get("visibility")]
assert [g.get("visibility") for g in frames] == ["visible"] + 3 * ["hidden"]
times = [(g[0].get("values"), g[0].get("keyTimes"), g[0].get("dur")) for g in frames]
assert times[0] == ("visible;hidden", "0;0.25", "0.8s"), times
assert times[1] == ("hidden;visible;hidden", "0;0.25;0.5", "0.8s"), times
assert times[3] == ("hidden;visible", "0;0.75", "0.8s"), times
for g, begin in zip(frames, (3, 20, 100, 1000)):
    assert texts(g) == [f"heat-flow-{begin}.npy"], texts(g)
    for u, (colour, corners) in enumerate(cells(g)): assert near(place(colour), (begin + u - 3) / 1104), (begin, u)
run("draw", "h.pen", "--values=out", "-o", "part-{frame}.png", "--size=200")
assert sorted(n for n in os.listdir(".") if n.startswith("part-")) == [f"part-{k:04}.png" for k in range(4)]
assert all(open(f"part-{k:04}.png", "rb").read(8) == b"\x89PNG\r\n\x1a\n" for k in range(4))
run("draw", "h.pen", "--values=out", "-o", "part-{frame}.svg")
assert [c for c, corners in cells(xml.parse("part-0002.svg").getroot())] == [c for c, corners in cells(frames[2])]
save("out/heat-other-000001.npy", 108 * [1.0])
refuse("there are several series", "h.pen", "--values=out", "-o", "new.svg")
assert texts(draw("h.pen", "--values=out/*flow*:0"))[-1] == "heat-flow-1000.npy"

# ---- A large one is pixels
run("make", "mesh:300x200,coordinates", "-o", "large.pen")
save("large.npy", [float(u) for u in range(60000)])
assert len(list(draw("large.pen", "--values=large.npy").iter(SVG + "image"))) == 1

# ---- What cannot be
def table(text, sentence, *column):
    open("bad.csv", "w").write(text)
    refuse("bad.csv" + sentence, "m.pen", "--values=bad.csv" + "".join(column), "-o", "new.svg")
rows = "".join(f"{u},1\n" for u in range(30))
table("gid,v\n" + rows + "30,1\n", ":32: node 30 is not in the graph")
table("gid,v\n" + rows + "7,1\n", ":32: node 7 has a value already")
table("gid,v\n1,2\n2,warm\n", ":3: a value must be a number, not 'warm'")
table("gid,v\none,2\n", ":2: a gid must be an integer, not 'one'")
table("gid,v\n1,2,3\n", ":2: 3 fields, the header has 2")
table("gid,v,w\n1,2,3\n", ":1: which column? There are gid, v, w: --values=FILE:NAME")
table("gid,v\n1,2\n", ":1: there is no column 'x'; there are gid, v", ":x")
table("v\n" + 29 * "1\n", ":31: the file ends after 29 of 30 nodes")
table("v\n" + 31 * "1\n", ":32: a row behind the last node's, the graph has 30")
table("", ":1: the file has no header")
table("v\n\"1\n", ":2: a quote that is never closed")
open("bad", "w").write("0 1 2\n1 2\n")
refuse("bad:2: there is no column 2", "m.pen", "--values=bad:2", "-o", "new.svg")
refuse("bad: column '0' of a dump, must be a number from 1", "m.pen", "--values=bad:0", "-o", "new.svg")
open("bad", "w").write("0 1\n-1 2\n")
refuse("bad:2:", "m.pen", "--values=bad", "-o", "new.svg")
save("short.npy", 29 * [1.0])
refuse("short.npy: 29 rows, but the graph has 30 nodes", "m.pen", "--values=short.npy", "-o", "new.svg")
refuse("m.npy: which of the 3 columns?", "m.pen", "--values=m.npy", "-o", "new.svg")
refuse("m.npy: there is no column '3', they are 0 to 2", "m.pen", "--values=m.npy:3", "-o", "new.svg")
open("cut.npy", "wb").write(open("m.npy", "rb").read()[:-4])
refuse("cut.npy: ", "m.pen", "--values=cut.npy:1", "-o", "new.svg")
refuse("cannot read nowhere.npy", "m.pen", "--values=nowhere.npy", "-o", "new.svg")
refuse("no file matches nothing*", "m.pen", "--values=nothing*", "-o", "new.svg")
os.mkdir("empty")
refuse("empty: no file there", "m.pen", "--values=empty", "-o", "new.svg")
refuse("can only be an .svg", "h.pen", "--values=out/*flow*", "-o", "new.png")
save("out/heat-flow-000021.npy", 107 * [1.0])
refuse("107 rows", "h.pen", "--values=out/*flow*", "-o", "new{frame}.svg")
refuse("--range=2:1, must be two numbers", "m.pen", "--values=m.npy:1", "--range=2:1", "-o", "new.svg")
refuse("--range=2, must be two numbers", "m.pen", "--values=m.npy:1", "--range=2", "-o", "new.svg")
refuse("--range=1:2 is of --values", "m.pen", "--range=1:2", "-o", "new.svg")
refuse("either --part or --values", "m.pen", "--values=m.npy:1", "--part=m.npy", "-o", "new.svg")
refuse("are of graphs", "--machine=flat:3", "--values=m.npy:1", "-o", "new.svg")
END_OF_PYTHON
