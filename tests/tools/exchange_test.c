/* exchange_test.c - readers of XML and binary formats: their graphs and findings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/tools/readings.h"

#include <stdlib.h>

/* ---- GraphML and GEXF ----------------------------------------------------------------------- */

#define NODES(more) "<node id=\"4\"/>\n<node id=\"7\">" more "</node>\n"
#define GRAPHML(keys, inside) "<graphml>" keys "<graph edgedefault=\"undirected\">" inside "</graph></graphml>"
#define KEY(id, of, name) "<key id=\"" id "\" for=\"" of "\" attr.name=\"" name "\"/>"
#define EDGE(more) "<edge source=\"4\" target=\"7\"" more "/>"
#define GEXF(inside) "<g:gexf xmlns:g=\"x\"><g:graph>" inside "</g:graph></g:gexf>"

static void xml(void **state)
{
    (void)state;
    static const reading graphml[] = {
        { GRAPHML("", ""), "", NULL },
        { GRAPHML("", NODES("") EDGE("") EDGE("") "<edge source='7' target='7'/>"), "4: 7 7; 7: 4 4 7", NULL },
        { GRAPHML("", "<node id='0'/><node id='1'/>"), "0:; 1:", NULL },
        { GRAPHML("", "<node id='07'/><node id='7'/>"), "'07':; '7':", NULL },
        { GRAPHML("", "<edge source='b' target='a'/><node id='a'/><node id='b'/>"), "'b': 'a'; 'a': 'b'", NULL },
        { GRAPHML(KEY("k", "all", "weight"),
                  NODES("<data key='k'> 3\n</data>") EDGE("") "<edge source='4' target='7'>"
                                                              "<data key='k'>5</data></edge>"),
          "4[1]: 7(1) 7(5); 7[3]: 4(1) 4(5)", NULL },
        { GRAPHML("<key id='k' attr.name='weight'><default>2</default></key>" KEY("m", "node", "weight2"),
                  NODES("<data key='m'>-3</data>") EDGE("")),
          "4[2][1]: 7(2); 7[2][-3]: 4(2)", NULL },
        { GRAPHML(KEY("k", "edge", "weight"), NODES("") "<edge source='4' target='7'><data key='k'>.5</data></edge>"),
          "4: 7; 7: 4 | values 1", NULL },
        { GRAPHML(KEY("k", "node", "weight"), NODES("<data key='k'>1e3</data>")), "4[1]:; 7[1]: | values 1", NULL },
        { GRAPHML(KEY("k", "node", "name"), "<node id='1'><data key='k'>a <x>y</x>&lt;</data></node>"),
          "'a <':", NULL },
        { GRAPHML("", NODES("<data key='u'>5</data>")), "4:; 7:", NULL },
        { "", NULL, "1:0: no XML: no element found" },
        { "<graphml>\n<graph>", NULL, "2:0: no XML: no element found" },
        { "<graphml>\n<graph></graphml>", NULL, "2:0: no XML: mismatched tag" },
        { "<gexf/>", NULL, "1:0: the first element must be graphml" },
        { "<graphml/>", NULL, "1:0: there is no graph" },
        { "<!DOCTYPE graphml [<!ENTITY a 'b'>]>\n<graphml/>", NULL,
          "1:0: the file declares entities, which are not read" },
        { "<graphml><graph/>\n<graph/></graphml>", NULL, "2:0: a second graph" },
        { GRAPHML("", "\n<node/>"), NULL, "2:0: a node without an id" },
        { GRAPHML("", NODES("<node id='8'/>")), NULL, "2:0: a node inside a node" },
        { GRAPHML("", NODES("<graph/>")), NULL, "2:0: a second graph" },
        { GRAPHML("", "<edge source='4'/>"), NULL, "1:0: an edge without source or target" },
        { GRAPHML("", "<hyperedge/>"), NULL, "1:0: a hyperedge" },
        { "<graphml><key for='node'/></graphml>", NULL, "1:0: the declaration of an attribute has no id" },
        { GRAPHML("", NODES("") "<node id='4'/>"), "4:; 7:", "3:1: node '4' is there twice" },
        { GRAPHML("", NODES("") "<edge source='4' target='8'/>"), "4: 8; 7:; 8: 4",
          "3:48: 1 nodes of edges are not there, the first is '8'" },
        { GRAPHML("", NODES("") EDGE(" directed='true'")), "4: 7; 7: 4",
          "3:1: a directed edge in an undirected graph" },
        { GRAPHML(KEY("k", "node", "part"), NODES("<data key='k'>-1</data>")),
          "4:; 7:", "2:30: part -1, must be an integer from 0 on" },
        { GRAPHML(KEY("k", "node", "size"), NODES("<data key='k'>99999999999999999999</data>")),
          "4:; 7:", "2:48: size 99999999999999999999, must be an integer from 0 on" },
        { GRAPHML(KEY("k", "node", "x"), NODES("<data key='k'>1e999</data>")),
          "4:; 7:", "2:33: '1e999' is not a finite number" },
        { GRAPHML(KEY("k", "graph", "width"), NODES("") "<data key='k'>3</data>"),
          "4:; 7:", "3:41: a grid of 3 x 0 x 0, but 2 nodes" },
    };
    static const reading gexf[] = {
        { GEXF("<nodes>" NODES("") "</nodes><edges>" EDGE("") "</edges>"), "4: 7; 7: 4", NULL },
        { GEXF(NODES("") EDGE(" weight='3'") EDGE("")), "4: 7(3) 7(1); 7: 4(3) 4(1)", NULL },
        { GEXF("<attributes class='node'><attribute id='0' title='weight'/></attributes><attributes class='edge'>"
               "<attribute id='0' title='weight'/></attributes>" NODES(
                   "<attvalues><attvalue id='0' value='6'/>"
                   "</attvalues>") "<edge source='7' target='4'><attvalue for='0' value='5'/></edge>"),
          "4[1]: 7(5); 7[6]: 4(5)", NULL },
        { GEXF("<node id='5' label='a'/><node id='6' label='b'/>"), "'a':; 'b':", NULL },
        { GEXF("<node id='5' label='a'/><node id='6' label='a'/>"), "5:; 6:", NULL },
        { GEXF("<node id='5' label='a'/><node id='6'/>"), "5:; 6:", NULL },
        { GEXF(NODES("<attvalue value='5'/>")), "4:; 7:", "2:14: a value without an attribute" },
        { "<gexf><graph mode='dynamic'/></gexf>", NULL, "1:0: a graph that changes in time" },
    };
    static const reading directed[] = {
        { "<gexf><graph defaultedgetype='directed'>" NODES("") EDGE("") EDGE(" type='mutual'") "</graph></gexf>",
          "4: 7 7; 7: 4", NULL },
    };
    if (!pen_format_graphml.read) skip(); /* a build without Expat */
    CHECK_ALL(&pen_format_graphml, &(format_options){ 0 }, graphml);
    CHECK_ALL(&pen_format_gexf, &(format_options){ 0 }, gexf);
    CHECK_ALL(&pen_format_gexf, &(format_options){ 0 }, directed);
}

