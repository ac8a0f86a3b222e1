# bench.bash - what scripts of benchmarks have in common; sourced, with BUILD/bin as $1. The folder $work is their own.
set -eu
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$tests/support/launch.sh"
bin=$(cd "$1" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

# What is measured, and where.
setting()
{
    echo -n "commit $(git -C "$tests" describe --always --dirty 2>/dev/null || echo unknown), "
    echo "$(mpirun --version | head -1), $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg)"
}

# median [FILE]: of numbers
median() { sort -g "$@" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# summary NAME [BYTES]: of numbers on standard input, the median (least .. greatest); BYTES: that are read in so many
# seconds
summary()
{
    sort -g | awk -v name="$1" -v bytes="${2:-0}" '{ v[NR] = $1 } END {
        printf "%-36s %.4f (%.4f .. %.4f)", name, v[int((NR + 1) / 2)], v[1], v[NR]
        if (bytes > 0) printf ", %.0f MB/s a rank", bytes / 1e6 / v[int((NR + 1) / 2)]
        print "" }'
}
