/* penumbra.hpp - the library in C++17, header-only.
 *
 *     penumbra::node   a pen_view: id, degree, self, neighbors, next, ...; view() for functions in C
 *     penumbra::edge   in the list of records: those of arcs, which node::edge reads and node::own_edge writes
 *     penumbra::app    a pen_app: init, phase, observe, option, input, globals, done, ...; `rest` for its other
 *                      members; main runs the whole program, create makes a run
 *     penumbra::state  the step, observables and globals of a run, for the functions of app::globals, done and check
 *     penumbra::graph  owns a pen_graph: read, generate, from_csr, write
 *     penumbra::run    owns a pen_run: steps, fetch, put, local, change, observed_real, ...
 *     penumbra::command_line  owns a pen_options */

/* ---- A whole program ------------------------------------------------------------------------ */

/* Node functions are template arguments, so that the compiler inlines them into the loop over a rank's nodes, as
 * PEN_SWEEP does in C. They are free functions or static members, and known to the compiler where they are named. The
 * headers of C describe what the functions mean. `get()` of a handle, and `table()` of an app, are for functions in C
 * that have no counterpart here. Functions that can fail return a pen_status, or a result that has one, and throw
 * nothing; only the tables of an app are std::vectors, which may throw std::bad_alloc. A node function that throws
 * ends the program (std::terminate). Declare the functions in app::rest noexcept: the library, which is C, calls them.
 * Results are bit-identical if the program is compiled with -ffp-contract=off, which linking to penumbra::penumbra
 * sets. */

/* The records of nodes, and the functions that compute one node:
 *
 *     struct cell { double heat; };
 *     using node = penumbra::node<cell>; // the fields, by the types of their records
 *
 *     static void init(node n) { n.next<cell>().heat = n.id() == 0 ? 100.0 : 0.0; }
 *     static void relax(node n)
 *     {
 *         double sum = 0.0;
 *         for (const cell &other : n.neighbors<cell>()) sum += other.heat;
 *         n.next<cell>().heat = n.degree() ? sum / n.degree() : n.self<cell>().heat;
 *     } */

/* The description of the application, and the command line:
 *
 *     int main(int argc, char **argv)
 *     {
 *         penumbra::app<cell> heat("heat", { "cell" });
 *         heat.init<init>().member("heat", &cell::heat);
 *         heat.phase<relax>("relax").reads<cell>().writes<cell>();
 *         return heat.main(argc, argv);
 *     } */

/* Kinds of mail are in the list of records, by the types of their messages (penumbra_mail.h):
 *
 *     using node = penumbra::node<city, penumbra::mail<traveller>>;
 *     static void move(node n)
 *     {
 *         for (const traveller &one : n.mail<traveller>()) n.send<traveller>(one.goal) = one;
 *     }
 *     penumbra::app<city, penumbra::mail<traveller>> cities("cities", { "city", "traveller" });
 *     cities.phase<move>("move").receives<traveller>().sends<traveller>(); */
#ifndef PENUMBRA_HPP
#define PENUMBRA_HPP

#include <penumbra_handles.hpp>
#include <penumbra_records.hpp>

#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

