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

`mpirun -n 4 python3 heat.py --generate=hex:300x300 --steps=500 --verify` runs it, with all options of Penumbra's
programs and the same results, bit for bit; penumbra.run("./heat.py", ranks=4) does, too. A function gets a Block of
its rank's nodes. main compiles it, in about two seconds; then a step of this program takes about its time in C (1.0 to
1.15 of it; tests/bench/languages.sh). It is Python as Numba knows it: a name from outside is a constant, and an
exception ends the program.

Nodes send mail to any nodes (penumbra_mail.h). These people walk to a random place in every step:

    walk = penumbra.Program("walk", count="i8")
    walk.mail("person", [("home", "i8"), ("steps", "i4")])

    @walk.init
    def start(b):
        for s in range(b.first, b.end):
            b.next.count[s] = 1
            b.send.person(s, b.gids[s]).home = b.gids[s]

    @walk.phase(writes="count", receives="person", sends="person")
    def go(b):
        for s in range(b.first, b.end):
            people = b.mail.person(s)
            b.next.count[s] = len(people)
            for i, person in enumerate(people):
                sent = b.send.person(s, b.random_below(s, i, 900), person)
                sent.steps += 1

The number of all nodes, 900 here, is also the value of an observable that counts them; globals can copy it."""

import ctypes
import os
import signal
import sys
import traceback
from collections import namedtuple
from keyword import iskeyword

import numpy as np
from numpy.lib.recfunctions import repack_fields

from penumbra import blocks
from penumbra.blocks import Block, find_numba, offset_of, structures
from penumbra.files import Error
from penumbra.mails import mail_tuples

_TYPES = ["f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "b1"] # pen_type
_KINDS = {"sum": 3, "min": 4, "max": 5} # pen_observable_kind

_OPTIONS = {bool: ("b1", 0), int: ("i8", 1), float: ("f8", 2)} # pen_option_kind

class _State:
    """A run as the functions of globals and done see it: its step, its observables by name, globals and options."""

    def __init__(self, library, program, run, phase, values):
        self.step, self.phase, self.globals = library.pen_run_step(run), phase, values
        self.options = program._given.view(np.recarray)[0] if program._options else None
        for index, (name, _, _) in enumerate(program._observables):
            setattr(self, name, library.pen_run_observed_real(run, index))

class Program:
    """A program: its name, and its fields with the NumPy types of their records: float, "i4", "3f8" for three numbers,
    or [("u", float), ("v", float)] for a structure; edges={"flux": float} are records of arcs. Set `graph` to the graph
    if the command line names none, "generate=mesh:32x32", `time` to the name of the global value that is the time, and
    `quiet` to True to end the run when nothing changes any more, as --until=quiet does. See help(penumbra.program)."""

    def __init__(self, name, edges=(), **fields):
        self.name, self.graph, self.time, self.quiet = name, None, None, False
        self.fields = {field: self._record(field, record) for field, record in fields.items()}
        self.edges = {field: self._record(field, record) for field, record in dict(edges).items()}
        self._init, self._init_edges, self._done, self._advance = None, None, None, None
        self._phases, self._observables, self._inputs, self._options, self._kept = [], [], {}, {}, []
        self._globals, self._mails, self._drops = np.zeros(0, []), {}, set()

    def _check_name(self, name):
        """Error if named tuples, which functions of nodes get, cannot have it."""
        if not name.isidentifier() or iskeyword(name) or name.startswith("_"):
            raise Error(f"{self.name}: \"{name}\" cannot be a name in functions of nodes")

    def _record(self, field, record):
        """The type of a field's records, without padding."""
        self._check_name(field)
        record = repack_fields(np.dtype(record))
        for part, _ in [record.fields[name][:2] for name in record.names or ()] or [(record, 0)]:
            if not part.base.isnative or part.base.str[1:] not in _TYPES:
                raise Error(f"{self.name}: {field}: {part.base} is not a number type that files and compiled functions "
                            "have")
        return record

    def option(self, name, value, help="", argument=None):
        """Adds an option --name=VALUE, which functions of nodes read as options.name; `value` is its default: False for
        a flag, an integer or a float. The help shows it after the text."""
        if type(value) not in _OPTIONS:
            raise Error(f"{self.name}: the option {name} is not a bool, an int or a float")
        if not isinstance(value, float) and not -2**63 <= value < 2**63:
            raise Error(f"{self.name}: the option {name} is {value}: must be from {-2**63} to {2**63 - 1}")
        self._options[name] = (value, help, argument)

    def globals(self, **types):
        """Decorates function(g, run), which sets the values of the whole run with these NumPy types, g.dt, "3f8" for
        three numbers: after the first state and every step, when the observables are known: run.step, run.NAME of an
        observable, run.options."""
        def add(function):
            self._globals, self._advance = np.zeros(1, self._record("globals", list(types.items()))), function
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

    def input(self, name, of_edges=False, each_direction=False, nan=False, otherwise=None):
        """Adds a column of numbers for nodes, or edges, from --input=FILE. each_direction: each direction of an
        undirected edge needs its own row. nan: values may be NaN, such as an empty field of a CSV file. otherwise: the
        value if no file has the column, and that of nodes and edges that are added later; None: a file must have it."""
        self._check_name(name)
        self._inputs[name] = {"of_edges": of_edges, "each_direction": each_direction, "nan": nan, "permanent": True,
                              "otherwise": None if otherwise is None else self._text(repr(float(otherwise)))}

    def mail(self, name, record, drop=False):
        """Adds a kind of mail, whose messages are records of this type. A message is filled in before the next one of
        its kind is sent. With drop, messages to nodes that do not exist are dropped."""
        self._mails[name] = len(self._mails), repack_fields(np.dtype(record))
        self._drops |= {name} if drop else set()

    def init(self, function):
        """Decorates the function that writes the first record of every field."""
        self._init = function
        return function

    def phase(self, reads=(), writes=(), name=None, edge_writes=(), far=None, far_reads=(), sends=(), receives=(),
              always=False):
        """Decorates a phase, to be run after the previous ones: it reads these fields, "u v", from neighbours, must
        write these, and may write these records of arcs. far(b, s) returns the gids, in a tuple or an array, of nodes
        anywhere whose fields in far_reads node s reads. It sends and receives these kinds of mail. always: it computes
        all nodes in each step, since they depend on more than a block, such as a library's random numbers."""
        def add(function):
            self._phases.append((name or function.__name__, function, self._names(reads), self._names(writes),
                                 self._names(edge_writes, self.edges), far, self._names(far_reads), False,
                                 self._names(sends, self._mails, "mail"), self._names(receives, self._mails, "mail"),
                                 always))
            return function
        return add

    def change(self, reads=(), writes=(), name=None):
        """Decorates function(b, s, changes), a phase that computes the node s and may change the graph:
        changes.add_node(gid), whose result has the first records, .heat[0]; remove_node(gid), add_edge(gid, gid) and
        remove_edge(gid, gid). Nodes and edges have the weight 1, or that of one more argument."""
        def add(function):
            self._phases.append((name or function.__name__, function, self._names(reads), self._names(writes), [],
                                 None, [], True, [], [], False))
            return function
        return add

    def observable(self, kind):
        """Decorates function(b, values), which sets values[s - b.first] of each node; kind: "sum", "min", "max"."""
        def add(function):
            near = structures()[2]["pen_observation"]["reals"].shape[0]
            if len(self._observables) == near or kind not in _KINDS:
                raise Error(f"{self.name}: at most {near} observables, each a {' or '.join(_KINDS)}")
            if function.__name__ in ("step", "phase", "globals", "options"):
                raise Error(f"{self.name}: run.{function.__name__} cannot be an observable: give it another name")
            self._observables.append((function.__name__, function, _KINDS[kind]))
            return function
        return add

    def main(self, argv=None):
        """Runs the program with these words, or sys.argv, and returns its exit status. Only once in a process."""
        numba, _ = find_numba()
        sys.unraisablehook, before = self._raised, sys.unraisablehook
        try:
            return self._run(sys.argv if argv is None else argv)
        except numba.core.errors.NumbaError as error:
            if int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", 0))) == 0:
                print(f"{self.name}: {blocks.mistake(error)}", file=sys.stderr)
            return 2
        finally:
            sys.unraisablehook = before

    def _run(self, argv):
        (library, abi, kinds), every = structures(), list(self.fields)
        words = [os.fsencode(word) for word in argv]
        most = kinds["pen_view"]["current"].shape[0]
        for what, known in ("fields", self.fields), ("fields of arcs", self.edges), ("kinds of mail", self._mails):
            if len(known) > most:
                raise Error(f"{self.name}: {len(known)} {what}, must be at most {most}")
        app = {"name": self._text(self.name), "end.quiet": self.quiet, **self._calls(library)}
        if self.time and not self._advance:
            raise Error(f"{self.name}: the time is {self.time}, but there are no globals")
        if self.graph:
            app["graph.spec"] = self._text(self.graph)
        options = self._option_table() # before functions are compiled, which read its values
        if options:
            app["options"] = options
        if self._init:
            app["init"] = self._compile([self._init], next=every, sends=self._mails, range=blocks.ONE)
        if self._init_edges:
            app["init_edges"] = self._compile([self._init_edges], every, next_edges=list(self.edges), range=blocks.ONE)
        if self._observables:
            take = library.pen_observables_take_real
            take.argtypes, take.restype = [ctypes.c_int64, ctypes.c_int, ctypes.c_double], ctypes.c_int64
            app["observables.observe"] = self._compile([function for _, function, _ in self._observables], every,
                                                       take=take, receives=self._mails)
        for name, kind, rows in (
                ("fields", "pen_field", [{"name": self._text(name), "size": record.itemsize, "plain": True}
                                         for name, record in self.fields.items()]),
                ("phases", "pen_phase", [{"name": self._text(name), "reads.bits": self._mask(reads),
                                          "writes.bits": self._mask(writes),
                                          "edge_writes.bits": self._mask(edges, self.edges),
                                          "far_reads.bits": self._mask(far_reads),
                                          "sends.bits": self._mask(sends, self._mails),
                                          "receives.bits": self._mask(receives, self._mails),
                                          "far": far and self._compile_one(far, every, blocks.WANT),
                                          "modify": modifies and self._compile_one(function, every, blocks.CHANGE,
                                                                                   writes),
                                          "sweep": not modifies and self._compile(
                                              [function], every, writes, None, edges, far_reads, sends, receives),
                                          "always": always}
                                         for name, function, reads, writes, edges, far, far_reads, modifies, sends,
                                         receives, always in self._phases]),
                ("mails", "pen_mail", [{"name": self._text(name), "size": record.itemsize, "drop": name in self._drops}
                                       for name, (_, record) in self._mails.items()]),
                ("edge_fields", "pen_edge_field", [{"name": self._text(name), "size": record.itemsize}
                                                   for name, record in self.edges.items()]),
                ("inputs", "pen_input_column", [{"name": self._text(name), **row}
                                                for name, row in self._inputs.items()]),
                ("output.members", "pen_member", list(self._members())),
                ("observables", "pen_observable", [{"name": self._text(name), "kind": kind}
                                                   for name, _, kind in self._observables])):
            app |= {name + ".list": self._table(kind, rows), name + ".count": len(rows)}
        signal.signal(signal.SIGINT, signal.SIG_DFL) # otherwise it waits until Python continues
        return library.pen_main_abi(abi, ctypes.c_void_p(self._table("pen_app", [app])), len(words),
                                    (ctypes.c_char_p * (len(words) + 1))(*words))

    def _names(self, names, known=None, what="field"):
        names = names.split() if isinstance(names, str) else list(names)
        for name in names:
            if name not in (self.fields if known is None else known):
                raise Error(f"{self.name}: there is no {what} {name}")
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
            shown = (help or name) + ("" if isinstance(value, bool) else f" ({value})") # with the default
            rows.append({"name": self._text(name.replace("_", "-")), "help": self._text(shown),
                         "kind": _OPTIONS[type(value)][1],
                         "value": self._given.ctypes.data + self._given.dtype.fields[name][1]})
            if value is not False and value is not True:
                rows[-1]["argument"] = self._text(argument or "N")
        return self._table("pen_option", [*rows, {}]) if rows else 0

    def _calls(self, library):
        """Members of pen_app for globals, .done and checkpoints, which Python computes."""
        members, record = {}, self._globals.dtype
        kinds = [*self.fields.items(), *self.edges.items(), *((name, kind) for name, (_, kind) in self._mails.items())]
        types = "; ".join(f"{name}: {kind}" for name, kind in kinds) # for checkpoints; the library knows lengths only
        library.pen_run_step.argtypes, library.pen_run_step.restype = [ctypes.c_void_p], ctypes.c_int64
        library.pen_run_observed_real.argtypes = [ctypes.c_void_p, ctypes.c_int]
        library.pen_run_observed_real.restype = ctypes.c_double
        library.pen_run_globals.argtypes, library.pen_run_globals.restype = [ctypes.c_void_p], ctypes.c_void_p

        def values(address):
            """A copy, which functions may keep."""
            given = bytearray(ctypes.string_at(address, record.itemsize)) if address else b""
            return np.frombuffer(given, record).view(np.recarray)[0] if given else None

        def guard(call):
            """A mistake in a function ends the program."""
            def guarded(*arguments):
                try:
                    return call(*arguments)
                except BaseException as error: # pylint: disable=broad-except
                    self._end(f"{call.__name__}: {error if isinstance(error, Exception) else repr(error)}")
            return guarded

        def update(run, phase, _, given):
            g = values(given)
            self._advance(g, _State(library, self, run, phase, None))
            ctypes.memmove(given, g.tobytes(), record.itemsize)

        def done(run, _):
            return bool(self._done(_State(library, self, run, -1, values(library.pen_run_globals(run)))))

        def save(_run, _, out):
            ctypes.CDLL(None).fputs(types.encode(), ctypes.c_void_p(out))

        def restore(_, text):
            return None if text.decode() == types else self._text(f"its records are {text.decode()}, now {types}")

        def address(kind, call):
            return ctypes.cast(self._keep(kind(guard(call))), ctypes.c_void_p).value

        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        members["checkpoint.save"] = address(kind, save)
        kind = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
        members["checkpoint.restore"] = address(kind, restore)
        if self._advance:
            kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
            named = [self._member(name, *record.fields[name]) for name in record.names]
            table = {"size": record.itemsize, "update": address(kind, update), "members.count": len(named),
                     "members.list": self._table("pen_member", named)}
            if self.time:
                table["time"] = self._text(self.time)
            members["globals"] = self._table("pen_globals", [table])
        if self._done:
            kind = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
            members["end.done"] = address(kind, done)
        return members

    def _end(self, what):
        """Ends the process: the library, which calls the function, cannot go on."""
        print(f"{self.name}: {what}", file=sys.stderr, flush=True)
        os._exit(2)

    def _raised(self, given):
        """A hook for exceptions that are not caught. Numba ignores those of compiled functions, whose other nodes then
        have no new records."""
        if not str(given.object).startswith("<numba."):
            return sys.__unraisablehook__(given)
        places = [f"{frame.filename}, line {frame.lineno}: " for frame in traceback.extract_tb(given.exc_traceback)
                  if not frame.filename.startswith(("<", os.path.dirname(__file__)))]
        raised = given.exc_value or given.exc_type()
        return self._end(f"{''.join(places[-1:])}a function of nodes raises {raised!r}")

    def _keep(self, thing):
        """Keeps a thing as long as the run."""
        self._kept.append(thing)
        return thing

    def _text(self, text):
        return ctypes.addressof(self._keep(ctypes.create_string_buffer(text.encode())))

    def _table(self, kind, rows):
        """The address of an array of structures with these members; the others are zero."""
        table = self._keep(np.zeros(len(rows), structures()[2][kind]))
        for entry, row in zip(table, rows):
            for member, value in row.items():
                entry[member] = value or 0
        return table.ctypes.data if rows else 0

    def _members(self):
        """Rows of pen_member: fields, or the members of their structures."""
        for index, (field, record) in enumerate(self.fields.items()):
            for name, (part, offset) in [(k, v[:2]) for k, v in (record.fields or {field: (record, 0)}).items()]:
                yield {"field": index, **self._member(name, part, offset)}

    def _member(self, name, part, offset):
        return {"name": self._text(name), "type": _TYPES.index(part.base.str[1:]), "offset": offset,
                "components": part.itemsize // part.base.itemsize}

    def _compile_one(self, function, now, body, next=()):
        """The address of a function that is called for one node, with one more argument."""
        return self._compile([function], now, next, body=body, range=blocks.ONE)

    def _new(self, scope):
        """Changes, whose add_node returns the first records of a node."""
        first = self._keep(structures()[0].pen_first_record)
        first.argtypes, first.restype = [ctypes.c_int64, ctypes.c_int], ctypes.c_int64
        kinds = {f"type{i}": record.base for i, record in enumerate(self.fields.values())}
        scope = {"carray": scope["carray"], "pointer": scope["pointer"], "first": first, **kinds,
                 "New": namedtuple("New", self.fields)}
        records = ", ".join(f"carray(pointer(first(new, {i})), {(1, *record.shape)}, type{i})"
                            for i, record in enumerate(self.fields.values()))
        exec(f"def make_new(new): return New({records})", scope)
        changes = namedtuple("Changes", "address")
        changes.make_new = staticmethod(find_numba()[0].njit(scope["make_new"]))
        return changes

    def _compile(self, functions, now=(), next=(), take=None, next_edges=(), far=(), sends=(), receives=(),
                 body=None, range=blocks.SWEEP):
        """The address of a sweep that calls functions with a Block; with `take`, of .observe."""
        numba, pointer = find_numba()
        blocks.methods()
        view = structures()[2]["pen_view"]
        scope = {"carray": numba.carray, "pointer": pointer, "take": take, "Block": Block, "NODES": blocks.NODES,
                 "FIELDS": view["current"].shape[0], "ROOM": structures()[2]["pen_observation"].itemsize // 8,
                 "ALL": offset_of("pen_observation", "all") // 8, "REALS": offset_of("pen_observation", "reals") // 8,
                 "ENDS": offset_of("pen_observation", "real_ends") // 8, "empty": np.empty, "int64": np.int64,
                 "uint32": np.uint32, "uint8": np.uint8, "float64": np.float64,
                 "ASKS": any(map(blocks.asks, functions)),
                 **mail_tuples({name: self._mails[name] for name in sends},
                               {name: self._mails[name] for name in receives})}

        def tuple_of(name, values):
            scope[name + "_tuple"] = namedtuple(name, values)
            return f"{name}_tuple({', '.join(values.values())})"

        def records(name, fields):
            return tuple_of(name, {field: f"carray(pointer({name}[{i}]), {(blocks.NODES, *record.shape)}, type{i})"
                                   for i, (field, record) in enumerate(self.fields.items()) if field in fields})

        def arcs(name, array, fields):
            return tuple_of(name, {field: f"carray(pointer({array}[{i}]), {('arcs', *record.shape)}, edge{i})"
                                   .replace("'", "") for i, (field, record) in enumerate(self.edges.items())
                                   if field in fields})

        def one(name, address, record):
            scope[name + "_type"] = record
            return f"carray(pointer({address}), 1, {name}_type)[0]" if record.itemsize else "0"

        parts = {"now": records("now", now), "next": records("next", next),
                 "edges": arcs("edges", "held_edges", self.edges if now else ()),
                 "next_edges": arcs("next_edges", "own_edges", next_edges),
                 "globals": one("globals", 'v["library.globals"]', self._globals.dtype),
                 "options": one("options", self._given.ctypes.data, self._given.dtype),
                 "arguments": "view" + ", to" * (range == blocks.SWEEP) + ", observation" * bool(take or body),
                 "range": range, "far": "0", "fetch": "",
                 "inputs": tuple_of("inputs", {
                     name: f"carray(pointer(inputs[{i}]), {'arcs' if row['of_edges'] else 'end'}, float64)"
                     for i, (name, row) in enumerate(self._inputs.items())})}
        calls = ""
        for i, function in enumerate(functions):
            scope[f"function{i}"] = numba.njit(error_model="numpy")(function)
            calls += blocks.OBSERVE.format(i=i) if take else body or f"    function{i}(block)\n"
        scope.update((f"type{i}", record.base) for i, record in enumerate(self.fields.values()))
        if far:
            kept = [i for i, field in enumerate(self.fields) if field in far]
            scope |= {"far_type": structures()[2]["pen_far"], "bool_": np.bool_, "int32": np.int32,
                      "Far": namedtuple("Far", ["first", "begin", "gids", "found", *far])}
            parts["fetch"] = blocks.FETCH + "".join(blocks.FETCH_FIELD.format(
                i=i, shape=(blocks.NODES, *record.shape), count=str(("count", *record.shape)).replace("'", ""))
                for i, record in enumerate(self.fields.values()) if i in kept)
            order = [list(self.fields).index(field) for field in far]
            parts["far"] = (f"Far(far_first, far_first[first], carray(pointer(far.gids), far_first[end], int64)"
                            f"[far_first[first]:], far_found, {', '.join(f'far{i}' for i in order)})")
        if body == blocks.CHANGE:
            blocks.change_methods()
            scope["Changes"] = self._new(scope)
        if body == blocks.WANT:
            want = structures()[0].pen_request
            want.argtypes, want.restype = [ctypes.c_int64, ctypes.c_int64], None
            scope["want"] = want
        scope.update((f"edge{i}", record.base) for i, record in enumerate(self.edges.values()))
        exec(blocks.SOURCE.format(calls=calls, **parts), scope)
        given = [numba.types.CPointer(numba.from_dtype(view))]
        if range == blocks.SWEEP:
            given.append(numba.types.int32)
        if take or body:
            given.append(numba.types.intp if body else numba.types.voidptr)
        return self._keep(numba.cfunc(numba.types.void(*given), error_model="numpy")(scope["call"])).address
