#!/usr/bin/env python3
"""python_program_test.py BIN SOURCES - programs in Python (penumbra.Program) compute what those in C and NumPy do. 77
where there is no Numba."""
import functools
import importlib.util
import math
import os
import signal
import sys
import textwrap

import numpy as np

BIN, SOURCES = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.join(SOURCES, "tools/python"))
sys.dont_write_bytecode = True
import penumbra
from work_folder import work_folder

failures = 0


def check(what, found, expected):
    global failures
    if not np.array_equal(found, expected):
        failures += 1
        print(f"python_program_test.py: {what} is {found!r}, expected {expected!r}", file=sys.stderr)


def fails(what, text, call):
    try:
        call()
    except penumbra.Error as error:
        check(f"{what}: {error}: whether it has {text!r}", text in str(error), True)
    else:
        check(what, "no exception", "penumbra.Error")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def skip(why):
    print(f"python_program_test.py: skipped: {why}", file=sys.stderr)
    sys.exit(77)


OWN = '''
import sys, penumbra

own = penumbra.Program("own", x=float, pair=[("u", "f4"), ("v", "3i2")])
own.input("w", of_edges=True)
own.input("b")

@own.init
def start(b):
    for s in range(b.first, b.end):
        b.next.x[s] = b.inputs.b[s]
        b.next.pair[s].u = 0
        for i in range(3):
            b.next.pair[s].v[i] = b.gids[s] + i

@own.phase(reads="x", writes="x")
def multiply(b):
    for s in range(b.first, b.end):
        total = 0.0
        for a in range(b.rows[s], b.rows[s + 1]):
            total += b.inputs.w[a] * b.now.x[b.columns[a]]
        b.next.x[s] = total

@own.phase(writes=["pair"], name="count")
def add(b):
    for s in range(b.first, b.end):
        b.next.pair[s].u = b.now.pair[s].u + 1.5
        for i in range(3):
            b.next.pair[s].v[i] = b.now.pair[s].v[i] + b.step

@own.observable("sum")
def total(b, values):
    for s in range(b.first, b.end):
        values[s - b.first] = b.now.x[s]

@own.observable("max")
def highest(b, values):
    for s in range(b.first, b.end):
        values[s - b.first] = b.now.x[s]

sys.exit(own.main())
'''


TRAVELLERS = '''
import sys, penumbra

travellers = penumbra.Program("travellers", place=[("people", "3i4"), ("infections", "i4")])
travellers.mail("person", [("home", "i8"), ("work", "i8"), ("number", "i4"), ("state", "i4")])
travellers.mail("echo", "i8")
SUSCEPTIBLE, ILL, IMMUNE = range(3)
NODES = PLACES

@travellers.init
def start(b):
    for s in range(b.first, b.end):
        here, gid = b.next.place[s], b.gids[s]
        here.people[:] = 0
        here.infections = 0
        degree = b.rows[s + 1] - b.rows[s]
        for k in range(4 if gid % 8 else 0):
            stream = 5 * (gid * 4 + k)
            one = b.send.person(s, gid)
            one.home, one.work, one.number = gid, gid, k
            first = b.random.below(s, stream, degree) if degree else 0
            for i in range(degree):
                place = b.gids[b.columns[b.rows[s] + (first + i) % degree]]
                if place % 8 == 0:
                    one.work = place
                    break
            one.state = ILL if b.random.real(s, stream + 1) < 0.001 else SUSCEPTIBLE
            here.people[one.state] += 1
        ECHO_FIRST

@travellers.phase(writes="place", receives=KINDS, sends=KINDS)
def meet(b):
    for s in range(b.first, b.end):
        here, people, gid = b.next.place[s], b.mail.person(s), b.gids[s]
        here.people[:] = 0
        here.infections = b.now.place[s].infections
        infection, safe = 0.1 if gid % 8 else 0.02, 1.0
        for one in people:
            if one.state == ILL:
                safe *= 1.0 - infection
        for one in people:
            stream, state, to = 5 * (one.home * 4 + one.number), one.state, one.home
            if state == ILL and b.random.real(s, stream + 2) < 0.1:
                state = IMMUNE
            elif state == SUSCEPTIBLE and safe < 1.0 and b.random.real(s, stream + 2) >= safe:
                state = ILL
                here.infections += 1
            if b.step % 2 == 0:
                to = one.work
                if b.random.real(s, stream + 3) < 0.02:
                    to = b.random.below(s, stream + 4, NODES)
            here.people[state] += 1
            b.send.person(s, to, one).state = state
        ECHO

@travellers.observable("sum")
def waiting(b, values):
    for s in range(b.first, b.end):
        values[s - b.first] = len(b.mail.person(s))

sys.exit(travellers.main())
'''
ECHO = """echoes, senders = b.mail.echo(s), b.senders.echo(s)
        for i in range(len(echoes)):
            if len(echoes) != 1 or echoes[i] != senders[i] or senders[i] != (gid + 119) % 120:
                here.infections += 1000
        b.send.echo(s, (gid + 1) % 120, gid)"""


