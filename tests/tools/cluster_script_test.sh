#!/bin/bash
# cluster_script_test.sh BIN SOURCES - bench/cluster.sh with an srun that runs the ranks in one process: it measures
# all, leaves out what there is no time for, and packs both.
. "$(dirname "$0")/support.bash"
sources=$2

cat >srun <<'END'
#!/bin/bash
ranks=$2 program=$3
shift 3
case $program in *pen-comm) exit 3 ;; esac # it has no such program
exec "${program}_one_process" --ranks="$ranks" --seed=0 --stacks "$@"
END
chmod +x srun
export SRUN=./srun SLURM_NTASKS=2 STRONG=16 SIDE=16 STEPS=2
"$sources/tests/bench/cluster.sh" "$bin" results >out 2>err || complain "exit status $?: $(head -3 err)"
grep -q 'results.tar.gz: 32 runs' out ||
    complain "says $(cat out), $(cat results/skipped.txt results/*-2.txt | head -5)"
tar -tzf results.tar.gz | grep -q '^results/shock-overlap-2.json$' || complain "shock is not packed"
grep -q '"ranks": 2' results/hex-weak-shared-2.json || complain "not on 2 ranks"
[ -e results/saved ] && complain "checkpoints are left"
MINUTES=0 "$sources/tests/bench/cluster.sh" "$bin" late >out 2>err
grep -q 'late.tar.gz: 0 runs, 32 skipped' out || complain "without time: says $(cat out)"
finish