namespace penumbra
{

// ---- The view of one node -------------------------------------------------------------------------------------------

/* The view of a node function: a pen_view, with records by their types. If there is one field, its type may be left
 * out: n.self().heat. */
template <typename... records> class node
{
    template <typename record> static constexpr int at = index_of<table::fields, record, records...>();
    template <table of, typename...> struct only { /* `type`: the only entry in a list that is of a table */
        static constexpr int count = 0;
        using type = void;
    };
    template <table of, typename one, typename... more> struct only<of, one, more...> {
        using rest = only<of, more...>;
        static constexpr int count = rest::count + (table_of<one> == of);
        using type =
            std::conditional_t<count == 1, std::conditional_t<table_of<one> == of, one, typename rest::type>, void>;
    };
    template <typename record> struct inside {
        using type = void;
    };
    template <typename record> struct inside<edge<record>> {
        using type = record;
    };
    using sole = typename only<table::fields, records...>::type; /* the only field, else void */
    using sole_edge = typename inside<typename only<table::edge_fields, records...>::type>::type; /* likewise */
    template <typename message>
    static constexpr int kind = index_of<table::mails, penumbra::mail<message>, records...>();

  public:
    explicit node(const pen_view *view) : v_(view) {}
    /* For all functions of the view in C: pen_random_real(n.view(), 1). */
    const pen_view *view() const { return v_; }

    pen_gid id() const { return pen_id(v_); }
    int32_t degree() const { return pen_degree(v_); }
    pen_gid neighbor_id(int32_t i) const { return pen_neighbor_id(v_, i); }
    int64_t weight() const { return pen_node_weight(v_); }
    int64_t edge_weight(int32_t i) const { return pen_edge_weight(v_, i); }
    int32_t reader_count() const { return pen_reader_count(v_); }
    int dimensions() const { return v_->dimensions; }
    double coordinate(int d) const { return pen_coordinate(v_, d); }
    double neighbor_coordinate(int32_t i, int d) const { return pen_neighbor_coordinate(v_, i, d); }
    double input(int column) const { return pen_input(v_, column); }
    double edge_input(int column, int32_t i) const { return pen_edge_input(v_, column, i); }
    int64_t observed_int(int k, int c = 0) const { return pen_observed_int(v_, PEN_COMPONENT(k, c)); }
    double observed_real(int k, int c = 0) const { return pen_observed_real(v_, PEN_COMPONENT(k, c)); }
    uint64_t random(uint64_t stream) const { return pen_random(v_, stream); }
    uint64_t random_of(pen_gid gid, uint64_t stream) const { return pen_random_of(v_, gid, stream); }
    int64_t random_below(uint64_t stream, int64_t n) const { return pen_random_below(v_, stream, n); }
    double random_real(uint64_t stream) const { return pen_random_real(v_, stream); }
    int64_t step() const { return pen_step(v_); }
    template <typename type> const type &params() const { return *static_cast<const type *>(pen_params(v_)); }
    template <typename values> const values &globals() const { return *PEN_GLOBALS(v_, values); }

    /* The node's record, its i-th neighbour's, all its neighbours', and its next record. */
    template <typename record = sole> const record &self() const { return current<record>()[v_->slot]; }
    template <typename record = sole> const record &neighbor(int32_t i) const
    {
        return current<record>()[pen_neighbor_slot(v_, i)];
    }
    template <typename record = sole> penumbra::neighbors<record> neighbors() const
    {
        const uint32_t *row = v_->rows + v_->slot;
        return { current<record>(), v_->columns + row[0], v_->columns + row[1] };
    }
    template <typename record = sole> record &next() const
    {
        return static_cast<record *>(v_->next[at<record>])[v_->slot];
    }
    /* The record of the arc to the i-th neighbour; own_edge writes it, as PEN_EDGE_OWN does. */
    template <typename record = sole_edge> const record &edge(int32_t i) const
    {
        return static_cast<const record *>(v_->edges[edge_at<record>])[v_->rows[v_->slot] + static_cast<uint32_t>(i)];
    }
    template <typename record = sole_edge> record &own_edge(int32_t i) const
    {
        return static_cast<record *>(v_->own_edges[edge_at<record>])[v_->rows[v_->slot] + static_cast<uint32_t>(i)];
    }
    int32_t far_count() const { return pen_far_count(v_); }
    pen_gid far_id(int32_t k) const { return pen_far_id(v_, k); }
    /* The record of the k-th node that .far named; NULL if there is no such node. */
    template <typename record = sole> const record *far(int32_t k) const
    {
        return static_cast<const record *>(pen_far_record(v_, at<record>, k));
    }
    /* The node's messages of a kind, the sender of the i-th of them, and a new message to any node, all bytes zero. */
    template <typename message> penumbra::messages<message> mail() const
    {
        const void *first = pen_mail_record(v_, kind<message>, 0);
        return { static_cast<const message *>(first), pen_mail_count(v_, kind<message>) };
    }
    template <typename message> pen_gid sender(int64_t i) const { return pen_mail_sender(v_, kind<message>, i); }
    template <typename message> message &send(pen_gid to) const { return *PEN_SEND(v_, kind<message>, message, to); }

  private:
    template <typename record>
    static constexpr int edge_at = index_of<table::edge_fields, penumbra::edge<record>, records...>();
    template <typename record> const record *current() const
    {
        return static_cast<const record *>(v_->current[at<record>]);
    }
    const pen_view *v_;
};

// ---- Runs ----------------------------------------------------------------------------------------------------------

/* This rank's nodes and their records of one field, as pen_run_local has them. */
template <typename record> struct local {
    pen_lid count;
    const pen_gid *gids;   /* [count] */
    const record *records; /* [count] */
};

/* A computation in progress, which app::create makes. */
template <typename... records> class run : public handle<pen_run, pen_run_destroy>
{
    template <typename record> static constexpr int at = index_of<table::fields, record, records...>();

  public:
    PEN_CHECKED pen_status steps(int64_t count) { return pen_run_steps(get(), count); }
    int64_t step() const { return pen_run_step(get()); }
    bool done() const { return pen_run_done(get()); }
    int64_t observed_int(int k, int c = 0) const { return pen_run_observed_int(get(), PEN_COMPONENT(k, c)); }
    double observed_real(int k, int c = 0) const { return pen_run_observed_real(get(), PEN_COMPONENT(k, c)); }
    /* The record of app::globals, which is of this type. */
    template <typename values> const values &globals() const
    {
        return *static_cast<const values *>(pen_run_globals(get()));
    }
    template <typename values> PEN_CHECKED pen_status set_globals(const values &given)
    {
        return pen_run_set_globals(get(), &given);
    }
    template <typename record> penumbra::local<record> local() const
    {
        pen_local all = pen_run_local(get());
        return { all.count, all.gids, static_cast<const record *>(all.fields ? all.fields[at<record>] : nullptr) };
    }
    template <typename record>
    PEN_CHECKED pen_status fetch(int64_t count, const pen_gid *gids, record *fetched, bool *found = nullptr)
    {
        return pen_run_fetch(get(), at<record>, count, gids, fetched, found);
    }
    template <typename record> PEN_CHECKED pen_status put(int64_t count, const pen_gid *gids, const record *given)
    {
        return pen_run_put(get(), at<record>, count, gids, given);
    }
    result<uint64_t> checksum()
    {
        uint64_t sum = 0;
        pen_status status = pen_run_checksum(get(), &sum);
        return { status, sum };
    }
    /* pen_run_change, by a function that is called with pen_changes *. */
    template <typename function> PEN_CHECKED pen_status change(function ask)
    {
        return pen_run_change(
            get(), [](pen_changes *changes, void *context) noexcept { (*static_cast<function *>(context))(changes); },
            &ask);
    }
};

// ---- Applications -------------------------------------------------------------------------------------------------

/* The application: a pen_app with its tables. `records` are the types of the fields' records, one for each field, and
 * edge<type> for each edge field, and mail<type> for each kind of mail; the names of all are in the same order. Of the
 * functions that it is given, those of a node get a node<records...> in place of a pen_view. */
template <typename... records> class app
{
  public:
    using node = penumbra::node<records...>;
    using run = penumbra::run<records...>;

    /* Set the members here that no function sets: heat.rest.graph.rows. table() fills in the tables. */
    pen_app rest = {};

    app(const char *name, const char *const (&names)[sizeof...(records)])
    {
        static_assert(((index_of<table_of<records>, records, records...>() >= 0) && ...));
        rest.name = name;
        const char *const *next = names;
        (add(*next++, static_cast<records *>(nullptr)), ...);
    }

    /* pen_app.init, .init_edges, .observables.observe, .output.print and .sides, .checkpoint.valid; fields that are
     * plain, or transient. */
    template <auto function> app &init() { return set(rest.init, call<function, void>); }
    template <auto function> app &init_edges() { return set(rest.init_edges, call<function, void>); }
    template <auto function> app &observe() { return set(rest.observables.observe, observe_sweep<function>); }
    template <auto function> app &print() { return set(rest.output.print, call<function, void, FILE *>); }
    template <auto function> app &sides() { return set(rest.output.sides, call<function, void, double *>); }
    template <auto function> app &valid() { return set(rest.checkpoint.valid, call<function, bool>); }
    template <typename... chosen> app &plain() { return mark<chosen...>(&pen_field::plain); }
    template <typename... chosen> app &transient() { return mark<chosen...>(&pen_field::transient); }
    /* Messages of these kinds to nodes that do not exist are dropped (pen_mail.drop). */
    template <typename... chosen> app &drop()
    {
        ((mails_[static_cast<size_t>(index_of<table::mails, mail<chosen>, records...>())].drop = true), ...);
        return *this;
    }

    /* The graph if the command line names none; the number of steps likewise; and parameters, for node::params. */
    app &graph(const char *spec) { return set(rest.graph.spec, spec); }
    app &steps(int64_t count) { return set(rest.end.steps, count); }
    template <typename type> app &params(type &given) { return set(rest.params, static_cast<void *>(&given)); }

    /* An option --name=VALUE, which sets a bool (a flag), an int64_t from low to high, a double, or a const char *. */
    template <typename type>
    app &option(const char *name, const char *argument, const char *help, type &place, int64_t low = 0,
                int64_t high = 0)
    {
        constexpr bool known = std::is_same_v<type, bool> || std::is_same_v<type, int64_t> ||
                               std::is_same_v<type, double> || std::is_same_v<type, const char *>;
        static_assert(known, "an option sets a bool, an int64_t, a double or a const char *");
        constexpr pen_option_kind kind = std::is_same_v<type, bool>      ? PEN_OPTION_FLAG
                                         : std::is_same_v<type, int64_t> ? PEN_OPTION_INT
                                         : std::is_same_v<type, double>  ? PEN_OPTION_REAL
                                                                         : PEN_OPTION_TEXT;
        options_.insert(options_.end() - 1, { name, argument, help, kind, &place, low, high });
        return *this;
    }

    /* The next column of values from files, for nodes or arcs (pen_input_column), which only .init and .init_edges read
     * unless it is permanent. */
    app &input(const char *name, bool permanent = false)
    {
        return input({ name, false, false, permanent, nullptr, false });
    }
    app &edge_input(const char *name, bool permanent = false)
    {
        return input({ name, true, false, permanent, nullptr, false });
    }
    app &input(const pen_input_column &column)
    {
        inputs_.push_back(column);
        return *this;
    }

    /* The globals: a record of this type, which the function, void (penumbra::state, values &), computes as
     * pen_globals.update does; without one only the program sets it. Their next named member, and the physical time. */
    template <typename values> app &globals() { return set(globals_.size, sizeof(values)); }
    template <typename values, auto function> app &globals()
    {
        globals_.update = [](const pen_run *of, int phase, const void *params, void *record) noexcept {
            function(state(of, params, phase), *static_cast<values *>(record));
        };
        return globals<values>();
    }
    template <typename values, typename value> app &global(const char *name, value values::*which)
    {
        global_members_.push_back(member_of(name, 0, which));
        return *this;
    }
    template <typename values> app &time(const char *name, double values::*which)
    {
        globals_.time = name;
        return global(name, which);
    }

    /* pen_app.end.done and .check: bool (penumbra::state) and const char *(penumbra::state). */
    template <auto function> app &done()
    {
        return set(rest.end.done, [](const pen_run *of, const void *params) noexcept {
            return static_cast<bool>(function(state(of, params)));
        });
    }
    template <auto function> app &check()
    {
        return set(rest.check, [](const pen_run *of, const void *params) noexcept -> const char * {
            return function(state(of, params));
        });
    }

    /* A phase that is being described: pen_phase.reads, .writes, .updates, .sends, .receives, .cost, .always,
     * .edge_writes, and .far with .far_reads, and .observe with .observes. Valid as long as its application is, and is
     * not moved. */
    class phase_entry
    {
      public:
        phase_entry(std::vector<pen_phase> &phases, size_t index) : phases_(&phases), index_(index) {}
        template <typename... chosen> phase_entry reads() { return put(&pen_phase::reads, fields_set<chosen...>); }
        template <typename... chosen> phase_entry writes() { return put(&pen_phase::writes, fields_set<chosen...>); }
        template <typename... chosen> phase_entry updates() { return put(&pen_phase::updates, fields_set<chosen...>); }
        template <typename... chosen> phase_entry sends() { return put(&pen_phase::sends, mails_set<chosen...>); }
        template <typename... chosen> phase_entry receives() { return put(&pen_phase::receives, mails_set<chosen...>); }
        template <auto function> phase_entry cost() { return put(&pen_phase::cost, cost_sweep<function>); }
        phase_entry always() { return put(&pen_phase::always, true); }
        template <typename... chosen> phase_entry edge_writes()
        {
            return put(&pen_phase::edge_writes, set_of<table::edge_fields, app, edge<chosen>...>::value);
        }
        template <auto function, typename... chosen> phase_entry far()
        {
            put(&pen_phase::far, call<function, void, pen_requests *>);
            return put(&pen_phase::far_reads, fields_set<chosen...>);
        }
        template <auto function> phase_entry observe(pen_set observables)
        {
            put(&pen_phase::observe, observe_sweep<function>);
            return put(&pen_phase::observes, observables);
        }

      private:
        template <typename type, typename given> phase_entry put(type pen_phase::*place, given value)
        {
            (*phases_)[index_].*place = value;
            return *this;
        }
        std::vector<pen_phase> *phases_;
        size_t index_;
    };

    /* The next phase. The function gets a node, or a node and pen_changes *, to change the graph (pen_phase.modify). */
    template <auto function> phase_entry phase(const char *name)
    {
        pen_phase next = {};
        next.name = name;
        if constexpr (std::is_invocable_v<decltype(function), node, pen_changes *>)
            next.modify = call<function, void, pen_changes *>;
        else next.sweep = sweep<function>;
        phases_.push_back(next);
        return { phases_, phases_.size() - 1 };
    }

    /* The next observable, and a member that files of results may have: a number, or an array of them. */
    app &observable(const char *name, pen_observable_kind kind, int components = 1)
    {
        observables_.push_back({ name, kind, components });
        return *this;
    }
    template <typename record, typename value> app &member(const char *name, value record::*which)
    {
        members_.push_back(member_of(name, index_of<table::fields, record, records...>(), which));
        return *this;
    }

    /* The application for functions in C, whose tables live as long as this, unchanged. */
    pen_app table() const
    {
        pen_app whole = rest;
        give(fields_, whole.fields);
        give(mails_, whole.mails);
        give(phases_, whole.phases);
        give(observables_, whole.observables);
        give(members_, whole.output.members);
        give(edge_fields_, whole.edge_fields);
        give(inputs_, whole.inputs);
        give(global_members_, globals_.members);
        if (globals_.size > 0) whole.globals = &globals_;
        if (options_.size() > 1) whole.options = options_.data();
        return whole;
    }

    /* pen_main and pen_run_create. */
    int main(int argc, char **argv) const
    {
        const pen_app whole = table();
        return pen_main(&whole, argc, argv);
    }
    result<run> create(MPI_Comm comm, const penumbra::graph &on, const pen_run_options &options = {}) const
    {
        const pen_app whole = table();
        run made;
        pen_status status = pen_run_create(comm, on.get(), &whole, &options, made.out());
        return { status, std::move(made) };
    }

  private:
    template <typename... chosen> static constexpr pen_set fields_set = set_of<table::fields, app, chosen...>::value;
    template <typename... chosen>
    static constexpr pen_set mails_set = set_of<table::mails, app, mail<chosen>...>::value;

    /* Functions of nodes, as the library calls them: for a range of nodes (PEN_SWEEP), or for one. */
    template <typename visitor> PEN_ALIGNED static void visit(const pen_view *v, pen_lid end, visitor one)
    {
        pen_view view = *v;
        for (pen_lid slot = v->slot; slot < end; slot++) {
            view.slot = slot;
            one(node(&view));
        }
    }
    template <auto function> static void sweep(const pen_view *v, pen_lid end) noexcept
    {
        visit(v, end, [](node n) { function(n); });
    }
    template <auto function>
    static void observe_sweep(const pen_view *v, pen_lid end, pen_observation *observation) noexcept
    {
        pen_observation near = *observation;
        visit(v, end, [&near](node n) { function(n, &near); });
        *observation = near;
    }
    template <auto function> static void cost_sweep(const pen_view *v, pen_lid end, double *cost) noexcept
    {
        visit(v, end, [&cost](node n) { *cost++ = function(n); });
    }
    template <auto function, typename answer, typename... more>
    static answer call(const pen_view *v, more... others) noexcept
    {
        return function(node(v), others...);
    }

    template <typename record> static constexpr size_t size_of()
    {
        static_assert(std::is_trivially_copyable_v<record>, "records and messages are copied as bytes");
        static_assert(alignof(record) <= 16, "memory of records and messages is aligned to 16 bytes");
        return sizeof(record);
    }
    template <typename record> void add(const char *name, record *)
    {
        fields_.push_back({ name, size_of<record>(), false, false });
    }
    template <typename record> void add(const char *name, edge<record> *)
    {
        edge_fields_.push_back({ name, size_of<record>() });
    }
    template <typename message> void add(const char *name, mail<message> *)
    {
        mails_.push_back({ name, size_of<message>(), false });
    }
    template <typename record, typename value>
    static pen_member member_of(const char *name, int field, value record::*which)
    {
        using number = std::remove_all_extents_t<value>;
        const record one{};
        const auto offset = reinterpret_cast<const char *>(&(one.*which)) - reinterpret_cast<const char *>(&one);
        return { name, field, type_of<number>(), static_cast<size_t>(offset),
                 static_cast<int>(sizeof(value) / sizeof(number)) };
    }

    template <typename type, typename given> app &set(type &place, given value)
    {
        place = value;
        return *this;
    }
    template <typename... chosen> app &mark(bool pen_field::*which)
    {
        ((fields_[static_cast<size_t>(index_of<table::fields, chosen, records...>())].*which = true), ...);
        return *this;
    }
    template <typename entry, typename place> static void give(const std::vector<entry> &entries, place &table)
    {
        table.list = entries.empty() ? nullptr : entries.data();
        table.count = static_cast<int>(entries.size());
    }

    std::vector<pen_field> fields_;
    std::vector<pen_mail> mails_;
    std::vector<pen_phase> phases_;
    std::vector<pen_observable> observables_;
    std::vector<pen_member> members_, global_members_;
    std::vector<pen_edge_field> edge_fields_;
    std::vector<pen_input_column> inputs_;
    std::vector<pen_option> options_ = std::vector<pen_option>(1); /* ends with an empty entry */
    mutable pen_globals globals_ = {};                             /* table() sets its members */
};

} // namespace penumbra

#endif