def test_mail():
    """The example travellers, and numbers that go round."""
    text = TRAVELLERS.replace("PLACES", "120").replace("ECHO_FIRST", "b.send.echo(s, (gid + 1) % 120, gid)")
    write("travellers.py", text.replace("ECHO", ECHO).replace("KINDS", '["person", "echo"]'))
    options = {"generate": "random:nodes=120,degree=5,seed=3", "seed": 39, "steps": 20, "dump": True}
    run = penumbra.run("./travellers.py", ranks=2, verify=True, quiet=True, observables=True, **options)
    check("travellers in Python", run.dump, penumbra.run(BIN + "/examples/travellers", **options).dump)
    check("people are infected", run.dump["value4"].sum() > 0, True)
    check("all people", set(run.observables["waiting"]), {420.0})
    fails("no such mail", "own: there is no mail y", lambda: penumbra.Program("own", x=float).phase(sends="y")(len))


def test_heat():
    """The program that help(penumbra.program) shows."""
    shown = penumbra.program.__doc__.split("\n\n    ", 1)[1].split("\n\n`")[0]
    write("heat.py", textwrap.dedent("    " + shown))
    run = penumbra.run("./heat.py", ranks=3, grid="9x8", steps=20, verify=True, dump=True, quiet=True)
    heat = penumbra.run("heat", grid="9x8", steps=20, dump=True)
    check("heat in Python", run.dump, heat.dump)
    check("its checksum", run.metrics["checksum"], heat.metrics["checksum"])


def test_matrix():
    """Several fields, structures, observables, values of files, and what may be wrong."""
    hexes = penumbra.run("hex", grid="40x60", steps=0, save_graph=True).save_graph
    graph = penumbra.Graph(hexes.offsets, hexes.targets, hexes.gids)
    if importlib.util.find_spec("scipy"):
        matrix = hexes.to_scipy() * 3
        graph = penumbra.Graph.from_scipy(matrix, node_weights=hexes.gids)
        for what, found, expected in (("arcs", graph.targets, hexes.targets), ("rows", graph.offsets, hexes.offsets),
                                      ("weights", graph.arc_weights, np.full(len(hexes.targets), 3)),
                                      ("loads", graph.node_weights, hexes.gids), ("direction", graph.directed, False)):
            check(f"a matrix: {what}", found, expected)
        fails("a diagonal", "from a node to itself", lambda: penumbra.Graph.from_scipy(matrix @ matrix))
    else:
        print("python_program_test.py: skipped: no scipy: matrices", file=sys.stderr)
    penumbra.write_graph("own.pen", graph)
    weights = np.random.default_rng(1).random(len(graph.targets))
    np.save("w.npy", weights)
    np.save("b.npy", graph.gids / 3)
    write("own.py", OWN)
    options = {"ranks": 2, "graph": "own.pen", "input": "w.npy;b.npy", "steps": 3, "check_": True}
    run = penumbra.run("./own.py", **options, verify=True, dump=True, observables=True, output=True)
    x, observed = graph.gids / 3, []
    for _ in range(4):
        observed.append((math.fsum(x), max(x)))
        rows = np.split(weights * x[graph.find(graph.targets)], graph.offsets[1:-1])
        last, x = x, np.array([functools.reduce(float.__add__, row.tolist(), 0.0) for row in rows])
    check("values", run.dump["value1"], last)
    check("counts", run.output["u"], np.full(len(last), 4.5))
    check("arrays", run.output["v"], graph.gids[:, None] + [3, 4, 5])
    check("observables", [tuple(row)[1:] for row in run.observables.tolist()], observed)
    write("wrong.py", OWN.replace('reads="x", writes="x"', 'writes="x"'))
    fails("a read that is not named", "field x", lambda: penumbra.run("./wrong.py", **options))
    fails("no such field", "own: there is no field y", lambda: penumbra.Program("own", x=float).phase(reads="y")(len))
    fails("no such observable", "each a sum or min", lambda: penumbra.Program("own", x=float).observable("mean")(len))
    fails("no such number", "complex128 is not a number type", lambda: penumbra.Program("own", x=complex).main([]))


def main():
    signal.alarm(230) # a hang is a failure
    os.environ.update(PENUMBRA_BIN=BIN, PYTHONPATH=sys.path[0], PYTHONDONTWRITEBYTECODE="1")
    os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
    if not importlib.util.find_spec("numba"):
        fails("no Numba", "python3-numba", lambda: penumbra.Program("own", x=float).main([]))
        skip("no numba")
    with work_folder():
        test_heat()
        test_matrix()
        test_mail()
    sys.exit(failures > 0)


main()
