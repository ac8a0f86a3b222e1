#!/usr/bin/env python3
"""output_check.py - files of results, as others read them.

    state NAME KIND NODES     NAME.npy, .vtu and, where they are, .csv and -p.pvtu are of one state, that of
                              the dump NAME.txt
    table NAME MEMBER ...     NAME-MEMBER.npy and NAME.csv are of one state
    series PVD STEP ...       the .pvd names readable files of these steps
    squares VTU AREA          its cells are squares that do not overlap, of that area together, by VTK
    places VTU TYPE ...       its nodes are points, no two at one place, and its cells are of these types, by VTK
    meshes                    writes POINTS.npy and CELLS.npy of meshes of 6 cells: NAME-points.npy, NAME-cells.npy
    mesh NAME VTU ...         these files have the cells of that mesh; their areas or volumes are right, by VTK
    pieces NAME PVTU          its pieces have each cell of that mesh once, and each point that they need; also by VTK
"""

import glob
import os
import sys
import xml.etree.ElementTree as tree

import numpy

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    vtk = None

KINDS = {"hexagons": (7, 6), "squares": (9, 4), "boxes": (11, 8), "points": (1, 1)}
LINE = 3
wrong = []


def check(what, holds):
    if not holds:
        wrong.append(what)


def read_vtu(path):
    """By the format's description: { name: array } of all arrays, and what the piece says of itself."""
    text, _, data = open(path, "rb").read().partition(b'<AppendedData encoding="raw">\n_')
    root = tree.fromstring(text + b'<AppendedData/></VTKFile>')
    check("the end of " + path, data.endswith(b"\n  </AppendedData>\n</VTKFile>\n"))
    check("the words of numbers", root.get("header_type") == "UInt64" and root.get("byte_order") == "LittleEndian")
    arrays, begins, ends = {}, set(), {0}
    for element in root.iter("DataArray"):
        if element.get("format") != "appended":
            continue
        at = int(element.get("offset"))
        size = int(numpy.frombuffer(data, "<u8", 1, at)[0])
        content = data[at + 8:at + 8 + size]
        ends.add(at + 8 + size)
        begins.add(at)
        kind = element.get("type")
        array = numpy.frombuffer(content, "<" + {"F": "f", "I": "i", "U": "u"}[kind[0]] +
                                 str(int("".join(c for c in kind if c.isdigit())) // 8))
        components = int(element.get("NumberOfComponents", 1))
        arrays[element.get("Name")] = array.reshape(-1, components) if components > 1 else array
    check("arrays follow each other", begins == ends - {max(ends)})
    piece = root.find("UnstructuredGrid/Piece")
    return arrays, int(piece.get("NumberOfPoints")), int(piece.get("NumberOfCells"))


def check_geometry(arrays, points, cells, kind):
    """Counts, ranges, and that each cell is around its node's place."""
    number, corners = KINDS[kind]
    types, offsets, connectivity = arrays["types"], arrays["offsets"], arrays["connectivity"]
    check("counts", len(types) == len(offsets) == cells and len(arrays["Points"]) == points)
    check("offsets", offsets[-1] == len(connectivity) and (numpy.diff(offsets) > 0).all() and offsets[0] == corners)
    check("numbers of points", connectivity.min() >= 0 and connectivity.max() < points)
    sizes = numpy.diff(offsets, prepend=0)
    check("sizes of cells", (sizes[types == number] == corners).all() and (sizes[types == LINE] == 2).all())
    check("types", set(types) <= {number} | ({LINE} if kind == "points" else set()))
    if kind == "points":
        return
    around = arrays["Points"][connectivity].reshape(-1, corners, 3)
    distance = numpy.linalg.norm(around - around.mean(axis=1, keepdims=True), axis=2)
    radius = {"hexagons": 3 ** -0.5, "squares": 0.5 ** 0.5, "boxes": 0.75 ** 0.5}[kind]
    check("corners", numpy.allclose(distance, radius))


def check_numbers(name, found, arrays):
    """The same values, in files of other kinds."""
    for member, values in arrays.items():
        check(f"{name}: {member}", numpy.array_equal(found[member], values))


def columns_of(table, member):
    if member in table:
        return table[member].to_numpy()
    return table[[f"{member}_{i}" for i in range(sum(c.startswith(member + "_") for c in table))]].to_numpy()


def check_table(name, members):
    import pandas  # which takes as long as the rest

    table = pandas.read_csv(name + ".csv", float_precision="round_trip")
    check("gids ascend", (numpy.diff(table["gid"]) > 0).all())
    arrays = {m: numpy.load(f"{name}-{m}.npy", mmap_mode="r") for m in members}
    for member, values in arrays.items():
        check(f"{name}.csv: {member}", numpy.array_equal(columns_of(table, member), values))
        check(f"{name}: length of {member}", len(values) == len(table))
    gids = f"{name}-gid.npy"
    if os.path.exists(gids):
        check("gids", numpy.array_equal(numpy.load(gids), table["gid"]))
    else:
        check("gids that are places", numpy.array_equal(table["gid"], numpy.arange(len(table))))
    return table, arrays


def read_by_vtk(path):
    reader = vtk.vtkXMLPUnstructuredGridReader() if path.endswith(".pvtu") else vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def data_of(grid, kind):
    data = grid.GetPointData() if kind == "points" else grid.GetCellData()
    return {data.GetArrayName(i): vtk_to_numpy(data.GetArray(i)) for i in range(data.GetNumberOfArrays())}


def check_by_vtk(name, kind, arrays, plain):
    """VTK reads the same, with the measure of every cell; pieces hold every node once, but for ghosts."""
    grid = read_by_vtk(name + ".vtu")
    check_numbers(name + ".vtu by VTK", data_of(grid, kind), arrays)
    check("points by VTK", numpy.array_equal(vtk_to_numpy(grid.GetPoints().GetData()), plain["Points"]))
    check("cells by VTK", grid.GetNumberOfCells() == len(plain["types"]))
    if kind != "points":
        sizes = vtk.vtkCellSizeFilter()
        sizes.SetInputData(grid)
        sizes.Update()
        of = sizes.GetOutput().GetCellData()
        size = vtk_to_numpy(of.GetArray("Volume" if kind == "boxes" else "Area"))
        check("sizes by VTK", numpy.allclose(size, 0.75 ** 0.5 if kind == "hexagons" else 1.0))
    if not os.path.exists(name + "-p.pvtu"):
        return
    grid = read_by_vtk(name + "-p.pvtu")
    found = data_of(grid, kind)
    check("cells of pieces", grid.GetNumberOfCells() == len(plain["types"]))
    own = found["vtkGhostType"] == 0 if kind == "points" else numpy.full(len(found["gid"]), True)
    order = numpy.argsort(found["gid"][own])
    for member, values in arrays.items():
        check("pieces: " + member, numpy.array_equal(found[member][own][order], values))
        check("ghosts: " + member, numpy.array_equal(found[member], values[found["gid"]]))
    if kind == "points":
        places = vtk_to_numpy(grid.GetPoints().GetData())
        check("places of pieces", numpy.array_equal(places, plain["Points"][found["gid"]]))


def check_state(name, kind, nodes):
    members = [os.path.basename(p)[len(name) + 1:-4] for p in glob.glob(name + "-*.npy")]
    arrays = {m: numpy.load(f"{name}-{m}.npy", mmap_mode="r") for m in members}
    if os.path.exists(name + ".csv"):
        table, _ = check_table(name, members)
        check("lines", len(table) == nodes)
    check("members", members and all(len(values) == nodes for values in arrays.values()))
    if name != "battle":
        first = [float(line.split()[1]) for line in open(name + ".txt")]
        check("the dump", numpy.array_equal(arrays[sorted(members)[0]], first))
    plain, points, cells = read_vtu(name + ".vtu")
    check_geometry(plain, points, cells, kind)
    check_numbers(name + ".vtu", plain, arrays)
    check("gid", numpy.array_equal(plain["gid"], numpy.arange(nodes)))
    check("owner", plain["owner"].min() >= 0 and len(set(plain["owner"])) > 1)
    check("load", (plain["load"] > 0).any() if name == "battle" else (plain["load"] == 1).all())
    if os.path.exists(name + "-p.pvtu"):
        check_others(name, kind, plain, cells)
    if vtk:
        check_by_vtk(name, kind, arrays, plain)


def check_others(name, kind, plain, cells):
    parts = [read_vtu(path) for path in sorted(glob.glob(name + "-p-p*.vtu"))]
    check("cells of pieces", sum(part[2] for part in parts) == cells)
    for part in parts:
        check_geometry(*part, kind)


def check_series(path, steps):
    entries = tree.parse(path).findall("Collection/DataSet")
    check("steps", [int(e.get("timestep")) for e in entries] == steps)
    for entry in entries:
        name = os.path.join(os.path.dirname(path), entry.get("file"))
        read_vtu(name)
        check("time", f'>{entry.get("timestep")}</DataArray>'.encode() in open(name, "rb").read())


def check_squares(path, area):
    """Each with the side of its level; where cells lie is counted in squares of a quarter."""
    grid = read_by_vtk(path)
    count, level = grid.GetNumberOfCells(), vtk_to_numpy(grid.GetCellData().GetArray("level"))
    corners = vtk_to_numpy(grid.GetPoints().GetData()).reshape(count, 4, 3)
    low, high = corners.min(axis=1), corners.max(axis=1)
    check(path + ": types", {grid.GetCellType(i) for i in range(count)} == {9})
    check(path + ": sides", ((high - low)[:, :2] == 0.5 ** level[:, None]).all())
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    check(path + ": area", abs(vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Area")).sum() - area) < 1e-9)
    squares = {(x, y) for at, side in zip((low[:, :2] + 0.5) * 4, 4 * 0.5 ** level)
               for x in numpy.arange(at[0], at[0] + side) for y in numpy.arange(at[1], at[1] + side)}
    check(path + ": places", len(squares) == 16 * area)


def check_places(path, types):
    grid = read_by_vtk(path)
    gids = vtk_to_numpy(grid.GetPointData().GetArray("gid"))
    places = vtk_to_numpy(grid.GetPoints().GetData())
    check(path + ": points", len(places) == len(gids) == len(numpy.unique(places, axis=0)) > 50)
    check(path + ": types", {grid.GetCellType(i) for i in range(grid.GetNumberOfCells())} == set(types))


# Meshes of 6 nodes: coordinates of points, corners of cells, their VTK types, and their areas or volumes.
FLAT = [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1], [0, 2], [1, 2], [2, 2], [1, 3]]
BOX = [[x, y, z] for z in (0, 1, 2) for y in (0, 1) for x in (0, 1)] + [[0.5, 0.5, 5], [3, 0, 0], [3, 0, 1]]
POLYGONS = [[0, 1, 4, 3], [1, 2, 4], [2, 5, 4], [3, 4, 7, 6], [4, 5, 8, 7], [6, 7, 8, 9]]
SOLIDS = [[0, 1, 3, 2, 4, 5, 7, 6], [4, 5, 7, 6, 8, 9, 11, 10], [8, 9, 11, 10, 12], [1, 3, 13, 5], [1, 3, 13, 5, 7, 14],
          [0, 1, 2, 12]]
MESHES = {"flat": (FLAT, POLYGONS, [9, 5, 5, 9, 9, 9], [1, 0.5, 0.5, 1, 1, 1]),
          "pentagon": (FLAT, [[0, 1, 2, 5, 4]] * 6, [7] * 6, [1.5] * 6),
          "solid": (BOX, SOLIDS, [12, 12, 14, 10, 13, 10], [1, 1, 1, 1 / 3, 1, 5 / 6]),
          "surface": (numpy.c_[FLAT, [0.0] * 10], POLYGONS, [9, 5, 5, 9, 9, 9], [1, 0.5, 0.5, 1, 1, 1])}


def write_meshes():
    for name, (points, cells, _, _) in MESHES.items():
        most = max(map(len, cells))
        numpy.save(name + "-points.npy", numpy.asfortranarray(points, float))
        numpy.save(name + "-cells.npy", numpy.array([c + [-1] * (most - len(c)) for c in cells], "i4"))


def check_mesh(name, paths):
    points, cells, types, wanted = MESHES[name]
    for path in paths:
        plain, _, count = read_vtu(path)
        places = numpy.pad(points, ((0, 0), (0, 3 - len(points[0]))))
        check(path + ": points", numpy.array_equal(plain["Points"], places))
        check(path + ": corners", plain["connectivity"].tolist() == sum(cells, []))
        check(path + ": ends", plain["offsets"].tolist() == numpy.cumsum([len(c) for c in cells]).tolist())
        check(path + ": types", plain["types"].tolist() == types and plain["gid"].tolist() == list(range(count)))
        if vtk:
            check_sizes(path, name, wanted)


def check_sizes(path, name, wanted):
    """The cells' areas or volumes, in ascending order of gids."""
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputData(read_by_vtk(path))
    sizes.Update()
    data = sizes.GetOutput().GetCellData()
    gids = vtk_to_numpy(data.GetArray("gid"))
    found = vtk_to_numpy(data.GetArray("Volume" if name == "solid" else "Area"))[numpy.argsort(gids)]
    check(f"{path}: nodes {gids.tolist()}", sorted(gids) == list(range(len(wanted))))
    check(f"{path}: sizes {found.tolist()}", numpy.allclose(numpy.abs(found), wanted))


def check_pieces(name, path):
    points, cells, types, wanted = MESHES[name]
    places = numpy.pad(points, ((0, 0), (0, 3 - len(points[0]))))
    pieces = [element.get("Source") for element in tree.parse(path).iter("Piece")]
    gids, most = [], 0
    for rank, piece in enumerate(pieces):
        plain, here, count = read_vtu(piece)
        corners = numpy.split(plain["connectivity"], plain["offsets"][:-1]) if count else []
        for gid, kind, corner in zip(plain["gid"], plain["types"], corners):
            check(f"{piece}: cell {gid}", numpy.array_equal(plain["Points"][corner], places[cells[gid]]) and
                  kind == types[gid])
        check(f"{piece}: points", here == len({k for gid in plain["gid"] for k in cells[gid]}))
        check(f"{piece}: owner", (plain["owner"] == rank).all() and "vtkGhostType" not in plain)
        gids += plain["gid"].tolist()
        most = max(most, count)
    check(f"{path}: nodes {gids}", sorted(gids) == list(range(len(cells))) and most < len(cells))
    if vtk:
        check_sizes(path, name, wanted)


if sys.argv[1] in ("squares", "places") and not vtk:
    sys.exit(0)
if sys.argv[1] == "squares":
    check_squares(sys.argv[2], int(sys.argv[3]))
elif sys.argv[1] == "places":
    check_places(sys.argv[2], [int(kind) for kind in sys.argv[3:]])
elif sys.argv[1] == "meshes":
    write_meshes()
elif sys.argv[1] == "mesh":
    check_mesh(sys.argv[2], sys.argv[3:])
elif sys.argv[1] == "pieces":
    check_pieces(sys.argv[2], sys.argv[3])
elif sys.argv[1] == "state":
    check_state(sys.argv[2], sys.argv[3], int(sys.argv[4]))
elif sys.argv[1] == "table":
    check_table(sys.argv[2], sys.argv[3:])
else:
    check_series(sys.argv[2], [int(step) for step in sys.argv[3:]])
if wrong:
    sys.exit("not so: " + "; ".join(wrong[:10]))
