#!/bin/bash
# leftovers_test.sh BIN - a run leaves nothing in /dev/shm, and what a killed run leaves the next one removes,
# but not what belongs to a run that lives.
. "$(dirname "$0")/support.bash"
[ -d /dev/shm ] && [ -w /dev/shm ] || skip "no /dev/shm"
[ "$(readlink /proc/self/ns/pid)" = "pid:[4026531836]" ] || skip "in a PID namespace of its own nothing is removed"
"${MPIEXEC:-mpiexec}" --version 2>&1 | grep -Eq '\((Open MPI|OpenRTE)\) 4\.' || skip "these leftovers are Open MPI 4's"

# The files in /dev/shm of a job, whose ranks are PIDs; taken from what they have mapped.
segments() { for pid in "$@"; do grep -o '/dev/shm/vader_segment[^ ]*' "/proc/$pid/maps" 2>/dev/null; done | sort -u; }

# begin: a run that does not end by itself; sets `launcher`, `ranks` (PIDs) and `files`
begin()
{
    "${MPIEXEC:-mpiexec}" -n 3 "$bin/heat" --grid=60x60 --steps=100000000 --migrate-random=1 --quiet >/dev/null 2>&1 </dev/null &
    disown
    launcher=$! ranks=() files=()
    for ((i = 0; i < 100; i++)); do
        mapfile -t ranks < <(pgrep -P $launcher -x heat)
        [ ${#ranks[@]} -eq 3 ] && mapfile -t files < <(segments "${ranks[@]}")
        [ ${#files[@]} -ge 2 ] && break
        sleep 0.1
    done
    sleep 1 # into its steps, and its migrations
}

begin
killed=("${files[@]}")
[ ${#killed[@]} -ge 2 ] || complain "the run maps nothing in /dev/shm: ${killed[*]}"
kill -9 "${ranks[@]}" $launcher
while kill -0 $launcher 2>/dev/null; do sleep 0.1; done
left=0
for file in "${killed[@]}"; do [ ! -e "$file" ] || left=$((left + 1)); done
[ $left -gt 0 ] || complain "the killed run has left nothing: this test tests nothing"

begin
living=("${files[@]}")
sleep 5 # files younger than this are nobody's to remove
expect 0 3 heat --grid=20x20 --steps=3 --quiet
for file in "${killed[@]}"; do [ ! -e "$file" ] || complain "$file of the killed run is still there"; done
for file in "${living[@]}"; do [ -e "$file" ] || complain "$file of the living run is gone"; done
kill -0 "${ranks[@]}" 2>/dev/null || complain "the other run is dead"
kill $launcher
while kill -0 $launcher 2>/dev/null; do sleep 0.1; done
for file in "${living[@]}"; do [ ! -e "$file" ] || complain "$file is still there after the run was ended"; done

# A whole run, with migrations.
before=$(ls /dev/shm)
expect 0 3 hex --grid=40x40 --steps=50 --migrate-random=5:0.5 --quiet
after=$(ls /dev/shm | grep -vxF "${before:-none}" | grep -v vader_segment) # of runs that others have begun
[ -z "$after" ] || complain "left in /dev/shm: $after"
finish
