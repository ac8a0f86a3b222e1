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
            total = 0.0
            for t in b.neighbors(s):
                total += b.now.heat[t]
            b.next.heat[s] = total / b.degree(s) if b.degree(s) else b.now.heat[s]

    sys.exit(heat.main())

`mpirun -n 4 python3 heat.py --grid=300x300 --steps=500 --verify` runs it, with all options of Penumbra's programs and
the same results, bit for bit; penumbra.run("./heat.py", ranks=4) does, too. A function gets a Block of its rank's
nodes. main compiles it, in about a second; then a step of this program takes about its time in C (0.90 to 1.07 of it
on 300x300 and 1000x1000, 2 ranks). It is Python as Numba knows it, without exceptions; a name from outside is a
constant. There are no far reads and no changes of the graph."""

import ctypes
import functools
import os
import re
import signal
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
from numpy.lib.recfunctions import repack_fields

from penumbra.files import Error
from penumbra.runs import find_program

Block = namedtuple("Block", "first end rows columns gids node_weights edge_weights coordinates step seed inputs now "
                            "next edges next_edges globals options")
Block.__doc__ = """The argument of a function of nodes: those in the places first .. end - 1 of their rank's arrays.

    neighbors(s), degree(s)     the places of the neighbours of s, by ascending gids; and their number
    arcs(s)                     the places of its arcs, one for each neighbour: columns[a] is that of the neighbour
    gids                        of nodes and neighbours
    rows, columns               neighbors(s) are columns[rows[s]] .. columns[rows[s + 1] - 1]
    node_weights, edge_weights  [s], and [a] of arcs; empty where the graph has none
    coordinates                 [s, d] of nodes and neighbours; empty likewise
    step, seed                  the step from 0, and --seed
    random(s, stream), random_real(s, stream), random_below(s, stream, n)
                                random numbers of a node or neighbour, as pen_random
    inputs                      values of files: inputs.x[s] of nodes, [a] of arcs
    now, next                   records, now.heat[s]: of nodes and neighbours, and the next ones of the nodes
    edges, next_edges           records of arcs, edges.flux[a]; the latter are those that a phase writes, in place
    globals, options            values of the whole run, globals.dt, and of the command line, options.rate

Lengths of arrays mean nothing. `next` has the fields that the phase writes; init has no `now`."""

_NODES = 2**31 - 1 # at most on a rank
_TYPES = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1"] # pen_type
_KINDS = {"sum": 3, "min": 4, "max": 5} # pen_observable_kind

_OPTIONS = {bool: ("b1", 0), int: ("i8", 1), float: ("f8", 2)} # pen_option_kind
_CHANGING = {"step", "seed", "globals", "random", "random_real", "random_below"}

_SOURCE = """
def call(view{observation}):
    v = carray(view, 1)[0]
    first = int64(uint32(v.slot)) # which tells the compiler that it is not negative
    end = int64(carray(pointer(v.sweeping + END), 1, uint32)[0])
    carray(pointer(v.sweeping + DONE), 1, uint8)[0] = 1
    rows, inputs = carray(pointer(v.rows), end + 1, uint32), carray(pointer(v.inputs), FIELDS, int64)
    now, next = v.current, v.next
    own_edges = carray(pointer(v.own_edges), FIELDS if v.own_edges else 0, int64)
    held_edges = carray(pointer(v.edges), FIELDS, int64)
    if ASKS and v.restless: # what they know of the step can change although no record does
        carray(pointer(v.restless), end, uint8)[first:end] = 1
    arcs = int64(rows[end])
    block = Block(first, end, rows, carray(pointer(v.columns), arcs, uint32), carray(pointer(v.gids), NODES, int64),
                  carray(pointer(v.node_weights), end if v.node_weights else 0, int64),
                  carray(pointer(v.edge_weights), arcs if v.edge_weights else 0, int64),
                  carray(pointer(v.coordinates), (NODES if v.dimensions else 0, int64(v.dimensions)), float64),
                  v.step, v.seed, {inputs}, {now}, {next}, {edges}, {next_edges}, {globals}, {options})
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