/* ---- Binary files --------------------------------------------------------------------------- */

/* Numbers of 8 bytes, behind a '.' of 4, "1 2 .3": little endian. */
static void check_numbers(const graph_format *format, const format_options *options, const reading *r)
{
    unsigned char bytes[400];
    int64_t size = 0;
    char *at = (char *)(uintptr_t)r->text;
    while (*(at += strspn(at, " ")) != '\0') {
        const int width = *at == '.' ? 4 : 8;
        const uint64_t word = strtoull(at + (*at == '.'), &at, 10);
        for (int b = 0; b < width; b++) bytes[size++] = (unsigned char)(word >> 8 * b);
    }
    check_bytes(format, options, bytes, size, r);
}

#define CHECK_NUMBERS(format, options, list) \
    for (int i_ = 0; i_ < PEN_COUNT_OF(list); i_++) check_numbers(format, options, &(list)[i_])

static void parhip(void **state)
{
    (void)state;
    static const reading list[] = {
        { "3 0 0 32", "", NULL },
        { "3 3 2 56 64 72 72  1 0", "0: 1; 1: 0; 2:", NULL },
        { "0 2 2 48 56 64  1 0  5 -6  7 7", "0[5]: 1(7); 1[-6]: 0(7)", NULL },
        { "63 2 2 .36 .40 .44 .1 .0", "0: 1; 1: 0", NULL },
        { "60 2 2 .36 .40 .44 .1 .0 .5 .-6 .7 .7", "0[5]: 1(7); 1[-6]: 0(7)", NULL },
        { "", NULL, "0:0: the file ends at byte 0, before the header" },
        { "3 2 .1", NULL, "0:0: the file ends at byte 20, before the header" },
        { "64 0 0 32", NULL, "0:0: no ParHIP graph: version 64" },
        { "3 -1 0 32", NULL, "0:0: -1 nodes and 0 neighbours are announced" },
        { "3 9223372036854775807 0 32", NULL, "0:0: 9223372036854775807 nodes and 0 neighbours are announced" },
        { "3 2 -2 48 48 48", NULL, "0:0: 2 nodes and -2 neighbours are announced" },
        { "3 576460752303423487 2 48", NULL, "0:0: the file ends at byte 32, before the last offset" },
        { "3 2 2 48 56 64 1", NULL, "0:0: the file ends at byte 56, before the last neighbour" },
        { "3 2 9999999999 48 56 64 1 0", NULL,
          "0:0: the offsets are of 2 neighbours, the header announces 9999999999" },
        { "3 2 2 48 56 56 1 0", NULL, "0:0: the offsets are of 1 neighbours, the header announces 2" },
        { "3 2 2 56 56 64 1 0", NULL, "0:0: offset 56 of node 0 is wrong" },
        { "3 2 2 48 44 64 1 0", NULL, "0:0: offset 44 of node 1 is wrong" },
        { "3 2 2 48 59 64 1 0", NULL, "0:0: offset 59 of node 1 is wrong" },
        { "3 2 2 48 64 56 1 0", NULL, "0:0: offset 56 of node 2 is wrong" },
        { "3 2 2 48 56 72 1 0", NULL, "0:0: offset 72 of node 2 is wrong" },
        { "3 2 2 48 56 64 1 2", NULL, "0:0: a neighbour 2, must be 0..1" },
        { "3 2 2 48 56 64 1 -1", NULL, "0:0: a neighbour -1, must be 0..1" },
        { "0 2 2 48 56 64 1 0 5 5 7", NULL, "0:0: the file ends at byte 88, before the last edge's weight" },
        { "2 2 2 48 56 64 1 0 7 1000000000000000000", NULL, "0:0: byte 72: a number of more than 18 digits" },
        { "3 2 2 48 56 64 1 0 7", "0: 1; 1: 0", "0:0: bytes after the graph" },
    };
    CHECK_NUMBERS(&pen_format_parhip, &(format_options){ 0 }, list);
}

