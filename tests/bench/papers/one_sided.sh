#!/bin/bash
# one_sided.sh - when one-sided transports win: all transports on three graphs and two ranks, on one host and on two
# emulated hosts, with records of 8 B to 64 KiB; tables, figures, and the choices of --comm=auto.
#
#     one_sided.sh BUILD/bin FOLDER [--quick]
#
# FOLDER gets the measurements (.csv, .json) and figures (.svg, if matplotlib is installed). What it already has is not
# measured again. --quick takes few samples of small graphs. Environment: TIME=30, seconds of samples of a graph on a
# network; MPIRUN, for example "mpirun --bind-to core". Emulated hosts need root and Open MPI.
set -eu
bin=$1 folder=$2 quick=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
graphs=(hexagons=hex:64x64 geometric=geometric:nodes=4096 social=rmat:scale=8,factor=4)
options=(--records=8,64,512,4096,65536 --seconds="${TIME:-30}")
if [ "$quick" ]; then
    graphs=(hexagons=hex:8x8 geometric=geometric:nodes=64 social=rmat:scale=5,factor=4)
    options=(--records=8,4096 --seconds=60 --rounds=6)
fi
networks=(one-host= 20us-10Gbs=--hosts=2:latency=20e-6,bandwidth=1.25e9
    50us-1Gbs=--hosts=2:latency=50e-6,bandwidth=125e6)
mkdir -p "$folder"

# measure NETWORK GRAPH LAUNCHER ...: says why and fails where it cannot.
measure()
{
    local file=$folder/$1-${2%%=*} graph=${2#*=} status=0
    shift 2
    [ ! -e "$file.json" ] || return 0
    "$@" --generate="$graph" "${options[@]}" --csv="$file.csv" --json="$file.json" >"$file.out" 2>&1 </dev/null ||
        status=$?
    [ "$status" -eq 0 ] || echo "one_sided.sh: $*: exit status $status: $(head -1 "$file.out")" >&2
    return "$status"
}

for network in "${networks[@]}"; do
    # shellcheck disable=SC2206
    launch=(${MPIRUN:-mpirun --oversubscribe} -n 2 "$bin/pen-comm")
    [ -z "${network#*=}" ] || launch=("$bin/pen-comm" "${network#*=}")
    for graph in "${graphs[@]}"; do
        status=0
        measure "${network%%=*}" "$graph" "${launch[@]}" || status=$?
        case $status in
        0) ;;
        3) echo "one_sided.sh: skipped: ${network%%=*}" >&2; break ;;
        *) exit 1 ;;
        esac
    done
done

commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null) || commit=unknown
echo "commit $commit, $(nproc) cores, ${options[*]}, on ${graphs[*]}"
python3 "$here/one_sided.py" "$folder"
for file in "$folder"/*.json; do
    [ ! -e "$file" ] || "$bin/pen-plot" comm "$file" -o "${file%.json}.svg" 2>"$folder/plot.err" || {
        echo "one_sided.sh: skipped: figures: $(head -1 "$folder/plot.err")" >&2
        break
    }
done