@functools.lru_cache(None)
def _methods():
    """Gives blocks their methods, in compiled functions."""
    numba, _ = _numba()
    from numba import types
    from numba.extending import overload_method, register_jitable

    @register_jitable
    def threefry(x, y, key0, key1): # the first word of Threefry-2x64-20 (penumbra_random.h)
        key2 = np.uint64(0x1BD11BDAA9FC1A22) ^ key0 ^ key1
        keys, turns = (key0, key1, key2), (16, 42, 12, 31, 16, 32, 24, 21)
        x, y = x + key0, y + key1
        for i in range(20):
            turn = np.uint64(turns[i % 8])
            x += y
            y = ((y << turn) | (y >> (np.uint64(64) - turn))) ^ x
            if i % 4 == 3:
                k = i // 4 + 1
                x, y = x + keys[k % 3], y + keys[(k + 1) % 3] + np.uint64(k)
        return x

    @register_jitable
    def draw(b, s, stream):
        return threefry(np.uint64(b.gids[s]), np.uint64(b.step), np.uint64(b.seed), np.uint64(stream))

    @register_jitable
    def real(word):
        return np.float64(np.int64(word >> np.uint64(11))) * (1.0 / 9007199254740992.0)

    @register_jitable
    def below(word, n): # the upper half of a product of 128 bits
        low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
        one = (word >> half) * (n & low) + ((word & low) * (n & low) >> half)
        other = (word & low) * (n >> half) + (one & low)
        return np.int64((word >> half) * (n >> half) + (one >> half) + (other >> half))

    def neighbors(b, s):
        return b.columns[b.rows[s]:b.rows[s + 1]]

    def degree(b, s):
        return np.int64(b.rows[s + 1]) - np.int64(b.rows[s])

    def arcs(b, s):
        return range(np.int64(b.rows[s]), np.int64(b.rows[s + 1]))

    def random(b, s, stream):
        return draw(b, s, stream)

    def random_real(b, s, stream):
        return real(draw(b, s, stream))

    def random_below(b, s, stream, n):
        return below(draw(b, s, stream), np.uint64(n))

    def choose(function):
        """An overload has the arguments of its function."""
        def two(b, s):
            return function if getattr(b, "instance_class", None) is Block else None

        def three(b, s, stream):
            return two(b, s)

        def four(b, s, stream, n):
            return two(b, s)
        return (two, three, four)[function.__code__.co_argcount - 2]

    for function in (neighbors, degree, arcs, random, random_real, random_below):
        overload_method(types.BaseNamedTuple, function.__name__)(choose(function))

class _State:
    """A run as the functions of globals and done see it: its step, its observables by name, globals and options."""

    def __init__(self, library, program, run, phase, values):
        self.step, self.phase, self.globals = library.pen_run_step(run), phase, values
        self.options = program._given.view(np.recarray)[0] if program._options else None
        for index, (name, _, _) in enumerate(program._observables):
            setattr(self, name, library.pen_run_observed_real(run, index))

def _texts(record):
    """The numbers of an array with one record, as texts for .print."""
    if record.dtype.fields:
        return [text for name in record.dtype.names for text in _texts(record[name])]
    return [f"{one:.17g}" if isinstance(one, float) else f"{one:d}" for one in record.ravel().tolist()]

def _asks(function, known=()):
    """Whether a function, or one that it names, reads values of a block that can change though no record does."""
    function = getattr(function, "py_func", function)
    names = getattr(function, "__code__", None) and function.__code__.co_names
    if not names or function in known:
        return False
    return not _CHANGING.isdisjoint(names) or any(
        _asks(function.__globals__.get(name), (*known, function)) for name in names)

def _mistake(error):
    """The reason why Numba refuses a function, in one line."""
    text = re.sub("\x1b\\[[0-9;]*m", "", str(error))
    unknown = re.search(r"Unknown attribute '(\w+)' of type ((?:\w+)?)", text)
    places = [place for place in re.findall(r'File "([^"]+)", line (\d+)', text) if place[0] != "<string>"]
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("Failed in")]
    said = f"there is no {unknown[1]} in b" + (f".{unknown[2]}" if unknown[2] in Block._fields else "") \
        if unknown else lines[0].strip() if lines else type(error).__name__
    return f"{places[-1][0]}, line {places[-1][1]}: {said}" if places else said

