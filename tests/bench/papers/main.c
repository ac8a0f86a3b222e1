/* main.c - papers_bench: the tables and figures of papers, simulated, beside what the papers print. */
#include "tests/bench/papers/commands.h"

static void print_rest(void) { printf("tests/bench/papers/README.md says how to print each table and figure.\n"); }

int main(int argc, char **argv)
{
    static const command *const commands[] = { &pen_command_minex_tables, &pen_command_pagrid_figures };
    static const program self = { "papers_bench", commands, PEN_COUNT_OF(commands), print_rest };
    return pen_command_main(&self, argc, argv);
}
