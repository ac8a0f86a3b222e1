/* mail_test - mail has the bits of a serial post that shares no code with it: drawn programs on all kinds of graphs,
 * with moves, balancing, transports, checkpoints; and mistakes are reported. Arguments: the first seed, and how many.
 * pen_mpi_test(RANKS 1 2 3 5) */
#include "base/memory.h"
#include "mail/post.h"
#include "tests/support/check.h"
#include "tests/support/mail_program.h"
#include "tests/support/world.h"

#include <penumbra_checkpoint.h>

enum { STEPS = 4 };

static void compare(const char *what, const mail_serial *s, const pen_run *run)
{
    const graph_case *g = s->program->graph;
    const pen_local local = pen_run_local(run);
    const mail_state *states = local.fields[MAIL_STATE];
    int wrong = 0;
    for (pen_lid slot = 0; slot < local.count; slot++) {
        int i = 0;
        while (g->gids[i] != local.gids[slot]) i++;
        wrong += memcmp(&states[slot], &s->now[i], sizeof *states) != 0;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(pen_run_observed_int(run, MAIL_COUNT), s->count);
    CHECK_INT(pen_run_observed_int(run, MAIL_SUM), mail_serial_sum(s));
    if (check_failures && check_rank() == 0)
        fprintf(stderr, "    in: %s, %s, seed %" PRIu64 ", step %" PRId64 "\n", what, g->name, s->program->seed,
                pen_run_step(run));
}

static pen_run_options draw_options(uint64_t seed, pen_test_options *tests)
{
    static const char *const transports[] = { "fence",   "pscw",       "passive",  "shared", "blocking",
                                              "overlap", "persistent", "neighbor", "auto" };
    static const char *const partitioners[] = { "block", "random", "metis" };
    pen_run_options options = { .steps = STEPS };
    options.transport = transports[seed % 9];
    options.partitioner = partitioners[seed / 8 % 3];
    *tests = (pen_test_options){ .migrate_seed = seed, .migrate_part = seed % 3 == 1 ? 0.3 : 0.0 };
    options.debug.tests = tests;
    if (seed % 3 == 2) {
        options.balance = (pen_balance_options){ "diffusive", "every:1:always", .load = PEN_LOAD_DECLARED };
        options.balance.call_cost = options.balance.node_cost = PEN_NO_COST;
    }
    options.debug.strict = seed % 7 == 3;
    return options;
}

/* The run continues from its checkpoint on the first ranks of the world, in ranks of another number. */
static void test_resume(mail_program *program, mail_serial *serial, const char *folder, int ranks)
{
    MPI_Comm some;
    pen_run *run = NULL;
    pen_run_options options = { .steps = STEPS + 2, .debug.tests = &(pen_test_options){ .migrate_part = 0.3 } };
    MPI_Comm_split(MPI_COMM_WORLD, check_rank() < ranks, 0, &some);
    mail_serial_step(serial);
    if (check_rank() < ranks) {
        CHECK_STATUS(pen_run_load(some, folder, &program->app, &options, &run), PEN_OK);
        if (run) CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        if (run) compare("resumed", serial, run);
        pen_run_destroy(&run);
    }
    MPI_Comm_free(&some);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void test_program(const graph_case *g, const pen_graph *graph, uint64_t seed, const char *folder)
{
    mail_program program;
    mail_serial serial;
    pen_run *run = NULL;
    pen_test_options tests;
    pen_run_options options = draw_options(seed, &tests);
    pen_mail_bin_bytes = seed % 4 < 2 ? 256 << 10 : seed % 4 == 2 ? 1 : 100; /* one bin; very many; some */
    pen_mail_short_bytes = seed % 8 == 5 ? 1024 : 0;
    mail_program_draw(g, seed, &program);
    if (g->directed) options.balance = (pen_balance_options){ .balancer = NULL };
    mail_serial_begin(&program, &serial);
    const pen_status status = pen_run_create(MPI_COMM_WORLD, graph, &program.app, &options, &run);
    CHECK_STATUS(status, PEN_OK);
    if (status == PEN_OK) compare("first state", &serial, run);
    for (int step = 0; step < STEPS && status == PEN_OK; step++) {
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        mail_serial_step(&serial);
        compare(options.transport, &serial, run);
        if (check_failures) break;
    }
    if (status == PEN_OK && seed % 4 == 0) expect_verified(run);
    if (status == PEN_OK && seed % 2 == 0) CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    pen_run_destroy(&run);
    if (status == PEN_OK && seed % 2 == 0 && !check_failures)
        test_resume(&program, &serial, folder, 1 + (int)(seed / 2) % check_size());
    mail_serial_end(&serial);
}

static void test_programs(uint64_t first, int count, const char *folder)
{
    for (int i = 0; i < count && check_failures == 0; i++) {
        const uint64_t seed = first + (uint64_t)i;
        graph_case g = case_make((int)(seed % CASES));
        pen_graph *graph = graph_of(&g, seed);
        test_program(&g, graph, seed, folder);
        pen_graph_destroy(&graph);
        case_free(&g);
    }
}

/* ---- Mistakes --------------------------------------------------------------------------------------- */

enum { VALUE };
enum { RIGHT, UNKNOWN_GID, NEGATIVE_GID, DROPPED, UNDECLARED_READ, NO_MEMORY, REMOVED, REPLACED };
static int mistake;

static void set_value(const pen_view *v) { *PEN_NEXT(v, VALUE, int64_t) = 0; }

static void send_on(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, int64_t) = mistake == UNDECLARED_READ ? pen_mail_count(v, 0) : 1;
    /* Outboxes have room for 64 messages at first. */
    if (mistake == NO_MEMORY && pen_id(v) == 3) pen_alloc_countdown = 1;
    for (int i = 0; mistake == NO_MEMORY && pen_id(v) == 3 && i < 300; i++) *PEN_SEND(v, 0, int64_t, 7) = i;
    const bool lost = mistake >= UNKNOWN_GID && mistake <= DROPPED && pen_id(v) % 4 == 3;
    const pen_gid nobody = mistake == NEGATIVE_GID ? pen_id(v) - 4 : 1000 + pen_id(v);
    *PEN_SEND(v, 0, int64_t, lost ? nobody : (pen_id(v) + 1) % 16) = pen_id(v);
}

static void remove_some(const pen_view *v, pen_changes *changes)
{
    *PEN_NEXT(v, VALUE, int64_t) = 2;
    if ((mistake == REMOVED || mistake == REPLACED) && pen_id(v) == 5) pen_remove_node(changes, 5);
    if (mistake == REPLACED && pen_id(v) == 5) pen_add_node(changes, 5, 1);
}

static void sum_mail(const pen_view *v, pen_observation *observation)
{
    pen_observe_int(observation, 0, pen_mail_count(v, 0));
}
PEN_OBSERVE_SWEEP(sum_mail)

static void check_summary(pen_run *run, const char *text, const char *more)
{
    char *summary = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&summary, &size);
    CHECK_STATUS(pen_run_summary(run, out), PEN_OK);
    fclose(out);
    if (check_rank() == 0) CHECK_CONTAINS(summary, text);
    if (check_rank() == 0) CHECK_CONTAINS(summary, more);
    free(summary);
}

