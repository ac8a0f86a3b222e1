/* towns.c - people move along roads to where there is work, less the farther it is. A table has the towns: x, y,
 * people, jobs (empty: as many as half the people), and houses, if it is known. */
#include <penumbra.h>

#include <math.h>

typedef struct town {
    double people, jobs;
} town;
enum { TOWN };
enum { PEOPLE_COLUMN, JOBS_COLUMN, HOUSES_COLUMN };
enum { PEOPLE, FULLEST };

static void init(const pen_view *v)
{
    double people = pen_input(v, PEOPLE_COLUMN), jobs = pen_input(v, JOBS_COLUMN);
    *PEN_NEXT(v, TOWN, town) = (town){ people, isnan(jobs) ? people / 2.0 : jobs };
}

static void move(const pen_view *v)
{
    const town *here = PEN_SELF(v, TOWN, town);
    double change = 0.0;
    for (int32_t i = 0; i < pen_degree(v); i++) {
        const town *there = PEN_NEIGHBOR(v, TOWN, town, i);
        double dx = pen_neighbor_coordinate(v, i, 0) - pen_coordinate(v, 0);
        double dy = pen_neighbor_coordinate(v, i, 1) - pen_coordinate(v, 1);
        change += (there->people * here->jobs - here->people * there->jobs) / (1.0 + dx * dx + dy * dy);
    }
    *PEN_NEXT(v, TOWN, town) = (town){ here->people + 1e-3 * change, here->jobs };
}
PEN_SWEEP(move)

static void observe(const pen_view *v, pen_observation *o)
{
    double people = PEN_SELF(v, TOWN, town)->people;
    pen_observe_real(o, PEOPLE, people);
    pen_observe_real(o, FULLEST, people / pen_input(v, HOUSES_COLUMN));
}
PEN_OBSERVE_SWEEP(observe)

static void print(const pen_view *v, FILE *out) { fprintf(out, "%a", PEN_SELF(v, TOWN, town)->people); }

int main(int argc, char **argv)
{
    static const pen_field fields[] = { { "town", sizeof(town), .plain = true } };
    static const pen_input_column inputs[] = {
        { .name = "people" },
        { .name = "jobs", .nan = true },
        { .name = "houses", .otherwise = "400.0", .permanent = true },
    };
    static const pen_phase phases[] = {
        { "move", .sweep = move_sweep, .reads = PEN_SET(TOWN), .writes = PEN_SET(TOWN) },
    };
    static const pen_observable observables[] = { { .name = "people", .kind = PEN_SUM_REAL },
                                                  { .name = "fullest", .kind = PEN_MAX_REAL } };
    static const pen_member members[] = { PEN_MEMBER(TOWN, town, people, PEN_F64),
                                          PEN_MEMBER(TOWN, town, jobs, PEN_F64) };
    static const pen_app app = { .name = "towns",
                                 PEN_FIELDS(fields),
                                 PEN_PHASES(phases),
                                 PEN_OBSERVABLES(observables, observe_sweep),
                                 PEN_INPUTS(inputs),
                                 .init = init,
                                 .output = { .print = print, PEN_MEMBERS(members) } };
    return pen_main(&app, argc, argv);
}
