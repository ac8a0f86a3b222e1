#!/bin/bash
# fatal_faults_test.sh BIN [all] - an MPI call in which ranks wait for each other fails on one of them (fault_test.c,
# "talking"): the program ends, with a sentence that names the rank and the call, and nobody waits; what it had to write
# is there whole or as it was before, and of checkpoints two, those of before unchanged. Some of the calls; with "all",
# or PEN_FAULTS=all, every one, or the share of one night (support/night.sh), and a table at the end.
. "$(dirname "$0")/support.bash"
all=${PEN_FAULTS:-${2:-}}

check_dump()
{
    for file in fault_test.*/dump; do
        [ "$(cat "$file")" = earlier ] || [ "$(wc -l <"$file")" -eq 64 ] || complain "$ran: the dump is neither"
    done
}

check_output()
{
    for file in fault_test.*/o*; do
        [ "$(cat "$file")" = earlier ] || tail -n 1 "$file" | grep -q '</VTKFile>' || complain "$ran: $file is neither"
    done
}

# check_generations BEFORE: the folder that they were copied from.
check_generations()
{
    local now=fault_test.*/g.checkpoints
    [ "$(ls $now/*.checkpoint | wc -l)" -ge 2 ] || complain "$ran: there are only $(ls $now)"
    for file in $now/*.checkpoint; do
        file=$(basename "$file")
        [ ! -e fault_test.*/"$1/$file" ] || cmp -s $now/"$file" fault_test.*/"$1/$file" ||
            complain "$ran: $file has changed"
    done
}

# try SCENARIO RANKS VICTIM N: `ended` says how.
try()
{
    run "$2" fault_test "$1" talking "$3" "$4"
    ended=died
    if [ "$status" -eq 0 ]; then ended=passed; fi
    if [ $ended = died ]; then
        [ "$status" -eq 3 ] || complain "$ran: exit status $status, expected 3: $(head -5 "$err")"
        [ "$(said penumbra | grep -c -E "^penumbra: rank $3: .*MPI_[A-Z][a-z_]+: ")" -eq 1 ] ||
            complain "$ran: says \"$(said penumbra)\", expected one line of rank $3 about MPI"
        case $1 in
            save) check_generations g.one ;;
            resume) check_dump; check_generations g.all ;;
            output) check_output ;;
            shm) [ "$(ls "/dev/shm/penumbra-$(id -u)-"fault_test.*/*.checkpoint | wc -l)" -ge 2 ] ||
                complain "$ran: there are only $(ls "/dev/shm/penumbra-$(id -u)-"fault_test.*)" ;;
            *) check_dump ;;
        esac
        sed -n 's/^penumbra: rank [0-9]*: \(.*: \)\{0,1\}\(MPI_[A-Z][a-z_]*\): .*/\2/p' "$err" >>calls
    fi
    for folder in fault_test.*; do rm -rf "$folder" "/dev/shm/penumbra-$(id -u)-$folder"; done
}

if [ "$all" = all ]; then
    for ranks in 2 3; do
        scenarios="files binary messages resume save"
        [ $ranks -eq 3 ] || scenarios="$scenarios output input shm"
        for scenario in $scenarios; do
            for ((victim = 0; victim < ranks; victim++)); do
                for ((n = 1 + ${SHARE:-0}, ended = 0; n < 3000; n += ${PART:-1})); do
                    try $scenario $ranks $victim $n
                    [ "$ended" = died ] && [ $failures -lt 10 ] || break
                done
                echo "$ranks ranks, $scenario, rank $victim: fewer than $n calls; each that failed ended the program"
            done
        done
    done
    sort calls | uniq -c
else
    for n in 2 9 30 75 130 200 300; do try files 3 $((n % 3)) $n; done
    for n in 60 150; do try messages 2 $((n / 10 % 2)) $n; done
    for n in 100 170; do try binary 2 $((n / 10 % 2)) $n; done
    for n in 40 90 140; do try resume 3 $((n / 10 % 3)) $n; done
    for n in 60 250; do try output 2 $((n / 10 % 2)) $n; done
    try input 2 1 120
    for n in 20 120; do try shm 2 $((n / 10 % 2)) $n; done
    for n in 20 50; do try save 2 $((n / 10 % 2)) $n; done
    [ "$(sort -u calls | wc -l)" -ge 3 ] || complain "only these calls failed: $(sort calls | uniq -c)"
fi
finish