/* A run that makes a mistake in its first step. */
static void test_mistake(int which, bool drop, pen_status expected, const char *text, int64_t undelivered)
{
    const pen_field fields[] = { { "value", sizeof(int64_t), .plain = true } };
    const pen_mail mails[] = { { "letter", sizeof(int64_t), drop } };
    const pen_observable observables[] = { { "undelivered", PEN_SUM_INT, 1 } };
    const pen_phase phases[] = {
        { "send", .node = send_on, .writes = PEN_SET(VALUE), .sends = PEN_SET(0) },
        { "remove", .modify = remove_some, .writes = PEN_SET(VALUE) },
    };
    const pen_app app = { .name = "mistakes",
                          PEN_FIELDS(fields),
                          PEN_PHASES(phases),
                          PEN_OBSERVABLES(observables, sum_mail_sweep),
                          PEN_MAILS(mails),
                          .init = set_value };
    mistake = RIGHT;
    pen_graph *graph = graph_from("hex:4x4");
    const pen_run_options options = { .steps = 2, .debug.strict = which == UNDECLARED_READ };
    pen_run *run = run_with(graph, &app, &options);
    mistake = which;
    CHECK_STATUS(pen_run_steps(run, 1), expected);
    if (expected != PEN_OK) CHECK_CONTAINS(pen_error_message(), text);
    else CHECK_INT(pen_run_observed_int(run, 0), undelivered);
    if (which == DROPPED) check_summary(run, "letter: 16 messages", ", 4 dropped");
    /* Nothing has changed: the phase can run again. */
    mistake = RIGHT;
    const bool again = expected == PEN_ERR_ARGUMENT || expected == PEN_ERR_MEMORY;
    if (again) CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    if (again) CHECK_INT(pen_run_observed_int(run, 0), 16);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* An observable counts mail, while no record changes and steps leave out nodes. */
static void stay(const pen_view *v) { *PEN_NEXT(v, VALUE, int64_t) = *PEN_SELF(v, VALUE, int64_t); }

static void test_undelivered(void)
{
    static const pen_field fields[] = { { "value", sizeof(int64_t), .plain = true } };
    static const pen_mail mails[] = { { .name = "letter", .size = sizeof(int64_t) } };
    static const pen_observable observables[] = { { "undelivered", PEN_SUM_INT, 1 } };
    static const pen_phase phases[] = {
        { "send", .node = send_on, .writes = PEN_SET(VALUE), .sends = PEN_SET(0) },
        { "stay", .node = stay, .writes = PEN_SET(VALUE) },
    };
    static const pen_app app = { .name = "undelivered",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, sum_mail_sweep),
                                 PEN_MAILS(mails),
                                 .init = set_value };
    pen_graph *graph = graph_from("hex:4x4");
    pen_run *run = run_with(graph, &app, NULL);
    mistake = RIGHT;
    for (int step = 1; step <= 12; step++) {
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        CHECK_INT(pen_run_observed_int(run, 0), 16 * step);
    }
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* Of several removed nodes with mail of one sender, the lowest is named, wherever they are. */
static void send_all(const pen_view *v)
{
    stay(v);
    for (pen_gid gid = 0; pen_id(v) == 9 && gid < 16; gid++) *PEN_SEND(v, 0, int64_t, gid) = gid;
}

static void remove_four(pen_changes *c, void *params)
{
    for (pen_gid gid = 15; check_rank() == 0 && gid > 2; gid -= 4) pen_remove_node(c, gid);
}

static void test_stray(void)
{
    static const pen_field fields[] = { { "value", sizeof(int64_t), .plain = true } };
    static const pen_mail mails[] = { { .name = "letter", .size = sizeof(int64_t) } };
    static const pen_phase phases[] = {
        { "send", .node = send_all, .writes = PEN_SET(VALUE), .sends = PEN_SET(0) },
    };
    static const pen_app app = {
        .name = "stray", PEN_FIELDS(fields), PEN_PHASES(phases), PEN_MAILS(mails), .init = set_value
    };
    for (int seed = 0; seed < 4; seed++) {
        char partitioner[32];
        snprintf(partitioner, sizeof partitioner, "random:seed=%d", seed);
        pen_run *run = run_on(graph_from("hex:4x4"), &app, &(pen_run_options){ .partitioner = partitioner });
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        CHECK_STATUS(pen_run_change(run, remove_four, NULL), PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), "from node 9 to node 3, which is removed");
        pen_run_destroy(&run);
    }
}

