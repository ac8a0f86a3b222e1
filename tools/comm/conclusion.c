#include "tools/comm/conclusion.h"

/* What is nearer than this is a tie on a machine that does other things too. */
static const double tie = 1.05;

enum { ONE_SIDED, TWO_SIDED, PETSC, KINDS };

/* The best of each kind at one size of the halo. */
typedef struct size_result {
    int64_t halo_bytes;
    const comm_row *best[KINDS]; /* NULL: there is none */
    const comm_row *fence;
} size_result;

enum { MOST_SIZES = 64 };

static int collect(const comm_table *table, size_result results[MOST_SIZES])
{
    int count = 0;
    for (int i = 0; i < table->count; i++) {
        const comm_row *row = &table->rows[i];
        if (row->sweep != COMM_SWEEP_HALO) continue;
        if (count == 0 || results[count - 1].halo_bytes != row->halo_bytes) {
            if (count == MOST_SIZES) break;
            results[count++] = (size_result){ .halo_bytes = row->halo_bytes };
        }
        size_result *result = &results[count - 1];
        int kind = row->one_sided ? ONE_SIDED : TWO_SIDED;
        if (strncmp(row->transport, "petsc-", 6) == 0) kind = PETSC;
        if (!result->best[kind] || row->median < result->best[kind]->median) result->best[kind] = row;
        if (strcmp(row->transport, "fence") == 0) result->fence = row;
    }
    return count;
}

/* The time of the row's transport at another size: the row of the same name in that size's rows. */
static const comm_row *same_at(const comm_table *table, const comm_row *row, int64_t halo_bytes)
{
    for (int i = 0; i < table->count; i++) {
        const comm_row *other = &table->rows[i];
        if (other->sweep == COMM_SWEEP_HALO && other->halo_bytes == halo_bytes && pen_same_transport(other, row))
            return other;
    }
    return NULL;
}

static const comm_row *winner(const size_result *result)
{
    const comm_row *one = result->best[ONE_SIDED], *two = result->best[TWO_SIDED];
    return !two || (one && one->median <= two->median) ? one : two;
}

/* Factors over the sizes, and where they are least and most. */
typedef struct factors {
    double least, most;
    int64_t least_at, most_at; /* bytes of the halo */
} factors;

static void add_factor(factors *f, double factor, int64_t halo_bytes)
{
    if (f->most == 0.0 || factor < f->least) {
        f->least = factor;
        f->least_at = halo_bytes;
    }
    if (factor > f->most) {
        f->most = factor;
        f->most_at = halo_bytes;
    }
}

/* "1.30 (at 8 KiB) to 2.50 times (at 512 B)" */
static void print_factors(FILE *out, const factors *f)
{
    char least[COMM_NAME], most[COMM_NAME];
    if (f->most < f->least * tie) fprintf(out, "%.2f times", f->most);
    else
        fprintf(out, "%.2f (at %s) to %.2f times (at %s)", f->least, pen_bytes_text(f->least_at, least), f->most,
                pen_bytes_text(f->most_at, most));
}

/* ---- Sentences --------------------------------------------------------------------------------- */

/* One sentence per stretch of sizes over which one transport is the fastest, or as good as. */
static void print_choice(FILE *out, const comm_table *table, const size_result *results, int count)
{
    for (int first = 0, end; first < count; first = end) {
        const comm_row *choice = winner(&results[first]);
        factors f = { .most = 0.0 };
        for (end = first; end < count; end++) {
            const comm_row *best = winner(&results[end]), *mine = same_at(table, choice, results[end].halo_bytes);
            if (!mine || mine->median > tie * best->median) break;
            const comm_row *rival = results[end].best[choice->one_sided ? TWO_SIDED : ONE_SIDED];
            if (rival) add_factor(&f, rival->median / mine->median, results[end].halo_bytes);
        }
        char label[2 * COMM_NAME], from[COMM_NAME], to[COMM_NAME];
        pen_bytes_text(results[first].halo_bytes, from);
        pen_bytes_text(results[end - 1].halo_bytes, to);
        pen_transport_label(choice, label);
        if (end - first == count) fprintf(out, "Use %s here", label);
        else if (end == count) fprintf(out, "From %s per rank and step on use %s", from, label);
        else if (first == 0) fprintf(out, "Up to %s per rank and step use %s", to, label);
        else if (end - first == 1) fprintf(out, "At %s use %s", from, label);
        else fprintf(out, "From %s to %s use %s", from, to, label);
        fprintf(out, ": it is the fastest%s", end - first > 1 ? ", or within 5 % of it," : "");
        if (f.most > 0.0) {
            fprintf(out, "%s at ", end - first > 1 ? "" : ",");
            print_factors(out, &f);
            fprintf(out, " the speed of the best %s transport", choice->one_sided ? "two-sided" : "one-sided");
        }
        fprintf(out, ".\n");
    }
}

