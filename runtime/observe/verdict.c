#include "observe/verdict.h"

#include <limits.h>
#include <time.h>

/* ms. A process that gets no processor for a while is neither; and who is killed is told of first by the launcher. */
static const int64_t STOPPED = 2000, GONE = 5000;

const pen_facts pen_facts_none = { .a_worker = INT32_MAX, .a_held = INT32_MAX, .a_gone = INT32_MAX };

static int condition_of(const pen_post *post) { return atomic_load_explicit(&post->condition, memory_order_relaxed); }

bool pen_pulse_gone(pen_pulse *pulse, const pen_board *board, int host_rank, int64_t elapsed)
{
    const pen_post *post = pen_board_post(board, host_rank);
    uint64_t beats = atomic_load_explicit(&post->beats, memory_order_relaxed);
    pulse->silent = beats == pulse->beats ? pulse->silent + elapsed : 0;
    pulse->beats = beats;
    return pulse->silent >= GONE && condition_of(post) != PEN_RANK_LEFT && !pen_board_lives(board, host_rank);
}

bool pen_pulse_stopped(const pen_pulse *pulse) { return pulse->silent >= STOPPED; }

static void count(int32_t *counter, int32_t *lowest, int rank)
{
    ++*counter;
    if (lowest && rank < *lowest) *lowest = rank;
}

static void count_still(pen_facts *facts, int condition, int rank)
{
    if (condition == PEN_RANK_WORKS) count(&facts->works, &facts->a_worker, rank);
    else if (condition == PEN_RANK_HELD) count(&facts->held, &facts->a_held, rank);
    else if (condition == PEN_RANK_WAITS) count(&facts->waits, NULL, rank);
    else count(&facts->outside, NULL, rank);
}

pen_facts pen_facts_of(const pen_board *board, pen_pulse *pulses, int64_t limit, int64_t elapsed)
{
    pen_facts facts = pen_facts_none;
    for (int r = 0; r < board->host_size; r++) {
        const pen_post *post = pen_board_post(board, r);
        bool gone = pen_pulse_gone(&pulses[r], board, r, elapsed);
        int condition = condition_of(post);
        if (condition == PEN_RANK_LEFT) continue;
        if (gone) count(&facts.gone, &facts.a_gone, post->rank);
        else if (pen_pulse_stopped(&pulses[r])) count(&facts.held, &facts.a_held, post->rank);
        else if (atomic_load_explicit(&post->still, memory_order_relaxed) < limit) count(&facts.moving, NULL, r);
        else count_still(&facts, condition, post->rank);
    }
    return facts;
}

static int32_t lower(int32_t a, int32_t b) { return a < b ? a : b; }

pen_facts pen_facts_sum(const pen_facts *a, const pen_facts *b)
{
    return (pen_facts){ .moving = a->moving + b->moving,
                        .works = a->works + b->works,
                        .waits = a->waits + b->waits,
                        .outside = a->outside + b->outside,
                        .held = a->held + b->held,
                        .gone = a->gone + b->gone,
                        .a_worker = lower(a->a_worker, b->a_worker),
                        .a_held = lower(a->a_held, b->a_held),
                        .a_gone = lower(a->a_gone, b->a_gone) };
}

pen_verdict pen_facts_judge(const pen_facts *facts)
{
    if (facts->gone > 0) return PEN_VERDICT_GONE;
    if (facts->moving > 0) return PEN_VERDICT_FINE;
    if (facts->works > 0) return PEN_VERDICT_WORKS;
    if (facts->waits == 0) return PEN_VERDICT_FINE;
    return facts->held > 0 ? PEN_VERDICT_HELD : PEN_VERDICT_STUCK;
}

static const char *name_of(int condition)
{
    static const char *const names[] = { [PEN_RANK_WORKS] = "is computing",
                                         [PEN_RANK_WAITS] = "waits",
                                         [PEN_RANK_OUTSIDE] = "is outside of the library",
                                         [PEN_RANK_HELD] = "is in a debugger" };
    return condition >= 0 && condition < PEN_RANK_LEFT ? names[condition] : "has left";
}

void pen_facts_print(const pen_board *board, const pen_pulse *pulses, FILE *out)
{
    for (int r = 0; r < board->host_size; r++) {
        const pen_post *post = pen_board_post(board, r);
        int condition = condition_of(post);
        if (condition == PEN_RANK_LEFT) continue;
        time_t since = (time_t)atomic_load_explicit(&post->since, memory_order_relaxed);
        struct tm local;
        char clock[16] = "";
        if (localtime_r(&since, &local)) strftime(clock, sizeof clock, "%H:%M:%S", &local);
        fprintf(out, "penumbra:   rank %d %s since %s (%.1f s)%.*s\n", post->rank,
                pen_pulse_stopped(&pulses[r]) ? "is stopped" : name_of(condition), clock,
                1e-3 * (double)atomic_load_explicit(&post->still, memory_order_relaxed), PEN_POST_TEXT, post->text);
    }
}
