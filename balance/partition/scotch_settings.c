#include "partition/scotch_settings.h"

static const struct {
    const char *name;
    SCOTCH_Num flag;
} strategies[] = {
    { "default", SCOTCH_STRATDEFAULT }, { "quality", SCOTCH_STRATQUALITY }, { "speed", SCOTCH_STRATSPEED },
    { "balance", SCOTCH_STRATBALANCE }, { "safety", SCOTCH_STRATSAFETY },   { "recursive", SCOTCH_STRATRECURSIVE },
};

enum { STRATEGIES = sizeof strategies / sizeof strategies[0] };

static pen_status find_strategy(const char *owner, const char *word, SCOTCH_Num *flag)
{
    const char *names[STRATEGIES];
    char what[64];
    for (int i = 0; i < STRATEGIES; i++) {
        names[i] = strategies[i].name;
        if (strcmp(names[i], word) != 0) continue;
        *flag = strategies[i].flag;
        return PEN_OK;
    }
    snprintf(what, sizeof what, "strategy of %s:", owner);
    return pen_unknown_name(what, word, names, STRATEGIES);
}

pen_status pen_scotch_parse(const char *owner, char *settings, const pen_option *own, pen_scotch_settings *parsed)
{
    const char *strategy = "default";
    *parsed = (pen_scotch_settings){ .seed = 1, .imbalance = 0.01 };
    const pen_option table[] = {
        { "seed", "N", NULL, PEN_OPTION_INT, &parsed->seed, 0, INT32_MAX },
        { "imbalance", "R", NULL, PEN_OPTION_REAL, &parsed->imbalance, 0, 0 },
        { "strategy", "NAME", NULL, PEN_OPTION_TEXT, &strategy, 0, 0 },
        own ? *own : (pen_option){ .name = NULL },
        { .name = NULL },
    };
    PEN_TRY(pen_settings_parse(owner, settings, table));
    if (parsed->imbalance < 0 || parsed->imbalance > 1)
        return pen_fail(PEN_ERR_INPUT, "%s: imbalance=%g, must be 0..1", owner, parsed->imbalance);
    return find_strategy(owner, strategy, &parsed->strategy);
}

pen_status pen_scotch_scale(const char *owner, int64_t total, int64_t zeros, int64_t *scale)
{
    *scale = 1;
    if (zeros == 0 || total == 0) return PEN_OK;
    if (total + zeros > INT32_MAX)
        return pen_fail(PEN_ERR_UNSUPPORTED,
                        "%s counts in 32 bits: the sum of loads, where 0 counts 1, is %" PRId64 ", must be at most %d",
                        owner, total + zeros, INT32_MAX);
    int64_t wanted = (100 * zeros - 1) / total + 1, possible = (INT32_MAX / 2 - zeros) / total;
    *scale = wanted < possible ? wanted : possible;
    if (possible < 1) *scale = 1;
    return PEN_OK;
}

int pen_scotch_context(SCOTCH_Context *context, int64_t seed)
{
    int code = SCOTCH_contextInit(context);
    if (code == 0) code = SCOTCH_contextThreadSpawn(context, 1, NULL);
    if (code == 0) code = SCOTCH_contextOptionSetNum(context, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
    if (code == 0) code = SCOTCH_contextRandomClone(context);
    if (code != 0) return code;
    SCOTCH_contextRandomSeed(context, (SCOTCH_Num)seed);
    SCOTCH_contextRandomReset(context);
    return 0;
}
