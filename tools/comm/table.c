/* table.c - prints, reads and joins tables of measurements. */
#include "tools/comm/table.h"
#include "base/memory.h"
#include "base/text_file.h"
#include "tools/common/order.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const char *const sweep_names[COMM_SWEEPS] = { "halo", "neighbors" };

static const char header[] = "sweep,transport,side,eager,ranks,record,neighbors,halo_bytes,bytes,gets,syncs,"
                             "min_seconds,low_seconds,median_seconds,high_seconds,max_seconds,noise,sync_seconds,copy_"
                             "seconds,window_bytes,buffer_bytes,auto";

const char *pen_transport_label(const comm_row *row, char text[2 * COMM_NAME])
{
    bool chosen = strcmp(row->eager, "default") != 0 && strcmp(row->eager, "-") != 0;
    char label[2 * COMM_NAME];
    snprintf(label, sizeof label, "%s%s%s", row->transport, chosen ? "@" : "", chosen ? row->eager : "");
    pen_show(label, text, 2 * COMM_NAME);
    return text;
}

const char *pen_bytes_text(int64_t bytes, char text[COMM_NAME])
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024.0 && unit < 3; unit++) value /= 1024.0;
    snprintf(text, COMM_NAME, "%.3g %s", value, units[unit]);
    return text;
}

bool pen_shares(const comm_row *row, double *sync, double *pull, double *copy)
{
    if (row->sync < 0.0) return false;
    *copy = fmin(row->copy / row->median, 1.0);
    *sync = fmin(row->sync / row->median, 1.0 - *copy);
    *pull = 1.0 - *copy - *sync;
    return true;
}

/* ---- Models ------------------------------------------------------------------------------------ */

bool pen_same_transport(const comm_row *a, const comm_row *b)
{
    return strcmp(a->transport, b->transport) == 0 && strcmp(a->eager, b->eager) == 0;
}

static comm_fit fit(const comm_table *table, const comm_row *of, comm_sweep sweep)
{
    enum { MOST = 64 };
    double x[MOST], times[MOST];
    int count = 0;
    for (int i = 0; i < table->count && count < MOST; i++) {
        const comm_row *row = &table->rows[i];
        if (row->sweep != sweep || !pen_same_transport(row, of)) continue;
        x[count] = (double)(sweep == COMM_SWEEP_HALO ? row->halo_bytes : row->neighbors);
        times[count++] = row->median;
        if (row->noise > COMM_MOST_NOISE) return (comm_fit){ .known = false };
    }
    return pen_fit_line(x, times, count);
}

int pen_models(const comm_table *table, comm_model models[COMM_MOST_MODELS])
{
    int count = 0;
    for (int i = 0; i < table->count && count < COMM_MOST_MODELS; i++) {
        int m = 0;
        while (m < count && !pen_same_transport(models[m].of, &table->rows[i])) m++;
        if (m < count) continue;
        const comm_row *row = &table->rows[i];
        models[count++] = (comm_model){ row, fit(table, row, COMM_SWEEP_HALO), fit(table, row, COMM_SWEEP_NEIGHBORS) };
    }
    return count;
}

bool pen_row_trusted(const comm_row *row) { return row->low >= 0.0 && row->noise <= COMM_MOST_NOISE; }

bool pen_fit_holds(const comm_fit *fit) { return fit->known && fit->misses <= COMM_WORST_FIT; }

/* ---- Output for people ------------------------------------------------------------------------- */

static void print_count(FILE *out, int width, int64_t value)
{
    if (value >= 0) fprintf(out, " %*" PRId64, width, value);
    else fprintf(out, " %*s", width, "-");
}

static double fastest(const comm_table *table, const comm_row *like)
{
    double best = like->median;
    for (int i = 0; i < table->count; i++) {
        const comm_row *row = &table->rows[i];
        if (row->sweep == like->sweep && row->record == like->record && row->neighbors == like->neighbors)
            best = fmin(best, row->median);
    }
    return best;
}