/* Mail is delivered on the side of the transport; auto measures both sides. */
static void test_side(const char *transport, const char *delivery, const char *told, const char *folder)
{
    const pen_field fields[] = { { "value", sizeof(int64_t), .plain = true } };
    const pen_mail mails[] = { { .name = "letter", .size = sizeof(int64_t) } };
    const pen_phase phases[] = { { "send", .node = send_on, .writes = PEN_SET(VALUE), .sends = PEN_SET(0) } };
    const pen_app app = {
        .name = "sides", PEN_FIELDS(fields), PEN_PHASES(phases), PEN_MAILS(mails), .init = set_value
    };
    pen_graph *graph = graph_from("hex:4x4");
    const pen_run_options options = { .steps = 6, .transport = transport };
    pen_run *run = run_with(graph, &app, &options);
    mistake = RIGHT;
    CHECK_STATUS(pen_run_steps(run, 6), PEN_OK);
    expect_metrics(run, folder, delivery);
    check_summary(run, "letter: 96 messages", told);
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

static void test_sides(const char *folder)
{
    test_side("fence", "\"delivery\": \"one-sided\"", "", folder);
    test_side("overlap", "\"delivery\": \"two-sided\"", "", folder);
    test_side("auto", "\"two_sided_seconds\": ", "mail        delivered ", folder);
}

static void test_mistakes(void)
{
    test_mistake(RIGHT, false, PEN_OK, "", 16);
    test_mistake(UNKNOWN_GID, false, PEN_ERR_ARGUMENT,
                 "mail of kind letter from node 3 to node 1003, which does not exist (phase send, step 0)", 0);
    test_mistake(NEGATIVE_GID, false, PEN_ERR_ARGUMENT,
                 "mail of kind letter from node 3 to node -1, which does not exist (phase send, step 0)", 0);
    test_mistake(DROPPED, true, PEN_OK, "", 12);
    test_mistake(UNDECLARED_READ, false, PEN_ERR_CHECK, "phase send", 0);
    test_mistake(NO_MEMORY, false, PEN_ERR_MEMORY,
                 "out of memory for mail of kind letter from node 3 to node 7 (phase send, step 0)", 0);
    test_mistake(REMOVED, false, PEN_ERR_ARGUMENT,
                 "mail of kind letter from node 4 to node 5, which is removed (phase remove, step 0)", 0);
    test_mistake(REMOVED, true, PEN_OK, "", 15);
    test_mistake(REPLACED, false, PEN_ERR_ARGUMENT,
                 "mail of kind letter from node 4 to node 5, which is removed (phase remove, step 0)", 0);
    test_mistake(REPLACED, true, PEN_OK, "", 15);
}

/* A phase that fails changes nothing: neither mail that it would have received, nor records that it keeps. The run is
 * saved, and continues, before it is done again; its metrics count messages once. */
static void send_back(const pen_view *v)
{
    const int64_t *before = PEN_SELF(v, VALUE, int64_t);
    *PEN_NEXT(v, VALUE, int64_t) = *before + pen_mail_count(v, 0);
    for (int64_t i = 0; i < pen_mail_count(v, 0); i++) {
        const pen_gid to = mistake == UNKNOWN_GID && pen_id(v) == 3 ? 99 : *PEN_MAIL(v, 0, int64_t, i);
        *PEN_SEND(v, 0, int64_t, to) = pen_id(v);
    }
}

static void set_and_send(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, int64_t) = 0;
    *PEN_SEND(v, 0, int64_t, (pen_id(v) + 5) % 16) = pen_id(v);
}

