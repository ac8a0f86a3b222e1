// shallow.cpp - the shallow-water equations by finite volumes: a column of water falls and runs between walls.
// Rusanov's fluxes through the faces are edge records; the fastest wave of all cells gives the length of the next step.
#include <penumbra.hpp>

#include <cmath>

struct cell {
    double h, hu, hv;
};
struct face {
    double normal[2]; // from the node to its neighbour; a face has the length 1, a cell the area 1
    cell flux;        // what flows through the face
};
using clocks = struct {
    double time, dt;
};
using node = penumbra::node<cell, penumbra::edge<face>>;
enum { SPEED, VOLUME };
constexpr double g = 9.81;
static double end = 3.0;

static void init(node n)
{
    const double x = n.coordinate(0) - 3.0, y = n.coordinate(1) - 4.0;
    n.next() = { 1.0 + 0.5 * (x * x + y * y < 4.0), 0.0, 0.0 };
}
static void normals(node n)
{
    for (int i = 0; i < n.degree(); i++)
        for (int d = 0; d < 2; d++) n.own_edge(i).normal[d] = n.neighbor_coordinate(i, d) - n.coordinate(d);
}
static double wave(const cell &c) { return std::sqrt(c.hu * c.hu + c.hv * c.hv) / c.h + std::sqrt(g * c.h); }
static void fastest(node n, pen_observation *o) { pen_observe_real(o, SPEED, wave(n.self())); }
static void volume(node n, pen_observation *o) { pen_observe_real(o, VOLUME, n.self().h); }
static void advance(penumbra::state s, clocks &c)
{
    if (s.phase() == 0) c.dt = std::fmin(0.45 / s.observed_real(SPEED) / 2.0, end - c.time);
    else if (s.step() > 0) c.time += c.dt;
}
static bool done(penumbra::state s) { return s.globals<clocks>().time >= end; }
static cell through(const cell &c, const face &f) // the physical flux along the normal
{
    const double q = (c.hu * f.normal[0] + c.hv * f.normal[1]) / c.h, p = 0.5 * g * c.h * c.h;
    return { c.h * q, c.hu * q + p * f.normal[0], c.hv * q + p * f.normal[1] };
}
static void flux(node n)
{
    for (int i = 0; i < n.degree(); i++) {
        const cell &a = n.self(), &b = n.neighbor(i);
        face &f = n.own_edge(i);
        const double s = std::fmax(wave(a), wave(b));
        const cell l = through(a, f), r = through(b, f);
        f.flux = { 0.5 * (l.h + r.h - s * (b.h - a.h)), 0.5 * (l.hu + r.hu - s * (b.hu - a.hu)),
                   0.5 * (l.hv + r.hv - s * (b.hv - a.hv)) };
    }
}
static void update(node n)
{
    const cell &c = n.self();
    double h = 0.0, hu = 0.0, hv = 0.0, nx = 0.0, ny = 0.0;
    for (int i = 0; i < n.degree(); i++) {
        const face &f = n.edge(i);
        h += f.flux.h, hu += f.flux.hu, hv += f.flux.hv, nx += f.normal[0], ny += f.normal[1];
    }
    const double p = 0.5 * g * c.h * c.h, dt = n.globals<clocks>().dt; // walls are where the normals do not add up to 0
    n.next() = { c.h - dt * h, c.hu - dt * (hu - p * nx), c.hv - dt * (hv - p * ny) };
}
static void print(node n, FILE *out) { std::fprintf(out, "%a", n.self().h); }
int main(int argc, char **argv)
{
    penumbra::app<cell, penumbra::edge<face>> app("shallow", { "cell", "face" });
    app.init<init>().init_edges<normals>().print<print>().plain<cell>().observe<volume>();
    app.graph("generate=mesh:64x64,coordinates").option("end", "T", "the time at which it ends", end);
    app.globals<clocks, advance>().time("time", &clocks::time).done<done>();
    app.phase<flux>("flux").reads<cell>().edge_writes<face>().observe<fastest>(PEN_SET(SPEED));
    app.phase<update>("update").writes<cell>();
    app.observable("speed", PEN_MAX_REAL).observable("volume", PEN_SUM_REAL);
    app.member("h", &cell::h).member("hu", &cell::hu).member("hv", &cell::hv);
    return app.main(argc, argv);
}
