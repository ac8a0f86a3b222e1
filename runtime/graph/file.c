/* file.c - reads graph files: finds out which format a file has, and suggests a converter for foreign formats. */
#include "base/compress.h"
#include "base/numbers.h"
#include "base/output.h"
#include "graph/binary.h"
#include "graph/chaco.h"

enum { HEAD = 4096 }; /* bytes at the beginning of a file that are examined */

/* A foreign format, and the option of pen-graph that reads it; NULL: pen-graph does not read it. */
typedef struct foreign {
    const char *name, *from;
} foreign;

/* ---- Formats recognised by their first bytes ------------------------------------------------ */

static const struct {
    const char *magic;
    size_t length;
    foreign format;
    const char *ending; /* ending of file names by which pen-graph recognises the format; NULL: it needs --from */
} signatures[] = {
    { "\x1f\x8b", 2, { "a file compressed by gzip", "" }, ".gz" },
    { "\3757zXZ", 5, { "a file compressed by xz", "" }, ".xz" },
    { "\x28\xb5\x2f\xfd", 4, { "a file compressed by zstd", "" }, ".zst" },
    { "BZh", 3, { "a file compressed by bzip2", NULL }, NULL },
    { "PK\3\4", 4, { "a zip archive", NULL }, NULL },
    { "\177ELF", 4, { "a program (ELF)", NULL }, NULL },
    { "\x89HDF", 4, { "HDF5", NULL }, NULL },
    { "%%MatrixMarket", 14, { "a Matrix Market file", "--from=mm " }, NULL },
    { "{", 1, { "JSON", NULL }, NULL },
    { "[", 1, { "JSON", NULL }, NULL },
    { "<", 1, { "XML", NULL }, NULL },
};

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

static bool by_bytes(const char *path, const char *head, size_t length, foreign *found)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        if (length < signatures[i].length || memcmp(head, signatures[i].magic, signatures[i].length) != 0) continue;
        *found = signatures[i].format;
        if (*head == '<' && strstr(head, "<graphml")) *found = (foreign){ "GraphML", "--from=graphml --lossy " };
        if (*head == '<' && strstr(head, "<gexf")) *found = (foreign){ "GEXF", "--from=gexf --lossy " };
        if (signatures[i].ending && !ends_in(path, signatures[i].ending)) found->from = NULL;
        return true;
    }
    return false;
}

/* ---- Formats recognised by their first lines ------------------------------------------------ */

/* The beginning of the next line; NULL: there is no next line. */
static const char *line_after(const char *line)
{
    const char *end = line ? strchr(line, '\n') : NULL;
    return end && end[1] ? end + 1 : NULL;
}

/* The number of numbers in a line; -1: it has other text, or there is no line. */
static int numbers(const char *line)
{
    int count = 0;
    if (!line) return -1;
    size_t length = strcspn(line, "\n");
    if (strspn(line, "0123456789+-.eE \t\r") < length) return -1;
    for (size_t i = 0; i < length; i++)
        count += !strchr(" \t\r", line[i]) && (i == 0 || strchr(" \t\r", line[i - 1]) != NULL);
    return count;
}

/* Whether the text has DIMACS "c" lines, then "p KIND ...". */
static bool is_dimacs(const char *line)
{
    while (line && line[0] == 'c' && strchr(" \n\r", line[1])) line = line_after(line);
    return line && strncmp(line, "p ", 2) == 0;
}

/* Whether the text begins like a Scotch graph: version 0, numbers of nodes and arcs, base and three digits of flags. */
static bool is_scotch(const char *line)
{
    const char *sizes = line_after(line), *third = line_after(sizes);
    if (line[0] != '0' || numbers(line) != 1 || numbers(sizes) != 2 || numbers(third) != 2) return false;
    third += strcspn(third, " \t");
    third += strspn(third, " \t");
    return strspn(third, "01") == 3 && strchr(" \t\r\n", third[3]);
}

/* Whether the text is a METIS mesh: a number of elements, and elements with equal numbers of nodes. */
static bool is_mesh(const char *line)
{
    const char *first = line_after(line);
    return numbers(line) == 1 && numbers(first) >= 3 && numbers(line_after(first)) == numbers(first);
}

/* Whether the text is an edge list: after comments, every line has a pair, or a pair and a weight. Without a comment,
 * only the file's name distinguishes it from a graph of few neighbours. */
static bool is_edge_list(const char *path, const char *line)
{
    static const char *const endings[] = { ".el", ".wel", ".edgelist", ".edges", ".txt" };
    bool known = line[0] == '#';
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) known = known || ends_in(path, endings[i]);
    while (line && line[0] == '#') line = line_after(line);
    int width = numbers(line), lines = 0;
    for (; line && numbers(line) == width; line = line_after(line)) lines++;
    return known && (width == 2 || width == 3) && lines >= 2 && !line;
}

static int commas(const char *line)
{
    int count = 0;
    for (size_t i = 0; line && line[i] != '\0' && line[i] != '\n'; i++) count += line[i] == ',';
    return count;
}

/* Whether the text is CSV: the first line has at least two columns, and the second line has as many, or the file's name
 * ends in ".csv". */
static bool is_csv(const char *path, const char *line)
{
    int count = commas(line);
    return count > 0 && (ends_in(path, ".csv") || commas(line_after(line)) == count);
}

