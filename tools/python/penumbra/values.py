"""Values and parts of a graph's nodes from files, and series of such files; pen-draw's manual page has their kinds."""

import glob
import io
import os
import re

import numpy as np

from penumbra.files import Error, _naming, _partition, _read, csv_rows, read_npy

def _find_column(names, column, path):
    """The places of the column and of the gids, None without gids. Case and blanks around names make no difference."""
    plain = [name.strip().lower() for name in names]
    gid = plain.index("gid") if "gid" in plain else None
    others = [name for name in plain if name != "gid"]
    wanted = others[0] if column is None and len(others) == 1 else column and column.strip().lower()
    if column in names or wanted in plain:
        return (names.index(column) if column in names else plain.index(wanted)), gid
    known = ", ".join(names)[:200]
    raise Error(f"{path}:1: " + (f"which column? There are {known}: --values=FILE:NAME" if column is None else
                                 f"there is no column '{column[:60]}'; there are {known}"))

def _rows(path, column):
    """The line, gid or None, and value of each row of a table or a dump, as texts."""
    if path.endswith(".csv"):
        names, rows = csv_rows(path)
        at, gid = _find_column(names, column, path)
        for line, row in rows:
            yield line, None if gid is None else row[gid], row[at]
        return
    if not re.fullmatch("[1-9][0-9]{0,8}", column or "1"):
        raise Error(f"{path}: column '{column}' of a dump, must be a number from 1")
    for line, row in enumerate(map(str.split, io.StringIO(_read(path).decode(errors="replace"), newline="")), 1):
        if row and len(row) <= int(column or 1):
            raise Error(f"{path}:{line}: there is no column {column or 1}")
        if row:
            yield line, row[0], row[int(column or 1)]

def _array(path, column):
    array = read_npy(path)
    if array.dtype.kind not in "iufb" or not 1 <= array.ndim <= 2 or not array.size:
        raise Error(f"{path}: not an array of numbers with one or two dimensions, none of them 0")
    columns = array.reshape(len(array), -1)
    if column is None and columns.shape[1] != 1:
        raise Error(f"{path}: which of the {columns.shape[1]} columns? --values=FILE:NUMBER, from 0")
    if not re.fullmatch(r"\d{1,9}", column or "0") or int(column or 0) >= columns.shape[1]:
        raise Error(f"{path}: there is no column '{column}', they are 0 to {columns.shape[1] - 1}")
    return columns[:, int(column or 0)].astype(float)

def _take(path, column, places):
    """Values by the indices of gids; NaN if missing."""
    values, lines = np.full(len(places), np.nan), {}
    for line, gid, text in _rows(path, column):
        try:
            value = float(text) if text.strip() else np.nan
        except ValueError:
            raise Error(f"{path}:{line}: a value must be a number, not '{text[:40]}'") from None
        if gid is not None and not re.fullmatch(r"\s*\d{1,19}\s*", gid):
            raise Error(f"{path}:{line}: a gid must be an integer, not '{gid[:40]}'")
        node = len(lines) if gid is None else places.get(int(gid))
        if node is None:
            raise Error(f"{path}:{line}: node {gid} is not in the graph")
        if node in lines:
            raise Error(f"{path}:{line}: node {gid} has a value already")
        lines[node] = line
        if node < len(values):
            values[node] = value
    if path.endswith(".csv") and len(lines) != len(values) and (not lines or gid is None):
        raise Error(f"{path}: {len(lines)} rows, but the graph has {len(values)} nodes")
    return values

def read_values(path, column, gids):
    """A value for each of these gids; rows without gids are in ascending order of gids."""
    order = np.argsort(gids, kind="stable")
    with _naming(path):
        values = _array(path, column) if path.endswith(".npy") else \
            _take(path, column, dict(zip(gids[order].tolist(), range(len(gids)))))
    if len(values) != len(gids):
        raise Error(f"{path}: {len(values)} rows, but the graph has {len(gids)} nodes")
    aligned = np.empty(len(gids))
    aligned[order] = values
    return aligned

def read_parts(path, gids):
    """The part of each of these gids: a Scotch mapping has gids, other files the order of the nodes."""
    parts, labels = _partition(path)
    order = np.arange(len(gids)) if labels is None else np.argsort(gids, kind="stable")
    if len(parts) != len(gids) or labels is not None and np.any(np.diff(gids[order]) != np.diff(labels)):
        raise Error(f"{path}: its {len(parts)} nodes are not the {len(gids)} nodes of the graph")
    aligned = np.empty_like(parts)
    aligned[order] = parts
    return aligned

def match(path):
    """The files that match a path in which "*" stands for any letters."""
    return glob.glob(re.sub(r"([\[?])", r"[\1]", path)) if "*" in path else []

def find_series(path):
    """The files of a path, sorted by number: the file itself, or those of a folder or a pattern."""
    if os.path.isdir(path):
        found = [name for name in os.listdir(path) if re.fullmatch(r"[^.]*\d\..+", name)]
        kinds = sorted({re.sub(r"\d+", "0", name): name for name in found}.values())
        if not found:
            raise Error(f"{path}: it has no files numbered like heat-000100.npy")
        if len(kinds) > 1:
            raise Error(f"{path}: it has several series, such as {kinds[0]} and {kinds[1]}: choose one with a pattern "
                        "with '*', in quotes")
        found = [os.path.join(path, name) for name in found]
    else:
        found = match(path) if "*" in path and not os.path.exists(path) else [path]
        if not found:
            raise Error(f"no file matches {path}")
    return sorted(found, key=lambda name: (len(name), name))
