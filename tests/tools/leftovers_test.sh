#!/bin/bash
# leftovers_test.sh BIN here|container [apart] - a run leaves nothing in /dev/shm, and what a killed run leaves the next
# one removes, but not what belongs to a run that lives. In a container the killed run and the next one see no processes
# but their own, and do not see the one that lives. Any other run would tidy up as well: where this test may, it has a
# /dev/shm of its own.
if [ "$2" = container ]; then
    output=$(unshare --mount --pid --fork --mount-proc true 2>&1) ||
        { echo "$0: skipped: no right to make namespaces: $output" >&2; exit 77; }
fi
if [ ! "${3:-}" ] && unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/shm' 2>/dev/null; then
    exec unshare --mount sh -c 'mount -t tmpfs tmpfs /dev/shm && exec "$0" "$1" "$2" apart' "$0" "$1" "$2"
fi
. "$(dirname "$0")/support.bash"
[ -d /dev/shm ] && [ -w /dev/shm ] || skip "no /dev/shm"
mpiexec=${MPIEXEC:-mpiexec} within=()
"$mpiexec" --version 2>&1 | grep -Eq 'Open MPI|OpenRTE' || skip "these leftovers are Open MPI's"
# Open MPI 5 does not begin where a killed launcher with the same PID has left its folder.
export TMPDIR=$work
[ "$2" != container ] || within=(unshare --pid --fork --mount-proc)

# The files in /dev/shm of a job, whose ranks are PIDs; taken from what they have mapped.
segments()
{
    for pid in "$@"; do grep -oE '/dev/shm/((vader|sm)_segment|osc_sm)[^ ]*' "/proc/$pid/maps" 2>/dev/null; done |
        sort -u
}

mapped() # whether a command began the run
{
    [ "$1" -eq 0 ] || launcher=$(pgrep -P $begun)
    mapfile -t ranks < <(pgrep -P "${launcher:-0}" -x heat)
    [ ${#ranks[@]} -eq 3 ] && mapfile -t files < <(segments "${ranks[@]}")
    [ ${#files[@]} -ge 2 ]
}

# begin [COMMAND ...]: a run that does not end by itself, by the command; sets `launcher`, `ranks` (PIDs) and `files`
begin()
{
    "$@" "$mpiexec" -n 3 "$bin/heat" --generate=hex:60x60 --steps=100000000 --migrate-random=1 --quiet >/dev/null 2>&1 \
        </dev/null &
    disown
    begun=$!
    launcher=$begun ranks=() files=()
    wait_until 10 mapped $#
    sleep "$(by_load 1)" # into its steps, and its migrations
}

begin "${within[@]}"
killed=("${files[@]}")
[ ${#killed[@]} -ge 2 ] || complain "the run maps nothing in /dev/shm: ${killed[*]}"
kill -9 "${ranks[@]}" "$launcher"
while kill -0 "$launcher" 2>/dev/null; do sleep 0.1; done
left=0
for file in "${killed[@]}"; do [ ! -e "$file" ] || left=$((left + 1)); done
[ $left -gt 0 ] || complain "the killed run has left nothing: this test tests nothing"

begin
# Open MPI gives a window the name of one that it still has, and frees that: the file is gone by its own doing.
mapfile -t living < <(printf '%s\n' "${files[@]}" | grep _segment)
sleep 5 # files younger than this are nobody's to remove
# Files are named by mpiexec's PID, which is not to be the same one again.
printf '#!/bin/sh\nexec %s sh -c '"'"'"$@"; exit $?'"'"' sh "%s" "$@"\n' "${within[*]}" "$mpiexec" >launch &&
    chmod +x launch
MPIEXEC=$work/launch
expect 0 3 heat --generate=hex:20x20 --steps=3 --quiet
for file in "${killed[@]}"; do [ ! -e "$file" ] || complain "$file of the killed run is still there"; done
for file in "${living[@]}"; do [ -e "$file" ] || complain "$file of the living run is gone"; done
kill -0 "${ranks[@]}" 2>/dev/null || complain "the other run is dead"
kill "$launcher"
while kill -0 "$launcher" 2>/dev/null; do sleep 0.1; done
for file in "${living[@]}"; do [ ! -e "$file" ] || complain "$file is still there after the run was ended"; done

# A whole run, with migrations.
before=$(ls /dev/shm)
expect 0 3 hex --generate=hex:40x40 --steps=50 --migrate-random=5:0.5 --quiet
after=$(ls /dev/shm | grep -vxF "${before:-none}" | grep -vE "_segment|osc_sm") # of runs that others have begun
[ -z "$after" ] || complain "left in /dev/shm: $after"

# A program without a launcher has no helper, which would leave a folder; Open MPI 5 has none anyway.
if "$mpiexec" --version 2>&1 | grep -q OpenRTE; then
    mkdir alone
    env -i PATH="$PATH" LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" TMPDIR="$work/alone" "$bin/heat" \
        --generate=hex:60x60 --steps=100000000 --quiet >/dev/null 2>&1 </dev/null & disown
    sleep "$(by_load 1)"
    helpers=$(pgrep -l -P $!)
    kill -9 $! || complain "the program alone has ended"
    [ -z "$helpers" ] || complain "a program alone has a helper: $helpers"
    [ -z "$(ls alone)" ] || complain "a program alone has left: $(ls alone)"
fi
finish
