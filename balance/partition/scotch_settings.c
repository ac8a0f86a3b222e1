/* scotch_settings.c - settings for Scotch, and scaling of loads. */
#include "partition/scotch_settings.h"

SCOTCH_Num pen_scotch_strategy(const pen_scotch_settings *settings)
{
    static const SCOTCH_Num flags[] = { SCOTCH_STRATDEFAULT, SCOTCH_STRATQUALITY, SCOTCH_STRATSPEED,
                                        SCOTCH_STRATBALANCE, SCOTCH_STRATSAFETY,  SCOTCH_STRATRECURSIVE };
    return flags[settings->strategy];
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
