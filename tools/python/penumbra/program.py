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

_NODES, _FIELDS, _NEAR = 2**31 - 1, 64, 16 # at most: nodes of a rank; PEN_MOST_FIELDS; PEN_OBSERVABLES_NEAR
_TYPES = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1"] # pen_type
_KINDS = {"sum": 3, "min": 4, "max": 5} # pen_observable_kind

def _struct(members, size={"i": ctypes.c_int, "p": ctypes.c_void_p, "n": ctypes.c_int64, "u": ctypes.c_uint64,
                           "b": ctypes.c_bool, "d": ctypes.c_double, "f": _FIELDS * ctypes.c_int64}):
    """A structure of the headers of version 1.0; later versions add members at the end."""
    return type("struct", (ctypes.Structure,), {"_fields_": [(m[:-2], size[m[-1]]) for m in members.split()]})

_VIEW = _struct("slot:i rows:n columns:n gids:n node_weights:n edge_weights:n current:f next:f sizes:n step:n params:n "
                "scratch:n far:n observed_ints:n observed_reals:n dimensions:i coordinates:n readers:n seed:u edges:n "
                "own_edges:n inputs:n components:n globals:n sweeping:n")
_FIELD, _OBSERVABLE = _struct("name:p size:u plain:b"), _struct("name:p kind:i components:i")
_MEMBER = _struct("name:p field:i type:i offset:u components:i")
_INPUT = _struct("name:p of_edges:b optional:b nan:b kept:b otherwise:d")
_PHASE = _struct("name:p node:p reads:u writes:u block:p far:p far_reads:u observe:p observes:u edge_writes:u modify:p "
                 "keeps:u")
_APP = _struct("name:p fields:p field_count:i edge_fields:p edge_field_count:i phases:p phase_count:i observables:p "
               "observable_count:i inputs:p input_count:i options:p params:p setup:p init:p init_edges:p observe:p "
               "globals:p print:p cost:p check:p spec:p rows:p saved_rows:p done:p steps:n write:p members:p "
               "member_count:i")
_GROUPS = [(_APP.spec.offset, 24), (_APP.done.offset, 16), (_APP.write.offset, 24), (0, 0)] # of pen_app, in pen_abi

_SOURCE = """
def call(view{observation}):
    v = carray(view, 1)[0]
    first = int64(uint32(v.slot)) # which tells the compiler that it is not negative
    end = int64(carray(pointer(v.sweeping), 1, uint32)[0])
    carray(pointer(v.sweeping), 8, uint8)[4] = 1 # pen_sweeping.done
    rows, inputs = carray(pointer(v.rows), end + 1, uint32), carray(pointer(v.inputs), FIELDS, int64)
    now, next = v.current, v.next
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
    room = carray(observation, 1 + 4 * NEAR, int64)
    at, full = room[1 + 2 * NEAR + {i}], room[1 + 3 * NEAR + {i}]
    for value in values:
        if at == full:
            at = take(room[0], {i}, value)
        else:
            carray(pointer(at), 1, float64)[0] = value
            at += 8
    room[1 + 2 * NEAR + {i}] = at
"""

