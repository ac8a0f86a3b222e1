/* options_test.c - command line, settings, numbers and nearest names.
 * pen_test() */
#include "tests/support/unit.h"

#include "base/option_values.h"
#include "base/options.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static bool verify;
static int64_t steps, seed;
static double scale;
static const char *graph;

static const pen_option driver[] = {
    { "graph", "FILE", "read the graph from FILE", PEN_OPTION_TEXT, &graph, 0, 0 },
    { "steps", "N", "number of steps", PEN_OPTION_INT, &steps, 0, INT64_MAX },
    { "iterations", "N", "the same", PEN_OPTION_INT, &steps, 0, INT64_MAX },
    { "verify", NULL, "compute again and compare", PEN_OPTION_FLAG, &verify, 0, 0 },
    { NULL, NULL, NULL, PEN_OPTION_FLAG, NULL, 0, 0 },
};
static const pen_option own[] = {
    { "seed", "N", "random seed", PEN_OPTION_INT, &seed, 1, 100 },
    { "scale", "X", "scale", PEN_OPTION_REAL, &scale, 0, 0 },
    { NULL, NULL, NULL, PEN_OPTION_FLAG, NULL, 0, 0 },
};
static const pen_option_group groups[] = { { "Options", driver }, { "Application", own }, { "None", NULL } };
enum { GROUPS = 3 };

static void reset(void)
{
    verify = false;
    steps = 7;
    seed = 8;
    scale = 0.5;
    graph = "none";
}

static pen_status parse1(char *argument)
{
    char *argv[] = { "program", argument };
    reset();
    return pen_option_groups_parse(2, argv, groups, GROUPS);
}

static void assert_refused(const char *argument, const char *message)
{
    char text[300];
    snprintf(text, sizeof text, "%s", argument);
    assert_int_equal(parse1(text), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), message);
    assert_int_equal(steps, 7);
    assert_int_equal(seed, 8);
}

TEST(options_are_read)
{
    char *argv[] = { "program", "--steps=5", "--verify", "--graph=a=b,c", "--scale=-1.5e3", "--verify", "--seed=100" };
    reset();
    assert_int_equal(pen_option_groups_parse(7, argv, groups, GROUPS), PEN_OK);
    assert_int_equal(steps, 5);
    assert_true(verify);
    assert_string_equal(graph, "a=b,c");
    assert_true(scale == -1500.0);
    assert_int_equal(seed, 100);
    char *none[] = { "program" };
    reset();
    assert_int_equal(pen_option_groups_parse(1, none, groups, GROUPS), PEN_OK);
    assert_int_equal(steps, 7);
    assert_false(verify);
    char empty[] = "--graph=";
    assert_int_equal(parse1(empty), PEN_OK);
    assert_string_equal(graph, "");
}

/* Flags may be repeated, and options with a value if the table says so; otherwise it is an error. */
TEST(options_are_given_once)
{
    char *twice[] = { "program", "--seed=1", "--seed=1" }, *alias[] = { "program", "--steps=5", "--iterations=6" };
    char *files[] = { "program", "--graph=a", "--seed=2", "--graph=b" };
    const pen_option repeated[] = { { "graph", "FILE", "files", PEN_OPTION_TEXT, &graph, 1, 0 },
                                    { NULL, NULL, NULL, PEN_OPTION_FLAG, NULL, 0, 0 } };
    const pen_option_group many[] = { { "Options", repeated }, { "Application", own } };
    reset();
    assert_int_equal(pen_option_groups_parse(3, twice, groups, GROUPS), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), "--seed=1 and --seed=1: it can be given only once");
    assert_int_equal(pen_option_groups_parse(3, alias, groups, GROUPS), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), "--steps=5 and --iterations=6: it can be given only once");
    assert_int_equal(pen_option_groups_parse(4, files, groups, GROUPS), PEN_ERR_INPUT);
    assert_int_equal(steps, 7);
    assert_int_equal(pen_option_groups_parse(4, files, many, 2), PEN_OK);
    assert_string_equal(graph, "b");
}

