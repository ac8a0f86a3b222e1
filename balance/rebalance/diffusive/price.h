/* price.h - the cost of a cut edge by the processors of its ends: on a network, edges over cheap links are cut
 * first. */
#pragma once

#include <penumbra_plugin.h>

enum { PRICE_OF_EDGE = 16, MOST_PRICE = 1 << 20 };

/* The network between ranks, if its links differ. */
typedef struct diffusive_network {
    const pen_machine *machine;
    double unit; /* the cheapest link, of those that cost something; the same on all ranks */
    double most; /* the highest price, so that the price of all edges together fits 64 bits; the same on all ranks */
} diffusive_network;

/* Collective. *network gets the ranks' machine, if it tells links apart; else NULL. Errors: those of peers. */
PEN_CHECKED pen_status pen_network_find(const pen_load_view *view, pen_peers *peers, diffusive_network *network);

/* Local. Of an edge of weight 1 between two ranks, in 16ths of one over the cheapest link. */
static inline int64_t price_between(const diffusive_network *network, int a, int b)
{
    if (a == b) return 0;
    if (!network->machine) return PRICE_OF_EDGE;
    double price = PRICE_OF_EDGE * network->machine->link(network->machine, a, b).cost / network->unit + 0.5;
    if (!(price > 1.0)) return 1; /* even edges without cost shall be few */
    return (int64_t)(price < network->most ? price : network->most);
}
