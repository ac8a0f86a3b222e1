#!/usr/bin/env python3
"""python_program_test.py BIN SOURCES RANKS - programs in Python (penumbra.Program) compute what those in C and NumPy
do. Those of mail and of the epidemic run on 2 ranks, the others on RANKS, since each rank compiles. 77 where there is
no Numba."""
import functools
import importlib.util
import math
import os
import re
import signal
import sys
import textwrap

sys.dont_write_bytecode = True
from python_checks import BIN, SOURCES, check, fails, finish, has, leave_out, np, penumbra, write
from work_folder import work_folder

RANKS = int(sys.argv[3])

OWN = '''
import sys, penumbra

own = penumbra.Program("own", x=float, pair=[("u", "f4"), ("v", "3i2")])
own.input("w", of_edges=True, each_direction=True)
own.input("b")
own.input("one", otherwise=1)
own.input("none", nan=True, otherwise=float("nan"))

@own.init
def start(b):
    for s in range(b.first, b.end):
        b.next.x[s] = b.inputs.b[s] * b.inputs.one[s] if b.inputs.none[s] != b.inputs.none[s] else 0.0
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
            b.next.pair[s].v[i] = b.now.pair[s].v[i] + b.globals.at[i]

@own.globals(at="3i2")
def clock(g, run):
    g.at = run.step

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
            first = b.random_below(s, stream, degree) if degree else 0
            for i in range(degree):
                place = b.gids[b.columns[b.rows[s] + (first + i) % degree]]
                if place % 8 == 0:
                    one.work = place
                    break
            one.state = ILL if b.random_real(s, stream + 1) < 0.001 else SUSCEPTIBLE
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
            if state == ILL and b.random_real(s, stream + 2) < 0.1:
                state = IMMUNE
            elif state == SUSCEPTIBLE and safe < 1.0 and b.random_real(s, stream + 2) >= safe:
                state = ILL
                here.infections += 1
            if b.step % 2 == 0:
                to = one.work
                if b.random_real(s, stream + 3) < 0.02:
                    to = b.random_below(s, stream + 4, NODES)
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
RAISED = '''
import math, sys, penumbra
own = penumbra.Program("own", x=float)
one = 1.0
@own.phase(writes="x")
def ones(b):
    for s in range(b.first, b.end):
        b.next.x[s] = one
        ONES
own.init(ones)
@own.done
def end(run):
    DONE
    return False
@own.globals(t=float)
def end(g, run):
    GLOBALS
    g.t = run.step
sys.exit(own.main())
'''
KEPT = '''
import sys, penumbra
own, kept = penumbra.Program("own", x=float), []
@own.phase(writes="x")
def ones(b):
    for s in range(b.first, b.end):
        b.next.x[s] = 1.0
own.init(ones)
@own.globals(at="3i2")
def clock(g, run):
    g.at[1] += 10
    g.at[2] = run.step
    kept.append(g.at)
@own.done
def end(run):
    kept.append(run.globals.at)
    return run.step == 2
status = own.main()
print(sorted({tuple(array.tolist()) for array in kept}))
sys.exit(status)
'''
REST = '''
import sys, penumbra
own = penumbra.Program("own", x=float)
@own.init
def start(b):
    b.next.x[b.first] = 1.0
@own.phase(writes="x", always=ALWAYS)
def rest(b):
    for s in range(b.first, b.end):
        b.next.x[s] = b.now.x[s]
sys.exit(own.main())
'''
EPIDEMIC = '''
import sys, penumbra
ep = penumbra.Program("epi", edges={"met": "i8", "one": "i8"}, ill="i8", own="u8", theirs="u8", many=float)
ep.option("beta", 0.3)
ep.option("most", 5)
ep.option("loud", False)

@ep.init
def start(b):
    for s in range(b.first, b.end):
        b.next.ill[s], b.next.own[s], b.next.theirs[s], b.next.many[s] = b.gids[s] == 0, 0, 0, 0.0

@ep.init_edges
def begin(b):
    for s in range(b.first, b.end):
        for a in b.arcs(s):
            b.next_edges.met[a], b.next_edges.one[a] = b.gids[b.columns[a]], 1

