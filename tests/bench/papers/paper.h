/* paper.h - what Harvey, Das and Biswas print (Performance of a heterogeneous grid partitioner for N-body applications,
 * tables 1 to 6): times of a step (RT) in thousands of units and imbalances (LI), of 16 K and of 256 K bodies. */
#pragma once

/* MinEX-G, MinEX-G_M and METIS-G_M, in this order. */
enum { PAPER_CONTENDERS = 3 };

/* Of 16 K and 256 K bodies: cells, edges, and work, which it does not print, but its RTs on equal processors show. */
extern const double pen_paper_graphs[2][3];

typedef struct paper_result {
    double runtime, imbalance;
} paper_result;

/* 16 K bodies, UP, 8 clusters: by I = 10, 100, of 32, 64, 128 processors. */
enum { PAPER_THROTS = 6, PAPER_THROT_GRIDS = 6 };
typedef struct paper_throt {
    double throt, runtimes[PAPER_THROT_GRIDS];
} paper_throt;
extern const paper_throt pen_paper_table_1[PAPER_THROTS];

/* Calls of the filter, those that pass, those that fail then; UP, 8 clusters, I = 10. */
enum { PAPER_FILTERS = 3 };
typedef struct paper_filter {
    int processors;
    double counts[2][3]; /* 16 K, 256 K */
} paper_filter;
extern const paper_filter pen_paper_table_2[PAPER_FILTERS];

/* 1 and 50 steps of 16 K bodies; 64 processors, UP, 8 clusters, I = 10. */
extern const paper_result pen_paper_table_3[PAPER_CONTENDERS][2];

/* RT, and seconds of the partitioner; UP, 8 clusters, I = 10. */
enum { PAPER_SIZES = 4 };
typedef struct paper_size {
    int processors;
    double runtimes[2][PAPER_CONTENDERS], seconds[2][PAPER_CONTENDERS]; /* 16 K, 256 K */
} paper_size;
extern const paper_size pen_paper_tables_4_5[PAPER_SIZES];

enum { PAPER_GRIDS = 12, PAPER_KINDS = 3 };
typedef struct paper_grid {
    int processors, clusters, between;
    paper_result results[2][PAPER_KINDS][PAPER_CONTENDERS]; /* 16 K, 256 K; UP, HO, DN */
} paper_grid;
extern const paper_grid pen_paper_table_6[PAPER_GRIDS];
