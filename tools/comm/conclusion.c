/* conclusion.c - states the results of a comparison in words. */
#include "tools/comm/conclusion.h"

/* Ratio of times below which two transports count as equally fast. */
static const double tie = 1.05;

/* Whether a is faster than b by more than the noise. Their least times must differ in the same way: a few short samples
 * are always undisturbed. */
static bool faster(const comm_row *a, const comm_row *b)
{
    return pen_row_trusted(a) && pen_row_trusted(b) && b->low > a->high && b->min > tie * a->min &&
           b->median > tie * a->median;
}

enum { ONE_SIDED, TWO_SIDED, PETSC, KINDS };

/* The best transport of each kind at one size of the halo. */
typedef struct size_result {
    int64_t halo_bytes;
    const comm_row *best[KINDS]; /* row of the best transport; NULL: there is none */
    const comm_row *fence;
    const comm_row *chosen; /* row that --comm=auto has chosen; NULL: there is none */
    bool trusted;           /* no row is unreliable */
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
            results[count++] = (size_result){ .halo_bytes = row->halo_bytes, .trusted = true };
        }
        size_result *result = &results[count - 1];
        int kind = row->one_sided ? ONE_SIDED : TWO_SIDED;
        if (strncmp(row->transport, "petsc-", 6) == 0) kind = PETSC;
        if (!result->best[kind] || row->median < result->best[kind]->median) result->best[kind] = row;
        if (strcmp(row->transport, "fence") == 0) result->fence = row;
        if (row->chosen) result->chosen = row;
        if (kind != PETSC) result->trusted = result->trusted && pen_row_trusted(row);
    }
    return count;
}

/* The row of the same transport among the rows of another size. */
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

/* The best transport of the other side, or NULL. */
static const comm_row *rival(const size_result *result)
{
    return result->best[winner(result)->one_sided ? TWO_SIDED : ONE_SIDED];
}

typedef enum size_outcome { UNKNOWN, EQUAL, DECIDED } size_outcome;

/* The outcome at a size. DECIDED: one side is faster than the other, or is the only one. */
static size_outcome outcome_of(const size_result *result)
{
    if (!result->trusted) return UNKNOWN;
    return !rival(result) || faster(winner(result), rival(result)) ? DECIDED : EQUAL;
}

