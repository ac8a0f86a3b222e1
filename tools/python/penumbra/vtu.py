"""Results of runs in VTK files: .vtu, and .pvd, which lists those of several states."""

import os
import re
import xml.etree.ElementTree as xml
from dataclasses import dataclass

import numpy as np

from penumbra.files import Error, _naming, _read
from penumbra.graphs import Graph

@dataclass(eq=False, repr=False)
class Results:
    """The nodes of a run in a state: its `time`, the program's physical time or else the step; `columns` by name, [n]
    or [n, components]; their points, or the corners of their cells; and, if they are points, the graph of the lines
    between them."""

    time: float
    columns: dict
    points: np.ndarray # [n, 3]; of cells, their middles
    corners: np.ndarray # [n, most corners, 3], where a cell with fewer repeats its last one; or None
    graph: Graph # or None

def read_vtu(path):
    """The Results in a file of --output=FILE.vtu."""
    with _naming(path, "not a .vtu file of results: "):
        head, mark, data = bytes(_read(path)).partition(b'<AppendedData encoding="raw">\n_')
        root = xml.fromstring(head + b"</VTKFile>") if mark else xml.Element("VTKFile")
        if root.find("UnstructuredGrid/Piece") is None or root.get("compressor"):
            raise ValueError("give a file that a run wrote with --output=FILE.vtu")
        order = "<" if root.get("byte_order") == "LittleEndian" else ">"
        columns, shape = {}, {} # which may have the same names
        for part in root.find("UnstructuredGrid/Piece"):
            arrays = columns if part.tag in ("PointData", "CellData") else shape
            for array in part.findall("DataArray[@format='appended']"):
                at, width = int(array.get("offset")), int(array.get("NumberOfComponents", 1))
                bits = re.fullmatch("(U?Int|Float)(8|16|32|64)", array.get("type"))
                kind = order + {"Int": "i", "UInt": "u", "Float": "f"}[bits[1]] + str(int(bits[2]) // 8)
                size = int(np.frombuffer(data, order + "u8", 1, at)[0])
                values = np.frombuffer(data[at + 8:at + 8 + size], kind)
                arrays[array.get("Name")] = values.reshape(-1, width) if width > 1 else values
        points, types, ends, connectivity = (shape[name] for name in ("Points", "types", "offsets", "connectivity"))
        time = float(root.findtext(".//FieldData/DataArray"))
        if not len(types):
            raise ValueError("it has no nodes")
        if 1 not in types: # cells
            sizes = np.diff(ends, prepend=0)[:, None]
            places = np.minimum(np.arange(sizes.max()), sizes - 1) # a cell with fewer corners repeats its last one
            corners = points[connectivity[ends[:, None] - sizes + places]]
            middles = np.where(np.arange(sizes.max())[:, None] < sizes[:, :, None], corners, 0.0).sum(1) / sizes
            return Results(time, columns, middles, corners, None)
        ends = connectivity[ends[types == 3, None] - (2, 1)]
        rows, targets = np.concatenate((ends, ends[:, ::-1])).T
        order, n = np.lexsort((targets, rows)), len(points)
        offsets = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=n))))
        return Results(time, columns, points, None, Graph(offsets, targets[order].astype(np.int64), np.arange(n),
                                                          coordinates=points))

def read_pvd(path):
    """The states that a .pvd file lists: pairs of a time and the path of its file, for read_vtu."""
    with _naming(path, "not a .pvd file of results: "):
        found = [(float(item.get("timestep")), os.path.join(os.path.dirname(path), item.get("file")))
                 for item in xml.fromstring(bytes(_read(path))).iter("DataSet")]
    if not found:
        raise Error(f"{path}: it lists no files")
    return found

def find_results(path):
    """The paths of .vtu files: this one, or those listed in a .pvd."""
    return [file for _, file in read_pvd(path)] if path.endswith(".pvd") else [path]
