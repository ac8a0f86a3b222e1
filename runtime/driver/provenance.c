#include "driver/provenance.h"
#include "base/json.h"
#include "base/memory.h"
#include "driver/version.h"

#include <stdlib.h>
#include <time.h>

pen_status pen_provenance_gather(pen_comm *comm, pen_provenance *p)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", mine[PEN_HOST_NAME];
    int length;
    *p = (pen_provenance){ .ranks = comm->size };
    PEN_MPI(MPI_Get_processor_name(name, &length));
    snprintf(mine, sizeof mine, "%.*s", PEN_HOST_NAME - 1, name);
    PEN_TRY(pen_agree(comm, comm->rank == 0 ? PEN_ALLOC(&p->hosts, comm->size) : PEN_OK));
    PEN_MPI(MPI_Gather(mine, PEN_HOST_NAME, MPI_CHAR, p->hosts, PEN_HOST_NAME, MPI_CHAR, 0, comm->mpi));
    return PEN_OK;
}

void pen_provenance_free(pen_provenance *p)
{
    free(p->hosts);
    p->hosts = NULL;
}

static void print_text(FILE *out, const char *text)
{
    if (text) pen_json_text(out, text);
    else fputs("null", out);
}

static void print_versions(FILE *out)
{
    fputs("  \"versions\": {\"penumbra\": ", out);
    pen_json_text(out, pen_version());
    fputs(", \"mpi\": ", out);
    pen_json_text(out, pen_mpi_version());
    fputs(", \"packages\": ", out);
    pen_json_text(out, pen_packages());
    fputs("},\n", out);
}

static void print_date(FILE *out)
{
    char text[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    fprintf(out, "  \"date\": \"%s\",\n", text);
}

/* Hosts in the order of their first ranks; ranks of one are together, as a rule. */
static void print_hosts(const pen_provenance *p, FILE *out)
{
    fputs("  \"hosts\": [", out);
    for (int first = 0, shown = 0; first < p->ranks; first++) {
        int ranks = 0;
        bool known = false;
        for (int r = 0; r < first && !known; r++) known = strcmp(p->hosts[r], p->hosts[first]) == 0;
        if (known) continue;
        for (int r = first; r < p->ranks; r++) ranks += strcmp(p->hosts[r], p->hosts[first]) == 0;
        fputs(shown++ ? ", " : "", out);
        fputs("{\"name\": ", out);
        pen_json_text(out, p->hosts[first]);
        fprintf(out, ", \"ranks\": %d}", ranks);
    }
    fputs("],\n", out);
}

/* As the system knows it, so that programs with a main of their own have it, too. */
static void print_command(FILE *out)
{
    char *word = NULL;
    size_t size = 0;
    FILE *in = fopen("/proc/self/cmdline", "r");
    fputs("  \"command\": ", out);
    if (in) {
        fputc('[', out);
        for (int words = 0; getdelim(&word, &size, '\0', in) > 0; words++) {
            fputs(words ? ", " : "", out);
            pen_json_text(out, word);
        }
        fputs("],\n", out);
        fclose(in);
    } else {
        fputs("null,\n", out);
    }
    free(word);
}

static void print_option(const pen_option *o, FILE *out)
{
    pen_json_text(out, o->name);
    fputs(": ", out);
    switch (o->kind) {
    case PEN_OPTION_FLAG: fputs(*(const bool *)o->value ? "true" : "false", out); break;
    case PEN_OPTION_INT: fprintf(out, "%" PRId64, *(const int64_t *)o->value); break;
    case PEN_OPTION_REAL: pen_json_real(out, *(const double *)o->value); break;
    default: print_text(out, *(const char *const *)o->value);
    }
}

void pen_provenance_print(const pen_provenance *p, const pen_run *run, FILE *out)
{
    const pen_option *options = run->app->options;
    print_versions(out);
    print_date(out);
    print_hosts(p, out);
    print_command(out);
    fputs("  \"graph\": ", out);
    print_text(out, run->graph_origin);
    fputs(",\n  \"options\": {", out);
    const char *between = "";
    for (const pen_option *o = options; o && o->name; o++) {
        if (!o->value) continue;
        fputs(between, out);
        print_option(o, out);
        between = ", ";
    }
    fputs("},\n", out);
}
