#include <penumbra.hpp>

struct cell {
    double heat;
};
using node = penumbra::node<cell>; // the fields, by the types of their records

static void init(node n) { n.next<cell>().heat = n.id() == 0 ? 100.0 : 0.0; }

static void relax(node n)
{
    double sum = 0.0;
    for (const cell &other : n.neighbors<cell>()) sum += other.heat;
    n.next<cell>().heat = n.degree() ? sum / n.degree() : n.self<cell>().heat;
}

int main(int argc, char **argv)
{
    penumbra::app<cell> heat("heat", { "cell" });
    heat.init<init>().member("heat", &cell::heat);
    heat.phase<relax>("relax").reads<cell>().writes<cell>();
    return heat.main(argc, argv);
}