static void print_row(FILE *out, const comm_table *table, const comm_row *row)
{
    char label[2 * COMM_NAME];
    double sync, pull, copy;
    fprintf(out, "%-20s %-4s %10.3f %10.3f", pen_transport_label(row, label), row->one_sided ? "one" : "two",
            1e6 * row->min, 1e6 * row->median);
    if (row->low >= 0.0) fprintf(out, " %10.3f %10.3f", 1e6 * row->low, 1e6 * row->high);
    else fprintf(out, " %10s %10s", "-", "-");
    fprintf(out, " %6.0f %8.2f", 100.0 * row->noise, row->median / fastest(table, row));
    if (pen_shares(row, &sync, &pull, &copy))
        fprintf(out, " %5.0f %5.0f %5.0f", 100.0 * sync, 100.0 * pull, 100.0 * copy);
    else fprintf(out, " %5s %5s %5s", "-", "-", "-");
    print_count(out, 10, row->bytes);
    print_count(out, 6, row->gets);
    print_count(out, 6, row->syncs);
    print_count(out, 10, row->window);
    print_count(out, 9, row->buffers);
    fputc('\n', out);
}

static void print_models(FILE *out, const comm_table *table)
{
    comm_model models[COMM_MOST_MODELS];
    int count = pen_models(table, models);
    fprintf(out, "\n%-20s %12s %12s %8s %16s\n", "fitted", "latency us", "GB/s", "misses %", "us per neighbour");
    for (int m = 0; m < count; m++) {
        const comm_model *model = &models[m];
        char label[2 * COMM_NAME];
        bool holds = pen_fit_holds(&model->bytes);
        fprintf(out, "%-20s", pen_transport_label(model->of, label));
        if (holds) fprintf(out, " %12.3f", 1e6 * model->bytes.start);
        else fprintf(out, " %12s", "-");
        if (holds && model->bytes.slope > 0.0) fprintf(out, " %12.3f", 1e-9 / model->bytes.slope);
        else fprintf(out, " %12s", "-");
        if (model->bytes.known) fprintf(out, " %8.0f", 100.0 * model->bytes.misses);
        else fprintf(out, " %8s", "-");
        if (pen_fit_holds(&model->neighbors)) fprintf(out, " %16.3f\n", 1e6 * model->neighbors.slope);
        else fprintf(out, " %16s\n", "-");
    }
    fprintf(out,
            "Lines are left out that miss a time by more than %.0f %%, or have a row of more noise than %.0f %%.\n",
            100.0 * COMM_WORST_FIT, 100.0 * COMM_MOST_NOISE);
}

/* Print how busy the machine was, and how precise the medians are. */
static void print_noise(FILE *out, const comm_table *table)
{
    double noise = 0.0, widest = 0.0;
    for (int i = 0; i < table->count; i++) {
        const comm_row *row = &table->rows[i];
        noise += row->noise / table->count;
        widest = row->low < 0.0 ? HUGE_VAL : fmax(widest, (row->high - row->low) / row->median);
    }
    fprintf(out, "\nNoise: %.0f %% of the samples took more than %.0f times as long as the fastest of their kind.\n",
            100.0 * noise, COMM_DISTURBED);
    if (isfinite(widest))
        fprintf(out, "low, high: a 95 %% confidence interval of the median, at most %.0f %% of it wide.\n",
                100.0 * widest);
}

void pen_table_print(FILE *out, const comm_table *table)
{
    for (int i = 0; i < table->count; i++) {
        const comm_row *row = &table->rows[i], *before = row - 1;
        if (i == 0 || row->sweep != before->sweep || row->record != before->record ||
            row->neighbors != before->neighbors) {
            char bytes[COMM_NAME];
            fprintf(out, "\n%s: %" PRId64 " bytes per node, up to %" PRId64 " neighbour%s and %s per rank and step\n",
                    sweep_names[row->sweep], row->record, row->neighbors, row->neighbors == 1 ? "" : "s",
                    pen_bytes_text(row->halo_bytes, bytes));
            fprintf(out, "%-20s %-4s %10s %10s %10s %10s %6s %8s %5s %5s %5s %10s %6s %6s %10s %9s\n", "us per step",
                    "side", "min", "median", "low", "high", "noise%", "/fastest", "sync%", "pull%", "copy%", "bytes",
                    "gets", "syncs", "window B", "buffers B");
        }
        print_row(out, table, row);
    }
    print_models(out, table);
    print_noise(out, table);
}