static void sum_values(const pen_view *v, pen_observation *observation)
{
    pen_observe_int(observation, 0, pen_mail_count(v, 0));
    pen_observe_int(observation, 1, *PEN_SELF(v, VALUE, int64_t));
}
PEN_OBSERVE_SWEEP(sum_values)

static void check_sums(const pen_run *run, int64_t mail, int64_t values)
{
    CHECK_INT(pen_run_observed_int(run, 0), mail);
    CHECK_INT(pen_run_observed_int(run, 1), values);
}

static void test_failed_phase(const char *folder)
{
    const pen_field fields[] = { { "value", sizeof(int64_t), .plain = true } };
    const pen_mail mails[] = { { .name = "letter", .size = sizeof(int64_t) } };
    const pen_observable observables[] = { { "undelivered", PEN_SUM_INT, 1 }, { "values", PEN_SUM_INT, 1 } };
    const pen_phase phases[] = { { "back", .node = send_back, .writes = PEN_SET(VALUE), .updates = PEN_SET(VALUE),
                                   .sends = PEN_SET(0), .receives = PEN_SET(0) } };
    const pen_app app = { .name = "fails",
                          PEN_FIELDS(fields),
                          PEN_PHASES(phases),
                          PEN_OBSERVABLES(observables, sum_values_sweep),
                          PEN_MAILS(mails),
                          .init = set_and_send };
    const pen_run_options options = { .steps = 9,
                                      .balance = { "diffusive", .when = "every:1000" },
                                      .debug.tests = &(pen_test_options){ .migrate_seed = 1, .migrate_part = 0.5 } };
    pen_run *run = NULL, *loaded = NULL;
    pen_graph *graph = graph_from("hex:4x4");
    mistake = RIGHT;
    run = run_with(graph, &app, &options);
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
    check_sums(run, 16, 16);
    mistake = UNKNOWN_GID;
    CHECK_STATUS(pen_run_steps(run, 1), PEN_ERR_ARGUMENT);
    CHECK_STATUS(pen_run_save(run, folder), PEN_OK);
    mistake = RIGHT;
    CHECK_STATUS(pen_run_steps(run, 1), PEN_OK); /* before it, nodes move again */
    check_sums(run, 16, 32);
    CHECK_STATUS(pen_run_load(MPI_COMM_WORLD, folder, &app, &options, &loaded), PEN_OK);
    if (loaded) CHECK_STATUS(pen_run_steps(loaded, 1), PEN_OK);
    if (loaded) check_sums(loaded, 16, 32);
    pen_run_destroy(&loaded);
    check_summary(run, "letter: 48 messages", "to other ranks");
    expect_metrics(run, folder, "\"kinds\": [{\"name\": \"letter\", \"bytes\": 8, \"sent\": 48, ");
    pen_run_destroy(&run);
    pen_graph_destroy(&graph);
}