static void print_losses(FILE *out, const size_result *results, int count)
{
    int losses = 0, compared = 0;
    double worst = 0.0;
    char sizes[1024] = "", bytes[COMM_NAME], label[2 * COMM_NAME];
    const comm_row *victor = NULL;
    for (int i = 0; i < count; i++) {
        const comm_row *one = results[i].best[ONE_SIDED], *two = results[i].best[TWO_SIDED];
        if (!one || !two) continue;
        compared++;
        double factor = one->median / two->median;
        if (factor <= tie) continue;
        size_t length = strlen(sizes);
        snprintf(sizes + length, sizeof sizes - length, "%s%s", losses++ ? ", " : "",
                 pen_bytes_text(results[i].halo_bytes, bytes));
        if (factor > worst) {
            worst = factor;
            victor = two;
        }
    }
    if (compared == 0) return;
    if (losses == 0) fprintf(out, "One-sided loses at no size that was measured.\n");
    else
        fprintf(out, "One-sided loses at %s: even its best takes up to %.2f times as long as %s.\n", sizes, worst,
                pen_transport_label(victor, label));
}

/* The default, against the best two-sided one; and what its synchronisation costs. */
static void print_fence(FILE *out, const size_result *results, int count)
{
    factors f = { .most = 0.0 };
    const comm_row *fence = results[0].fence, *two = results[0].best[TWO_SIDED];
    if (!fence || !two) return;
    for (int i = 0; i < count; i++) {
        if (!results[i].fence || !results[i].best[TWO_SIDED]) continue;
        add_factor(&f, results[i].fence->median / results[i].best[TWO_SIDED]->median, results[i].halo_bytes);
    }
    fprintf(out, "The default, fence, takes ");
    print_factors(out, &f);
    fprintf(out, " as long as the best two-sided transport at the same size");
    if (fence->sync > 0.0 && two->sync > 0.0)
        fprintf(out, "; the two fences of a step alone take %.2f us, as much as %.1f exchanges of empty messages",
                1e6 * fence->sync, fence->sync / two->sync);
    fprintf(out, ".\n");
}

static void print_petsc(FILE *out, const size_result *results, int count)
{
    factors f = { .most = 0.0 };
    char label[2 * COMM_NAME];
    const comm_row *first = results[0].best[PETSC];
    if (!first) return;
    for (int i = 0; i < count; i++) {
        if (!results[i].best[PETSC]) continue;
        add_factor(&f, results[i].best[PETSC]->median / winner(&results[i])->median, results[i].halo_bytes);
    }
    fprintf(out, "PetscSF's best (%s with little data) takes ", pen_transport_label(first, label));
    print_factors(out, &f);
    fprintf(out, " as long as the best of these transports.\n");
}

void pen_verdict_print(FILE *out, const comm_table *table)
{
    size_result results[MOST_SIZES];
    int count = collect(table, results);
    if (count == 0 || results[0].halo_bytes == 0) {
        fprintf(out, "No rank pulls anything here: there is nothing to compare. Launch it on more ranks, or on another "
                     "graph.\n");
        return;
    }
    for (int i = 0; i < count; i++)
        if (!winner(&results[i])) return;
    print_choice(out, table, results, count);
    print_losses(out, results, count);
    print_fence(out, results, count);
    print_petsc(out, results, count);
}