TEST(mistakes_are_explained)
{
    assert_refused("--step=5", "unknown option --step=5: did you mean --steps?");
    assert_refused("--stesp=5", "unknown option --stesp=5: did you mean --steps?");
    assert_refused("--iter=5", "unknown option --iter=5: did you mean --iterations?");
    assert_refused("--sacle=5", "unknown option --sacle=5: did you mean --scale?");
    assert_refused("--quux", "unknown option --quux, see --help");
    assert_refused("--", "unknown option --, see --help");
    assert_refused("steps=5", "unexpected argument steps=5: options are --name or --name=VALUE, see --help");
    assert_refused("-steps=5", "unexpected argument -steps=5: options are --name or --name=VALUE, see --help");
    assert_refused("", "unexpected argument : options are --name or --name=VALUE, see --help");
    assert_refused("--verify=yes", "--verify=yes: verify takes no value");
    assert_refused("--steps", "--steps needs a value: steps=N");
    assert_refused("--steps=", "--steps=: not a signed whole number of 64 bits");
    assert_refused("--steps=5x", "--steps=5x: not a signed whole number of 64 bits");
    assert_refused("--steps= 5", "--steps= 5: not a signed whole number of 64 bits");
    assert_refused("--steps=1e3", "--steps=1e3: not a signed whole number of 64 bits");
    assert_refused("--steps=9223372036854775808", "--steps=9223372036854775808: not a signed whole number of 64 bits");
    assert_refused("--steps=-1", "--steps=-1: must be at least 0");
    assert_refused("--seed=0", "--seed=0: must be from 1 to 100");
    assert_refused("--seed=101", "--seed=101: must be from 1 to 100");
    assert_refused("--scale=1e999", "--scale=1e999: not a finite number");
    assert_refused("--scale=1e-400", "--scale=1e-400: too small for a double");
    assert_refused("--scale=nan", "--scale=nan: not a finite number");
    assert_refused("--scale=", "--scale=: not a finite number");
    char longest[301];
    memset(longest, 'x', 300);
    memcpy(longest, "--", 2);
    longest[300] = '\0';
    assert_int_equal(parse1(longest), PEN_ERR_INPUT);
}

/* "-h" is "--help" if there is such an option; a value must follow "=". */
TEST(usual_spellings_are_known)
{
    bool help = false;
    const pen_option table[] = { { "help", NULL, "print this", PEN_OPTION_FLAG, &help, 0, 0 }, { .name = NULL } };
    char *asked[] = { "program", "-h" }, *apart[] = { "program", "--steps", "5" };
    assert_int_equal(pen_option_groups_parse(2, asked, &(pen_option_group){ "Help", table }, 1), PEN_OK);
    assert_true(help);
    assert_refused("-h", "unexpected argument -h: options are --name or --name=VALUE, see --help");
    assert_int_equal(pen_option_groups_parse(3, apart, groups, GROUPS), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), "--steps needs its value after \"=\": --steps=5");
}

/* Options before a mistake are not kept either. */
TEST(nothing_changes_after_a_mistake)
{
    char *argv[] = { "program", "--steps=5", "--verify", "--seed=0" };
    reset();
    assert_int_equal(pen_option_groups_parse(4, argv, groups, GROUPS), PEN_ERR_INPUT);
    assert_int_equal(steps, 7);
    assert_false(verify);
}

TEST(a_name_is_declared_once)
{
    const pen_option copy[] = { driver[1], driver[4] };
    const pen_option_group twice[] = { { "A", driver }, { "B", copy } };
    char *argv[] = { "program" };
    assert_int_equal(pen_option_groups_parse(1, argv, twice, 2), PEN_ERR_ARGUMENT);
    assert_string_equal(pen_error_message(), "option --steps is declared twice");
}

TEST(an_option_has_an_argument_and_a_help)
{
    const char *value = NULL;
    const pen_option bare[] = { { "text", NULL, "a text", PEN_OPTION_TEXT, &value, 0, 0 }, { .name = NULL } };
    const pen_option mute[] = { { "text", "TEXT", NULL, PEN_OPTION_TEXT, &value, 0, 0 }, { .name = NULL } };
    const pen_option removed[] = { { "text", NULL, NULL, PEN_OPTION_TEXT, NULL, 0, 0 }, { .name = NULL } };
    char *argv[] = { "program" };
    assert_int_equal(pen_option_groups_parse(1, argv, &(pen_option_group){ "A", bare }, 1), PEN_ERR_ARGUMENT);
    assert_string_equal(pen_error_message(), "option --text needs an argument and a help");
    assert_int_equal(pen_option_groups_parse(1, argv, &(pen_option_group){ "A", mute }, 1), PEN_ERR_ARGUMENT);
    assert_int_equal(pen_option_groups_parse(1, argv, &(pen_option_group){ "A", removed }, 1), PEN_OK);
}

