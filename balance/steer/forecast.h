/* forecast.h - decides which loads a plan is for: those of the last step, or each node's average over the last steps.
 * Loads that drift are best predicted by the last step, loads that fluctuate by their average. The better predictor so
 * far is used, as in R. Wolski, Dynamically forecasting network performance using the Network Weather Service, Cluster
 * Computing 1, 1998. Averages cost as much as a simple node function, so they are kept only while there is something to
 * balance. All Local, and equal on all ranks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The past loads of a node; zeros for a new node. */
typedef struct pen_past {
    double average, last; /* average load, and load in the last step */
} pen_past;

/* Sums of past loads over a rank's nodes. */
typedef struct pen_past_sums {
    double average, last; /* loads that the average and the last step predict for a step */
    double next;          /* sum of the averages that include the step */
} pen_past_sums;

typedef struct pen_forecast {
    bool keeps;                       /* averages are kept */
    int64_t quiet;                    /* steps since averages last predicted better */
    int64_t steps;                    /* that the averages have; 0: the first step replaces old ones */
    double last_error, average_error; /* of ranks' loads, summed over ranks and steps; old ones count less and less */
} pen_forecast;

/* The weight of the next step in an average; the steps before have the rest. */
double pen_forecast_weight(const pen_forecast *forecast);

/* Add a node's load in this step to its past. A new node, with an average of 0, gets exactly this load; so does every
 * node at weight 1, since checkpoints have no averages. */
static inline void pen_forecast_add(pen_past *past, double load, double weight, pen_past_sums *sums)
{
    sums->average += past->average;
    sums->last += past->last;
    past->average = past->average > 0.0 && weight < 1.0 ? past->average + weight * (load - past->average) : load;
    past->last = load;
    sums->next += past->average;
}

/* After a step that was added to the averages, add the errors of both predictions; those of the first step do not
 * count. */
void pen_forecast_step(pen_forecast *forecast, double last_error, double average_error);

/* Whether averages have predicted better than the last step. */
static inline bool pen_forecast_by_average(const pen_forecast *f) { return f->average_error < f->last_error; }

/* After a step, decide whether averages are kept from the next step on. `wanted`: a plan is wanted after this step. */
void pen_forecast_decide(pen_forecast *forecast, bool wanted);
