#!/bin/bash
#SBATCH --job-name=penumbra
#SBATCH --time=00:30:00
#SBATCH --exclusive
# cluster.sh BIN [FOLDER] - measures on a cluster what curves.py predicts, in one job of 30 minutes under Slurm:
#
#     sbatch --nodes=32 --ntasks-per-node=32 tests/bench/cluster.sh build/release/bin
#
# On 1 rank, then on each power of two up to all tasks of the job: hex with 1024x1024 nodes, and with 256x256 on each
# rank, battlefield with `diffusive`, and shock, each with several transports; set-up, a migration, a call of the
# balancer, a checkpoint; and pen-comm's model of the machine. The largest runs come first, so that a job that is cut
# off has them. After MINUTES (27) no run begins. Everything is packed in FOLDER.tar.gz (penumbra-cluster.tar.gz).
#
# Settings: STRONG (1024), SIDE (256) and STEPS (50) set the sizes; SRUN is the command that launches.
set -u
bin=$(cd "${1:?cluster.sh BIN [FOLDER]}" && pwd) || exit 2
folder=${2:-penumbra-cluster}
strong=${STRONG:-1024} side=${SIDE:-256} steps=${STEPS:-50}
all=${SLURM_NTASKS:?start me with sbatch} end=$((SECONDS + 60 * ${MINUTES:-27}))
read -ra srun <<<"${SRUN:-srun}"
mkdir -p "$folder/saved" || exit 2
folder=$(cd "$folder" && pwd)

{
    date
    "$bin/hex" --version
    echo "tasks $all, nodes ${SLURM_JOB_NUM_NODES:-?}: ${SLURM_JOB_NODELIST:-?}"
    lscpu
    env | grep -E '^(OMPI|UCX|PMIX|SLURM_M)' | sort
} >"$folder/machine.txt" 2>&1

measure() # NAME RANKS PROGRAM ARGUMENT ... : FOLDER/NAME-RANKS.json
{
    local name=$1-$2 left=$((end - SECONDS))
    if [ $left -le 0 ]; then
        echo "$name: no time is left" >>"$folder/skipped.txt"
        return
    fi
    timeout $((left + 60)) "${srun[@]}" -n "$2" "$bin/$3" "${@:4}" --quiet --metrics="$folder/$name.json" \
        >"$folder/$name.txt" 2>&1 || echo "$name: exit status $?" >>"$folder/skipped.txt"
}

counts=()
for ((n = all; n > 1; n /= 2)); do counts+=("$n"); done
counts+=(1)
for n in "${counts[@]}"; do
    width=1
    while ((width * width < n)); do width=$((2 * width)); done
    height=$(((n + width - 1) / width)) field=$((side / 4))
    for comm in fence pscw passive shared overlap; do
        measure "hex-strong-$comm" "$n" hex --generate=hex:"${strong}x$strong" --steps="$steps" --partitioner=sfc \
            --comm=$comm
        measure "hex-weak-$comm" "$n" hex --generate=hex:$((side * width))x$((side * height)) --steps="$steps" \
            --partitioner=sfc --comm=$comm
    done
    measure "hex-checkpoint" "$n" hex --generate=hex:"${strong}x$strong" --steps="$steps" --partitioner=sfc \
        --checkpoint="$folder/saved" --checkpoint-every="$steps"
    rm -rf "$folder/saved" && mkdir "$folder/saved"
    measure "hex-migration" "$n" hex --generate=hex:"${strong}x$strong" --steps=10 --partitioner=sfc \
        --migrate-random=1:0.01
    for comm in fence overlap; do
        measure "battlefield-$comm" "$n" battlefield --generate=hex:$((field * width))x$((field * height)) \
            --steps="$steps" --partitioner=sfc --balancer=diffusive --comm=$comm
        measure "shock-$comm" "$n" shock --generate=mesh:$((field * width))x$((field * height)) --steps="$steps" \
            --partitioner=sfc --balancer=diffusive --comm=$comm
    done
done
if [ -x "$bin/pen-comm" ] && [ $SECONDS -lt $end ]; then
    for n in 2 "$all"; do
        timeout 120 "${srun[@]}" -n "$n" "$bin/pen-comm" --generate="torus:$((16 * n))x16" --records=8 --seconds=20 \
            --csv="$folder/comm-$n.csv" --model="$folder/comm-$n.machine" >"$folder/comm-$n.txt" 2>&1 ||
            echo "pen-comm on $n ranks: exit status $?" >>"$folder/skipped.txt"
    done
fi
rm -rf "$folder/saved"
tar -C "$(dirname "$folder")" -czf "$folder.tar.gz" "$(basename "$folder")"
echo "$folder.tar.gz: $(find "$folder" -name '*.json' | wc -l) runs$([ -s "$folder/skipped.txt" ] &&
    echo ", $(wc -l <"$folder/skipped.txt") skipped")"
