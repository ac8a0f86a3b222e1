/* replay_time.c - predicts the times of a replay. */
#include "tools/sim/replay_time.h"
#include "tools/common/python.h"
#include "view/network.h"

#include <math.h>

replay_model pen_replay_model_default(void)
{
    return (replay_model){ .transport = "fence", .message = 0.7e-6, .byte = 2.6e-10, .sync = 2.1e-6 };
}

int pen_replay_doublings(int ranks)
{
    int doublings = 0;
    for (int64_t reached = 1; reached < ranks; reached *= 2) doublings++;
    return doublings;
}

static pen_status take(const char *path, const char *text, replay_model *m)
{
    double latency, byte, neighbor, sync, neighbors, each;
    int ranks;
    if (sscanf(text, "%lf %lf %lf %lf %lf %lf %d", &latency, &byte, &neighbor, &sync, &neighbors, &each, &ranks) != 7)
        return pen_fail(PEN_ERR_INTERNAL, "%s: seven numbers were expected, not \"%s\"", path, text);
    if (latency < 0.0 || byte < 0.0)
        return pen_fail(PEN_ERR_INPUT,
                        "%s: latency and bytes of %s are not known: pen-comm needs several --records, and quiet", path,
                        m->transport);
    if (sync < 0.0) sync = latency;
    m->byte = byte;
    /* The time of a neighbour has that of its bytes; and the latency, and sync, may have messages of all neighbours. */
    m->message = fmax(0.0, neighbor >= 0.0 ? neighbor - each * byte : (latency - sync) / neighbors);
    if (neighbor >= 0.0) sync = fmax(0.0, latency - neighbors * m->message);
    m->sync = sync / pen_replay_doublings(ranks < 2 ? 2 : ranks);
    return PEN_OK;
}

pen_status pen_replay_model_read(const char *path, const char *transport, replay_model *model)
{
    python_answer all = { { NULL } };
    const char *const words[] = { "model", path, transport, NULL };
    snprintf(model->transport, sizeof model->transport, "%s", transport);
    pen_status status = pen_python_ask("penumbra_comm.py", words, NULL, 0, &all);
    if (status == PEN_OK) status = take(path, all.texts[1], model);
    pen_python_answer_free(&all);
    return status;
}

/* Fit t = node n + load l. If nodes and loads are proportional, use loads alone. */
static void fit(const pen_workload_times *t, replay_model *m)
{
    double determinant = t->nn * t->ll - t->nl * t->nl;
    m->node = 0.0;
    m->load = t->ll > 0.0 ? t->lt / t->ll : 0.0;
    if (!(t->ll > 0.0)) m->node = t->nt / t->nn;
    if (!(determinant > 1e-9 * t->nn * t->ll)) return;
    double node = (t->nt * t->ll - t->lt * t->nl) / determinant, load = (t->lt * t->nn - t->nt * t->nl) / determinant;
    if (node < 0.0) return;
    m->node = load < 0.0 ? t->nt / t->nn : node;
    m->load = load < 0.0 ? 0.0 : load;
}

pen_status pen_replay_model_fit(replay_model *model, pen_workload *record, double unit)
{
    const pen_workload_times *t = &record->times;
    pen_workload_event event = PEN_WORKLOAD_STEP;
    while (event != PEN_WORKLOAD_END) PEN_TRY(pen_workload_next(record, &event));
    model->node = 0.0;
    model->load = record->world.declared ? 1e-6 : 1.0;
    model->work = record->world.declared ? "1e-6 s, without --unit" : "a load is a second";
    if (!isnan(unit)) {
        model->load = unit;
        model->work = "--unit";
    } else if (t->nn > 0.0) {
        fit(t, model);
        model->work = "fit to the record's times";
    }
    const double n = model->node, l = model->load;
    const double squares = t->tt - 2.0 * (n * t->nt + l * t->lt) + n * n * t->nn + 2.0 * n * l * t->nl + l * l * t->ll;
    model->misfit = t->tt > 0.0 ? sqrt(fmax(0.0, squares) / t->tt) : NAN;
    model->collinearity = t->nn > 0.0 && t->ll > 0.0 ? t->nl / sqrt(t->nn * t->ll) : NAN;
    return PEN_OK;
}

void pen_replay_pull_seconds(const replay_model *model, const replay_world *world, double *seconds)
{
    const pen_workload_world *w = &world->record->world;
    const replay_halo *h = &world->halo;
    const pen_machine *m = world->machine;
    const double record = m ? (double)pen_network_of(m)->record : 0.0;
    int64_t phases = 0, bytes = 0;
    for (int p = 0; p < w->phase_count; p++) {
        phases += w->phases[p].bytes > 0;
        bytes += w->phases[p].bytes;
    }
    double sync = (double)phases * model->sync * pen_replay_doublings(world->ranks);
    for (int r = 0; r < world->ranks; r++) {
        seconds[r] = sync;
        for (int64_t k = h->first[r]; k < h->first[r + 1]; k++) {
            const pen_link link = m ? m->link(m, r, h->readings[k].producer) : (pen_link){ 0.0, 1.0 };
            const double shadows = (double)h->readings[k].shadows, each = (double)bytes;
            if (record > 0.0) seconds[r] += (double)phases * link.latency + each * shadows * link.cost / record;
            else
                seconds[r] += link.cost * (double)phases * model->message +
                              (link.cost * shadows + link.latency) * each * model->byte;
        }
    }
}