/* Tokens that no record shows, but that they come. Step 48 passes on none, and changes nothing. As it has received
 * the last ones, it is not quiet: step 49 receives none. */
static void pass_on(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, int64_t) = pen_mail_count(v, 0);
    for (int64_t i = 0; i < pen_mail_count(v, 0); i++) {
        const int64_t left = *PEN_MAIL(v, 0, int64_t, i) - 1;
        if (left > 0) *PEN_SEND(v, 0, int64_t, (pen_id(v) + 1) % 16) = left;
    }
}

static void start_token(const pen_view *v)
{
    *PEN_NEXT(v, VALUE, int64_t) = 0;
    *PEN_SEND(v, 0, int64_t, (pen_id(v) + 1) % 16) = 48;
}

static void print_value(const pen_view *v, FILE *out) { fprintf(out, "%" PRId64, *PEN_SELF(v, VALUE, int64_t)); }

static void test_quiet(void)
{
    const pen_field fields[] = { { "value", sizeof(int64_t), .plain = true } };
    const pen_mail mails[] = { { .name = "token", .size = sizeof(int64_t) } };
    const pen_phase phases[] = { { "pass", .node = pass_on, .writes = PEN_SET(VALUE), .sends = PEN_SET(0),
                                   .receives = PEN_SET(0) } };
    const pen_app app = { .name = "token",
                          PEN_FIELDS(fields),
                          PEN_PHASES(phases),
                          PEN_MAILS(mails),
                          .init = start_token,
                          .output.print = print_value,
                          .end.quiet = true };
    pen_graph *graph = graph_from("hex:4x4");
    pen_run *run = run_with(graph, &app, &(pen_run_options){ .steps = 200 });
    CHECK_STATUS(pen_run_steps(run, 200), PEN_OK);
    CHECK_INT(pen_run_step(run), 64); /* every 16th is looked at */
    const pen_local local = pen_run_local(run);
    for (pen_lid slot = 0; slot < local.count; slot++) CHECK_INT(((const int64_t *)local.fields[VALUE])[slot], 0);
    expect_verified(run);
    pen_run_destroy(&run);
    /* Ranks whose applications differ. */
    const pen_mail others[] = { { .name = "token", .size = 16 } };
    pen_app other = app;
    if (check_rank() == 1) other.mails.list = others;
    const int size = check_size();
    if (size > 1) {
        CHECK_STATUS(pen_run_create(MPI_COMM_WORLD, graph, &other, &(pen_run_options){ .steps = 1 }, &run),
                     PEN_ERR_ARGUMENT);
        CHECK_CONTAINS(pen_error_message(), "kinds of mail");
    }
    pen_graph_destroy(&graph);
}