def _library():
    """The library of the programs that find_program finds."""
    root = Path(find_program("hex")).resolve().parents[1]
    for pattern in ("libpenumbra.so*", "lib*/libpenumbra.so*", "lib/*/libpenumbra.so*"):
        for path in sorted(root.glob(pattern)):
            return ctypes.CDLL(path, ctypes.RTLD_GLOBAL) # MPI's components look for its symbols there
    raise Error(f"there is no libpenumbra.so below {root}")

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
            if len(self._observables) == _NEAR or kind not in _KINDS:
                raise Error(f"{self.name}: at most {_NEAR} observables, each a {' or '.join(_KINDS)}")
            self._observables.append((function.__name__, function, _KINDS[kind]))
            return function
        return add

    def main(self, argv=None):
        """Runs the program with these words, or sys.argv, and returns its exit status. Only once in a process."""
        _numba()
        library, every = _library(), list(self.fields)
        words = [os.fsencode(word) for word in (sys.argv if argv is None else argv)]
        phases = [(self._text(name), self._compile([function], every, writes), self._mask(reads), self._mask(writes))
                  for name, function, reads, writes in self._phases]
        app = _APP(name=self._text(self.name), print=self._printer())
        if self._init:
            app.init = self._compile([self._init], next=every)
        if self._observables:
            take = library.pen_observables_take_real
            take.argtypes, take.restype = [ctypes.c_int64, ctypes.c_int, ctypes.c_double], ctypes.c_int64
            app.observe = self._compile([function for _, function, _ in self._observables], every, take=take)
        for key, kind, rows in (
                ("field", _FIELD, [(self._text(name), record.itemsize, True) for name, record in self.fields.items()]),
                ("phase", _PHASE, phases), ("input", _INPUT, [(self._text(name), length == "arcs", False, False, True)
                                                              for name, length in self._inputs.items()]),
                ("member", _MEMBER, list(self._members())),
                ("observable", _OBSERVABLE, [(self._text(name), kind) for name, _, kind in self._observables])):
            table = self._keep((kind * len(rows))(*rows))
            setattr(app, key + "s", ctypes.addressof(table))
            setattr(app, key + "_count", len(rows))
        abi = [ctypes.sizeof(kind) for kind in (_APP, _FIELD, _PHASE, _OBSERVABLE)] + 6 * [0]
        abi += [ctypes.sizeof(kind) for kind in (_INPUT, _MEMBER)] + [0] + [n for group in _GROUPS for n in group]
        abi = (ctypes.c_uint32 * (1 + len(abi)))(4 + 4 * len(abi), *abi)
        signal.signal(signal.SIGINT, signal.SIG_DFL) # otherwise it waits until Python continues
        return library.pen_main_abi(abi, ctypes.byref(app), len(words), (ctypes.c_char_p * (len(words) + 1))(*words))

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
        return ctypes.cast(self._keep(ctypes.create_string_buffer(text.encode())), ctypes.c_void_p)

    def _members(self):
        """Rows of pen_member: fields, or the members of their structures."""
        for index, (field, record) in enumerate(self.fields.items()):
            for name, (part, offset) in [(k, v[:2]) for k, v in (record.fields or {field: (record, 0)}).items()]:
                if part.base.str[1:] not in _TYPES:
                    raise Error(f"{self.name}: {name}: {part.base} is not a number type that files have")
                yield (self._text(name), index, _TYPES.index(part.base.str[1:]), offset,
                       part.itemsize // part.base.itemsize)

    def _printer(self):
        """The .print function, which only --dump and --verify call."""
        puts = ctypes.CDLL(None).fputs
        puts.argtypes = [ctypes.c_char_p, ctypes.c_void_p]

        def show(view, out):
            v, texts = _VIEW.from_address(view), []
            for plane, record in zip(v.current, self.fields.values()):
                at = plane + v.slot * record.itemsize
                texts += _texts(np.frombuffer(ctypes.string_at(at, record.itemsize), record))
            puts(" ".join(texts).encode(), out)
        return ctypes.cast(self._keep(ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(show)), ctypes.c_void_p)

    def _compile(self, functions, now=(), next=(), take=None):
        """The address of a sweep that calls functions with a Block; with `take`, of .observe."""
        numba, pointer = _numba()
        scope = {"carray": numba.carray, "pointer": pointer, "take": take, "Block": Block, "FIELDS": _FIELDS,
                 "NODES": _NODES, "NEAR": _NEAR, "empty": np.empty, "int64": np.int64, "uint32": np.uint32,
                 "uint8": np.uint8, "float64": np.float64}

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
        view = numba.types.CPointer(numba.from_dtype(np.dtype(_VIEW)))
        given = [view, numba.types.voidptr][:1 + bool(take)]
        return self._keep(numba.cfunc(numba.types.void(*given), error_model="numpy")(scope["call"])).address
