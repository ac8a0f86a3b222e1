"""Blocks, which functions of nodes get, and the sources of the compiled functions that the library calls."""

import ctypes
import functools
import re
import types
from collections import namedtuple
from pathlib import Path

import numpy as np

from penumbra.files import Error
from penumbra.runs import find_program

Block = namedtuple("Block", "first end rows columns gids node_weights edge_weights coordinates step seed inputs now "
                            "next edges next_edges globals options far mail senders send")
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
    requests(s)                 of a phase with far: the places in `far` of the nodes that s has requested
    far                         their records, far.heat[k], gids far.gids[k], and far.found[k]: whether there is one
    mail, senders               mail.person(s), senders.person(s): the messages of s, and the gids of their senders
    send                        send.person(s, gid): the new message from s to that node, all zero, or
                                send.person(s, gid, message) a copy, which can be changed; both until the next
                                message of this kind is sent

Lengths of arrays mean nothing, except those of mail and senders. `next` has the fields that the phase writes; init has
no `now`. mail and senders have the kinds that the phase receives, in observables all; send those that it sends, in init
all."""

NODES = 2**31 - 1 # at most on a rank
_CHANGING = {"step", "seed", "globals", "random", "random_real", "random_below"}

SOURCE = """
def call({arguments}):
    v = carray(view, 1)[0]
    first = int64(uint32(v.slot)) # which tells the compiler that it is not negative
{range}
    rows, inputs = carray(pointer(v.rows), end + 1, uint32), carray(pointer(v.inputs), FIELDS, int64)
    now, next = v.current, v.next
    own_edges = carray(pointer(v.own_edges), FIELDS if v.own_edges else 0, int64)
    held_edges = carray(pointer(v.edges), FIELDS, int64)
    if ASKS and v["library.restless"]: # what they know of the step can change although no record does
        carray(pointer(v["library.restless"]), end, uint8)[first:end] = 1
    arcs = int64(rows[end])
{fetch}
    block = Block(first, end, rows, carray(pointer(v.columns), arcs, uint32), carray(pointer(v.gids), NODES, int64),
                  carray(pointer(v.node_weights), end if v.node_weights else 0, int64),
                  carray(pointer(v.edge_weights), arcs if v.edge_weights else 0, int64),
                  carray(pointer(v.coordinates), (NODES if v.dimensions else 0, int64(v.dimensions)), float64),
                  v.step, v.seed, {inputs}, {now}, {next}, {edges}, {next_edges}, {globals}, {options}, {far},
                  Mail(v["library.mailboxes"]), Senders(v["library.mailboxes"]),
                  Send(v["library.outboxes"], address(view)))
{calls}
"""

# A sweep computes the nodes up to an end; other functions are called for one node.
SWEEP = "    end = int64(uint32(to))"
ONE = "    end = first + 1"

# The records that nodes have requested: a copy of each, from this rank's nodes and neighbours, or from other ranks.
FETCH = """
    far = carray(pointer(v["library.far"]), 1, far_type)[0]
    far_first = carray(pointer(far.first), end + 1, int64)
    count = far_first[end] - far_first[first]
    far_slots = carray(pointer(far.slots), far_first[end], int32)
    far_records = carray(pointer(far.records), FIELDS, int64)
    far_found = empty(count, bool_)
    for k in range(count):
        far_found[k] = far_slots[far_first[first] + k] >= 0
"""
FETCH_FIELD = """
    here = carray(pointer(now[{i}]), {shape}, type{i})
    there = carray(pointer(far_records[{i}] if far.records else int64(0)), {shape}, type{i})
    far{i} = empty({count}, type{i})
    for k in range(count):
        slot = int64(far_slots[far_first[first] + k])
        if slot >= far.known:
            far{i}[k] = there[slot - far.known]
        elif slot >= 0:
            far{i}[k] = here[slot]
"""

# As pen_observe_real: if a room is full, the library takes the value.
OBSERVE = """
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

