// embedded.cpp - Penumbra within a C++ program that has an MPI of its own: heat on a ring, with a leak from each node
// to the opposite one, and a short cut that comes later. Exits with 1 where a plain loop over arrays has other values.
#include <penumbra.hpp>

#include <numeric>

struct temperature {
    double now;
};
struct flow {
    double near, far[2];
};
using node = penumbra::node<temperature, flow>;
using application = penumbra::app<temperature, flow>;
enum { TOTAL, HOT, THIRDS };
enum { BONUS };
constexpr pen_gid nodes = 24;

static pen_gid opposite(pen_gid gid) { return (gid + nodes / 2) % nodes; }

// The rate at which heat flows; the program changes it.
struct rates {
    double rate;
};

struct ring {
    static void init(node n)
    {
        n.next<temperature>().now = static_cast<double>(n.id() * n.id() % 7) + n.input(BONUS);
        n.next<flow>() = {};
    }
    static void want(node n, pen_requests *requests) { pen_request(requests, opposite(n.id())); }
    static void gather(node n)
    {
        const double own = n.self<temperature>().now;
        double sum = 0.0;
        for (const temperature &other : n.neighbors<temperature>()) sum += other.now - own;
        n.next<flow>() = { sum, { n.far<temperature>(0)->now - own, own } };
    }
    static void move(node n)
    {
        const flow &in = n.self<flow>();
        n.next<temperature>().now = n.self<temperature>().now + in.near * n.globals<rates>().rate + in.far[0] / 8;
    }
    static void observe(node n, pen_observation *observation)
    {
        pen_observe_real(observation, TOTAL, n.self<temperature>().now);
        pen_observe_int(observation, HOT, n.self<temperature>().now > 3);
        pen_observe_int(observation, PEN_COMPONENT(THIRDS, static_cast<int>(n.id() % 3)), n.id());
    }
    static double cost(node n) { return n.id() < 2; } // neighbours, which are on one rank at first
};

// The same by hand, on all nodes.
static std::vector<double> serially(int steps, int cut_after, const std::vector<double> &rate)
{
    std::vector<double> now(nodes), next(nodes);
    for (size_t i = 0; i < nodes; i++) now[i] = static_cast<double>(i * i % 7) + static_cast<double>(i) / 8;
    for (int step = 0; step < steps; step++, now = next)
        for (size_t i = 0; i < nodes; i++) {
            const double before = now[(i + nodes - 1) % nodes], after = now[(i + 1) % nodes];
            const double far = now[static_cast<size_t>(opposite(static_cast<pen_gid>(i)))] - now[i];
            const double cut = step >= cut_after && i % (nodes / 2) == 0 ? far : 0.0;
            next[i] = now[i] + (before + after - 2 * now[i] + cut) * rate[step >= cut_after] + far / 8;
        }
    return now;
}

static pen_status compute(MPI_Comm comm, bool strict, bool *same)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    std::vector<pen_gid> gids, neighbors;
    std::vector<int64_t> rows(1);
    for (pen_gid gid = nodes * rank / ranks; gid < nodes * (rank + 1) / ranks; gid++) {
        gids.push_back(gid);
        neighbors.insert(neighbors.end(), { (gid + 1) % nodes, (gid + nodes - 1) % nodes });
        rows.push_back(static_cast<int64_t>(neighbors.size()));
    }
    pen_csr mine = {};
    mine.count = static_cast<pen_lid>(gids.size());
    mine.gids = gids.data(), mine.rows = rows.data(), mine.neighbors = neighbors.data();
    auto [status, graph] = penumbra::graph::from_csr(comm, mine);
    if (status != PEN_OK) return status;

    application app("embedded", { "temperature", "flow" });
    app.init<ring::init>().observe<ring::observe>().plain<temperature, flow>();
    app.phase<ring::gather>("gather")
        .reads<temperature>()
        .writes<flow>()
        .far<ring::want, temperature>()
        .cost<ring::cost>();
    app.phase<ring::move>("move").writes<temperature>();
    app.observable("total", PEN_SUM_REAL).observable("hot", PEN_SUM_INT);
    app.member("near", &flow::near).member("far", &flow::far);
    app.observable("thirds", PEN_SUM_INT, 3).input("bonus");
    pen_run_options options = {};
    options.input = "embedded.csv";
    options.debug.strict = strict;
    app.globals<rates>();
    options.balance.balancer = "diffusive", options.balance.when = "every:3";
    options.balance.load = strict ? PEN_LOAD_MEASURED : PEN_LOAD_DECLARED;
    auto [made, first] = app.create(comm, graph, options);
    if (made != PEN_OK) return made;
    application::run run = std::move(first), none;
    none = std::move(run);
    if (run.get() || run.local<temperature>().records) return PEN_ERR_INTERNAL;
    run = std::move(none);
    if (first.get() || none.done() || app.table().output.members.list[1].components != 2) return PEN_ERR_INTERNAL;

    status = run.set_globals(rates{ 0.25 });
    if (status == PEN_OK) status = run.steps(10);
    const auto shorten = [](pen_changes *changes) { pen_add_edge(changes, 0, nodes / 2, 1); };
    if (status == PEN_OK) status = run.change(shorten);
    if (status == PEN_OK) status = run.set_globals(rates{ run.globals<rates>().rate / 2 });
    if (status == PEN_OK) status = run.steps(5);
    std::vector<pen_gid> all(nodes);
    std::iota(all.begin(), all.end(), 0);
    std::vector<temperature> found(nodes);
    if (status == PEN_OK) status = run.fetch(nodes, all.data(), found.data());
    if (status != PEN_OK) return status;
    const std::vector<double> expected = serially(15, 10, { 0.25, 0.125 });
    *same = run.step() == 15 && run.observed_real(TOTAL) == std::accumulate(expected.begin(), expected.end(), 0.0);
    *same = *same && run.observed_int(THIRDS, 2) == 2 + 5 + 8 + 11 + 14 + 17 + 20 + 23;
    int64_t hot = 0;
    for (size_t i = 0; i < nodes; i++) *same = *same && found[i].now == expected[i], hot += expected[i] > 3;
    *same = *same && run.observed_int(HOT) == hot;
    const auto local = run.local<temperature>();
    int costly = 0;
    for (pen_lid i = 0; i < local.count; i++) {
        *same = *same && local.records[i].now == expected[static_cast<size_t>(local.gids[i])];
        costly += local.gids[i] < 2;
    }
    *same = *same && (strict || costly < 2);
    return PEN_OK;
}

int main(int argc, char **argv)
{
    pen_environment_prepare();
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FILE *table = rank == 0 ? std::fopen("embedded.csv", "w") : nullptr;
    if (table) std::fputs("gid,bonus\n", table);
    for (pen_gid gid = 0; table && gid < nodes; gid++) std::fprintf(table, "%d,%g\n", int(gid), double(gid) / 8);
    if (table) std::fclose(table);
    MPI_Barrier(MPI_COMM_WORLD);
    bool same[2] = {};
    pen_status status = compute(MPI_COMM_WORLD, false, &same[0]);
    if (status == PEN_OK) status = compute(MPI_COMM_WORLD, true, &same[1]);
    if (status != PEN_OK) fprintf(stderr, "embedded: %s\n", pen_error_message());
    MPI_Finalize();
    return status == PEN_OK ? !(same[0] && same[1]) : pen_exit_status(status);
}
