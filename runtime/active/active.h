/* active.h - active sets: steps leave out nodes whose result cannot change.
 *
 * Let a phase have computed node i, and let no byte have changed since of what it can read: the node's own records, its
 * neighbours' records of the fields in .reads, arcs, weights, inputs. Then it would compute the same again. The own
 * written records are among these bytes; so the result was equal to the current record, both planes hold it, and they
 * may be swapped as if the node had been computed. Node functions that ask for anything else (the step, random numbers,
 * observables, globals) mark their node as restless: it is computed in the next step, too.
 *
 * Each rank has a set of nodes per phase: those that the phase must compute when it is next due. In a step that tracks,
 * a rank compares the records of each node that it computes with those before. A node that has changed enters the sets
 * of all phases, and its readers enter those of the phases that read the field. Shadows are pulled whole, as always;
 * they are compared with what arrived last, and enter their readers into the sets likewise.
 *
 * In other steps a rank computes all nodes, and compares nothing, except for a sample from time to time. Ranks decide
 * for themselves, by numbers of nodes only. A rank begins to track with all nodes in all sets; so it does if the graph
 * has changed, or records were put. A node that moves stays in its sets, if both ranks track. */
#pragma once

#include "active/sets.h"

extern const pen_part pen_part_active;