@ep.phase(reads="ill", writes="ill own theirs many", edge_writes="met")
def meet(b):
    for s in range(b.first, b.end):
        ill = b.now.ill[s]
        theirs = b.random(s, 3)
        theirs ^= theirs
        for a in b.arcs(s):
            t = b.columns[a]
            b.next_edges.met[a] += b.now.ill[t] * b.edges.one[a]
            theirs ^= b.random(t, 3)
            if b.now.ill[t] and b.random_real(s, a - b.rows[s]) < b.options.beta:
                ill = 1
        b.next.ill[s], b.next.own[s], b.next.theirs[s] = ill, b.random(s, 3), theirs
        b.next.many[s] = b.random_below(s, 4, 1000) + b.degree(s)

@ep.observable("sum")
def ill(b, values):
    for s in range(b.first, b.end):
        values[s - b.first] = b.now.ill[s]

@ep.done
def enough(run):
    return run.ill > run.options.most

sys.exit(ep.main())
'''


FAR = '''
import sys, penumbra
p = penumbra.Program("far", x=float, pair=[("u", "f4"), ("v", "3i2")])

@p.init
def start(b):
    for s in range(b.first, b.end):
        b.next.x[s] = b.gids[s]
        b.next.pair[s].u = b.gids[s]
        for i in range(3):
            b.next.pair[s].v[i] = b.gids[s] + i

def want(b, s):
    return (b.gids[s] * 7 % 40, b.gids[s] + 25)

@p.phase(reads="x", writes="x pair", far=want, far_reads="pair x")
def jump(b):
    for s in range(b.first, b.end):
        total = 0.0
        for k in b.requests(s):
            if b.far.found[k]:
                total += b.far.x[k] + b.far.pair[k].v[1] + b.far.gids[k]
        b.next.x[s] = total % 1000.0
        b.next.pair[s].u = b.now.pair[s].u + 1
        for i in range(3):
            b.next.pair[s].v[i] = b.now.pair[s].v[i] + 1

sys.exit(p.main())
'''

GROW = '''
import sys, penumbra
g = penumbra.Program("grow", sap=float)
g.graph = "generate=tree:nodes=3"

@g.init
def start(b):
    for s in range(b.first, b.end):
        b.next.sap[s] = 1.0 + b.gids[s]

@g.change(reads="sap", writes="sap")
def grow(b, s, c):
    sap = b.now.sap[s]
    own = b.gids[s]
    if sap > 2.0 and b.step % 3 == 0:
        new = c.add_node(own * 2 + 1000 + 100000 * b.step)
        new.sap[0] = sap / 4
        c.add_edge(own, own * 2 + 1000 + 100000 * b.step)
        sap = sap / 2
    elif sap < 0.6 and own > 100:
        c.remove_node(own)
    b.next.sap[s] = sap * 1.2

@g.observable("sum")
def nodes(b, values):
    for s in range(b.first, b.end):
        values[s - b.first] = 1.0

