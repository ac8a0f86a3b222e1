#!/bin/bash
# safe_files_test.sh BIN - no output replaces a file that the run reads, or another output, and no file is deleted;
# files that are not whole yet have no name, or one that nobody expects; what cannot be written is told, also under a
# limit; what files say is printed so that a terminal only shows it.
. "$(dirname "$0")/support.bash"

# ---- Outputs and what is read -----------------------------------------------------------------------
column() { echo conductivity; for ((i = 0; i < 64; i++)); do echo "0.5"; done; }
keep() { for file in "$@"; do cp "$file" "kept-$(basename "$file")"; done; }
kept()
{
    local file
    for file in "$@"; do cmp -s "$file" "kept-$(basename "$file")" || complain "$ran: $file is another one"; done
}
# refused TEXT ARGUMENT ...: of material on a plate of its own
plate=(examples/material --quiet --generate=hex:8x8)
refused() { expect_mistake "$1" "$ranks" "${plate[@]}" --steps=2 "${@:2}"; }

column >conductivity.csv
expect 0 0 pen-graph make hex:8x8 -o plate.graph
expect 0 2 "${plate[@]}" --steps=1 --input=conductivity.csv --output={name}.npy
mkdir folder
cp conductivity.npy folder/conductivity-000007.npy
cp conductivity.npy folder/given.npy
ln -s folder/given.npy link.npy
ln -s folder other
printf '* * 1e-9\n' >delay
printf 'processors 2\ncluster all 2\n' >machine
seq 64 | sed 's/.*/0/' >plate.part
keep conductivity.csv conductivity.npy folder/* plate.graph delay machine plate.part
for ranks in 0 2; do
    refused "--output would replace conductivity.npy, which --input reads" --input=conductivity.npy --output={name}.npy
    refused "--output would replace ./conductivity.npy" --input=./conductivity.npy --output=./{name}.npy
    kept conductivity.npy
done
ranks=0
refused "which --input reads" --input=conductivity:folder/given.npy --dump=link.npy
refused "which --input reads" --input=conductivity:link.npy --metrics=./folder/../folder/given.npy
refused "which --input reads" --input=conductivity:other/conductivity-000007.npy --output=folder/{name}.npy \
    --output-every=1
refused "which --input reads" --input=conductivity.csv --trace=conductivity.csv
refused "which --input reads" --input=conductivity.csv --record=./conductivity.csv
refused "which --input reads" --input=conductivity.csv --observables=conductivity.csv
refused "which --input reads" --input=conductivity.csv --save-graph=conductivity.csv
refused "which --input reads" --input=conductivity.csv --output=conductivity.csv
ln folder/given.npy hard-temperature.npy
refused "--output would replace folder/given.npy" --input=conductivity:folder/given.npy --output=hard-{name}.npy
cp conductivity.npy gid.npy # which .npy files of nodes by place would remove
refused "--output would replace gid.npy" --input=conductivity:gid.npy --output={name}.npy
rm gid.npy
refused "--machine reads" --input=conductivity.csv --machine=machine --dump=machine
refused "--comm reads" --input=conductivity.csv --comm=overlap:delay=./delay --dump=delay
refused "--partitioner reads" --input=conductivity.csv --partitioner=file:plate.part --dump=other/../plate.part
kept conductivity.csv conductivity.npy folder/* delay machine plate.part
expect_mistake "which --graph reads" 0 hex --quiet --graph=plate.graph --steps=1 --save-graph=./plate.graph
expect_mistake "which --graph reads" 0 hex --quiet --graph=./plate.graph --steps=1 --dump=plate.graph
kept plate.graph
printf 'field 8 8\n' >plan
keep plan
expect_mistake "plan, which --scenario reads" 0 battlefield --quiet --scenario=./plan --dump=plan
kept plan
# Names with the characters that separate options' parts.
ordinary='hex --quiet --steps=1'
cp plate.graph 'a;b=c.graph'
cp plate.part 'p;q,r:s=t.part'
keep 'a;b=c.graph' 'p;q,r:s=t.part'
expect_mistake "--dump would replace" 0 $ordinary --graph='a;b=c.graph' --dump='a;b=c.graph'
expect_mistake "--metrics would replace" 0 $ordinary --graph=plate.graph --partitioner='file:p;q,r:s=t.part' \
    --metrics='./p;q,r:s=t.part'
kept 'a;b=c.graph' 'p;q,r:s=t.part'
expect 0 0 $ordinary --graph='a;b=c.graph' --partitioner='file:p;q,r:s=t.part'
# Of one name by two ways; of checkpoints.
refused "--dump and --metrics are the same file" --input=conductivity.csv --dump=x --metrics=./x
refused "--output and --dump are the same file" --input=conductivity.csv --dump=./t-000001.csv --output=t-{step}.csv
refused "--output and --dump are the same file" --input=conductivity.csv --dump=t.pvd --output=t.vtu --output-every=1
[ ! -e x ] && [ ! -e t-000001.csv ] || complain "what is refused is written"
mkdir saved
expect 0 2 hex --quiet --generate=hex:8x8 --steps=4 --checkpoint=saved --checkpoint-every=2
keep saved/*
expect_mistake "saved/step-000000000002.checkpoint, which --resume reads" 0 hex --quiet --resume=saved \
    --dump=saved/step-000000000002.checkpoint
mkdir empty
expect_mistake "is a name that --checkpoint=empty needs" 0 hex --quiet --generate=hex:8x8 --checkpoint=empty \
    --dump=./empty/step-000000000002.checkpoint
expect_mistake "is a name that --checkpoint=empty needs" 0 hex --quiet --generate=hex:8x8 --checkpoint=empty \
    --dump=empty/lock
kept saved/*
# What is no conflict.
expect 0 2 "${plate[@]}" --steps=2 --input=conductivity:folder/given.npy --output=folder/{name}.npy
expect 0 2 "${plate[@]}" --steps=2 --input=conductivity.csv --output=saved/{name}.npy \
    --dump=t-000001.txt

# ---- Tools ---------------------------------------------------------------------------------------------
keep plate.graph
expect 0 0 pen-graph convert --quiet plate.graph plate.pen
expect 0 0 pen-sim generate hot-disc -o plate.record --generate=mesh:4x4 --ranks=2 --steps=2
keep plate.pen plate.record
expect_mistake "are the same file, which would be replaced" 0 pen-graph convert plate.pen ./plate.pen
expect_mistake "are the same file, which would be replaced" 0 pen-sim replay plate.record --record=./plate.record
kept plate.pen plate.record
# Also names that no word of the command line is.
cp plate.record m-none-auto-2.json
keep m-none-auto-2.json
expect_mistake "are the same file, which would be replaced" 0 pen-sim replay m-none-auto-2.json --metrics=m
kept m-none-auto-2.json
for option in "-o ./n-none-auto-2.json" --record=n-none-auto-2.json; do
    # shellcheck disable=SC2086
    expect_mistake "are the same file, which would be replaced" 0 pen-sim replay plate.record --metrics=n $option
    [ ! -e n-none-auto-2.json ] || complain "pen-sim replay $option: an output is written"
done
expect 0 0 pen-sim replay plate.record --metrics=n
expect 0 0 pen-sim replay plate.record --metrics=n # which replaces its own files
cp plate.part plate.graph.part.1
keep plate.graph.part.1
expect_mistake "are the same file, which would be replaced" 0 pen-graph part plate.graph 1 --to=scotch \
    --partitioner=file:plate.graph.part.1
kept plate.graph.part.1
expect 0 0 pen-graph part plate.graph 1
for line in "convert plate.graph ./plate.graph" "order plate.graph ./plate.graph" "part plate.graph 2 -o plate.graph" \
    "convert plate.graph other.graph --map=other.graph" "convert plate.graph other.graph --map=./other.graph" \
    "check plate.graph --fix=./plate.graph"; do
    expect_mistake "are the same file, which would be replaced" 0 pen-graph $line
    kept plate.graph
    [ ! -e other.graph ] || complain "pen-graph $line: an output is written"
done
expect 0 0 pen-graph part plate.graph 2 -o part # the name of the command is no file

# Files beside a graph that cannot be written are not written either.
echo kept >kept.csv
for line in "convert plate.graph b.mesh --ids-to" "convert plate.graph nowhere/b.graph --map" \
    "convert --to=metis plate.graph b.graph.ZST --ids-to" \
    "order plate.graph nowhere/b.graph --map" "convert plate.graph b.mtx --coords-to=nowhere/xyz --ids-to"; do
    # shellcheck disable=SC2086
    expect 2 0 pen-graph $line=beside.csv
    # shellcheck disable=SC2086
    expect 2 0 pen-graph $line=kept.csv
    [ ! -e beside.csv ] && [ ! -e b.mtx ] && [ "$(cat kept.csv)" = kept ] || complain "pen-graph $line: writes files"
done
expect 2 0 pen-graph make hex:3x3 coordinates -o kept.csv --to=metis --coords-to=nowhere/xyz
[ "$(cat kept.csv)" = kept ] || complain "make replaces a file before it fails"
expect_mistake "nowhere/part" 0 pen-graph part plate.graph 2 --partitioner=none -o nowhere/part
for line in "convert plate.graph - --to=chaco --ids-to=-" "convert plate.graph b.mtx --map=- --ids-to=-" \
    "order plate.graph - --to=metis --map=-" "make hex:3x3 -o - --to=metis --coords-to=-"; do
    expect_mistake "two outputs cannot both be standard output" 0 pen-graph $line
done
[ ! -e b.mtx ] || complain "pen-graph $line: writes a file"
keep plate.part
for line in "--graph=plate.graph --save-graph=./plate.graph" \
    "--graph=plate.graph --partitioner=file:plate.part --save-graph=plate.part"; do
    expect_mistake "--save-graph would replace" 0 pen-comm --records=8 --rounds=1 $line
done
expect_mistake "--csv and --save-graph are the same file" 0 pen-comm --records=8 --rounds=1 --csv=x --save-graph=./x
kept plate.graph plate.part

# ---- Files that are not whole yet ------------------------------------------------------------------------
# Whoever can write into the folder has put links where they used to be, and what killed runs left.
mkdir public
echo victim >victim
for name in d m.json o.npy-1 saved/step-000000000002.checkpoint; do
    mkdir -p "public/$(dirname $name)"
    ln -s "$work/victim" "public/$name.unfinished"
done
ln -s "$work/victim" public/w.csv
left=(public/d.unfinished-0123456789abcdef public/t-000007.csv.unfinished-0123456789abcdef
    public/t-000007.csv.unfinished-mine public/saved/step-000000000001.checkpoint.unfinished-0123456789abcdef
    public/w.csv.unfinished-0123456789abcdef)
touch "${left[@]}"
expect 0 2 "${plate[@]}" --steps=2 --input=conductivity.csv --dump=public/d --metrics=public/m.json \
    --output=public/t-{step}.csv --checkpoint=public/saved --checkpoint-every=2
for name in public/d public/t-000007.csv public/saved/step-000000000001.checkpoint; do
    [ "$(said material | grep -c "$name.unfinished-0123456789abcdef is unfinished")" -eq 1 ] ||
        complain "not told of $name.unfinished-0123456789abcdef: $(said material)"
done
expect 0 0 wave --quiet --generate=hex:3x3 --steps=2 --observables=public/w.csv
[ "$(cat victim)" = victim ] || complain "a file that a link leads to is written"
[ ! -L public/w.csv ] || complain "the observables go where a link leads"
found=$(find public -name '*.unfinished-*' | sort)
[ "$found" = "$(printf '%s\n' "${left[@]}" | sort)" ] || complain "unfinished files: $found"
# Checkpoints that are old go; a file with such a name that is none stays.
echo mine >public/saved/step-000000000001.checkpoint
expect 0 0 "${plate[@]}" --steps=8 --resume=public/saved --accept=steps --checkpoint=public/saved --checkpoint-every=2
[ "$(cat public/saved/step-000000000001.checkpoint)" = mine ] && [ ! -e public/saved/step-000000000002.checkpoint ] ||
    complain "in the folder of checkpoints: $(ls public/saved)"
ln -s "$work/victim" empty/lock
expect 2 0 hex --quiet --generate=hex:8x8 --steps=2 --checkpoint=empty
[ "$(cat victim)" = victim ] && rm empty/lock || complain "a lock is taken through a link"

# ---- Names that are none ----------------------------------------------------------------------------------
# Nothing in the folder may change, whatever its names; the folder of the slash included.
mkdir whole whole/results
for name in file .hidden x.graph d d.unfinished-0123456789abcdef m.json .unfinished-0123456789abcdef lock; do
    echo "$name" >"whole/$name"
    echo "$name" >"whole/results/$name"
done
cp plate.graph plate.record whole
here=$PWD out=$PWD/out err=$PWD/err
cp -R whole whole-before
unchanged()
{
    diff -r "$here/whole-before" "$here/whole" >"$here/changes" || complain "$ran: $(cat "$here/changes")"
}
# nameless PROGRAM ARGUMENTS OPTION ...: each option with no name, and with a name that ends in a slash
nameless()
{
    local option program=$1
    # shellcheck disable=SC2206
    local arguments=($2)
    for option in "${@:3}"; do
        expect_mistake "needs the name of a file, and" 0 "$program" "${arguments[@]}" "$option="
        unchanged
        expect_mistake "ends in a slash" 0 "$program" "${arguments[@]}" "$option=results/"
        unchanged
        expect_mistake "ends in a slash" 0 "$program" "${arguments[@]}" "$option=nowhere/"
        unchanged
    done
}
cd whole || exit 1
nameless wave "--quiet --generate=hex:3x3 --steps=1" --dump --metrics --observables --trace --save-graph --record
expect_mistake "must end in" 0 wave --quiet --generate=hex:3x3 --steps=1 --output=
expect_mistake "must end in" 0 wave --quiet --generate=hex:3x3 --steps=1 --output=results/
expect_mistake "needs the name of a file, and" 0 wave --quiet --generate=hex:3x3 --steps=1 --observables=-,
expect_mistake "--checkpoint needs a folder" 0 wave --quiet --generate=hex:3x3 --steps=1 --checkpoint=
unchanged
[ "$(id -u)" -ne 0 ] || [ ! -e /lock ] || complain "there is /lock"
expect_mistake "needs the name of a file" 2 wave --quiet --generate=hex:3x3 --steps=1 --metrics=
unchanged
nameless pen-comm "--generate=hex:3x3 --rounds=1" --csv --json --model
nameless pen-sim "replay plate.record --ranks=2" --record
for name in "" results/ nowhere/; do
    for line in "pen-sim generate hot-disc --generate=mesh:4x4 --ranks=2 --steps=2" \
        "pen-graph make mesh:3x3 --to=metis" "pen-graph part plate.graph 2" "pen-graph part plate.graph 2 --compare"; do
        # shellcheck disable=SC2086
        expect_mistake "-o needs the name of a file" 0 $line -o "$name"
        unchanged
    done
    expect 2 0 pen-graph convert plate.graph "$name"
    expect 2 0 pen-graph convert --to=metis plate.graph "$name"
    expect 2 0 pen-graph convert plate.graph "$here/other.graph" --map="$name"
    expect 2 0 pen-graph check plate.graph --fix="$name"
    expect 2 0 pen-graph order plate.graph "$name"
    unchanged
done
cd "$here" || exit 1
rm -f other.graph

# What the ending decides, it decides in small letters.
for name in g.PEN g.Pen; do
    expect_mistake "write its ending in small letters: .pen" 0 hex --quiet --generate=hex:3x3 --steps=1 \
        --save-graph=$name
done
expect_mistake "write its ending in small letters: .gz" 0 hex --quiet --generate=hex:3x3 --steps=1 --save-graph=g.GZ
expect_mistake "must end in" 0 wave --quiet --generate=hex:3x3 --steps=1 --output=o.NPY
expect_mistake "write its ending in small letters: .zst" 0 pen-graph convert plate.graph --to=metis g.graph.ZST
expect_mistake "write its ending in small letters: .machine" 0 pen-comm --generate=hex:3x3 --rounds=1 --model=g.Machine
[ -z "$(ls | grep -i '^[go]\.')" ] || complain "what is refused is written: $(ls | grep -i '^[go]\.')"

# A run that is not valid leaves an old file of observables.
echo before >w.csv
expect_mistake "unknown" 0 wave --quiet --generate=hex:3x3 --steps=1 --observables=w.csv --balancer=carrier-pigeon
[ "$(cat w.csv)" = before ] || complain "observables of a run that was refused replace $(ls -l w.csv)"
expect_mistake "nowhere/deep/x" 0 wave --quiet --generate=hex:3x3 --steps=1 --observables=w.csv \
    --output=nowhere/deep/x.npy
[ "$(cat w.csv)" = before ] || complain "observables of a run that could not write its output: $(cat w.csv)"
# An old file of gids gets the right ones; it is not removed.
expect 0 2 "${plate[@]}" --steps=1 --input=conductivity.csv --output=folder/n-{name}.npy
[ ! -e folder/n-gid.npy ] || complain "gids that are the positions are written"
cp conductivity.npy folder/n-gid.npy
expect 0 2 "${plate[@]}" --steps=1 --input=conductivity.csv --output=folder/n-{name}.npy
cmp -s conductivity.npy folder/n-gid.npy && complain "an old file of gids stays"
[ -e folder/n-gid.npy ] || complain "a file of gids is removed"

# Without /proc, as without O_TMPFILE, files have temporary names; a killed run leaves its one, and the next says so.
hidden()
{
    unshare --mount sh -c 'mount -t tmpfs none /proc && cd "$0" && exec "$@"' "$PWD" "$bin/wave" --quiet \
        --generate=hex:60x60 "$@"
}
mkdir named-way
cd named-way || exit 1
if hidden --steps=1 --dump=d >/dev/null 2>&1; then
    hidden --steps=1 --dump=d --output=x.npy --observables=o.csv || complain "no files without /proc"
    found=$(ls -A)
    [ "$found" = "$(printf '%s\n' d o.csv x-displacement.npy x-velocity.npy)" ] || complain "without /proc: $found"
    rm -f ./*
    touch d.unfinished-0123456789abcdef d.unfinished-mine
    hidden --steps=1 --dump=d 2>"$err" || complain "no dump beside a leftover"
    [ "$(grep -c unfinished "$err")" -eq 1 ] || complain "told of a leftover: $(cat "$err")"
    found=$(ls -A)
    [ "$found" = "$(printf '%s\n' d d.unfinished-0123456789abcdef d.unfinished-mine)" ] || complain "left: $found"
else
    leave_out "no right to hide /proc, for files with temporary names"
fi
cd "$here" || exit 1
# Ranks that do not see each other's processes.
within=(unshare --pid --fork --mount-proc)
if "${within[@]}" true 2>/dev/null && "${MPIEXEC:-mpiexec}" --version 2>&1 | grep -Eq 'Open MPI|OpenRTE'; then
    patiently 30 "${MPIEXEC:-mpiexec}" -n 1 "$bin/hex" --quiet --generate=hex:8x8 --steps=2 --dump=apart : \
        -n 1 "${within[@]}" "$bin/hex" --quiet --generate=hex:8x8 --steps=2 --dump=apart >"$out" 2>"$err" </dev/null ||
        complain "ranks of two containers: $(grep hex: "$err")"
    expect 0 0 hex --quiet --generate=hex:8x8 --steps=2 --dump=together
    cmp -s apart together || complain "ranks of two containers write another dump"
    [ -z "$(ls | grep 'apart\.')" ] || complain "left: $(ls | grep 'apart\.')"
fi

# /dev/stdout, which here is a link like it, stays what it is, also where standard output is a file.
ln -s /proc/self/fd/1 stream
expect_mistake "stream: cannot write: not a regular file" 0 hex --quiet --generate=hex:3x3 --steps=1 --dump=stream
expect_mistake "stream: cannot write: not a regular file" 0 wave --quiet --generate=hex:3x3 --steps=1 \
    --observables=stream
expect 0 0 pen-graph convert plate.graph plate.mtx
expect 0 0 pen-graph convert plate.graph stream --to=mm
cmp "$out" plate.mtx || complain "a graph for standard output: $(head -3 "$out")"
[ -L stream ] || complain "a file takes the place of /dev/stdout"

# In a folder where everybody may write, somebody else's links cannot be removed, and are not followed.
if [ "$(id -u)" -eq 0 ] && setpriv --reuid=65534 --clear-groups true 2>/dev/null; then
    mkdir sticky
    chmod 1777 sticky
    chmod 755 .
    echo victim >other-victim
    chown 65534 other-victim
    for name in d.unfinished w.csv; do ln -s "$work/other-victim" sticky/$name; done
    restrained=(setpriv --reuid=65534 --clear-groups env "HOME=$work/sticky" "TMPDIR=$work/sticky")
    expect 0 0 hex --quiet --generate=hex:8x8 --steps=2 --dump="$work/sticky/d"
    expect 2 0 wave --quiet --generate=hex:3x3 --steps=2 --observables="$work/sticky/w.csv"
    restrained=()
    [ "$(cat other-victim)" = victim ] || complain "somebody else's link leads to what is written"
else
    leave_out "no right to become somebody else, whose links are met"
fi

# ---- What MPI libraries keep for files -------------------------------------------------------------------
# A semaphore that a killed run of Open MPI's MPI-IO has left would be waited for.
cp plate.graph "plate-$$.graph"
expect 0 0 pen-graph convert --quiet plate.graph "plate-$$.pen"
semaphore() # NAME: made, and held by nobody who is there
{
    python3 -c 'import ctypes, sys
ctypes.CDLL(None).sem_open(("/OMPIO_" + sys.argv[1]).encode(), 0o100, 0o600, 0)' "$1"
}
if command -v python3 >/dev/null; then
    semaphore "plate-$$.pen"
    expect 0 0 hex --quiet --graph="plate-$$.pen" --steps=1
    rm -f "/dev/shm/sem.OMPIO_plate-$$.pen"
else
    leave_out "no python3 to make a semaphore with"
fi

# ---- Limits -------------------------------------------------------------------------------------------
# Open MPI keeps more than the files below in files of its own.
limited() { (ulimit -f 20000 && "$@"); }
expect 0 0 pen-graph make hex:700x700 -o big.graph
limited expect_mistake "File too large" 0 hex --quiet --generate=hex:1400x1400 --steps=0 --dump=public/long \
    --comm=overlap
limited expect_mistake "File too large" 0 pen-graph make hex:1000x1000 -o public/long.graph
[ -z "$(ls public | grep long)" ] || complain "what is too long is left: $(ls public)"

# ---- What files say -----------------------------------------------------------------------------------
esc=$(printf '\033')
shown() # TEXT: a line on standard error has it, and none has a control character
{
    grep -qF -e "$1" "$err" "$out" || complain "$ran: does not show $1: $(cat -v "$err" "$out")"
    ! grep -q "$esc" "$err" "$out" || complain "$ran: lets a file speak to the terminal"
}
printf 'grün%s[2J,conductivity\n' "$esc" >colour.csv
for ((i = 0; i < 64; i++)); do echo "1,0.5$esc[31m"; done >>colour.csv
expect 2 0 "${plate[@]}" --steps=1 --input=colour.csv
shown '\x1b[31m'
printf 'grün%s]0;x\007,wärme\n1,2\n' "$esc" >colour.csv
expect 2 0 "${plate[@]}" --steps=1 --input=colour.csv
shown '\x1b]0;x\x07'
shown 'grün'
printf '3 2\n2\n1 %s[2J 3\n2\n' "$esc" >bad.graph
expect 2 0 hex --quiet --graph=bad.graph
! grep -q "$esc" "$err" || complain "a graph speaks to the terminal"
expect 2 0 pen-graph check bad.graph
! grep -q "$esc" "$out" "$err" || complain "a graph speaks to the terminal: pen-graph check"
printf 'processors 2\nclu%s[2J all 2\n' "$esc" >bad.machine
expect 2 0 hex --quiet --generate=hex:8x8 --machine=bad.machine
shown '\x1b[2J'
printf 'processors 2\ncluster a%s[2J 2\n' "$esc" >named.machine
cp named.machine "na$esc[2Jme.machine"
run 0 pen-graph info --machine=named.machine
! grep -q "$esc" "$out" "$err" || complain "a machine speaks to the terminal"
printf '3 2\n2\n1 3\n2\n' >"na$esc[2Jme.graph"
printf '0\n1\n0\n' >"na$esc[2Jme.part"
for command in info check "info --machine=na$esc[2Jme.machine" \
    "info --part=na$esc[2Jme.part"; do
    run 0 pen-graph $command "na$esc[2Jme.graph"
    shown 'na\x1b[2Jme'
done
mkdir named
WRONG_NAME="na$esc[2Jme" expect 0 0 wrong --generate=hex:4x4 --steps=2 --quiet --record=named.record --checkpoint=named
for command in info "replay --ranks=2 --balancer=none"; do
    expect 0 0 pen-sim $command named.record
    shown 'na\x1b[2Jme'
done
expect 2 0 hex --resume=named --steps=3 --quiet
shown 'na\x1b[2Jme'

finish
