/* exchange.c - pen-sim import and export: this process is replaced by the Python program next to pen-sim, since Python
 * reads JSON and tables in a few lines. */
#include "base/memory.h"
#include "tools/common/python.h"
#include "tools/sim/commands.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Replace the process. The script gets the command line's words. */
static pen_status run(int argc, char **argv, int *exit_status)
{
    char script[PATH_MAX + 64], **words = NULL;
    PEN_TRY(pen_python_script("penumbra_exchange.py", script, sizeof script));
    PEN_TRY(PEN_ALLOC_ZERO(&words, argc + 3));
    if (access(script, R_OK) == 0) {
        words[0] = (char *)(uintptr_t) "python3";
        words[1] = script;
        for (int i = 0; i < argc; i++) words[i + 2] = argv[i];
        execvp(words[0], words);
    }
    free(words);
    return pen_fail(PEN_ERR_ENVIRONMENT, "%s needs Python 3 and Penumbra's Python package (%s): %s", argv[0], script,
                    strerror(errno));
}

const command pen_command_import = { "import", "FILE... -o RECORD",
                                     "Write a workload record of vt's LBDatafile JSON, or of tables in CSV",
                                     "the record", run };
const command pen_command_export = { "export", "RECORD -o FILE",
                                     "Write a workload record as vt's LBDatafile JSON, or as tables in CSV",
                                     "NAME.json or the table of tasks", run };
