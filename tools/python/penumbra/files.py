"""Reads files of programs, except graphs and records, into NumPy; and common parts of all readers."""

import contextlib
import csv
import gzip
import importlib
import io
import json
import lzma
import os
import re
import secrets
import shutil
import stat
import subprocess
import warnings

import numpy as np

from penumbra_command import Mistake, find_input, reads

class Error(Mistake):
    """A sentence about an error; for a failed program also `status`, its exit status, and `run`, its Run."""

    def __init__(self, sentence, status=None, run=None):
        super().__init__(sentence)
        self.status, self.run = status, run

def _unzstd(data, *modules):
    """Decompresses one frame by Python 3.14 or a module, or several by the command."""
    for module in ("compression.zstd", *modules):
        with contextlib.suppress(ImportError, AttributeError):
            return importlib.import_module(module).decompress(data)
    if not shutil.which("zstd"):
        raise ValueError("this needs Python 3.14 or the command zstd")
    done = subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=False)
    if done.returncode:
        raise ValueError("zstd: damaged")
    return done.stdout

_PACKED = {b"\x1f\x8b": gzip.decompress, b"\xfd7zXZ": lzma.decompress, b"\x28\xb5\x2f\xfd": _unzstd} # by first bytes

_STRANGE = {KeyError: "there is no {}", IndexError: "something is missing", OverflowError: "a number is too large",
            **dict.fromkeys((TypeError, AttributeError), "a value of another type than expected")}

@contextlib.contextmanager
def _naming(path, what=""):
    """Turns any exception into an Error with the file's name, except for that of a missing file."""
    try:
        yield
    except (Error, FileNotFoundError):
        raise
    except Exception as why: # NumPy and the decompressors raise many kinds
        sentence = _STRANGE.get(type(why), "{}").format(" ".join(str(why).split()))
        raise Error(f"{path}: {what}{sentence}") from None

def _open(path):
    if os.path.exists(path) and not os.path.isfile(path): # it may be endless
        raise Error(f"{path}: not a regular file")
    reads(path)
    return open(path, "rb")

def _read(path):
    """The bytes of a file, decompressed."""
    with _open(path) as file:
        data = bytearray(os.fstat(file.fileno()).st_size)
        del data[file.readinto(data):]
    decompress = next((by for begin, by in _PACKED.items() if data.startswith(begin)), None)
    with _naming(path, "cannot decompress it: "):
        return bytearray(decompress(bytes(data))) if decompress else data

@contextlib.contextmanager
def _writing(path, keep_names=False):
    """Gives an OSError the name of the file that is written; with `keep_names` only if it has no file's name."""
    try:
        yield
    except OSError as why:
        if keep_names and why.filename:
            raise
        raise type(why)(why.errno, f"cannot write {path}: {why.strerror or why}") from None

def _is_special(path):
    """Whether this name leads to something other than a regular file, or, like /dev/stdout, to a file that a process
    has open."""
    with contextlib.suppress(OSError):
        if os.readlink(path).startswith("/proc/"):
            return True
    with contextlib.suppress(OSError):
        return not stat.S_ISREG(os.stat(path).st_mode)
    return False