/* ---- Very many messages ------------------------------------------------------------------------------ */

/* All nodes send to a hub, by far the most to one of them; messages have 1, 8 and 4096 bytes. Node 3 sends the most, to
 * all others, too. Each node counts messages that are not those that it must have at their places. */
enum { BYTES, NUMBERS, PAGES, LISTS };
enum { HUB = 5, BUSY = 3, NODES = 16, TO_HUB = 6250, FROM_BUSY = 100000 };
static const pen_mail many_mails[LISTS] = { { "bytes", 1, false }, { "numbers", 8, false }, { "pages", 4096, false } };

static pen_gid number_to(int64_t call) { return call % 3 ? HUB : call / 3 % NODES; }

static void send_many(const pen_view *v)
{
    const pen_gid own = pen_id(v);
    *PEN_NEXT(v, VALUE, int64_t) = 0;
    for (int64_t c = 0; c < TO_HUB; c++) *PEN_SEND(v, BYTES, uint8_t, HUB) = (uint8_t)(c + own);
    for (int64_t c = 0; c < (own == BUSY ? FROM_BUSY : 0); c++) *PEN_SEND(v, NUMBERS, int64_t, number_to(c)) = c;
    for (int64_t c = 0; c < 64; c++) {
        unsigned char *page = pen_send(v, PAGES, 4096, c % 2 ? HUB : own);
        page[0] = page[4095] = (unsigned char)c;
    }
}

static void read_many(const pen_view *v)
{
    const pen_gid own = pen_id(v);
    int64_t wrong = pen_mail_count(v, BYTES) != (own == HUB ? NODES * TO_HUB : 0), i = 0;
    for (; i < pen_mail_count(v, BYTES); i++)
        wrong += pen_mail_sender(v, BYTES, i) != i / TO_HUB ||
                 *PEN_MAIL(v, BYTES, uint8_t, i) != (uint8_t)(i % TO_HUB + i / TO_HUB);
    i = 0;
    for (int64_t c = 0; c < FROM_BUSY; c++) {
        if (number_to(c) != own) continue;
        wrong += i >= pen_mail_count(v, NUMBERS) || *PEN_MAIL(v, NUMBERS, int64_t, i) != c ||
                 pen_mail_sender(v, NUMBERS, i) != BUSY;
        i++;
    }
    wrong += i != pen_mail_count(v, NUMBERS);
    i = 0;
    for (pen_gid from = own == HUB ? 0 : own; from < (own == HUB ? NODES : own + 1); from++)
        for (int64_t c = 0; c < 64; c++) {
            if (c % 2 == 0 && from != own) continue;
            if (c % 2 == 1 && own != HUB) continue;
            const unsigned char *page = i < pen_mail_count(v, PAGES) ? pen_mail_record(v, PAGES, i) : NULL;
            wrong += !page || page[0] != c || page[4095] != c || page[1] != 0 || pen_mail_sender(v, PAGES, i) != from;
            i++;
        }
    *PEN_NEXT(v, VALUE, int64_t) = wrong + (i != pen_mail_count(v, PAGES));
}