TEST(help_is_aligned)
{
    static const pen_option wide[] = {
        { "a-very-long-option-name", "WITH-A-LONG-VALUE", "wide", PEN_OPTION_TEXT, &graph, 0, 0 },
        { NULL, NULL, NULL, PEN_OPTION_FLAG, NULL, 0, 0 },
    };
    const pen_option_group all[] = { { "Options", driver }, { "None", NULL }, { "Wide", wide } };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    pen_option_groups_print(out, all, 3);
    fclose(out);
    assert_string_equal(text, "Options:\n"
                              "  --graph=FILE    read the graph from FILE\n"
                              "  --steps=N       number of steps\n"
                              "  --iterations=N  the same\n"
                              "  --verify        compute again and compare\n"
                              "Wide:\n"
                              "  --a-very-long-option-name=WITH-A-LONG-VALUE\n"
                              "                  wide\n");
    free(text);
}

static pen_status settings(const char *text)
{
    static char copy[200];
    snprintf(copy, sizeof copy, "%s", text);
    reset();
    return pen_settings_parse("partitioner metis", copy, own);
}

TEST(settings_are_read)
{
    assert_int_equal(settings(""), PEN_OK);
    assert_int_equal(seed, 8);
    assert_int_equal(settings("seed=3,scale=2.5"), PEN_OK);
    assert_int_equal(seed, 3);
    assert_true(scale == 2.5);
    assert_int_equal(settings("sede=3"), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(),
                        "partitioner metis: unknown setting sede=3: did you mean seed? Known: seed=N, scale=X");
    assert_int_equal(settings("seed=3,,scale=1"), PEN_ERR_INPUT);
    assert_int_equal(settings("seed=three"), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), "partitioner metis: seed=three: not a signed whole number of 64 bits");
    assert_int_equal(settings("seed"), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), "partitioner metis: seed needs a value: seed=N");
    char text[] = "graph=a,verify";
    reset();
    assert_int_equal(pen_settings_parse("x", text, driver), PEN_OK);
    assert_string_equal(graph, "a");
    assert_true(verify);
    char any[] = "a=1";
    assert_int_equal(pen_settings_parse("transport fence", any, NULL), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), "transport fence: unknown setting a=1. It has none");
}

typedef struct tuned {
    double share, ratio;
    int64_t rounds, method, seed;
    const char *name;
    bool scratch;
} tuned;

static const pen_setting tuning[] = {
    { "share", "R", "0.5", "of the difference", PEN_OPTION_REAL, offsetof(tuned, share), 0, 1 },
    { "ratio", "R", NULL, NULL, PEN_OPTION_REAL, offsetof(tuned, ratio), 0, HUGE_VAL },
    { "rounds", "N", "4", "at most", PEN_OPTION_INT, offsetof(tuned, rounds), 1, 1000 },
    { "method", "kway|k|recursive", NULL, NULL, PEN_OPTION_WORD, offsetof(tuned, method), 0, 0 },
    { "seed", "N", NULL, NULL, PEN_OPTION_INT, offsetof(tuned, seed), 0, HUGE_VAL },
    { "name", "TEXT", NULL, NULL, PEN_OPTION_TEXT, offsetof(tuned, name), 0, 0 },
    { "scratch", NULL, NULL, "anew", PEN_OPTION_FLAG, offsetof(tuned, scratch), 0, 0 },
    { .name = NULL },
};

static const char *approve(void *made) { return ((tuned *)made)->share < 0.9 ? NULL : "share must be below 0.9"; }

static void refuse(const char *text, const char *sentence)
{
    void *made = &made;
    assert_int_equal(pen_settings_make("balancer x", text, tuning, sizeof(tuned), approve, &made), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), sentence);
    assert_null(made);
}

