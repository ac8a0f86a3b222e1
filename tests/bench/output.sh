#!/bin/bash
# output.sh - what files of results cost: .npy and .vtu of 10^6 nodes with 3 doubles on 2 ranks beside what dd writes to
# the same file system, as many bytes, each on the disk before it counts; the memory that a rank takes for it beside its
# part of the values; and a series of 100 states of a field of 100x100 beside the same run without.
#
#     output.sh BUILD/bin [FOLDER]      FOLDER: where to write (the folder for temporary files)
#
# Each is done ROUNDS times (5), in turn; the medians count. The machine must be idle: real-time priorities (chrt) are
# no help, since ranks that wait would keep the kernel from writing.
# Aimed at: bytes per second >= 0.5 of dd's; memory <= 1.2 of the part; the series' run <= 1.3 of that without.
TMPDIR=${2:-${TMPDIR:-/tmp}}
. "$(dirname "$0")/bench.bash"
export OMPI_MCA_pml=ob1
cd "$work"
python=python3
"$python" -c 'import numpy' 2>/dev/null || python=/usr/bin/python3
rounds=${ROUNDS:-5}

value() { "$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["output"][sys.argv[2]])' "$1" "$2"; }
# launch ARGUMENT ...: on 2 ranks
# shellcheck disable=SC2086
launch() { ${MPIRUN:-mpirun} -n 2 "$@" >/dev/null 2>err </dev/null || { cat err >&2; exit 1; }; }

cat >vectors.c <<'C'
#include <penumbra.h>

#include <stdlib.h>

/* KiB, of this process's memory. */
static long memory(const char *name)
{
    char line[256];
    long found = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0) found = atol(line + strlen(name));
    fclose(file);
    return found;
}

/* What is resident in front of the output; from here on the highest is that of the output. */
static long before;
static pen_status look(pen_run *run, int64_t step, void *params, FILE *out)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file && fputs("5", file) >= 0) fclose(file);
    before = memory("VmRSS:");
    return PEN_OK;
}
typedef struct { double of[3]; } vector;
static void init(const pen_view *v)
{
    for (int k = 0; k < 3; k++) PEN_NEXT(v, 0, vector)->of[k] = (double)pen_id(v) + k;
}
int main(int argc, char **argv)
{
    static const pen_field fields[] = { { .name = "vector", .size = sizeof(vector) } };
    static const pen_phase phases[] = { { "same", .node = init, .writes = PEN_SET(0) } };
    static const pen_member members[] = { { "vector", 0, PEN_F64, 0, 3 } };
    const pen_app app = { .name = "vectors", PEN_FIELDS(fields), PEN_PHASES(phases),
                          .output = { PEN_MEMBERS(members), .write = look }, .init = init };
    int status = pen_main(&app, argc, argv);
    fprintf(stderr, "KiB %ld\n", memory("VmHWM:") - before);
    return status;
}
C
mpicc -std=c11 -O2 -ffp-contract=off -I "$tests/../runtime/include" -o vectors vectors.c "$bin/../libpenumbra.so" \
    -Wl,-rpath,"$(dirname "$bin")"

commit=$(git -C "$tests" rev-parse --short HEAD 2>/dev/null || echo unknown)
echo "# $("$bin/heat" --version | head -1), commit $commit"
echo "# $(mpirun --version | head -1); 2 ranks on $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg); $rounds rounds"
echo "# file system: $(stat -f -c %T .)"
printf '%-14s %-10s %9s %9s %9s %7s\n' file partition MB s dd_s ratio
for ending in npy vtu; do
    for partitioner in block metis; do
        rm -f seconds dd
        for ((i = 0; i < rounds; i++)); do
            launch ./vectors --generate=mesh:1000x1000 --steps=1 --partitioner=$partitioner --output=o.$ending \
                --metrics=m.json
            value m.json seconds >>seconds
            bytes=$(value m.json bytes)
            dd if=/dev/zero of=d bs=1M count=$((bytes >> 20)) conv=fdatasync 2>&1 |
                sed -n 's/.* copied, \([^ ]*\) s.*/\1/p' >>dd
            rm -f d
        done
        awk -v f=$ending -v p=$partitioner -v b="$bytes" -v s="$(median <seconds)" -v d="$(median <dd)" 'BEGIN {
            whole = int(b / 1048576) * 1048576
            printf "%-14s %-10s %9.1f %9.4f %9.4f %7.2f\n", f, p, b / 1e6, s, d, b * d / s / whole
        }'
    done
done
"$python" - <<'P'
import numpy
found = numpy.load("o-vector.npy", mmap_mode="r")
wanted = numpy.arange(1000000)[:, None] + numpy.arange(3)
assert numpy.array_equal(found, wanted), "the values are wrong"
assert numpy.fromfile("o.vtu", "u1", 5).tobytes() == b"<?xml"
P

# By how much the memory of a rank grows while it writes, the mean of both.
printf '\n%-14s %9s %9s %7s\n' file 'more MB' 'part MB' ratio
for ending in npy vtu; do
    rm -f more
    for ((i = 0; i < rounds; i++)); do
        launch ./vectors --quiet --generate=mesh:1000x1000 --steps=1 --partitioner=metis --output=o.$ending
        awk '$1 == "KiB" { s += $2; n++ } END { print s / n }' err >>more
    done
    awk -v f=$ending -v m="$(median <more)" 'BEGIN {
        printf "%-14s %9.1f %9.1f %7.2f\n", f, m / 1024, 12e6 / 1048576, m * 1024 / 12e6
    }'
done

# A series: 100 states of a run, with so many steps from one to the next.
printf '\n%-16s %5s %9s %9s %7s\n' application steps 's without' 's with' ratio
seconds() { local s=$EPOCHREALTIME; launch "$@"; echo "$s $EPOCHREALTIME" | awk '{ print $2 - $1 }'; }
while read -r application every; do
    rm -rf with without series
    run=("$bin/$application" --quiet --generate=hex:100x100 --steps=$((100 * every)))
    for ((i = 0; i < rounds; i++)); do
        seconds "${run[@]}" >>without
        seconds "${run[@]}" --output=series/all.pvd --output-every="$every" >>with
    done
    awk -v a="$application" -v n="$every" -v w="$(median <with)" -v o="$(median <without)" 'BEGIN {
        printf "%-16s %5d %9.3f %9.3f %7.2f\n", a, n, o, w, w / o
    }'
done <<'END'
hex 1
hex 100
wave 100
battlefield 1
END
