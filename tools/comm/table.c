/* table.c - prints measurements as CSV. */
#include "tools/comm/table.h"

static const char *const sweep_names[COMM_SWEEPS] = { "halo", "mail", "neighbors" };

static const char header[] = "sweep,transport,side,eager,ranks,record,neighbors,halo_bytes,bytes,gets,syncs,"
                             "min_seconds,low_seconds,median_seconds,high_seconds,max_seconds,noise,sync_seconds,copy_"
                             "seconds,window_bytes,buffer_bytes,auto";

void pen_table_csv(FILE *out, const comm_table *table)
{
    fprintf(out, "%s\n", header);
    for (int i = 0; i < table->count; i++) {
        const comm_row *r = &table->rows[i];
        fprintf(out,
                "%s,%s,%s,%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
                ",%.9e,%.9e,%.9e,%.9e,%.9e,%.17g,%.9e,%.9e,%" PRId64 ",%" PRId64 ",%d\n",
                sweep_names[r->sweep], r->transport, r->one_sided ? "one" : "two", r->eager, r->ranks, r->record,
                r->neighbors, r->halo_bytes, r->bytes, r->gets, r->syncs, r->min, r->low, r->median, r->high, r->max,
                r->noise, r->sync, r->copy, r->window, r->buffers, r->chosen);
    }
}
