// push.cpp - the example push in C++: PageRank near one page, by mail to the pages to which a page links.
#include <penumbra.hpp>

struct page {
    double rank, rest;
};
struct gift {
    double amount;
};
using node = penumbra::node<page, penumbra::mail<gift>>;
enum { WAITING };

static bool has_much(node n) { return n.self().rest > 1e-7 * (n.degree() + 1); }

static void init(node n) { n.next() = { 0.0, n.id() == 0 ? 1.0 : 0.0 }; }

static void push(node n)
{
    page &here = n.next() = n.self();
    for (const gift &one : n.mail<gift>()) here.rest += one.amount;
    if (here.rest <= 1e-7 * (n.degree() + 1)) return;
    const double given = 0.85 * here.rest;
    here = { here.rank + (here.rest - given), 0.0 };
    for (int32_t i = 0; i < n.degree(); i++) n.send<gift>(n.neighbor_id(i)).amount = given / n.degree();
    if (n.degree() == 0) n.send<gift>(0).amount = given;
}

static void observe(node n, pen_observation *observation)
{
    pen_observe_int(observation, WAITING, n.mail<gift>().size() > 0 || has_much(n));
}

static void print(node n, FILE *out) { std::fprintf(out, "%.17g", n.self().rank); }

static bool is_over(const pen_run *run, const void *) noexcept { return pen_run_observed_int(run, WAITING) == 0; }

int main(int argc, char **argv)
{
    penumbra::app<page, penumbra::mail<gift>> app("push", { "page", "gift" });
    app.init<init>().observe<observe>().observable("waiting", PEN_SUM_INT).print<print>().plain<page>();
    app.phase<push>("push").writes<page>().receives<gift>().sends<gift>();
    app.rest.end.done = is_over;
    return app.main(argc, argv);
}