static void galois(void **state)
{
    (void)state;
    static const reading list[] = {
        { "1 0 0 0", "", NULL },
        { "1 0 3 2  1 2 2  .1 .0", "0: 1; 1: 0; 2: | reversed 1", NULL },
        { "1 4 2 3  2 3  .1 .0 .0 .99  .5 .6 .-7", "0: 1(5); 1: 0(5) | loops 1 | conflicts 1 | reversed 1", NULL },
        { "1 0 2 1  1 1  .1", "0: 1; 1: 0 | one_way 1", NULL },
        { "1 0 2 1  1 1  .1 .0", "0: 1; 1: 0 | one_way 1", NULL },
        { "2 8 2 1  1 1  1  -5", "0: 1(-5); 1: 0(-5) | one_way 1", NULL },
        { "2 8 2 1  1 1  1  99 -5", "0: 1(-5); 1: 0(-5) | one_way 1", NULL },
        { "2 4 2 3  3 3  1 1 1 .5 .6 .7", "0: 1(5); 1: 0(5) | duplicates 2 | conflicts 2 | one_way 1", NULL },
        { "2 4 2 3  3 3  1 1 1 99 .5 .6 .7", "0: 1(5); 1: 0(5) | duplicates 2 | conflicts 2 | one_way 1", NULL },
        { "2 4 2 1  1 1  1 99 .5", "0: 1(5); 1: 0(5) | one_way 1", NULL },
        { "2 0 2 1  1 1  1 0", "0: 1; 1: 0 | one_way 1", NULL },
        { "1", NULL, "0:0: the file ends at byte 8, before the header" },
        { "3 0 0 0", NULL, "0:0: no Galois graph: version 3, must be 1 or 2" },
        { "1 2 0 0", NULL, "0:0: 2 bytes of data per arc, must be 0, 4 or 8" },
        { "1 0 -1 0", NULL, "0:0: -1 nodes and 0 arcs are announced" },
        { "1 0 9223372036854775807 0", NULL, "0:0: the file ends at byte 32, before the end of the last row" },
        { "1 0 1 9223372036854775807 9223372036854775807 .0", NULL,
          "0:0: the file ends at byte 44, before the last target" },
        { "1 4 2 1  1 1  .1 .0", NULL, "0:0: the file ends at byte 56, before the last arc's data" },
        { "1 4 2 1  1 1  .1", NULL, "0:0: the file ends at byte 52, before the padding" },
        { "2 8 2 1  1 1  1  99 .5", NULL, "0:0: the file ends at byte 68, before the last arc's data" },
        { "1 0 2 2  1 1  .1 .0", NULL, "0:0: the rows have 1 arcs, the header announces 2" },
        { "1 0 2 2  2 1  .1 .0", NULL, "0:0: row 1 ends at 1, must be 2..2" },
        { "1 0 2 2  1 3  .1 .0", NULL, "0:0: row 1 ends at 3, must be 1..2" },
        { "1 0 2 2  1 2  .1 .2", NULL, "0:0: a target 2, must be 0..1" },
        { "1 0 2 2  1 2  .1 .4294967295", NULL, "0:0: a target 4294967295, must be 0..1" },
        { "1 0 2 2  1 2  .1 .0 .0", "0: 1; 1: 0 | reversed 1", "0:0: bytes after the graph" },
    };
    static const reading directed[] = { { "1 4 2 2  0 2  .0 .1 .5 .6", "0:; 1: 0(5) | loops 1", NULL } };
    CHECK_NUMBERS(&pen_format_galois, &(format_options){ 0 }, list);
    CHECK_NUMBERS(&pen_format_dimacs9, &(format_options){ .directed = true }, directed); /* an ending, two formats */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xml),
        cmocka_unit_test(parhip),
        cmocka_unit_test(galois),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