/* The range of factors over the sizes, and the sizes of the least and largest factor. */
typedef struct factors {
    double least, most;
    int64_t least_at, most_at; /* sizes of the halo in bytes at which the factor is least and largest */
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

/* Print "1.30 (at 8 KiB) to 2.50 times (at 512 B)". */
static void print_factors(FILE *out, const factors *f)
{
    char least[COMM_NAME], most[COMM_NAME];
    if (f->most < f->least * tie) fprintf(out, "%.2f times", f->most);
    else
        fprintf(out, "%.2f (at %s) to %.2f times (at %s)", f->least, pen_bytes_text(f->least_at, least), f->most,
                pen_bytes_text(f->most_at, most));
}

/* ---- Sentences --------------------------------------------------------------------------------- */

/* Print "From 8 KiB to 32 KiB" for results [first, end) of `count`. */
static void print_range(FILE *out, const size_result *results, int first, int end, int count)
{
    char from[COMM_NAME], to[COMM_NAME];
    pen_bytes_text(results[first].halo_bytes, from);
    pen_bytes_text(results[end - 1].halo_bytes, to);
    if (end - first == count) fprintf(out, "Here");
    else if (end == count) fprintf(out, "From %s per rank and step on", from);
    else if (first == 0) fprintf(out, "Up to %s per rank and step", to);
    else if (end - first == 1) fprintf(out, "At %s per rank and step", from);
    else fprintf(out, "From %s to %s per rank and step", from, to);
}

/* Print one sentence per range of sizes with the same outcome, in which one transport is never slower than the
 * others. */
static void print_choice(FILE *out, const comm_table *table, const size_result *results, int count)
{
    for (int first = 0, end; first < count; first = end) {
        const comm_row *choice = winner(&results[first]);
        size_outcome outcome = outcome_of(&results[first]);
        factors f = { .most = 0.0 };
        for (end = first; end < count && outcome_of(&results[end]) == outcome; end++) {
            if (outcome != DECIDED) continue;
            const comm_row *mine = end == first ? choice : same_at(table, choice, results[end].halo_bytes);
            const comm_row *other = rival(&results[end]);
            if (!mine || winner(&results[end])->one_sided != mine->one_sided || faster(winner(&results[end]), mine))
                break;
            if (other) add_factor(&f, other->median / mine->median, results[end].halo_bytes);
        }
        char label[2 * COMM_NAME];
        print_range(out, results, first, end, count);
        if (outcome == DECIDED) fprintf(out, ", use %s: no transport is faster", pen_transport_label(choice, label));
        else if (outcome == EQUAL) fprintf(out, ", no difference between the best one-sided and two-sided transport");
        else fprintf(out, ", no verdict: fewer than 6 samples, or noise of more than %.0f %%", 100.0 * COMM_MOST_NOISE);
        if (f.most > 0.0) {
            fprintf(out, ", and it has ");
            print_factors(out, &f);
            fprintf(out, " the speed of the best %s transport", choice->one_sided ? "two-sided" : "one-sided");
        }
        fprintf(out, ".\n");
    }
}

/* Append a size to a list "8 B, 4 KiB". */
static void add_size(char sizes[MOST_SIZES * COMM_NAME], int64_t halo_bytes)
{
    char bytes[COMM_NAME];
    const size_t length = strlen(sizes);
    snprintf(sizes + length, MOST_SIZES * COMM_NAME - length, "%s%s", length > 0 ? ", " : "",
             pen_bytes_text(halo_bytes, bytes));
}

static void print_losses(FILE *out, const size_result *results, int count)
{
    int compared = 0;
    double worst = 0.0;
    char lost[MOST_SIZES * COMM_NAME] = "", unknown[MOST_SIZES * COMM_NAME] = "", label[2 * COMM_NAME];
    const comm_row *victor = NULL;
    for (int i = 0; i < count; i++) {
        const comm_row *one = results[i].best[ONE_SIDED], *two = results[i].best[TWO_SIDED];
        if (!one || !two) continue;
        if (!results[i].trusted) add_size(unknown, results[i].halo_bytes);
        compared += results[i].trusted;
        double factor = one->median / two->median;
        if (!results[i].trusted || !faster(two, one)) continue;
        add_size(lost, results[i].halo_bytes);
        if (factor > worst) {
            worst = factor;
            victor = two;
        }
    }
    if (compared == 0) return;
    if (!victor)
        fprintf(out, "At no size%s is the best one-sided transport slower than the best two-sided one",
                unknown[0] ? " with a verdict" : "");
    else
        fprintf(out, "One-sided loses at %s: even its best takes up to %.2f times as long as %s", lost, worst,
                pen_transport_label(victor, label));
    fprintf(out, "%s%s.\n", unknown[0] ? "; no verdict at " : "", unknown);
}

/* Print "The default, fence, takes 1.20 times as long as `other`", at the sizes where they differ. */
static void print_times(FILE *out, const factors *f, const char *other)
{
    if (f->most > 0.0) {
        fprintf(out, " takes ");
        print_factors(out, f);
        fprintf(out, " as long as %s at the same size", other);
    } else {
        fprintf(out, " is as fast as %s, within noise", other);
    }
}

static void add_difference(factors *f, const comm_row *a, const comm_row *b)
{
    if (faster(a, b) || faster(b, a)) add_factor(f, a->median / b->median, a->halo_bytes);
}

/* Compare the default with the best two-sided transport, and print the cost of its synchronisation. */
static void print_fence(FILE *out, const size_result *results, int count)
{
    factors f = { .most = 0.0 };
    const comm_row *fence = results[0].fence, *two = results[0].best[TWO_SIDED];
    if (!fence || !two) return;
    for (int i = 0; i < count; i++)
        if (results[i].fence && results[i].best[TWO_SIDED])
            add_difference(&f, results[i].fence, results[i].best[TWO_SIDED]);
    fprintf(out, "The default, fence,");
    print_times(out, &f, "the best two-sided transport");
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
    for (int i = 0; i < count; i++)
        if (results[i].best[PETSC]) add_difference(&f, results[i].best[PETSC], winner(&results[i]));
    fprintf(out, "PetscSF's best (%s with little data)", pen_transport_label(first, label));
    print_times(out, &f, "the best of these transports");
    fprintf(out, ".\n");
}

/* Print the choice of --comm=auto, with its ratio to the fastest transport. */
static void print_auto(FILE *out, const size_result *results, int count)
{
    char bytes[COMM_NAME];
    int chosen = 0;
    for (int i = 0; i < count; i++)
        if (results[i].chosen)
            fprintf(out, "%s%s at %s (%.2f)", chosen++ ? ", " : "--comm=auto chose, with its time over the fastest: ",
                    results[i].chosen->transport, pen_bytes_text(results[i].halo_bytes, bytes),
                    results[i].chosen->median / winner(&results[i])->median);
    if (chosen > 0) fprintf(out, ".\n");
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
    print_auto(out, results, count);
    print_losses(out, results, count);
    int trusted = 0;
    for (int i = 0; i < count; i++)
        if (results[i].trusted) results[trusted++] = results[i];
    count = trusted;
    if (count == 0) return;
    print_fence(out, results, count);
    print_petsc(out, results, count);
}

void pen_verdict_json(json *j, const char *key, const comm_table *table)
{
    size_result results[MOST_SIZES];
    int count = collect(table, results);
    pen_json_begin(j, key, '[');
    for (int i = 0; i < count; i++) {
        const comm_row *one = results[i].best[ONE_SIDED], *two = results[i].best[TWO_SIDED];
        char label[2 * COMM_NAME];
        if (!one || !two) continue;
        pen_json_begin(j, NULL, '{');
        pen_json_member_int(j, "halo_bytes", results[i].halo_bytes);
        pen_json_member_text(j, "one_sided", pen_transport_label(one, label));
        pen_json_member_text(j, "two_sided", pen_transport_label(two, label));
        const char *side = "neither";
        if (faster(one, two)) side = "one";
        if (faster(two, one)) side = "two";
        pen_json_member_text(j, "faster", results[i].trusted ? side : "unknown");
        pen_json_end(j, '}');
    }
    pen_json_end(j, ']');
}