static void test_many(void)
{
    const pen_field fields[] = { { "value", sizeof(int64_t), .plain = true } };
    const pen_phase phases[] = {
        { "send", .node = send_many, .writes = PEN_SET(VALUE), .sends = PEN_SET(BYTES, NUMBERS, PAGES) },
        { "read", .node = read_many, .writes = PEN_SET(VALUE), .receives = PEN_SET(BYTES, NUMBERS, PAGES) },
    };
    const pen_app app = {
        .name = "many", PEN_FIELDS(fields), PEN_PHASES(phases), .mails = { many_mails, LISTS }, .init = set_value
    };
    static const char *const partitioners[] = { "block", "random" };
    pen_graph *graph = NULL;
    CHECK_STATUS(generate_hex(MPI_COMM_WORLD, 4, 4, &graph), PEN_OK);
    for (int i = 0; i < 2; i++) {
        const pen_run_options options = { .steps = 2, .partitioner = partitioners[i], .seed = 5 };
        pen_mail_bin_bytes = 256 << 10;
        pen_run *run = run_with(graph, &app, &options);
        CHECK_STATUS(pen_run_steps(run, 2), PEN_OK);
        const pen_local local = pen_run_local(run);
        for (pen_lid slot = 0; slot < local.count; slot++) CHECK_INT(((const int64_t *)local.fields[VALUE])[slot], 0);
        pen_run_destroy(&run);
    }
    pen_graph_destroy(&graph);
}

/* Memory follows the messages: it is for three large ones at first; and pages of places are short if receivers are far
 * apart, within the same delivery. */
enum { LARGE, RARE, LARGE_BYTES = 512 << 10, RARE_CALLS = 10 };

static void send_rare(const pen_view *v)
{
    const pen_gid own = pen_id(v);
    stay(v);
    for (pen_gid c = 0; c < RARE_CALLS; c++) {
        *PEN_SEND(v, RARE, int32_t, 1000003 * (1 + RARE_CALLS * own + c)) = 1;
        *PEN_SEND(v, RARE, int32_t, own) = (int32_t)c;
    }
    if (own >= NODES) return;
    unsigned char *large = pen_send(v, LARGE, LARGE_BYTES, HUB);
    large[0] = large[LARGE_BYTES - 1] = (unsigned char)own;
}

static void read_rare(const pen_view *v)
{
    const int64_t large = pen_mail_count(v, LARGE), rare = pen_mail_count(v, RARE);
    int64_t wrong = large != (pen_id(v) == HUB ? NODES : 0) || rare != RARE_CALLS;
    for (int64_t i = 0; i < rare; i++) wrong += *PEN_MAIL(v, RARE, int32_t, i) != i;
    for (int64_t i = 0; i < large; i++) {
        const unsigned char *bytes = pen_mail_record(v, LARGE, i);
        wrong += bytes[0] != i || bytes[1] != 0 || bytes[LARGE_BYTES - 1] != i;
    }
    *PEN_NEXT(v, VALUE, int64_t) = wrong;
}