/* Options that are not given keep their defaults, or -1, NaN, NULL, false. */
TEST(settings_fill_a_structure)
{
    void *made;
    assert_int_equal(pen_settings_make("balancer x", "", tuning, sizeof(tuned), approve, &made), PEN_OK);
    const tuned *t = made;
    assert_true(t->share == 0.5 && isnan(t->ratio) && t->rounds == 4 && t->method == -1 && t->seed == -1);
    assert_true(!t->name && !t->scratch);
    free(made);
    const char *all = "share=0.25,ratio=0,method=k,name=x y,scratch,seed=9223372036854775807";
    assert_int_equal(pen_settings_make("balancer x", all, tuning, sizeof(tuned), approve, &made), PEN_OK);
    t = made;
    assert_true(t->share == 0.25 && t->ratio == 0.0 && t->method == 1 && t->seed == INT64_MAX && t->scratch);
    assert_string_equal(t->name, "x y");
    free(made);
    refuse("share=1.5", "balancer x: share=1.5: must be from 0 to 1");
    refuse("share=1.0000000000000002", "balancer x: share=1.0000000000000002: must be from 0 to 1");
    refuse("share=2.3", "balancer x: share=2.3: must be from 0 to 1");
    refuse("share=0.9", "balancer x: share must be below 0.9");
    refuse("ratio=-1", "balancer x: ratio=-1: must be at least 0");
    refuse("rounds=0", "balancer x: rounds=0: must be from 1 to 1000");
    refuse("seed=-2", "balancer x: seed=-2: must be at least 0");
    refuse("method=recursiv", "balancer x: method=recursiv: must be kway|k|recursive");
    refuse("method=", "balancer x: method=: must be kway|k|recursive");
    assert_int_equal(pen_settings_make("x", "", tuning, 8, NULL, &made), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), "x: its setting ratio lies outside its 8 bytes");
    const pen_setting bare[] = { { .name = "file", .kind = PEN_OPTION_TEXT }, { .name = NULL } };
    assert_int_equal(pen_settings_make("x", "", bare, sizeof(const char *), NULL, &made), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), "x: its setting file has no argument");
    const pen_setting whole[] = { { .name = "", .argument = "PATH", .kind = PEN_OPTION_TEXT }, { .name = NULL } };
    assert_int_equal(pen_settings_make("x", "a=b,c", whole, sizeof(const char *), NULL, &made), PEN_OK);
    assert_string_equal(*(const char **)made, "a=b,c");
    free(made);
    const pen_setting unsaid[] = { { .name = "", .kind = PEN_OPTION_TEXT }, { .name = NULL } };
    assert_int_equal(pen_settings_make("x", "a", unsaid, sizeof(const char *), NULL, &made), PEN_OK);
    assert_string_equal(*(const char **)made, "a");
    free(made);
}

TEST(specs_are_split)
{
    pen_spec spec;
    assert_int_equal(pen_spec_split("rect:a=1:2", &spec), PEN_OK);
    assert_string_equal(spec.name, "rect");
    assert_string_equal(spec.settings, "a=1:2");
    pen_spec_free(&spec);
    assert_null(spec.name);
    assert_int_equal(pen_spec_split("metis", &spec), PEN_OK);
    assert_string_equal(spec.name, "metis");
    assert_string_equal(spec.settings, "");
    pen_spec_free(&spec);
}

TEST(texts_are_cut)
{
    char piece[4] = "...";
    const char *pair = "12:34:5";
    assert_ptr_equal(pen_text_cut(pair, ':', piece, sizeof piece), pair + 3);
    assert_string_equal(piece, "12");
    assert_string_equal(pen_text_cut("=x", '=', piece, sizeof piece), "x");
    assert_string_equal(piece, "");
    assert_string_equal(pen_text_cut("123x", 'x', piece, sizeof piece), "");
    assert_string_equal(piece, "123");
    assert_null(pen_text_cut("abc", ':', piece, sizeof piece));
    assert_string_equal(piece, "abc");
    assert_null(pen_text_cut("abcd", ':', piece, sizeof piece));
    assert_string_equal(piece, ""); /* and not "abc", which means something else */
    assert_string_equal(pen_text_cut("1234:5", ':', piece, sizeof piece), "5");
    assert_string_equal(piece, "");
}

TEST(names_are_near)
{
    const char *names[] = { "block", "metis", "scotch", "diffusive" }, *log[] = { "log" };
    assert_string_equal(pen_nearest("mets", names, 4), "metis");
    assert_string_equal(pen_nearest("emtis", names, 4), "metis");
    assert_string_equal(pen_nearest("ptscotch", names, 4), "scotch");
    assert_string_equal(pen_nearest("dif", names, 4), "diffusive");
    assert_string_equal(pen_nearest("lgo", log, 1), "log");
    assert_null(pen_nearest("gol", log, 1));
    assert_null(pen_nearest("xyz", names, 4));
    assert_null(pen_nearest("", names, 4));
    assert_null(pen_nearest("metis", names, 0));
    assert_int_equal(pen_unknown_name("partitioner", "mets", names, 4), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(),
                        "unknown partitioner mets: did you mean metis? Known: block, metis, scotch, diffusive");
    assert_int_equal(pen_unknown_name("partitioner", "xyz", names, 0), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), "unknown partitioner xyz. Known: none");
}

