"""Programs of one's own in Python: Numba compiles the functions of nodes, and the library runs them on MPI ranks.

    import sys, penumbra

    heat = penumbra.Program("heat", heat=float)

    @heat.init
    def start(b):
        for s in range(b.first, b.end):
            b.next.heat[s] = 100.0 if b.gids[s] == 0 else 0.0

    @heat.phase(reads="heat", writes="heat")
    def relax(b):
        for s in range(b.first, b.end):
            total, row = 0.0, b.columns[b.rows[s]:b.rows[s + 1]]
            for t in row:
                total += b.now.heat[t]
            b.next.heat[s] = total / len(row) if len(row) else b.now.heat[s]

    sys.exit(heat.main())

`mpirun -n 4 python3 heat.py --grid=300x300 --steps=500 --verify` runs it, with all options of Penumbra's programs and
the same results, bit for bit; penumbra.run("./heat.py", ranks=4) does, too. A function gets a Block of its rank's
nodes. main compiles it, in about a second; then a step of this program takes about its time in C (0.90 to 1.07 of it
on 300x300 and 1000x1000, 2 ranks). It is Python as Numba knows it, without exceptions; a name from outside is a
constant. Arcs have no records, and there are no far reads and no changes of the graph."""

import ctypes
import functools
import os
import signal
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
from numpy.lib.recfunctions import repack_fields

from penumbra.files import Error
from penumbra.runs import find_program

Block = namedtuple("Block", "first end rows columns gids node_weights edge_weights coordinates step seed inputs now "
                            "next")
Block.__doc__ = """The argument of a function of nodes: those in the places first .. end - 1 of their rank's arrays.

    rows, columns               the neighbours of s are columns[rows[s]] .. columns[rows[s + 1] - 1], by ascending gids
    gids                        of nodes and neighbours
    node_weights, edge_weights  [s], and at the places of columns; empty where the graph has none
    coordinates                 [s, d] of nodes and neighbours; empty likewise
    step, seed                  the step from 0, and --seed
    inputs                      values of files: inputs.x[s] of nodes, and at the places of columns of edges
    now, next                   records, now.heat[s]: of nodes and neighbours, and the next ones of the nodes

Lengths of arrays mean nothing. `next` has the fields that the phase writes; init has no `now`."""

_NODES = 2**31 - 1 # at most on a rank
_TYPES = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1"] # pen_type
_KINDS = {"sum": 3, "min": 4, "max": 5} # pen_observable_kind

_SOURCE = """
def call(view{observation}):
    v = carray(view, 1)[0]
    first = int64(uint32(v.slot)) # which tells the compiler that it is not negative
    end = int64(carray(pointer(v.sweeping + END), 1, uint32)[0])
    carray(pointer(v.sweeping + DONE), 1, uint8)[0] = 1
    rows, inputs = carray(pointer(v.rows), end + 1, uint32), carray(pointer(v.inputs), FIELDS, int64)
    now, next = v.current, v.next
    if ASKS and v.restless: # what they know of the step can change although no record does
        carray(pointer(v.restless), end, uint8)[first:end] = 1
    arcs = int64(rows[end])
    block = Block(first, end, rows, carray(pointer(v.columns), arcs, uint32), carray(pointer(v.gids), NODES, int64),
                  carray(pointer(v.node_weights), end if v.node_weights else 0, int64),
                  carray(pointer(v.edge_weights), arcs if v.edge_weights else 0, int64),
                  carray(pointer(v.coordinates), (NODES if v.dimensions else 0, int64(v.dimensions)), float64),
                  v.step, v.seed, {inputs}, {now}, {next})
{calls}
"""

# As pen_observe_real: if a room is full, the library takes the value.
_OBSERVE = """
    values = empty(end - first)
    function{i}(block, values)
    room = carray(observation, ROOM, int64)
    at, full = room[REALS + {i}], room[ENDS + {i}]
    for value in values:
        if at == full:
            at = take(room[ALL], {i}, value)
        else:
            carray(pointer(at), 1, float64)[0] = value
            at += 8
    room[REALS + {i}] = at
"""

def _library():
    """The library of the programs that find_program finds."""
    root = Path(find_program("hex")).resolve().parents[1]
    for pattern in ("libpenumbra.so*", "lib*/libpenumbra.so*", "lib/*/libpenumbra.so*"):
        for path in sorted(root.glob(pattern)):
            return ctypes.CDLL(path, ctypes.RTLD_GLOBAL) # MPI's components look for its symbols there
    raise Error(f"there is no libpenumbra.so below {root}")

class _Layout(ctypes.Structure):
    """pen_layout: the place of a member of a structure."""
    _fields_ = [(name, ctypes.c_char_p) for name in ("structure", "member", "type")]
    _fields_ += [(name, ctypes.c_uint32) for name in ("offset", "size")]