static void test_memory(void)
{
    const pen_field fields[] = { { "value", sizeof(int64_t), .plain = true } };
    const pen_mail mails[] = { { "large", LARGE_BYTES, false }, { "rare", sizeof(int32_t), true } };
    const pen_phase phases[] = {
        { "send", .node = send_rare, .writes = PEN_SET(VALUE), .sends = PEN_SET(LARGE, RARE) },
        { "read", .node = read_rare, .writes = PEN_SET(VALUE), .receives = PEN_SET(LARGE, RARE) },
    };
    const pen_app app = {
        .name = "memory", PEN_FIELDS(fields), PEN_PHASES(phases), PEN_MAILS(mails), .init = set_value
    };
    pen_run *run = run_on(graph_from("hex:32x32"), &app, NULL);
    const pen_post *post = NULL;
    PEN_FOR_PARTS (p, run, exchange)
        if (strcmp(p->part->name, "mail") == 0) post = p->state;
    CHECK_INT(post->out[LARGE].allocated, 3);
    for (int step = 0; step < 2; step++) {
        CHECK_STATUS(pen_run_steps(run, 1), PEN_OK);
        CHECK(post->places.pages << post->places.shift <= 16 * post->known);
        const pen_local local = pen_run_local(run);
        for (pen_lid slot = 0; slot < local.count; slot++) CHECK_INT(((const int64_t *)local.fields[VALUE])[slot], 0);
    }
    check_summary(run, "rare: 40960 messages", ", 20480 dropped");
    pen_run_destroy(&run);
}

/* The window of pulled mail grows for all ranks, or for none if one of them has failed. */
static void test_reserve(void)
{
    static const char *const transports[] = { "fence", "pscw", "passive", "shared", "overlap" };
    const pen_field fields[] = { { "value", sizeof(int64_t), .plain = true } };
    const pen_phase phases[] = { { "set", .node = set_value, .writes = PEN_SET(VALUE) } };
    const pen_app app = { .name = "set", PEN_FIELDS(fields), PEN_PHASES(phases), .init = set_value };
    pen_graph *graph = graph_from("hex:4x4");
    const int rank = check_rank(), last = check_size() - 1;
    for (int t = 0; t < PEN_COUNT_OF(transports); t++) {
        pen_run *run = run_with(graph, &app, &(pen_run_options){ .transport = transports[t] });
        pen_pull pull = { .transport = NULL };
        CHECK_STATUS(pen_pull_open(run->halo, &pull), PEN_OK);
        const pen_status mine = rank == last ? pen_fail(PEN_ERR_MEMORY, "no memory for mail") : PEN_OK;
        int64_t most = 0;
        CHECK_STATUS(pen_pull_reserve(run->halo, &pull, mine, 100, &most), PEN_ERR_MEMORY);
        CHECK_CONTAINS(pen_error_message(), "no memory for mail");
        CHECK(!pull.opened && pull.transport);
        CHECK_STATUS(pen_pull_reserve(run->halo, &pull, PEN_OK, 100 * rank, &most), PEN_OK);
        CHECK_INT(most, 100 * last);
        CHECK(pull.opened == (last > 0) && pull.window.bytes >= 100 * rank);
        CHECK_STATUS(pen_pull_reserve(run->halo, &pull, PEN_OK, 100, &most), PEN_OK);
        CHECK(pull.opened && pull.window.bytes >= 100);
        pen_pull_close(&pull);
        pen_run_destroy(&run);
    }
    pen_graph_destroy(&graph);
}

CHECKS()
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const int count = argc > 2 ? atoi(argv[2]) : argc > 1 ? 1 : 48;
    char folder[64];
    make_folder("mail", folder);
    RUN(test_programs(first, count, folder));
    RUN(test_sides(folder));
    RUN(test_mistakes());
    RUN(test_stray());
    RUN(test_undelivered());
    RUN(test_failed_phase(folder));
    RUN(test_quiet());
    RUN(test_many());
    RUN(test_memory());
    RUN(test_reserve());
    remove_folder(folder);
}