TEST(numbers_are_whole)
{
    int64_t whole = 1;
    double real = 1.0;
    assert_true(pen_parse_int("-9223372036854775808", &whole));
    assert_true(whole == INT64_MIN);
    assert_false(pen_parse_int("-9223372036854775809", &whole));
    assert_false(pen_parse_int("0x10", &whole));
    assert_true(whole == INT64_MIN);
    assert_true(pen_parse_real("0.1", &real));
    assert_true(real == 0.1);
    assert_false(pen_parse_real("0.1 ", &real));
    assert_false(pen_parse_real("\t0.1", &real));
    assert_false(pen_parse_real("inf", &real));
    assert_false(pen_parse_real("-1e-400", &real));
    assert_true(real == 0.1);
    assert_true(pen_parse_real("-0e-400", &real) && real == 0.0);
    assert_true(pen_parse_real("5e-324", &real) && real == 0x1p-1074);
}

static void assert_seconds(const char *text, double expected)
{
    double seconds = -1.0;
    assert_int_equal(pen_read_seconds("--wait", text, &seconds), PEN_OK);
    assert_true(seconds == expected);
}

TEST(lengths_of_time_are_read)
{
    assert_seconds("90", 90.0);
    assert_seconds("30s", 30.0);
    assert_seconds("10m", 600.0);
    assert_seconds("1.5h", 5400.0);
    assert_seconds("0.25", 0.25);
    static const char *const wrong[] = { "",    "s",    "0",  "0m",     "-1s",      "1d",  "1ms",
                                         "1 s", "5 m ", "mm", "1e308h", "infinity", "nan", "5,5s" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double seconds = -1.0;
        char sentence[100];
        snprintf(sentence, sizeof sentence, "--wait=%s: not a length of time > 0, like 90, 30s, 10m, 1.5h", wrong[i]);
        assert_int_equal(pen_read_seconds("--wait", wrong[i], &seconds), PEN_ERR_INPUT);
        assert_string_equal(pen_error_message(), sentence);
        assert_true(seconds == -1.0);
    }
}

/* The state of a part, which its options set. */
typedef struct part_state {
    int64_t every;
    double share;
    const char *name;
    bool loud;
} part_state;

static const pen_part_option part_options[] = {
    { "every", "N", "steps", PEN_OPTION_AT(part_state, every), .initial = "5", .low = 1 },
    { "share", "X", "of all", PEN_OPTION_AT(part_state, share), .high = 1.0, .range = "from 0 to 1" },
    { "every-name", "TEXT", "a name", PEN_OPTION_AT(part_state, name) },
    { "loud", NULL, "tell", PEN_OPTION_AT(part_state, loud) },
    { .name = NULL },
};

static pen_status read_part(const char *word, part_state *state)
{
    char text[64], program[] = "program";
    snprintf(text, sizeof text, "%s", word);
    int count = 0, given = 0;
    *state = (part_state){ .every = 0 };
    pen_status status = pen_part_options_read(part_options, &(pen_words){ 2, (char *[]){ program, text }, NULL }, state,
                                              &count, &given);
    if (status == PEN_OK) assert_true(count == 4 && given == 1);
    return status;
}

TEST(options_of_parts_are_read)
{
    part_state got;
    assert_int_equal(read_part("--share=0.5", &got), PEN_OK);
    assert_true(got.every == 5 && got.share == 0.5 && !got.name && !got.loud);
    assert_int_equal(read_part("--every=7", &got), PEN_OK);
    assert_int_equal(got.every, 7);
    assert_int_equal(read_part("--loud", &got), PEN_OK);
    assert_true(got.loud && got.every == 5);
    assert_int_equal(read_part("--every-name=7", &got), PEN_OK);
    assert_int_equal(got.every, 5);
    assert_int_equal(read_part("--every=0", &got), PEN_ERR_INPUT);
    assert_string_equal(pen_error_message(), "--every: must be at least 1");
    assert_int_equal(read_part("--share=2", &got), PEN_OK);
    assert_int_equal(pen_part_option_check(&part_options[1], &got), PEN_ERR_ARGUMENT);
    assert_string_equal(pen_error_message(), "share 2, must be from 0 to 1");
}