/* ---- CSV and JSON ------------------------------------------------------------------------------ */

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

static void member_known(json *j, const char *key, bool known, double value)
{
    pen_json_member_real(j, key, known ? value : NAN);
}

static void begin_transport(json *j, const comm_row *row)
{
    pen_json_begin(j, NULL, '{');
    pen_json_member_text(j, "transport", row->transport);
    pen_json_member_bool(j, "one_sided", row->one_sided);
    pen_json_member_text(j, "eager", row->eager);
}

void pen_table_json(json *j, const char *key, const comm_table *table)
{
    pen_json_begin(j, key, '[');
    for (int i = 0; i < table->count; i++) {
        const comm_row *r = &table->rows[i];
        double sync = 0.0, pull = 0.0, copy = 0.0;
        bool known = pen_shares(r, &sync, &pull, &copy);
        begin_transport(j, r);
        pen_json_member_text(j, "sweep", sweep_names[r->sweep]);
        pen_json_member_int(j, "record", r->record);
        pen_json_member_int(j, "neighbors", r->neighbors);
        pen_json_member_int(j, "halo_bytes", r->halo_bytes);
        pen_json_member_int(j, "bytes", r->bytes);
        member_known(j, "gets", r->gets >= 0, (double)r->gets);
        member_known(j, "syncs", r->syncs >= 0, (double)r->syncs);
        pen_json_begin(j, "seconds", '{');
        pen_json_member_real(j, "min", r->min);
        member_known(j, "low", r->low >= 0.0, r->low);
        pen_json_member_real(j, "median", r->median);
        member_known(j, "high", r->high >= 0.0, r->high);
        pen_json_member_real(j, "max", r->max);
        pen_json_end(j, '}');
        pen_json_member_real(j, "noise", r->noise);
        member_known(j, "sync_share", known, sync);
        member_known(j, "pull_share", known, pull);
        member_known(j, "copy_share", known, copy);
        pen_json_member_int(j, "window_bytes", r->window);
        member_known(j, "buffer_bytes", r->buffers >= 0, (double)r->buffers);
        pen_json_member_bool(j, "auto", r->chosen);
        pen_json_end(j, '}');
    }
    pen_json_end(j, ']');
}

void pen_models_json(json *j, const char *key, const comm_table *table)
{
    comm_model models[COMM_MOST_MODELS];
    int count = pen_models(table, models);
    pen_json_begin(j, key, '[');
    for (int m = 0; m < count; m++) {
        const comm_model *model = &models[m];
        begin_transport(j, model->of);
        member_known(j, "latency_seconds", pen_fit_holds(&model->bytes), model->bytes.start);
        member_known(j, "seconds_per_byte", pen_fit_holds(&model->bytes), model->bytes.slope);
        member_known(j, "misses", model->bytes.known, model->bytes.misses);
        member_known(j, "seconds_per_neighbor", pen_fit_holds(&model->neighbors), model->neighbors.slope);
        member_known(j, "sync_seconds", model->of->sync >= 0.0, model->of->sync);
        pen_json_end(j, '}');
    }
    pen_json_end(j, ']');
}

/* ---- Tables of other launches ------------------------------------------------------------------ */

static bool parse_row(const char *line, comm_row *r)
{
    char sweep[COMM_NAME], side[COMM_NAME];
    int end = -1, chosen = 0;
    int fields = sscanf(line,
                        "%31[^,],%31[^,],%31[^,],%31[^,],%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64 ",%" SCNd64
                        ",%" SCNd64 ",%" SCNd64 ",%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%" SCNd64 ",%" SCNd64 ",%d%n",
                        sweep, r->transport, side, r->eager, &r->ranks, &r->record, &r->neighbors, &r->halo_bytes,
                        &r->bytes, &r->gets, &r->syncs, &r->min, &r->low, &r->median, &r->high, &r->max, &r->noise,
                        &r->sync, &r->copy, &r->window, &r->buffers, &chosen, &end);
    r->chosen = chosen != 0;
    if (fields != 22 || end < 0 || strcmp(line + end, "\n") != 0) return false;
    r->sweep = strcmp(sweep, sweep_names[COMM_SWEEP_HALO]) == 0 ? COMM_SWEEP_HALO : COMM_SWEEP_NEIGHBORS;
    r->one_sided = strcmp(side, "one") == 0;
    return strcmp(sweep, sweep_names[r->sweep]) == 0 && (r->one_sided || strcmp(side, "two") == 0) && r->median > 0.0 &&
           isfinite(r->median);
}

