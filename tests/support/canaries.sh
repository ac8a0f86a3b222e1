#!/bin/bash
# canaries.sh - canaries: files, links, a FIFO and folders next to what a test's programs write. No program is told to
# touch them, so the test fails if one changes. Scripts source this file, and set `canary_records` to the name of a new
# folder, which keeps what the canaries were like. Other programs call it:
#
#     canaries.sh place RECORDS FOLDER ...    places canaries in each folder
#     canaries.sh compare RECORDS             says which canaries have changed, and removes RECORDS; status 1 if any has

# They look like outputs, like files that are not whole yet, like a checkpoint and its lock. No name has a space, so
# that a list of them is easy to walk through.
canary_names='keep-me.txt
.keep-me
keep;me,too:please.csv
keep-000001.vtu
keep.dump.unfinished-0123456789abcdef
keep.npy.unfinished-0123456789abcdef
step-000000000009.checkpoint.bak
keep-link
keep-dangling
keep-absent
keep-fifo
keep-folder
lock'

# One set, of which the others are copies. keep-absent is where a link leads to: it must not be made.
make_canaries() # FOLDER
{
    mkdir -p "$1/keep-folder/deeper" && (
        cd "$1" || exit 1
        for name in $canary_names keep-folder/inside.txt keep-folder/deeper/.leaf.npy; do
            case $name in
            keep-link) ln -s keep-me.txt $name ;;
            keep-dangling) ln -s keep-absent $name ;;
            keep-fifo) mkfifo $name ;;
            keep-absent | keep-folder) ;;
            lock) : >lock && : >keep-folder/lock ;;
            *) echo "$name: a canary" >"$name" ;;
            esac
        done
        chmod 440 keep-me.txt
    )
}

# canary_state FOLDER ...: a line PATH, property, value for each property of each canary in them
canary_state()
{
    local folder name paths=()
    for folder; do for name in $canary_names; do paths+=("$folder/$name"); done; done
    find "${paths[@]}" -printf \
        '%p\ttype\t%y\n%p\tmode\t%m\n%p\towner\t%U:%G\n%p\tinode\t%i\n%p\ttarget\t%l\n%p\ttime\t%T@\n' 2>/dev/null
    find "${paths[@]}" -type f -exec cksum {} + 2>/dev/null | sed 's/^\([0-9]* [0-9]*\) \(.*\)/\2\tcontent\t\1/'
}

# canaries [--checkpoints] FOLDER ...: places canaries in folders, which are remembered together. In a folder of
# checkpoints `lock` is none of them: a run makes it.
canaries()
{
    local lock=yes folder folders=() record
    [ "$1" != --checkpoints ] || { lock=no && shift; }
    [ -d "$canary_records/set" ] || make_canaries "$canary_records/set" || return
    for folder; do
        folder=$(cd "$folder" && pwd) && cp -a "$canary_records/set/." "$folder" || return
        [ $lock = yes ] || rm "$folder/lock" || return
        folders+=("$folder")
    done
    record=$canary_records/${folders[0]//\//%}
    printf '%s\n' "${folders[@]}" >"$record.folders"
    canary_state "${folders[@]}" >"$record.state"
    [ $lock = yes ] || printf '%s/lock\tfree\t\n' "${folders[@]}" >>"$record.state"
}

# changed_canaries RECORD ...: a line for each canary that is no longer as it was; status 1 if there is one
changed_canaries()
{
    local folders
    mapfile -t folders < <(cat "${@/%/.folders}")
    canary_state "${folders[@]}" | awk -F '\t' '
        function say(path, what)
        {
            print "a file that no program was told to touch: " path " " what
            wrong = 1
        }
        !now && $2 == "free" { free[$1]; next }
        $1 in free { next }
        !now { had[$1]; was[$1, $2] = $3; next }
        !($1 in had) { if (!($1 in is)) say($1, "came to be"); is[$1]; next }
        { is[$1]; if (was[$1, $2] != $3 "") say($1, "changed its " $2 ": " was[$1, $2] ", now " $3) }
        END { for (path in had) if (!(path in is)) say(path, "is gone"); exit wrong }
        ' "${@/%/.state}" now=1 -
}

# remove_folder FOLDER: one that has got canaries by itself; if one of them has changed, that is said at the end
remove_folder()
{
    local folder record
    folder=$(cd "$1" && pwd) && record=$canary_records/${folder//\//%} || return
    changed_canaries "$record" >>"$canary_records/told"
    rm -rf "$folder" "$record.folders" "$record.state"
}

# all_changed_canaries: of all folders; then they are forgotten
all_changed_canaries()
{
    local records=("$canary_records"/*.state) status=0
    [ ! -s "$canary_records/told" ] || { cat "$canary_records/told" && status=1; }
    [ ! -e "${records[0]}" ] || changed_canaries "${records[@]%.state}" || status=1
    rm -rf "$canary_records"
    return $status
}

# others_in [FOLDER]: the names that are in it besides those of canaries
others_in() { ls -A "${1:-.}" | grep -vxF "$canary_names"; }

# begin_work NAME: the script works in a folder of its own, which has canaries; however it ends, it fails if one of them
# has changed. `to_remove` are the folders that are removed then.
begin_work()
{
    work=$(mktemp -d "${TMPDIR:-/tmp}/$1.XXXXXX") && cd "$work" || exit 1
    canary_records=$work.canaries to_remove=("$work")
    mkdir "$canary_records" && canaries . || exit 1
    trap end_work EXIT
}
end_work()
{
    local status=$?
    all_changed_canaries >&2 || status=1
    cd / && rm -rf "${to_remove[@]}"
    exit "$status"
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    set -u
    canary_records=${2:?}
    case $1 in
    place) mkdir -p "$2" && canaries "${@:3}" ;;
    compare) all_changed_canaries >&2 ;;
    esac
fi
