#!/bin/bash
# readme_test.sh BIN SOURCE - what the README says is so: every command in its sh blocks and in its text works, in
# order, in one folder, as for somebody who has built into build/release; every option is one that --help knows; every
# file and folder that it names exists, and every folder of the project is named.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
readme=$source/README.md
mkdir -p build
# In build/release are the programs of a build without tests, until the README builds it with them.
product=$work/build/release everything=$(dirname "$bin")
cmake --install "$everything" --prefix "$work/product" >log 2>&1 ||
    { complain "cmake --install: $(tail -5 log)"; finish; }
mkdir -p "$product/bin"
for file in "$everything"/*; do [ "$file" = "$bin" ] || ln -s "$file" "$product/"; done
for file in "$bin"/*; do
    name=${file##*/}
    [ ! -x "product/bin/pen-${name#pen-}" ] && [ "$name" != examples ] || ln -s "$file" "$product/bin/"
done
for name in runtime directory balance apps tools tests CMakeLists.txt LICENSE; do ln -s "$source/$name" .; done

# Not run, and why; all others are.
excluded()
{
    case $1 in
    "cmake -S"*-DPEN_TESTS=ON*) rm -r "$product" && ln -s "$everything" "$product" ;;
    "cmake -S"* | "cmake --build"*) ;;          # that is how this test came to be
    "cmake --install") ;;                       # the block below it says where to
    "tools/check --"*) ;;                       # this test is part of it,
    "tests/bench/figures.py "*) ;;              # and this is another one
    "docker run --shm-size="*) ;;               # needs Docker,
    "mpirun --hostfile hosts -n 128 pen-hex …") ;; # hosts,
    "--mca osc ucx") ;;                         # InfiniBand, and is no whole command
    "mpirun --oversubscribe") ;;                # nor is this,
    "node1 slots=32") ;;                        # nor this: a line of a hostfile
    *) return 1 ;;
    esac
}

# try COMMAND: in this folder, with what was installed on the path; FILE, K and COMMAND stand for something
try()
{
    local line=$1
    excluded "$line" && return
    case $line in
    "man "*)
        compgen -G "there/share/man/man*/${line#man }.*" >/dev/null || complain "$line: there is no such page"
        return
        ;;
    esac
    line=${line//FILE/hex.graph} line=${line//COMMAND/check} line=${line// K / 8 }
    (only_slots; PATH=$work/there/bin:$bin:$PATH patiently 100 bash -c "$line") >out 2>err </dev/null ||
        complain "$line: exit status $?: $(head -5 err)"
}

awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$readme" >blocks
awk '/^```/ { on = !on; next } !on' "$readme" >text
grep -o '`[^`]*`' text | tr -d '`' | grep ' ' | sort -u >inline
[ "$(wc -l <blocks)" -ge 15 ] || complain "only $(wc -l <blocks) commands found in the README's blocks"
[ "$(wc -l <inline)" -ge 15 ] || complain "only $(wc -l <inline) commands found in the README's text"
while IFS= read -r line; do try "$line"; done <blocks
while IFS= read -r line; do try "$line"; done <inline

# The programs in the README are those in apps/, but for white space and comments.
bare() { sed 's#/\*.*\*/##' "$@" | tr -d ' \n'; }
awk '/^```c$/ { on = 1; n++; next } /^```/ { on = 0 } on { print >("program." n) }' "$readme"
number=0
for program in heat grow; do
    number=$((number + 1))
    [ "$(bare program.$number)" = "$(bare "$source/apps/$program.c")" ] ||
        complain "the README's program $number is not apps/$program.c"
done

# The packages that tools/setup installs are those of the table for Debian, purpose by purpose.
(. "$source/tools/setup" && printf '%s\n' "${REQUIRED[*]}" "${COMPRESSED[*]}" "${PICTURES[*]}" "${MODELS[*]}" \
    "${HARDWARE[*]}" "${CHECK_PACKAGES[0]}") >wanted
awk -F ' *\\| *' '/^## / { exit } /^\|/ && ++n > 2 { print $3 }' "$source/tools/package/installing.md" |
    diff wanted - >differences ||
    complain "packages of tools/setup (<) and of tools/package/installing.md (>): $(grep '^[<>]' differences)"

# Options are the project's, or those of programs that come from elsewhere.
benches=$(grep -oE 'bin/[a-z_]+_bench' "$readme" | cut -d/ -f2 | sort -u)
for program in hex heat random wave cg battlefield shock nbody pen-comm pen-draw pen-keep $benches; do
    patiently 10 "$bin/$program" --help
done >known 2>&1
for tool in pen-graph pen-plot pen-sim; do
    [ -x "$bin/$tool" ] || continue
    "$bin/$tool" --help
    for command in $("$bin/$tool" --help | sed -n 's/^  *\([a-z-]*\) .*/\1/p'); do
        "$bin/$tool" "$command" --help
    done
done >>known 2>&1
sed -n '2,/^[^#]/p' "$source/tools/check" >>known
cat >>known <<'FOREIGN'
mpirun: --bind-to --hostfile --mca --oversubscribe
docker: --shm-size
cmake: --build --parallel --install --prefix --config
pkg-config: --cflags --libs --with-path
Slurm: --nodes --ntasks-per-node
FOREIGN
for option in $(grep -oE -e '--[a-z][a-z-]*' "$readme" | sort -u); do
    grep -qE -e "$option([^a-z-]|\$)" known || complain "the README names $option, which no --help knows"
done

# Files and folders.
boxes='runtime|directory|balance|apps|tools|tests'
for path in $(grep -oE "\\b($boxes|build/release)/[A-Za-z0-9_./*-]*[A-Za-z0-9_*]" "$readme" | sort -u); do
    compgen -G "$path" >/dev/null || complain "the README names $path, which does not exist"
done
awk -v boxes="^($boxes)/\$" '
    /^## Where things are/ { on = 1 }
    !on || !/^    / { next }
    $1 ~ boxes {
        box = $1
        $1 = ""
        print box
    }
    {
        for (; match($0, /[a-z]+\//); $0 = substr($0, RSTART + RLENGTH)) print box substr($0, RSTART, RLENGTH)
    }' "$readme" | sort -u >named
(cd "$source" && find runtime directory balance apps tools tests -maxdepth 1 -type d) | sed 's#$#/#' | sort -u >folders
diff named folders >differences ||
    complain "folders that the README names (<) and those that there are (>): $(grep '^[<>]' differences)"
finish