@functools.lru_cache(None)
def _structures():
    """The library, its PEN_ABI, and the structures of its headers as NumPy types."""
    library, abi, kinds = _library(), ctypes.c_uint32(), {}
    library.pen_layouts.restype = ctypes.POINTER(_Layout)
    for row in library.pen_layouts(ctypes.byref(abi)):
        if not row.structure:
            break
        if not row.member:
            kind = kinds[row.structure.decode()] = {"names": [], "formats": [], "offsets": [], "itemsize": row.size}
            continue
        size = int(row.type[1:])
        kind["names"].append(row.member.decode())
        kind["formats"].append((row.type.decode(), (row.size // size,)) if row.size > size else row.type.decode())
        kind["offsets"].append(row.offset)
    return library, abi, {name: np.dtype(kind, align=True) for name, kind in kinds.items()}

def _offset(structure, member):
    return _structures()[2][structure].fields[member][1]

@functools.lru_cache(None)
def _numba():
    """Numba, and a function that makes a pointer from an address."""
    try:
        import numba
        from numba.core import cgutils
        from numba.extending import intrinsic
    except ImportError:
        raise Error("programs in Python take Numba: Debian's python3-numba, or pip install numba") from None

    @intrinsic
    def pointer(_, address):
        return numba.types.voidptr(address), lambda _c, build, _s, given: build.inttoptr(given[0], cgutils.voidptr_t)
    return numba, pointer

def _texts(record):
    """The numbers of an array with one record, as texts for .print."""
    if record.dtype.fields:
        return [text for name in record.dtype.names for text in _texts(record[name])]
    return [f"{one:.17g}" if isinstance(one, float) else f"{one:d}" for one in record.ravel().tolist()]

def _asks(function, known=()):
    """Whether a function, or one that it names, reads the step or the seed of a block."""
    function = getattr(function, "py_func", function)
    names = getattr(function, "__code__", None) and function.__code__.co_names
    if not names or function in known:
        return False
    return "step" in names or "seed" in names or any(
        _asks(function.__globals__.get(name), (*known, function)) for name in names)

class Program:
    """A program: its name, and its fields with the NumPy types of their records: float, "i4", "3f8" for three numbers,
    or [("u", float), ("v", float)] for a structure. See help(penumbra.program)."""

    def __init__(self, name, **fields):
        self.name = name
        self.fields = {field: repack_fields(np.dtype(record)) for field, record in fields.items()} # without padding
        self._init, self._phases, self._observables, self._inputs, self._kept = None, [], [], {}, []

    def input(self, name, of_edges=False):
        """Adds a column of numbers for nodes, or edges, from --input=FILE."""
        self._inputs[name] = "arcs" if of_edges else "end"

    def init(self, function):
        """Decorates the function that writes the first record of every field."""
        self._init = function
        return function

    def phase(self, reads=(), writes=(), name=None):
        """Decorates a phase, to be run after the previous ones: it reads these fields from neighbours, and must
        write these."""
        def add(function):
            self._phases.append((name or function.__name__, function, self._names(reads), self._names(writes)))
            return function
        return add

    def observable(self, kind):
        """Decorates function(b, values), which sets values[s - b.first] of each node; kind: "sum", "min", "max"."""
        def add(function):
            near = _structures()[2]["pen_observation"]["reals"].shape[0]
            if len(self._observables) == near or kind not in _KINDS:
                raise Error(f"{self.name}: at most {near} observables, each a {' or '.join(_KINDS)}")
            self._observables.append((function.__name__, function, _KINDS[kind]))
            return function
        return add

    def main(self, argv=None):
        """Runs the program with these words, or sys.argv, and returns its exit status. Only once in a process."""
        _numba()
        (library, abi, _), every = _structures(), list(self.fields)
        words = [os.fsencode(word) for word in (sys.argv if argv is None else argv)]
        app = {"name": self._text(self.name), "print": self._printer()}
        if self._init:
            app["init"] = self._compile([self._init], next=every)
        if self._observables:
            take = library.pen_observables_take_real
            take.argtypes, take.restype = [ctypes.c_int64, ctypes.c_int, ctypes.c_double], ctypes.c_int64
            app["observe"] = self._compile([function for _, function, _ in self._observables], every, take=take)
        for name, kind, rows in (
                ("fields", "pen_field", [{"name": self._text(name), "size": record.itemsize, "plain": True}
                                         for name, record in self.fields.items()]),
                ("phases", "pen_phase", [{"name": self._text(name), "node": self._compile([function], every, writes),
                                          "reads.bits": self._mask(reads), "writes.bits": self._mask(writes)}
                                         for name, function, reads, writes in self._phases]),
                ("inputs", "pen_input_column", [{"name": self._text(name), "of_edges": length == "arcs", "kept": True}
                                                for name, length in self._inputs.items()]),
                ("output.members", "pen_member", list(self._members())),
                ("observables", "pen_observable", [{"name": self._text(name), "kind": kind}
                                                   for name, _, kind in self._observables])):
            app |= {name + ".list": self._table(kind, rows), name + ".count": len(rows)}
        signal.signal(signal.SIGINT, signal.SIG_DFL) # otherwise it waits until Python continues
        return library.pen_main_abi(abi, ctypes.c_void_p(self._table("pen_app", [app])), len(words),
                                    (ctypes.c_char_p * (len(words) + 1))(*words))

    def _names(self, names):
        names = [names] if isinstance(names, str) else list(names)
        for name in names:
            if name not in self.fields:
                raise Error(f"{self.name}: there is no field {name}")
        return names

    def _mask(self, names):
        return sum(1 << list(self.fields).index(name) for name in names)

    def _keep(self, thing):
        """Keeps a thing as long as the run."""
        self._kept.append(thing)
        return thing

    def _text(self, text):
        return ctypes.addressof(self._keep(ctypes.create_string_buffer(text.encode())))

    def _table(self, kind, rows):
        """The address of an array of structures with these members; the others are zero."""
        table = self._keep(np.zeros(len(rows), _structures()[2][kind]))
        for entry, row in zip(table, rows):
            for member, value in row.items():
                entry[member] = value
        return table.ctypes.data if rows else 0

    def _members(self):
        """Rows of pen_member: fields, or the members of their structures."""
        for index, (field, record) in enumerate(self.fields.items()):
            for name, (part, offset) in [(k, v[:2]) for k, v in (record.fields or {field: (record, 0)}).items()]:
                if part.base.str[1:] not in _TYPES:
                    raise Error(f"{self.name}: {name}: {part.base} is not a number type that files have")
                yield {"name": self._text(name), "field": index, "type": _TYPES.index(part.base.str[1:]),
                       "offset": offset, "components": part.itemsize // part.base.itemsize}

    def _printer(self):
        """The .print function, which only --dump and --verify call."""
        puts = ctypes.CDLL(None).fputs
        puts.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        kind = _structures()[2]["pen_view"]

        def show(view, out):
            v, texts = np.frombuffer(ctypes.string_at(view, kind.itemsize), kind)[0], []
            for plane, record in zip(v["current"].tolist(), self.fields.values()):
                at = plane + int(v["slot"]) * record.itemsize
                texts += _texts(np.frombuffer(ctypes.string_at(at, record.itemsize), record))
            puts(" ".join(texts).encode(), out)
        show = self._keep(ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(show))
        return ctypes.cast(show, ctypes.c_void_p).value

    def _compile(self, functions, now=(), next=(), take=None):
        """The address of a sweep that calls functions with a Block; with `take`, of .observe."""
        numba, pointer = _numba()
        view = _structures()[2]["pen_view"]
        scope = {"carray": numba.carray, "pointer": pointer, "take": take, "Block": Block, "NODES": _NODES,
                 "FIELDS": view["current"].shape[0], "END": _offset("pen_sweeping", "end"),
                 "DONE": _offset("pen_sweeping", "done"), "ROOM": _structures()[2]["pen_observation"].itemsize // 8,
                 "ALL": _offset("pen_observation", "all") // 8, "REALS": _offset("pen_observation", "reals") // 8,
                 "ENDS": _offset("pen_observation", "real_ends") // 8, "empty": np.empty, "int64": np.int64,
                 "uint32": np.uint32, "uint8": np.uint8, "float64": np.float64, "ASKS": any(map(_asks, functions))}

        def tuple_of(name, values):
            scope[name + "_tuple"] = namedtuple(name, values)
            return f"{name}_tuple({', '.join(values.values())})" if values else "0"

        def records(name, fields):
            return tuple_of(name, {field: f"carray(pointer({name}[{i}]), {(_NODES, *record.shape)}, type{i})"
                                   for i, (field, record) in enumerate(self.fields.items()) if field in fields})

        parts = {"now": records("now", now), "next": records("next", next),
                 "observation": ", observation" if take else "",
                 "inputs": tuple_of("inputs", {name: f"carray(pointer(inputs[{i}]), {length}, float64)"
                                               for i, (name, length) in enumerate(self._inputs.items())})}
        calls = ""
        for i, function in enumerate(functions):
            scope[f"function{i}"] = numba.njit(error_model="numpy")(function)
            calls += _OBSERVE.format(i=i) if take else f"    function{i}(block)\n"
        scope.update((f"type{i}", record.base) for i, record in enumerate(self.fields.values()))
        exec(_SOURCE.format(calls=calls, **parts), scope)
        given = [numba.types.CPointer(numba.from_dtype(view)), numba.types.voidptr][:1 + bool(take)]
        return self._keep(numba.cfunc(numba.types.void(*given), error_model="numpy")(scope["call"])).address