WANT = """
    for gid in function0(block, first):
        want(observation, int64(gid))
"""
CHANGE = """
    function0(block, first, Changes(observation))
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
def structures():
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

def offset_of(structure, member):
    return structures()[2][structure].fields[member][1]

@functools.lru_cache(None)
def find_numba():
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
def methods():
    """Gives blocks their methods, in compiled functions."""
    numba, pointer = find_numba()
    carray = numba.carray
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

    def neighbors(b, s): # a slice, without the checks of one
        first = np.int64(b.rows[s])
        return carray(pointer(np.int64(b.columns.ctypes.data) + 4 * first), degree(b, s), np.uint32)

    @register_jitable
    def degree(b, s):
        return np.int64(np.uint32(b.rows[s + 1] - b.rows[s]))

    def arcs(b, s):
        return range(np.int64(b.rows[s]), np.int64(b.rows[s + 1]))

    def random(b, s, stream):
        return draw(b, s, stream)

    def random_real(b, s, stream):
        return real(draw(b, s, stream))

    def random_below(b, s, stream, n):
        return below(draw(b, s, stream), np.uint64(n))

    def requests(b, s):
        return range(b.far.first[s] - b.far.begin, b.far.first[s + 1] - b.far.begin)

    def choose(function):
        """An overload has the arguments of its function."""
        def two(b, s):
            return function if getattr(b, "instance_class", None) is Block else None

        def three(b, s, stream):
            return two(b, s)

        def four(b, s, stream, n):
            return two(b, s)
        return (two, three, four)[function.__code__.co_argcount - 2]

    for function in (neighbors, degree, arcs, random, random_real, random_below, requests):
        overload_method(types.BaseNamedTuple, function.__name__)(choose(function))

@functools.lru_cache(None)
def change_methods():
    """Gives Changes their methods, in compiled functions."""
    numba, _ = find_numba()
    from numba.extending import overload_method
    library, word = structures()[0], ctypes.c_int64
    for name, count in (("pen_add_node", 3), ("pen_remove_node", 2), ("pen_add_edge", 4), ("pen_remove_edge", 3)):
        getattr(library, name).argtypes = [word] * count
        getattr(library, name).restype = word if name == "pen_add_node" else None
    add_node_to, remove_node_of = library.pen_add_node, library.pen_remove_node
    add_edge_to, remove_edge_of = library.pen_add_edge, library.pen_remove_edge

    def is_changes(kind):
        return hasattr(getattr(kind, "instance_class", None), "make_new")

    def add_node(c, gid, weight=1):
        make = c.instance_class.make_new if is_changes(c) else None
        return make and (lambda c, gid, weight=1: make(add_node_to(c.address, gid, weight)))

    def remove_node(c, gid):
        return (lambda c, gid: remove_node_of(c.address, gid)) if is_changes(c) else None

    def add_edge(c, source, target, weight=1):
        return (lambda c, source, target, weight=1: add_edge_to(c.address, source, target, weight)) \
            if is_changes(c) else None

    def remove_edge(c, source, target):
        return (lambda c, source, target: remove_edge_of(c.address, source, target)) if is_changes(c) else None

    for function in (add_node, remove_node, add_edge, remove_edge):
        overload_method(numba.types.BaseNamedTuple, function.__name__)(function)

def _names_in(code):
    """The names in a function's code, in functions within it, and in its texts, which getattr may be given."""
    names = {*code.co_names, *(text for text in code.co_consts if isinstance(text, str))}
    return names.union(*(_names_in(inner) for inner in code.co_consts if isinstance(inner, types.CodeType)))

def _held_by(value, names):
    """The values of these names in a function or module, and all that a function holds; or the elements of a tuple."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, types.ModuleType):
        return [vars(value)[name] for name in names if name in vars(value)]
    held = [cell.cell_contents for cell in value.__closure__ or () if cell != types.CellType()]
    return [*held, *(value.__defaults__ or ()),
            *(value.__globals__[name] for name in names if name in value.__globals__)]

def asks(function):
    """Whether a function, or one that it uses, reads values of a block that can change though no record does. Those of
    NumPy and Numba do not."""
    known, left = set(), [(function, frozenset())]
    while left:
        value, names = left.pop()
        value = getattr(value, "py_func", value) # of what Numba has compiled
        module = getattr(value, "__module__", None) or getattr(value, "__name__", "")
        if (not isinstance(value, (types.FunctionType, types.ModuleType, tuple))
                or module.partition(".")[0] in ("numpy", "numba")):
            continue
        if isinstance(value, types.FunctionType):
            names = frozenset(_names_in(value.__code__))
            if not _CHANGING.isdisjoint(names):
                return True
        if (id(value), names) not in known:
            known.add((id(value), names))
            left += ((held, names) for held in _held_by(value, names))
    return False

def mistake(error):
    """The reason why Numba refuses a function, in one line."""
    text = re.sub("\x1b\\[[0-9;]*m", "", str(error))
    unknown = re.search(r"Unknown attribute '(\w+)' of type (?:Module\(<module '([\w.]+)')?((?:\w+)?)", text)
    places = [place for place in re.findall(r'File "([^"]+)", line (\d+)', text) if place[0] != "<string>"]
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("Failed in")]
    said = lines[0].strip() if lines else type(error).__name__
    if said.endswith("signature:") and len(lines) > 1:
        said += " " + lines[1].strip(" >") # the types
    if unknown:
        said = f"there is no {unknown[1]} in {unknown[2] or 'b'}" + f".{unknown[3]}" * (unknown[3] in Block._fields)
    return f"{places[-1][0]}, line {places[-1][1]}: {said}" if places else said