sys.exit(g.main())
'''


def test_heat():
    """The program that help(penumbra.program) shows."""
    shown = penumbra.program.__doc__.split("\n\n    ", 1)[1].split("\n\n`")[0]
    write("heat.py", textwrap.dedent("    " + shown))
    run = penumbra.run("./heat.py", ranks=RANKS, generate="hex:9x8", steps=20, verify=True, dump=True, quiet=True)
    heat = penumbra.run("heat", generate="hex:9x8", steps=20, dump=True)
    check("heat in Python", run.dump, heat.dump)
    check("its checksum", run.metrics["checksum"], heat.metrics["checksum"])


def test_matrix():
    """Several fields, structures, observables, values of files, and what may be wrong."""
    hexes = penumbra.run("hex", generate="hex:40x60", steps=0, save_graph=True).save_graph
    graph = penumbra.Graph(hexes.offsets, hexes.targets, hexes.gids)
    if has("scipy"):
        matrix = hexes.to_scipy() * 3
        graph = penumbra.Graph.from_scipy(matrix, node_weights=hexes.gids)
        for what, found, expected in (("arcs", graph.targets, hexes.targets), ("rows", graph.offsets, hexes.offsets),
                                      ("weights", graph.arc_weights, np.full(len(hexes.targets), 3)),
                                      ("loads", graph.node_weights, hexes.gids), ("direction", graph.directed, False)):
            check(f"a matrix: {what}", found, expected)
        fails("a diagonal", "from a node to itself", lambda: penumbra.Graph.from_scipy(matrix @ matrix))
    else:
        leave_out("no scipy: matrices")
    penumbra.write_graph("own.pen", graph)
    weights = np.random.default_rng(1).random(len(graph.targets))
    np.save("w.npy", weights)
    np.save("b.npy", graph.gids / 3)
    write("own.py", OWN)
    options = {"ranks": RANKS, "graph": "own.pen", "input": "w.npy;b.npy", "steps": 3, "check_": True}
    os.mkdir("saved")
    run = penumbra.run("./own.py", **options, verify=True, dump=True, observables=True, output=True, checkpoint="saved")
    options |= {"checkpoint": "saved", "resume": True}
    again = penumbra.run("./own.py", **options, dump=True)
    check("resumed", again.dump["value1"], run.dump["value1"])
    write("retyped.py", OWN.replace("x=float", 'x="i8"'))
    fails("a changed type", "its records are x: float64; ", lambda: penumbra.run("./retyped.py", **options))
    del options["checkpoint"], options["resume"]
    x, observed = graph.gids / 3, []
    for _ in range(4):
        observed.append((math.fsum(x), max(x)))
        rows = np.split(weights * x[graph.find(graph.targets)], graph.offsets[1:-1])
        last, x = x, np.array([functools.reduce(float.__add__, row.tolist(), 0.0) for row in rows])
    check("values", run.dump["value1"], last)
    check("counts", run.output["u"], np.full(len(last), 4.5))
    check("arrays", run.output["v"], graph.gids[:, None] + [3, 4, 5])
    check("observables", [tuple(row)[1:3] for row in run.observables.tolist()], observed)
    write("one.csv", "source,target,w\n" + "".join(f"{a},{b},1\n" for a, b in zip(graph.gids[graph.rows], graph.targets)
                                                   if a < b))
    fails("one direction", "w needs a row for each direction",
          lambda: penumbra.run("./own.py", **options | {"input": "one.csv;b.npy"}))
    write("wrong.py", OWN.replace('reads="x", writes="x"', 'writes="x"'))
    fails("a read that is not named", "field x", lambda: penumbra.run("./wrong.py", **options))
    fails("no such field", "own: there is no field y", lambda: penumbra.Program("own", x=float).phase(reads="y")(len))
    fails("no such observable", "each a sum or min", lambda: penumbra.Program("own", x=float).observable("mean")(len))
    for name in ("step", "phase", "globals", "options"):
        fails(name, f"own: run.{name} cannot be an observable",
              lambda name=name: penumbra.Program("own", x=float).observable("sum")(type(name, (), {})))
    fails("a long option", "own: the option n is 1180591620717411303424: must be from -",
          lambda: penumbra.Program("own", x=float).option("n", 2**70))
    fails("globals of text", "own: globals: <U5 is not", lambda: penumbra.Program("own", x=float).globals(t="U5")(len))
    for name in ("_x", "class"):
        fails(name, f'own: "{name}" cannot be a name', lambda name=name: penumbra.Program("own", **{name: float}))
        fails(name, f'own: "{name}" cannot be a name', lambda name=name: penumbra.Program("own").input(name))
    many = penumbra.Program("own", **{f"x{i}": float for i in range(65)})
    fails("many fields", "own: 65 fields, must be at most 64", lambda: many.main(["own"]))
    timed = penumbra.Program("own", x=float)
    timed.time = "t"
    fails("a time without globals", "own: the time is t, but there are no globals", lambda: timed.main(["own"]))
    for kind in (complex, ">f8", "f2", object, [("u", "f4"), ("v", ">i4")]):
        fails(f"{kind}", "own: x: ", lambda kind=kind: penumbra.Program("own", x=kind))
        fails(f"{kind}", "is not a number type", lambda kind=kind: penumbra.Program("own", edges={"x": kind}))


def test_epidemic():
    """Random numbers of nodes and neighbours, options, records of arcs, .done; a field that is missing is one line."""
    serial = science()
    write("epi.py", EPIDEMIC)
    run = penumbra.run("./epi.py", ranks=2, generate="torus:6x5", seed=4, beta=0.5, most=6, check_=True, verify=True,
                       dump=True, migrate_random="3:0.3")
    rows = [sorted({x + 6 * ((y + 1) % 5), x + 6 * ((y + 4) % 5), (x + 1) % 6 + 6 * y, (x + 5) % 6 + 6 * y})
            for y in range(5) for x in range(6)]
    ill, step, nodes = [1] + [0] * 29, 0, range(30)
    while sum(ill) <= 6:
        drawn = [serial.draw(v, step, 4, 3) for v in nodes]
        last = [(drawn[v], functools.reduce(int.__xor__, (drawn[u] for u in rows[v])),
                 (serial.draw(v, step, 4, 4) * 1000 >> 64) + 4.0) for v in nodes]
        ill = [int(ill[v] or any(ill[u] and serial.draw_real(v, step, 4, i) < 0.5 for i, u in enumerate(rows[v])))
               for v in nodes]
        step += 1
    check("steps of the epidemic", run.metrics["steps"], step)
    check("the ill", run.dump["value1"], ill)
    for k, name in enumerate(("own", "theirs", "many")):
        check(name, run.dump[f"value{k + 2}"], [float(row[k]) for row in last])
    for right, wrong, said in (("b.now.ill[t] and", "b.now.il[t] and", "il in b.now"),
                               ("b.gids[s] == 0, 0, 0", "b.edges.met[0], 0, 0", "met in b.edges")):
        write("misspelt.py", EPIDEMIC.replace(right, wrong))
        run = penumbra.run("./misspelt.py", generate="torus:6x5", check=False)
        line = EPIDEMIC[:EPIDEMIC.index(right)].count("\n") + 1
        check("status", run.status, 2)
        check("a misspelt field", run.stderr.strip(), f"epi: misspelt.py, line {line}: there is no {said}")


def test_raised():
    """An exception in a function ends the program, and nothing is written."""
    raised = {("ones", "raise ValueError('no')"): "a function of nodes raises ValueError('no')",
              ("ones", "b.next.x[2] = [1, 2][b.gids[s]]"): "a function of nodes raises IndexError(",
              ("ones", "b.next.x[s] = math.factorial(3)"): "there is no factorial in math",
              ("ones", "b.next.x[s] = 'abc'"): "signature: setitem(array(float64, ",
              ("done", "sys.exit(7)"): "own: done: SystemExit(7)",
              ("globals", "sys.exit(7)"): "own: update: SystemExit(7)"}
    for (where, statement), said in raised.items():
        text = RAISED.replace(where.upper(), statement)
        write("raised.py", re.sub("ONES|DONE|GLOBALS", "pass", text))
        run = penumbra.run("./raised.py", generate="torus:4x3", steps=3, check=False, dump="raised.dump")
        check(f"{where}, {statement}: status", run.status, 2)
        check(f"{run.stderr}: whether it says {said}", said in run.stderr, True)
        check("the dump", os.path.exists("raised.dump"), False)


def test_kept():
    """Arrays of globals that functions keep."""
    write("kept.py", KEPT)
    run = penumbra.run("./kept.py", generate="torus:4x3", quiet=True)
    check("kept arrays", run.stdout.splitlines()[-1], "[(0, 10, 0), (0, 20, 1), (0, 30, 2)]")


def test_always():
    """Nodes that do not change are left out, unless the phase computes all nodes always."""
    for always, nodes in (False, [12, 12, 0, 0]), (True, []):
        write("rest.py", REST.replace("ALWAYS", str(always)))
        run = penumbra.run("./rest.py", generate="torus:4x3", steps=4)
        check(f"active nodes, always={always}", run.metrics["active_nodes"]["nodes"], nodes)


def science():
    """What other programs compute serially."""
    spec = importlib.util.spec_from_file_location("serial", os.path.join(SOURCES, "tests/consumer/science/serial.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SETTLING = """
import sys, penumbra

least = penumbra.Program("least", low="i8")
least.quiet = True

@least.init
def start(b):
    for s in range(b.first, b.end):
        b.next.low[s] = b.gids[s]

@least.phase(reads="low", writes="low")
def spread(b):
    for s in range(b.first, b.end):
        low = b.now.low[s]
        for t in b.neighbors(s):
            low = min(low, b.now.low[t])
        b.next.low[s] = low

sys.exit(least.main())
"""


def test_quiet():
    """A program that sets quiet ends when nothing changes any more, after a multiple of 16 steps."""
    write("least.py", SETTLING)
    run = penumbra.run("./least.py", ranks=RANKS, generate="mesh:12x12", dump=True)
    check("its end", (run.metrics["ended"], run.metrics["steps"]), ("done", 32))
    check("its values", run.dump["value"], np.zeros(144))


def test_globals():
    """A program whose globals give the length of its steps, and that reads its own options."""
    program = os.path.join(SOURCES, "tests/consumer/science/grayscott.py")
    run = penumbra.run(program, ranks=RANKS, generate="torus:16x12", until="t>=20", feed=0.04, verify=True, dump=True,
                       output="gs.pvd", output_every=50)
    graph = penumbra.run("hex", generate="torus:16x12", steps=0, save_graph=True).save_graph
    rows = [row.tolist() for row in np.split(graph.targets, graph.offsets[1:-1])]
    cells, steps, named = science().grayscott(rows, 1000, None, feed=0.04)
    check("steps of grayscott", run.metrics["steps"], steps)
    check("its time", run.metrics["observables_last"]["t"], named["t"])
    check("its cells", [tuple(row)[1:] for row in run.dump.tolist()], cells)
    states = penumbra.read_pvd("gs.pvd")
    check("the last state", (states[-1][0], penumbra.read_vtu(states[-1][1]).time), (named["t"], named["t"]))


def test_far():
    """Records of nodes anywhere in the graph, and of those that do not exist."""
    write("far.py", FAR)
    run = penumbra.run("./far.py", ranks=RANKS, generate="torus:8x5", steps=5, check_=True, verify=True, dump=True,
                       migrate_random="3:0.3")
    x = [float(v) for v in range(40)]
    for step in range(5):
        x = [sum(x[u] + (u + 1 + step) + u for u in (v * 7 % 40, v + 25) if u < 40) % 1000.0 for v in range(40)]
    check("what far nodes have", run.dump["value1"], x)


def test_changes():
    """Nodes and edges that are added and removed."""
    write("grow.py", GROW)
    run = penumbra.run("./grow.py", ranks=RANKS, steps=9, check_=True, verify=True, dump=True)
    nodes = {0: 1.0, 1: 2.0, 2: 3.0}
    for step in range(9):
        then = {}
        for gid, sap in nodes.items():
            if sap > 2.0 and step % 3 == 0:
                then[gid * 2 + 1000 + 100000 * step] = sap / 4
                sap /= 2
            elif sap < 0.6 and gid > 100:
                continue
            then[gid] = sap * 1.2
        nodes = then
    check("the nodes", run.dump["gid"], sorted(nodes))
    check("their sap", run.dump["value"], [nodes[gid] for gid in sorted(nodes)])
    check("how many there are", run.metrics["observables_last"]["nodes"], len(nodes))


def test_mesh():
    """The cells of a mesh with triangles and quadrilaterals, as a reader gets them."""
    np.save("points.npy", np.array([[0.0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]]))
    np.save("cells.npy", np.array([[0, 1, 4, 3], [1, 2, 4, -1], [2, 5, 4, -1]]))
    penumbra.run("heat", generate="tree:nodes=3", steps=1, output="mesh.vtu", output_mesh="points.npy:cells.npy")
    state = penumbra.read_vtu("mesh.vtu")
    check("corners of a triangle", state.corners[1][:, :2], [[1, 0], [2, 0], [1, 1], [1, 1]])
    check("middles", state.points[:, :2].round(12), np.array([[0.5, 0.5], [4 / 3, 1 / 3], [5 / 3, 2 / 3]]).round(12))
    check("values", state.columns["gid"], [0, 1, 2])


def main():
    signal.alarm(2350) # a hang is a failure
    os.environ.update(PENUMBRA_BIN=BIN, PYTHONPATH=sys.path[0], PYTHONDONTWRITEBYTECODE="1")
    os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
    if not has("numba"):
        fails("no Numba", "python3-numba", lambda: penumbra.Program("own", x=float).main([]))
        leave_out("no numba")
        sys.exit(77)
    with work_folder():
        test_heat()
        test_matrix()
        test_mail()
        test_epidemic()
        test_raised()
        test_kept()
        test_always()
        test_quiet()
        test_globals()
        test_far()
        test_changes()
        test_mesh()
    finish()


main()
