"""grayscott.py - the reaction of Gray and Scott on a torus of squares: u feeds v, both diffuse. The largest v gives the
time step; --until="t>=20" ends it."""
import sys, penumbra

gs = penumbra.Program("grayscott", u=float, v=float)
gs.graph, gs.time = "generate=torus:64x64", "t"
gs.option("feed", 0.037, "what feeds u")
gs.option("kill", 0.06, "what removes v")

@gs.init
def start(b):
    for s in range(b.first, b.end):
        b.next.u[s], b.next.v[s] = (0.5, 0.25) if b.gids[s] < 40 else (1.0, 0.0)

@gs.phase(reads="u v", writes="u v")
def react(b):
    for s in range(b.first, b.end):
        u, v, dt, more_u, more_v = b.now.u[s], b.now.v[s], b.globals.dt, 0.0, 0.0
        for t in b.neighbors(s):
            more_u += b.now.u[t] - u
            more_v += b.now.v[t] - v
        b.next.u[s] = u + dt * (0.2 * more_u - u * v * v + b.options.feed * (1.0 - u))
        b.next.v[s] = v + dt * (0.1 * more_v + u * v * v - (b.options.feed + b.options.kill) * v)

@gs.observable("max")
def most(b, values):
    for s in range(b.first, b.end):
        values[s - b.first] = b.now.v[s]

@gs.globals(t=float, dt=float)
def advance(g, run):
    g.t, g.dt = g.t + g.dt, min(1.0, 0.1 / (run.most**2 + run.options.feed + run.options.kill))

sys.exit(gs.main())