class Program:
    """A program: its name, and its fields with the NumPy types of their records: float, "i4", "3f8" for three numbers,
    or [("u", float), ("v", float)] for a structure; edges={"flux": float} are records of arcs. Set `graph` to the graph
    if the command line names none, "grid=32x32", and `time` to the name of the global value that is the time. See
    help(penumbra.program)."""

    def __init__(self, name, edges=(), **fields):
        self.name, self.graph, self.time = name, None, None
        self.fields = {field: repack_fields(np.dtype(record)) for field, record in fields.items()} # without padding
        self.edges = {field: repack_fields(np.dtype(record)) for field, record in dict(edges).items()}
        self._init, self._init_edges, self._done, self._advance = None, None, None, None
        self._phases, self._observables, self._inputs, self._options, self._kept = [], [], {}, {}, []
        self._globals = np.zeros(0, [])

    def option(self, name, value, help="", argument=None):
        """Adds an option --name=VALUE, which functions of nodes read as options.name; `value` is its default: False for
        a flag, an integer or a float."""
        if type(value) not in _OPTIONS:
            raise Error(f"{self.name}: the option {name} is not a bool, an int or a float")
        self._options[name] = (value, help, argument)

    def globals(self, **types):
        """Decorates function(g, run), which sets the values of the whole run with these NumPy types, g.dt: after the
        first state and every step, when the observables are known: run.step, run.NAME of an observable, run.options."""
        def add(function):
            self._globals, self._advance = np.zeros(1, [(name, kind) for name, kind in types.items()]), function
            return function
        return add

    def done(self, function):
        """Decorates function(run), which ends the run after a step by returning True: run.step, run.NAME of an
        observable, run.globals."""
        self._done = function
        return function

    def init_edges(self, function):
        """Decorates the function that writes the first records of the arcs, next_edges; others are zero."""
        self._init_edges = function
        return function

    def input(self, name, of_edges=False):
        """Adds a column of numbers for nodes, or edges, from --input=FILE."""
        self._inputs[name] = "arcs" if of_edges else "end"

    def init(self, function):
        """Decorates the function that writes the first record of every field."""
        self._init = function
        return function

    def phase(self, reads=(), writes=(), name=None, edge_writes=()):
        """Decorates a phase, to be run after the previous ones: it reads these fields, "u v", from neighbours, must
        write these, and may write these records of arcs."""
        def add(function):
            self._phases.append((name or function.__name__, function, self._names(reads), self._names(writes),
                                 self._names(edge_writes, self.edges)))
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
        numba, _ = _numba()
        try:
            return self._run(sys.argv if argv is None else argv)
        except numba.core.errors.NumbaError as error:
            if int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", 0))) == 0:
                print(f"{self.name}: {_mistake(error)}", file=sys.stderr)
            return 2

    def _run(self, argv):
        (library, abi, _), every = _structures(), list(self.fields)
        words = [os.fsencode(word) for word in argv]
        app = {"name": self._text(self.name), "print": self._printer(), **self._calls(library)}
        if self.graph:
            app["graph.spec"] = self._text(self.graph)
        options = self._option_table() # before functions are compiled, which read its values
        if options:
            app["options"] = options
        if self._init:
            app["init"] = self._compile([self._init], next=every)
        if self._init_edges:
            app["init_edges"] = self._compile([self._init_edges], every, next_edges=list(self.edges))
        if self._observables:
            take = library.pen_observables_take_real
            take.argtypes, take.restype = [ctypes.c_int64, ctypes.c_int, ctypes.c_double], ctypes.c_int64
            app["observe"] = self._compile([function for _, function, _ in self._observables], every, take=take)
        for name, kind, rows in (
                ("fields", "pen_field", [{"name": self._text(name), "size": record.itemsize, "plain": True}
                                         for name, record in self.fields.items()]),
                ("phases", "pen_phase", [{"name": self._text(name), "reads.bits": self._mask(reads),
                                          "writes.bits": self._mask(writes),
                                          "edge_writes.bits": self._mask(edges, self.edges),
                                          "node": self._compile([function], every, writes, next_edges=edges)}
                                         for name, function, reads, writes, edges in self._phases]),
                ("edge_fields", "pen_edge_field", [{"name": self._text(name), "size": record.itemsize}
                                                   for name, record in self.edges.items()]),
                ("inputs", "pen_input_column", [{"name": self._text(name), "of_edges": length == "arcs", "kept": True}
                                                for name, length in self._inputs.items()]),
                ("output.members", "pen_member", list(self._members())),
                ("observables", "pen_observable", [{"name": self._text(name), "kind": kind}
                                                   for name, _, kind in self._observables])):
            app |= {name + ".list": self._table(kind, rows), name + ".count": len(rows)}
        signal.signal(signal.SIGINT, signal.SIG_DFL) # otherwise it waits until Python continues
        return library.pen_main_abi(abi, ctypes.c_void_p(self._table("pen_app", [app])), len(words),
                                    (ctypes.c_char_p * (len(words) + 1))(*words))

    def _names(self, names, known=None):
        names = names.split() if isinstance(names, str) else list(names)
        for name in names:
            if name not in (self.fields if known is None else known):
                raise Error(f"{self.name}: there is no field {name}")
        return names

    def _mask(self, names, known=None):
        return sum(1 << list(self.fields if known is None else known).index(name) for name in names)

    def _option_table(self):
        """The address of a table of pen_option, 0 without options; self._given has their values."""
        self._given = self._keep(np.zeros(1, [(name, _OPTIONS[type(value)][0])
                                              for name, (value, _, _) in self._options.items()]))
        rows = []
        for name, (value, help, argument) in self._options.items():
            self._given[name] = value
            rows.append({"name": self._text(name.replace("_", "-")), "help": self._text(help or name),
                         "kind": _OPTIONS[type(value)][1],
                         "value": self._given.ctypes.data + self._given.dtype.fields[name][1]})
            if value is not False and value is not True:
                rows[-1]["argument"] = self._text(argument or "N")
        return self._table("pen_option", [*rows, {}]) if rows else 0

    def _calls(self, library):
        """Members of pen_app for globals and .done, which Python computes."""
        members, record = {}, self._globals.dtype
        library.pen_run_step.argtypes, library.pen_run_step.restype = [ctypes.c_void_p], ctypes.c_int64
        library.pen_run_observed_real.argtypes = [ctypes.c_void_p, ctypes.c_int]
        library.pen_run_observed_real.restype = ctypes.c_double
        library.pen_run_globals.argtypes, library.pen_run_globals.restype = [ctypes.c_void_p], ctypes.c_void_p

        def values(address):
            given = (ctypes.c_char * record.itemsize).from_address(address) if address and record.itemsize else b""
            return np.frombuffer(given, record).view(np.recarray)[0] if given else None

        def guard(call):
            """A mistake in a function ends the program: the library, which calls it, cannot go on."""
            def guarded(*arguments):
                try:
                    return call(*arguments)
                except Exception as error: # pylint: disable=broad-except
                    print(f"{self.name}: {call.__name__}: {error}", file=sys.stderr, flush=True)
                    os._exit(2)
            return guarded

        def update(run, phase, _, given):
            self._advance(values(given), _State(library, self, run, phase, None))

        def done(run, _):
            return bool(self._done(_State(library, self, run, -1, values(library.pen_run_globals(run)))))

        def address(kind, call):
            return ctypes.cast(self._keep(kind(guard(call))), ctypes.c_void_p).value

        if self._advance:
            kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
            named = [{"name": self._text(name), "type": _TYPES.index(record[name].str[1:]),
                      "offset": record.fields[name][1], "components": 1} for name in record.names]
            table = {"size": record.itemsize, "update": address(kind, update), "members.count": len(named),
                     "members.list": self._table("pen_member", named)}
            if self.time:
                table["time"] = self._text(self.time)
            members["globals"] = self._table("pen_globals", [table])
        if self._done:
            kind = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
            members["end.done"] = address(kind, done)
        return members

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

    def _compile(self, functions, now=(), next=(), take=None, next_edges=()):
        """The address of a sweep that calls functions with a Block; with `take`, of .observe."""
        numba, pointer = _numba()
        _methods()
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

        def arcs(name, array, fields):
            return tuple_of(name, {field: f"carray(pointer({array}[{i}]), {('arcs', *record.shape)}, edge{i})"
                                   .replace("'", "") for i, (field, record) in enumerate(self.edges.items())
                                   if field in fields})

        def one(name, address, record):
            scope[name + "_type"] = record
            return f"carray(pointer({address}), 1, {name}_type)[0]" if record.itemsize else "0"

        parts = {"now": records("now", now), "next": records("next", next),
                 "edges": arcs("edges", "held_edges", self.edges if now and not next_edges else ()),
                 "next_edges": arcs("next_edges", "own_edges", next_edges),
                 "globals": one("globals", "v.globals", self._globals.dtype),
                 "options": one("options", self._given.ctypes.data, self._given.dtype),
                 "observation": ", observation" if take else "",
                 "inputs": tuple_of("inputs", {name: f"carray(pointer(inputs[{i}]), {length}, float64)"
                                               for i, (name, length) in enumerate(self._inputs.items())})}
        calls = ""
        for i, function in enumerate(functions):
            scope[f"function{i}"] = numba.njit(error_model="numpy")(function)
            calls += _OBSERVE.format(i=i) if take else f"    function{i}(block)\n"
        scope.update((f"type{i}", record.base) for i, record in enumerate(self.fields.values()))
        scope.update((f"edge{i}", record.base) for i, record in enumerate(self.edges.values()))
        exec(_SOURCE.format(calls=calls, **parts), scope)
        given = [numba.types.CPointer(numba.from_dtype(view)), numba.types.voidptr][:1 + bool(take)]
        return self._keep(numba.cfunc(numba.types.void(*given), error_model="numpy")(scope["call"])).address