static pen_status read_rows(FILE *file, const char *path, comm_table *table)
{
    char *line = NULL;
    size_t room = 0;
    pen_status status = PEN_OK;
    for (int number = 1; status == PEN_OK && getline(&line, &room, file) >= 0; number++) {
        comm_row row = { .sweep = COMM_SWEEP_HALO };
        if (number == 1) {
            line[strcspn(line, "\n")] = '\0';
            if (strcmp(line, header) != 0) status = pen_fail(PEN_ERR_INPUT, "%s:1: not a file that --csv wrote", path);
            continue;
        }
        if (!parse_row(line, &row)) {
            status = pen_fail(PEN_ERR_INPUT, "%s:%d: not a row of a file that --csv wrote", path, number);
        } else {
            status = PEN_REALLOC(&table->rows, (int64_t)table->count + 1);
            if (status == PEN_OK) table->rows[table->count++] = row;
        }
    }
    if (status == PEN_OK && ferror(file)) status = pen_fail(PEN_ERR_IO, "%s: cannot read: %s", path, strerror(errno));
    if (status == PEN_OK && table->count == 0) status = pen_fail(PEN_ERR_INPUT, "%s: it has no rows", path);
    free(line);
    return status;
}

pen_status pen_table_read(const char *path, comm_table *table)
{
    *table = (comm_table){ .count = 0 };
    FILE *file;
    int64_t size;
    PEN_TRY(pen_regular_open(path, false, &file, &size));
    pen_status status = read_rows(file, path, table);
    fclose(file);
    if (status != PEN_OK) pen_table_free(table);
    return status;
}

/* The index after the rows with the configuration of `row`; 0: there are no such rows. */
static int place_of(const comm_table *table, const comm_row *row)
{
    int place = 0;
    for (int i = 0; i < table->count; i++) {
        const comm_row *mine = &table->rows[i];
        if (mine->sweep == row->sweep && mine->ranks == row->ranks && mine->record == row->record &&
            mine->neighbors == row->neighbors && mine->halo_bytes == row->halo_bytes)
            place = i + 1;
    }
    return place;
}

/* The row of this launch that corresponds to a row of another launch, or NULL. */
static const comm_row *find_same(const comm_table *table, const comm_row *row)
{
    for (int i = 0; i < table->count; i++) {
        const comm_row *mine = &table->rows[i];
        if (pen_same_transport(mine, row) && mine->sweep == row->sweep && mine->record == row->record &&
            mine->neighbors == row->neighbors)
            return mine;
    }
    return NULL;
}

pen_status pen_table_join(comm_table *table, const comm_table *other, const char *path, double *drift)
{
    double *ratios;
    int common = 0;
    *drift = 0.0;
    PEN_TRY(PEN_ALLOC(&ratios, other->count));
    pen_status status = PEN_OK;
    for (int i = 0; status == PEN_OK && i < other->count; i++) {
        const comm_row *row = &other->rows[i], *mine = find_same(table, row);
        int place = place_of(table, row);
        if (place == 0)
            status = pen_fail(PEN_ERR_INPUT,
                              "%s: it is of another graph, partition, list of records or number of ranks", path);
        else if (row->one_sided && mine) ratios[common++] = row->median / mine->median;
        if (status != PEN_OK || row->one_sided || mine) continue;
        status = PEN_REALLOC(&table->rows, (int64_t)table->count + 1);
        if (status != PEN_OK) continue;
        memmove(&table->rows[place + 1], &table->rows[place], (size_t)(table->count - place) * sizeof *table->rows);
        table->rows[place] = *row;
        table->rows[place].chosen = false; /* the row was chosen in the other launch, not in this one */
        table->count++;
    }
    if (common > 0) *drift = pen_median(ratios, common);
    free(ratios);
    return status;
}

void pen_table_free(comm_table *table)
{
    free(table->rows);
    *table = (comm_table){ .count = 0 };
}
