#include "tests/bench/mail_hand.h"

#include "tests/bench/bench.h"
#include "tests/bench/queue_hand.h"

#include <mpi.h>
#include <stdlib.h>

static void *hand_memory(int64_t count, size_t size)
{
    void *memory = malloc((size_t)(count + 1) * size);
    bench_require(memory ? PEN_OK : PEN_ERR_MEMORY, "memory");
    memset(memory, 0, (size_t)(count + 1) * size); /* pages are there before the clock starts */
    return memory;
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

struct hand_mail {
    goal where;
    span mine;
    int ranks;
    int64_t step;
    double *values;                            /* [count] */
    int32_t *boxes;                            /* [count+1] where the messages of a node are in `mail` */
    letter *mail, *made, *sorted, *came;       /* [room] */
    int32_t *made_for, *sorted_for, *came_for; /* [room] the number of the target on its rank */
    int *owners;                               /* [room] the rank of the target */
    int *counts[2], *places[2];                /* [ranks] of messages to ranks, from ranks */
    MPI_Datatype kind;
};

hand_mail *hand_mail_create(goal where, span mine)
{
    hand_mail *h = hand_memory(1, sizeof *h);
    const int64_t room = mine.count * LETTERS + mine.count * LETTERS / 8 + 100000; /* ranks differ a little */
    MPI_Comm_size(MPI_COMM_WORLD, &h->ranks);
    h->where = where;
    h->mine = mine;
    h->values = hand_memory(mine.count, sizeof *h->values);
    h->boxes = hand_memory(mine.count, sizeof *h->boxes);
    letter **letters[] = { &h->mail, &h->made, &h->sorted, &h->came };
    int32_t **targets[] = { &h->made_for, &h->sorted_for, &h->came_for };
    for (int k = 0; k < PEN_COUNT_OF(letters); k++) *letters[k] = hand_memory(room, sizeof(letter));
    for (int k = 0; k < PEN_COUNT_OF(targets); k++) *targets[k] = hand_memory(room, sizeof(int32_t));
    h->owners = hand_memory(room, sizeof(int));
    for (int k = 0; k < 2; k++) {
        h->counts[k] = hand_memory(h->ranks, sizeof(int));
        h->places[k] = hand_memory(h->ranks, sizeof(int));
    }
    MPI_Type_contiguous(sizeof(letter), MPI_BYTE, &h->kind);
    MPI_Type_commit(&h->kind);
    return h;
}

void hand_mail_destroy(hand_mail *h)
{
    MPI_Type_free(&h->kind);
    for (int k = 0; k < 2; k++) {
        free(h->counts[k]);
        free(h->places[k]);
    }
    void *all[] = { h->values,   h->boxes,      h->mail,     h->made,   h->sorted, h->came,
                    h->made_for, h->sorted_for, h->came_for, h->owners, h };
    for (int k = 0; k < PEN_COUNT_OF(all); k++) free(all[k]);
}

const double *hand_mail_values(const hand_mail *h) { return h->values; }

static double read_box(const hand_mail *h, int64_t node)
{
    double sum = h->values[node];
    for (int32_t m = h->boxes[node]; m < h->boxes[node + 1]; m++) sum = letter_sum(sum, h->mail[m].value);
    return h->values[node] = sum;
}

/* Nodes read their mail and write new messages, one after the other. */
static void make(hand_mail *h)
{
    const int64_t per_rank = h->mine.all / h->ranks;
    int64_t made = 0;
    memset(h->counts[0], 0, (size_t)h->ranks * sizeof(int));
    for (int64_t s = 0; s < h->mine.count; s++) {
        const int64_t node = h->mine.first + s;
        const double sum = read_box(h, s);
        for (int64_t k = 0; k < LETTERS; k++, made++) {
            const int64_t target = letter_target(h->where, &h->mine, node, k, h->step);
            const int owner = (int)(target / per_rank);
            h->made[made] = (letter){ letter_value(sum, k), node };
            h->made_for[made] = (int32_t)(target - owner * per_rank);
            h->owners[made] = owner;
            h->counts[0][owner]++;
        }
    }
}

static int64_t begin_places(const int *counts, int *places, int ranks)
{
    int64_t all = 0;
    for (int r = 0; r < ranks; r++) {
        places[r] = (int)all;
        all += counts[r];
    }
    return all;
}

static int64_t exchange(hand_mail *h)
{
    const int64_t all = begin_places(h->counts[0], h->places[0], h->ranks);
    for (int64_t m = 0; m < all; m++) {
        const int at = h->places[0][h->owners[m]]++;
        h->sorted[at] = h->made[m];
        h->sorted_for[at] = h->made_for[m];
    }
    (void)begin_places(h->counts[0], h->places[0], h->ranks);
    MPI_Alltoall(h->counts[0], 1, MPI_INT, h->counts[1], 1, MPI_INT, MPI_COMM_WORLD);
    const int64_t came = begin_places(h->counts[1], h->places[1], h->ranks);
    MPI_Alltoallv(h->sorted, h->counts[0], h->places[0], h->kind, h->came, h->counts[1], h->places[1], h->kind,
                  MPI_COMM_WORLD);
    MPI_Alltoallv(h->sorted_for, h->counts[0], h->places[0], MPI_INT32_T, h->came_for, h->counts[1], h->places[1],
                  MPI_INT32_T, MPI_COMM_WORLD);
    return came;
}

static void sort_by_node(hand_mail *h, int64_t came)
{
    int32_t *boxes = h->boxes;
    memset(boxes, 0, (size_t)(h->mine.count + 1) * sizeof *boxes);
    for (int64_t m = 0; m < came; m++) boxes[h->came_for[m] + 1]++;
    for (int64_t s = 0; s < h->mine.count; s++) boxes[s + 1] += boxes[s];
    for (int64_t m = 0; m < came; m++) h->mail[boxes[h->came_for[m]]++] = h->came[m];
    memmove(boxes + 1, boxes, (size_t)h->mine.count * sizeof *boxes); /* they stand at the ends now */
    boxes[0] = 0;
}

/* All messages stay: nodes copy them. */
static void keep(hand_mail *h)
{
    int32_t made = 0;
    for (int64_t s = 0; s < h->mine.count; s++) {
        const double sum = read_box(h, s);
        h->boxes[s] = made; /* the node's mail has been read */
        for (int64_t k = 0; k < LETTERS; k++) h->made[made++] = (letter){ letter_value(sum, k), h->mine.first + s };
    }
    h->boxes[h->mine.count] = made;
    letter *read = h->mail;
    h->mail = h->made;
    h->made = read;
}

void hand_mail_steps(hand_mail *h, int64_t steps)
{
    for (int64_t end = h->step + steps; h->step < end; h->step++) {
        if (h->where == ITSELF) keep(h);
        else {
            make(h);
            sort_by_node(h, exchange(h));
        }
    }
}

/* ---- An epidemic --------------------------------------------------------------------------------------- */

enum { SUSCEPTIBLE, ILL, IMMUNE, STATES }; /* as in the example */
enum { WORK, AT_START, HEALTH, VISIT, GOAL, STREAMS };

typedef struct person {
    int32_t home, work, place;
    int8_t number, state;
} person;

struct hand_town {
    int64_t places, people, step, counts[STATES];
    uint64_t seed;
    person *all;               /* [people] */
    int32_t *ill, *infections; /* [places] */
    double *safe;              /* [2*(people+1)] the probability that no one of so many infects a person */
};

enum { HOUSEHOLD = 4 };
static const double infection[2] = { 0.1, 0.02 }, recovery = 0.1, ill_at_start = 0.001, visit = 0.02;

static uint64_t town_random(const hand_town *t, const person *one, uint64_t use)
{
    const uint64_t number = (uint64_t)one->home * HOUSEHOLD + (uint64_t)one->number;
    const uint64_t counter[2] = { (uint64_t)one->place, (uint64_t)t->step },
                   key[2] = { t->seed, use + STREAMS * number };
    uint64_t random[2];
    pen_threefry(counter, key, random);
    return random[0];
}

static double town_real(const hand_town *t, const person *one, uint64_t use)
{
    return pen_unit_real(town_random(t, one, use));
}

static int32_t find_work(const hand_town *t, const queue_graph *g, const person *one)
{
    const uint32_t begin = g->rows[one->home], degree = g->rows[one->home + 1] - begin;
    const uint32_t first = degree ? (uint32_t)pen_below(town_random(t, one, WORK), degree) : 0;
    for (uint32_t i = 0; i < degree; i++) {
        const int32_t place = g->columns[begin + (first + i) % degree];
        if (place % 8 == 0) return place;
    }
    return one->home;
}

hand_town *hand_town_create(int64_t width, int64_t height, uint64_t seed)
{
    hand_town *t = hand_memory(1, sizeof *t);
    queue_graph g = queue_hex(width, height);
    t->places = g.nodes;
    t->seed = seed;
    t->all = hand_memory(HOUSEHOLD * t->places, sizeof *t->all);
    t->ill = hand_memory(t->places, sizeof *t->ill);
    t->infections = hand_memory(t->places, sizeof *t->infections);
    t->safe = hand_memory(2 * HOUSEHOLD * t->places, sizeof *t->safe);
    for (int32_t home = 0; home < t->places; home++)
        for (int8_t k = 0; home % 8 != 0 && k < HOUSEHOLD; k++) {
            person *one = &t->all[t->people++];
            *one = (person){ .home = home, .place = home, .number = k };
            one->work = find_work(t, &g, one);
            one->state = town_real(t, one, AT_START) < ill_at_start ? ILL : SUSCEPTIBLE;
        }
    for (int works = 0; works < 2; works++) {
        double *safe = t->safe + works;
        *safe = 1.0;
        for (int64_t n = 1; n < HOUSEHOLD * t->places; n++) safe[2 * n] = safe[2 * n - 2] * (1.0 - infection[works]);
    }
    queue_free(&g);
    return t;
}

void hand_town_destroy(hand_town *t)
{
    free(t->all);
    free(t->ill);
    free(t->infections);
    free(t->safe);
    free(t);
}

int64_t hand_town_people(const hand_town *t) { return t->people; }
const int32_t *hand_town_infections(const hand_town *t) { return t->infections; }

static int8_t next_state(const hand_town *t, const person *one, double safe)
{
    if (one->state == IMMUNE || (one->state == SUSCEPTIBLE && safe == 1.0)) return one->state;
    const double luck = town_real(t, one, HEALTH);
    if (one->state == ILL) return luck < recovery ? IMMUNE : ILL;
    return luck >= safe ? ILL : SUSCEPTIBLE;
}

static int32_t next_place(const hand_town *t, const person *one)
{
    if (t->step % 2 == 1) return one->home;
    if (town_real(t, one, VISIT) >= visit) return one->work;
    return (int32_t)pen_below(town_random(t, one, GOAL), t->places);
}

static void town_step(hand_town *t)
{
    memset(t->counts, 0, sizeof t->counts);
    memset(t->ill, 0, (size_t)t->places * sizeof *t->ill);
    for (int64_t i = 0; i < t->people; i++) t->ill[t->all[i].place] += t->all[i].state == ILL;
    for (int64_t i = 0; i < t->people; i++) {
        person *one = &t->all[i];
        const int8_t state = next_state(t, one, t->safe[2 * t->ill[one->place] + (one->place % 8 == 0)]);
        t->infections[one->place] += one->state == SUSCEPTIBLE && state == ILL;
        t->counts[one->state = state]++;
        one->place = next_place(t, one);
    }
}

void hand_town_steps(hand_town *t, int64_t steps)
{
    for (int64_t end = t->step + steps; t->step < end; t->step++) town_step(t);
}