static bool by_lines(const char *path, const char *head, foreign *found)
{
    if (is_dimacs(head)) *found = (foreign){ "a DIMACS or PACE file", "--from=dimacs9 " };
    else if (is_scotch(head)) *found = (foreign){ "a Scotch graph", "--from=scotch " };
    else if (is_mesh(head)) *found = (foreign){ "a METIS mesh", "--from=mesh " };
    else if (is_edge_list(path, head)) *found = (foreign){ "a SNAP edge list", "--from=snap " };
    else if (is_csv(path, head)) /* METIS files have no gids and no real weights */
        *found = (foreign){ "a CSV edge list", ends_in(path, ".csv") ? "--lossy --ids-to=ids.csv "
                                                                     : "--from=csv --lossy --ids-to=ids.csv " };
    else return false;
    return true;
}

/* ---- Reading, and hints for foreign formats ------------------------------------------------- */

/* Name the converted file: in this folder, with the ending of a METIS graph, and different from the original. */
static void name_result(const char *path, char *name, size_t size)
{
    const char *base = pen_path_base(path);
    int length = (int)strlen(base);
    for (size_t i = 0; i < 3; i++)
        if (ends_in(base, signatures[i].ending)) length -= (int)strlen(signatures[i].ending);
    int stem = length;
    while (stem > 0 && base[stem] != '.') stem--;
    if (stem == 0) stem = length;
    bool taken = strcmp(base + stem, ".graph") == 0;
    snprintf(name, size, "%.*s.%s", stem, base, taken ? "metis" : "graph");
}

/* An addition to the reader's message about a file that it refused: "; it looks like a Matrix Market file: pen-graph
 * convert --from=mm x.mtx x.graph". "" if the first bytes and lines match no other known format. */
static void foreign_hint(const char *path, char *hint, size_t size)
{
    char head[HEAD + 1], result[256];
    *hint = '\0';
    FILE *file = fopen(path, "rb");
    if (!file) return;
    size_t length = fread(head, 1, HEAD, file);
    fclose(file);
    head[length] = '\0';
    if (length == HEAD && strchr(head, '\n')) *(strrchr(head, '\n') + 1) = '\0'; /* the last line may be incomplete */
    foreign found;
    if (length == 0 || (!by_bytes(path, head, length, &found) && !by_lines(path, head, &found))) return;
    name_result(path, result, sizeof result);
    if (found.from)
        snprintf(hint, size, "; it looks like %s: pen-graph convert %s%s %s", found.name, found.from, path, result);
    else snprintf(hint, size, "; it looks like %s, which Penumbra cannot read", found.name);
}

/* Read a text file. If it is refused, rank 0 looks whether it has a foreign format. */
static pen_status read_text(MPI_Comm comm, int rank, const char *path, const pen_read_options *options,
                            pen_graph **graph)
{
    char hint[512] = "";
    pen_status status = pen_chaco_read(comm, path, options, graph);
    if (status != PEN_ERR_INPUT) return status;
    if (rank == 0) foreign_hint(path, hint, sizeof hint);
    PEN_MPI(MPI_Bcast(hint, (int)sizeof hint, MPI_CHAR, 0, comm));
    return pen_fail(status, "%s%s", pen_error_message(), hint);
}

pen_status pen_graph_read_abi(uint32_t abi, MPI_Comm comm, const char *path, const pen_read_options *theirs,
                              pen_graph **graph)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_graph_read");
    pen_read_options options = { .dialect = PEN_DIALECT_METIS };
    PEN_TRY(pen_mpi_ready());
    PEN_ARGUMENT(comm != MPI_COMM_NULL, "the communicator is MPI_COMM_NULL");
    PEN_TRY(pen_abi_check(abi, PEN_ABI));
    if (theirs) options = *theirs;
    int rank, mine[2] = { !path || !graph, 0 }, any[2];
    PEN_MPI(MPI_Comm_rank(comm, &rank));
    /* If the file cannot be read, the reader reports that. */
    if (rank == 0 && path) mine[1] = pen_binary_recognise(path);
    PEN_MPI(MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, comm));
    PEN_ARGUMENT(!any[0], "the path, or the pointer to the graph, is NULL");
    PEN_TRY(any[1] ? pen_binary_read(comm, path, &options, graph) : read_text(comm, rank, path, &options, graph));
    pen_graph_came_from(*graph, "%s", path);
    return PEN_OK;
}

pen_status pen_graph_check_path(const char *path)
{
    PEN_TRY(pen_path_check_ending(path, ".pen"));
    if (!pen_path_is_compressed(path)) return PEN_OK;
    return pen_fail(PEN_ERR_INPUT, "%s: graphs are written without compression: pen-graph convert compresses them",
                    path);
}

pen_status pen_graph_write(const pen_graph *graph, const char *path)
{
    PEN_C_LOCALE;
    PEN_WITHIN("pen_graph_write");
    PEN_ARGUMENT(graph, "pen_graph_write: the graph is NULL");
    PEN_TRY(pen_mpi_ready());
    const pen_status mine = path ? pen_graph_check_path(path) : pen_fail(PEN_ERR_ARGUMENT, "path is NULL");
    PEN_TRY(pen_agree_equal(graph->comm, mine, &(pen_argument){ "path", path, 0 }, 1));
    size_t length = strlen(path);
    bool binary = length >= 4 && strcmp(path + length - 4, ".pen") == 0;
    return binary ? pen_binary_write(graph, path) : pen_chaco_write(graph, path);
}