class _NewFile:
    """A file that replaces the one of its name when it is complete. Until then it has no name or, where the file
    system needs one, an unpredictable name. A symbolic link is replaced, not followed: in a folder that is
    writable for all, the links of other users change nothing."""

    def __init__(self, path, inputs):
        self.path, self.inputs, self.is_named = path, inputs, False
        if not os.path.basename(path):
            raise Error(f"cannot write {path or 'a file'}: its name is missing")
        self.beside = f"{path}.unfinished-{secrets.token_hex(8)}"
        self.check()
        with _writing(path):
            self.out = open(self._open(), "wb")

    def _open(self):
        if os.path.exists("/proc/self/fd"): # which it takes to name the file
            with contextlib.suppress(OSError):
                return os.open(os.path.dirname(self.path) or ".", os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666)
        file = os.open(self.beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        self.is_named = True
        return file

    def check(self):
        if _is_special(self.path):
            raise Error(f"cannot write {self.path}: not a regular file")
        same = find_input(self.path, *self.inputs)
        if same:
            raise Error(f"{same} and {self.path} are the same file, which would be replaced: give the output another "
                        "name")

    def complete(self):
        with _writing(self.path):
            self.out.flush()
            file = self.out.fileno()
            os.fsync(file)
            if not self.is_named:
                os.link(f"/proc/self/fd/{file}", self.beside, src_dir_fd=file) # with a folder it follows the link
                self.is_named = True
            self.out.close()

    def replace(self):
        self.check() # inputs may have come
        with _writing(self.path):
            os.rename(self.beside, self.path)
        self.is_named = False

    def drop(self):
        with contextlib.suppress(OSError): # what could not be written
            self.out.close()
        if self.is_named:
            os.unlink(self.beside)

@contextlib.contextmanager
def whole_files(*inputs):
    """A function that makes files: `with create(path) as out` writes bytes. They replace the files of their names when
    all are complete, otherwise none does. Error if a name is not that of a regular file, occurs twice, or is an input:
    of a program any file that it has read, else one of `inputs`."""
    made = {}

    @contextlib.contextmanager
    def create(path):
        path = os.fspath(path)
        place = os.path.realpath(os.path.dirname(path)), os.path.basename(path)
        if place in made:
            raise Error(f"{path}: two outputs have this name")
        file = made[place] = _NewFile(path, inputs)
        with _writing(path, True):
            yield file.out
        file.complete()

    try:
        yield create
        for file in made.values():
            file.replace()
    finally:
        for file in made.values():
            file.drop()

@contextlib.contextmanager
def whole_file(path, *inputs):
    """One file of whole_files."""
    with whole_files(*inputs) as create, create(path) as out:
        yield out

def _table(path, data, types, first=1, **how):
    """The rows of a text, one per line, whose first line is number `first` of the file; incomplete lines are errors."""
    lines = data.count(b"\n")

    def load(text):
        return np.loadtxt(io.BytesIO(text), types, None, ndmin=1, **how)

    def is_wrong(some):
        try:
            load(b"".join(some))
        except ValueError:
            return True
        except UserWarning: # there are only empty lines
            pass
        return False

    def refuse():
        """Finds the first line with which the lines up to it are wrong."""
        texts = data.splitlines(True)
        right, wrong = 0, len(texts)
        while wrong - right > 1:
            middle = (right + wrong) // 2
            right, wrong = (right, middle) if is_wrong(texts[:middle]) else (middle, wrong)
        row, shown = np.dtype(types), texts[right].decode(errors="replace").strip()[:60]
        kinds = ", ".join(str(row[i]) for i in range(len(row.names))) if row.names else str(row)
        raise Error(f"{path}:{first + right}: '{shown}' is not a row of {kinds}") from None

    with _naming(path), warnings.catch_warnings():
        warnings.simplefilter("error")
        if data and not data.endswith(b"\n"):
            raise ValueError("the last line is cut off")
        try:
            table = load(data) if lines else np.empty(0, types)
        except ValueError:
            refuse()
        if len(table) != lines:
            raise ValueError(f"{len(table)} rows in {lines} lines")
        return table

def csv_rows(path):
    """The names in the first line of a table in CSV; and an iterator of the others: number of the line, and texts."""
    table = csv.reader(io.StringIO(_read(path).decode("utf-8-sig", "replace"), newline=""), strict=True)
    names = next(table, None)
    if not names:
        raise Error(f"{path}:1: the file has no header")

    def rows():
        for row in filter(None, table):
            if len(row) != len(names):
                raise Error(f"{path}:{table.line_num}: {len(row)} fields, the header has {len(names)}")
            yield table.line_num, row
    return names, rows()

def _object(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"it has \"{twice}\" twice")
    return found

def _constant(name):
    raise ValueError(f"{name} is not a number")

def read_json(path, is_right, wrong):
    """The object of a JSON file; Error with `wrong` unless is_right(object)."""
    data = bytes(_read(path))
    try:
        found = json.loads(data, object_pairs_hook=_object, parse_constant=_constant)
    except (ValueError, RecursionError) as why:
        at = data[:why.start].count(b"\n") + 1 if isinstance(why, UnicodeDecodeError) else getattr(why, "lineno", 0)
        raise Error(f"{path}: {f'line {at}: ' if at else ''}not JSON: {getattr(why, 'msg', why)}") from None
    if not isinstance(found, dict) or not is_right(found):
        raise Error(f"{path}: line 1: {wrong}")
    return found

# ---- States, tables, observables, traces, arrays, partitions, metrics ------------------------------------------------

def read_dump(path, columns=None):
    """The nodes' states, of --dump=FILE: a table by ascending gid of `gid` and, where states are numbers, `value`, or
    `value1`, `value2` and so on, as doubles; else (battlefield, nbody) `text`. `columns` gives names, a list, or names
    and types, a dict: {"level": int, "x": int, "y": int, "mass": int}; or it is the name of one column of text."""
    data = _read(path)
    words = data.partition(b"\n")[0].split()[1:]
    if columns is None:
        columns = ["value"] if len(words) == 1 else [f"value{i + 1}" for i in range(len(words))]
        if not all(re.fullmatch(rb"-?(\d.*|inf|nan)", word) for word in words) or data and not words:
            columns = "text"
    if isinstance(columns, str):
        lines = [line.partition(b" ") for line in data.split(b"\n")]
        gids = _table(path, b"\n".join(gid for gid, _, _ in lines), np.int64)
        table = np.empty(len(gids), [("gid", np.int64), (columns, object)])
        table["gid"], table[columns] = gids, [text.decode(errors="replace") for _, _, text in lines[:-1]]
    else:
        pairs = columns.items() if isinstance(columns, dict) else [(name, float) for name in columns]
        table = _table(path, data, [("gid", np.int64), *pairs])
    if len(table) and (table["gid"][0] < 0 or np.any(np.diff(table["gid"]) <= 0)):
        raise Error(f"{path}: not a dump: gids are not ascending")
    return table

def _column(texts):
    """Integers if all are, otherwise doubles."""
    for kind in np.int64, np.uint64:
        with contextlib.suppress(ValueError, OverflowError):
            return np.array(texts, kind)
    return np.array(texts, float)

def read_csv(path):
    """The table of --output=FILE.csv: a column of integers or doubles for each name in its first line."""
    with _naming(path):
        names, rows = csv_rows(path)
        texts = list(zip(*(row for _, row in rows))) or [()] * len(names)
        columns = [_column(column) for column in texts]
        table = np.empty(len(columns[0]), [(name, column.dtype) for name, column in zip(names, columns)])
        for name, column in zip(names, columns):
            table[name] = column
    return table

def read_observables(path):
    """The observables of --observables=FILE, also during the run: `step`, and a column of doubles for each."""
    head, _, rest = _read(path).partition(b"\n")
    with _naming(path, "not a file of observables: "):
        names = next(csv.reader([head.decode()]))
        if names[0] != "step" or not rest:
            raise ValueError("the first line is not \"step,...\", or no line follows")
        types = np.dtype([(name, float if i else np.int64) for i, name in enumerate(names)])
    return _table(path, rest, types, 2, delimiter=",")

def components(values, name):
    """An observable's components, in the last dimension of an array: from read_observables(path), or from
    read_metrics(path)["observables"]."""
    names = values if isinstance(values, dict) else values.dtype.names
    found = []
    while f"{name}_{len(found)}" in names:
        found.append(values[f"{name}_{len(found)}"])
    if not found:
        raise Error(f"no observable {name} has several components")
    return np.stack(found, axis=-1)

def _event(e):
    if e["ph"] == "X":
        return e["tid"], e["args"]["step"], e["cat"], e["name"], 1e-6 * e["ts"], 1e-6 * e["dur"], np.nan
    name, _, rank = e["name"].rpartition(", rank ")
    return int(rank), -1, "counter", name, 1e-6 * e["ts"], 0.0, e["args"]["value"]

def read_trace(path):
    """The events of --trace=FILE: rank, step, category (phase, wait, pull, balance, counter), name, begin, seconds,
    value; times are seconds. Only counters have values; they have no step (-1) and no duration."""
    events = read_json(path, lambda found: "traceEvents" in found, "not a trace: no \"traceEvents\"")["traceEvents"]
    with _naming(path, "wrong event in the trace: "):
        rows = [_event(e) for e in events if e["ph"] != "M"]
        texts = [f"U{max([1, *(len(row[i]) for row in rows)])}" for i in (2, 3)]
        return np.array(rows, [("rank", np.int64), ("step", np.int64), ("category", texts[0]), ("name", texts[1]),
                               ("begin", float), ("seconds", float), ("value", float)])

def read_npy(path):
    """A NumPy array; memory-mapped unless it is compressed."""
    with _open(path) as file:
        plain = file.read(6) == b"\x93NUMPY"
    with _naming(path, "not a NumPy array: "):
        if plain:
            return np.lib.format.open_memmap(path, mode="r")
        return np.lib.format.read_array(io.BytesIO(_read(path)), allow_pickle=False)

def read_outputs(pattern):
    """The arrays of --output=PATTERN, such as "out/{name}.npy", by name; if the run has written several steps, each
    by step: {"heat": {0: array, 100: array}}. "gid" is included if gids are not 0, 1, 2, ... in some step."""
    folder, name = os.path.split(pattern)
    if not name.endswith(".npy"):
        raise Error(f"{pattern}: not the PATTERN.npy of --output")
    stem = name[:-4] if "{name}" in name else name[:-4] + "-{name}"
    stem = re.escape(stem).replace(r"\{name\}", "(?P<name>.+?)", 1).replace(r"\{name\}", "(?P=name)")
    stem = stem.replace(r"\{step\}", r"(?P<step>\d+)", 1).replace(r"\{step\}", r"(?P=step)")
    known = re.compile(stem + ("" if "?P<step>" in stem else r"(-(?P<step>\d{6,}))?") + r"\.npy")
    arrays = {} # by name, then by step, None without steps
    for found in filter(None, map(known.fullmatch, sorted(os.listdir(folder or ".")))):
        arrays.setdefault(found["name"], {})[found["step"]] = read_npy(os.path.join(folder, found[0]))
    if not arrays:
        raise Error(f"{pattern}: there are no such files")
    for name, steps in arrays.items():
        if None in steps and len(steps) > 1:
            raise Error(f"{pattern}: {name} occurs both with and without steps")
    for step, array in ((step, array) for steps in list(arrays.values()) for step, array in steps.items()):
        if "gid" in arrays: # a run omits gids that are 0, 1, 2, ...
            arrays["gid"].setdefault(step, np.arange(len(array)))
    arrays = {name: dict(sorted(steps.items(), key=lambda item: int(item[0] or 0))) for name, steps in arrays.items()}
    return {name: steps[None] if None in steps else {int(step): array for step, array in steps.items()}
            for name, steps in arrays.items()}

def _partition(path):
    """The parts of nodes, and the labels of a Scotch mapping, else None."""
    text = _read(path).splitlines(True)
    first = next((i for i, line in enumerate(text, 1) if not line.startswith(b"%")), 1)
    lines = [line for line in text if not line.startswith(b"%")]
    if len(lines) < 2 or len(lines[1].split()) != 2:
        parts, labels = _table(path, b"".join(lines), np.int64, first), None
    else:
        pairs = _table(path, b"".join(lines[1:]), [("label", np.int64), ("part", np.int64)], first + 1)
        pairs.sort(order="label")
        labels, parts = pairs["label"].copy(), pairs["part"].copy()
        if lines[0].split() != [b"%d" % len(pairs)] or np.any(np.diff(pairs["label"]) == 0):
            raise Error(f"{path}: the number of nodes differs from the first line, or a node occurs twice")
    if np.any(parts < 0):
        raise Error(f"{path}: node {int(np.argmax(parts < 0))}, counted from 0, is in no part")
    if parts.max(initial=0) > 2**31 - 2:
        raise Error(f"{path}: part {parts.max()}, must be at most {2**31 - 2}")
    return parts, labels

def read_partition(path):
    """The part of each node: from a file with one part per line, in the order of the nodes; or from a Scotch
    mapping, a count and then pairs, by ascending label."""
    return _partition(path)[0]

def _flatten(value, before=""):
    flat = {}
    for key, inner in value.items():
        flat.update(_flatten(inner, f"{before}{key}.") if isinstance(inner, dict) else {before + key: inner})
    return flat

def read_metrics(path, flat=False):
    """The metrics of --metrics=FILE, a dict; with `flat` nested keys are joined: "seconds.loop".
    share/penumbra/penumbra-metrics-2.schema.json explains them."""
    metrics = read_json(path, lambda found: found.get("schema") in ("penumbra-metrics/1", "penumbra-metrics/2"),
                        "not a file of --metrics: its \"schema\" is not \"penumbra-metrics/1\" or /2")
    return _flatten(metrics) if flat else metrics

def metrics_frame(*files, of=None):
    """A pandas.DataFrame of metrics, one row per file; files are paths, or metrics such as run.metrics. Nested keys
    are joined by points; the first column, `file`, has the path or the number. Lists are left out; of="per_rank",
    "balance_calls" or "hosts" gives that list, one row per item."""
    import pandas
    rows = []
    for number, file in enumerate(files):
        m = file if isinstance(file, dict) else read_metrics(file)
        for row in [m] if of is None else m[of]:
            rows.append({"file": number if file is m else os.fspath(file), **_flatten(row)})
            rows[-1] = {key: value for key, value in rows[-1].items() if not isinstance(value, list)}
    return pandas.DataFrame(rows)
