"""Meshes of elements of all formats that meshio reads, as a graph of the elements or of their points (meshes.py)."""

import contextlib
import io

import meshio
import numpy as np
import scipy.sparse
from meshio._mesh import topological_dimension

from penumbra.formats import Refused
from penumbra.meshes import connect

def _open(path):
    """The mesh, without meshio's output."""
    if path == "-" or path.endswith((".gz", ".xz", ".zst")):
        raise Refused(0, "meshio opens the file itself: it must be a plain file that is not compressed")
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            return meshio.read(path)
    except SystemExit: # after it has printed why, or nothing
        text = printed.getvalue()
    except Exception as why: # its readers raise what they happen to run into
        text = str(why) or type(why).__name__
    raise Refused(0, ": ".join(["meshio cannot read it"] + [" ".join(text.split())] * bool(text.strip())))

def _dimension(block):
    return 3 if block.type.startswith("polyhedron") else 2 if block.type.startswith("polygon") else \
        topological_dimension.get(block.type, 0)

def _points_of(block):
    """(lengths, points) of a block's elements; those of polyhedra are lists of faces."""
    if isinstance(block.data, np.ndarray) and block.data.ndim == 2:
        return np.full(len(block.data), block.data.shape[1]), block.data.ravel()
    rows = [np.concatenate([np.atleast_1d(part) for part in element]) for element in block.data]
    return np.array([len(row) for row in rows], int), np.concatenate(rows or [np.empty(0, int)])

def read_meshio(stream, options, g):
    mesh = _open(options.path)
    most = max((_dimension(block) for block in mesh.cells), default=0)
    if most == 0:
        raise Refused(0, "the mesh has no elements but points")
    found = [_points_of(block) for block in mesh.cells if _dimension(block) == most]
    points = np.asarray(mesh.points, float)
    if not np.all(np.isfinite(points)):
        raise Refused(0, "a coordinate that is not a finite number")
    if points.shape[1] == 3 and not np.any(points[:, 2]):
        points = points[:, :2]
    lengths, items = (np.concatenate(part).astype(np.int64) for part in zip(*found))
    if len(items) and not 0 <= items.min() <= items.max() < len(points):
        raise Refused(0, "an element at a point that does not exist")
    element = np.repeat(np.arange(len(lengths)), lengths)
    pairs = np.unique(np.stack((element, items), 1), axis=0)
    begins = np.concatenate(([0], np.cumsum(np.bincount(pairs[:, 0], minlength=len(lengths)))))
    connect((begins, pairs[:, 1]), len(points), 8 * len(items) + points.nbytes, 0, options, g)
    g.base = 0
    g.coordinates = points
    if not options.nodal:
        own = scipy.sparse.csr_matrix((np.ones(len(pairs)), pairs[:, 1], begins), (len(lengths), len(points)))
        g.coordinates = (own @ points) / np.maximum(np.diff(begins), 1)[:, None]

READERS = {"meshio": read_meshio}
