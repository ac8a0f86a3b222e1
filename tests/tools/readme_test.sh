#!/bin/bash
# readme_test.sh BIN SOURCE [all] - what the pages say is so: every command in their sh blocks and in their text works,
# in order, in one folder for each page, as for somebody who has built into build/release, with `all` also those that
# draw and the benchmarks; every option is one that --help knows; every file, folder and page that they name exists, and
# every folder of the project is named.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd) all=${3:-}
pages=(README.md runtime/README.md balance/README.md tools/README.md apps/README.md tests/README.md
    .github/CONTRIBUTING.md)
(cd "$source" && cat "${pages[@]}" runtime/glossary.md) >pages
# In build/release are the programs of a build without tests, until the README builds it with them.
product=$work/product everything=$(dirname "$bin")
cmake --install "$everything" --prefix "$work/installed" >log 2>&1 ||
    { complain "cmake --install: $(tail -5 log)"; finish; }
mkdir -p "$product/bin"
for file in "$everything"/*; do [ "$file" = "$bin" ] || ln -s "$file" "$product/"; done
for file in "$bin"/*; do
    name=${file##*/}
    [ ! -x "installed/bin/pen-${name#pen-}" ] && [ "$name" != examples ] || ln -s "$file" "$product/bin/"
done

# Not run, and why; all others are.
excluded()
{
    case $1 in
    "cmake -S"*-DPEN_TESTS=ON*) rm -f build/release && ln -s "$everything" build/release ;;
    "cmake -S"* | "cmake --build"*) ;;          # that is how this test came to be
    *build/dev/*) ;;                            # this needs another build; tests of their own run these programs
    "thread apply all bt" | "break relax if "*) ;; # and that is typed in gdb
    "tools/check -"*) ;;                        # this test is part of it, and it writes the log and the results,
    "tests/bench/"* | "BALANCERS="* | "balance_virtual_bench "*) ;; # and another one, figures_test, measures these
    "tests/mutants/drawn.sh "* | "build/release/bin/queue_bench"*) ;; # these take minutes,
    "pen_mpi_test("*) ;;                        # and this is a line of CMake
    "docker run --shm-size="*) ;;               # needs Docker,
    "mpirun --hostfile hosts -n 128 pen-hex …" | "sbatch "*) ;; # hosts,
    "--mca osc ucx") ;;                         # InfiniBand, and is no whole command
    "mpirun --oversubscribe") ;;                # nor is this,
    "node1 slots=32") ;;                        # nor this: a line of a hostfile
    *) return 1 ;;
    esac
}

# try COMMAND: in this folder, with what was installed on the path; FILE, K and COMMAND stand for something.
# Measurements are as short as they can be.
try()
{
    local line=$1
    excluded "$line" && return
    [ "$all" ] || [[ $line != *@(pen-draw|pen-plot|_bench)* ]] || return
    case $line in
    "man "*)
        compgen -G "$work/installed/share/man/man*/${line#man }.*" >/dev/null || complain "$line: there is no such page"
        return
        ;;
    esac
    [[ ! $line =~ ^pen-[a-z]+\ [a-z]+$ ]] || line="$line --help"
    line=$(sed -e 's/ --samples=[0-9]*//; s/\(active\|cg\|city\|mail\|step\|sweep\)_bench/& --samples=1/' \
        -e 's/change_bench/& --steps=2/; s/active_bench/& --size=100/; s/city_bench/& --steps=9/' \
        -e 's/mail_bench/& --nodes=10000 --side=50/' \
        -e 's/pen-comm \(--graph\|--hosts\)/pen-comm --rounds=2 --seconds=1 \1/' <<<"$line")
    line=${line//FILE/hex.graph} line=${line//COMMAND/check} line=${line// K / 8 } line=${line//PATTERN/none}
    (only_slots; PATH=$work/installed/bin:$bin:$PATH patiently 100 bash -c "$line") >out 2>err </dev/null ||
        complain "$page: $line: exit status $?: $(head -5 err)"
}

# A page's commands, in a folder that looks like a checkout. The first C program of README.md is where it says.
try_page()
{
    page=$1
    mkdir -p "folder of ${page//\//-}/build" && cd "folder of ${page//\//-}" && canaries . || return
    ln -s "$product" build/release
    for name in runtime directory balance apps tools tests CMakeLists.txt LICENSE; do ln -s "$source/$name" .; done
    mkdir first
    awk '/^```c$/ { on = 1; next } /^```/ { exit_ = on; on = 0 } exit_ { exit } on' "$source/README.md" >first/heat.c
    ln -s "$work/hex.graph" .
    awk '/^```sh$/ { on = 1; next } /^```/ { on = 0 } on' "$source/$page" |
        unfold >blocks
    awk '/^```/ { on = !on; next } !on' "$source/$page" >text
    grep -o '`[^`]*`' text | tr -d '`' | grep ' ' | sort -u >inline
    commands=$((commands + $(cat blocks inline | wc -l)))
    while IFS= read -r line; do try "$line"; done <blocks
    while IFS= read -r line; do try "$line"; done <inline
    cd "$work" || exit 1
}
commands=0
expect 0 0 pen-graph make hex:40x30 -o hex.graph
for page in "${pages[@]}"; do try_page "$page"; done
[ $commands -ge 100 ] || complain "only $commands commands found in the pages"
size=$(wc -c <"$source/README.md")
[ "$size" -le 10240 ] || complain "README.md has $size bytes, at most 10240"
# Lines have at most 120 characters, but for rows of tables.
long=$(cd "$source" && export LC_ALL=C.UTF-8 && grep -HnE '^.{121}' README.md
    grep -nE '^[^|].{120}' "${pages[@]}" runtime/*.md apps/examples/*.md)
[ -z "$long" ] || complain "lines of more than 120 characters: $long"
for header in "$source"/runtime/include/*; do
    grep -q "^| \`${header##*/}\` | " "$source/runtime/README.md" || complain "no row for $header in runtime/README.md"
done

# The programs in the pages are those in apps/, but for white space and comments. Parts of programs include nothing.
bare() { sed 's#/\*.*\*/##' "$@" | tr -d ' \n'; }
awk '/^```c$/ { begun = 1; next } /^```/ { on = 0 } begun { begun = 0; on = /^#include/; n += on }
    on { print >("program." n) }' "$source/README.md" \
    "$source/runtime/README.md"
number=0
for program in heat grow; do
    number=$((number + 1))
    [ "$(bare program.$number)" = "$(bare "$source/apps/$program.c")" ] ||
        complain "the pages' program $number is not apps/$program.c"
done

# Every application has the options of README's table, except those that README says otherwise of. The partitioners that
# gather the graph are those that README names.
options=$(sed -n '/^## Ten options/,/^## /s/^| \(.*\) | .*/\1/p' "$source/README.md" | grep -oE -e '--[a-z]+' | sort -u)
for program in heat hex random wave cg battlefield grow shock nbody examples/{life,samplesort,pagerank}; do
    patiently 10 "$bin/$program" --help >help 2>&1
    lacking=$(for option in $options; do grep -q -e "^ *$option\b" help || echo -n "$option "; done)
    expected=
    exception=$(sed -n '/^## Ten options/,/^|/s/.*(\(`nbody`[^;]*\)).*/\1/p' "$source/README.md")
    [[ $exception != *"\`${program##*/}\`"* ]] ||
        expected=$(grep -oE -e '--[a-z]+' <<<"$exception" | sort | tr '\n' ' ')
    [ "$lacking" = "$expected" ] || complain "$program lacks \"$lacking\" of README's options, expected \"$expected\""
done
gathering=$(cd "$source/balance" && sed -n 's/^ *\.name = "\([a-z]*\)",$/\1/p' \
    $(grep -lE 'pen_gather\(|pen_partition_sequentially\(' partition/partition_*.c rebalance/mapped.c) | sort -u |
    xargs)
named=$(tr '\n' ' ' <"$source/README.md" | grep -oE 'With [^.]* the graph must fit' | grep -oE '`[a-z]+`' | tr -d '`' |
    sort | xargs)
[ "$named" = "$gathering" ] || complain "README says that these gather: $named; they are $gathering"

# The packages that tools/setup installs are those of the table for Debian, purpose by purpose.
(. "$source/tools/setup" && printf '%s\n' "${REQUIRED[*]}" "${COMPRESSED[*]}" "${PICTURES[*]}" "${FORMATS[*]}" \
    "${MESHES[*]}" "${HARDWARE[*]}" "${CHECK_PACKAGES[0]}") >wanted
awk -F ' *\\| *' '/^## / { exit } /^\|/ && ++n > 2 { print $3 }' "$source/tools/package/installing.md" |
    diff wanted - >differences ||
    complain "packages of tools/setup (<) and of tools/package/installing.md (>): $(grep '^[<>]' differences)"

# Options are the project's, or those of programs that come from elsewhere.
benches=$(grep -ohE 'bin/[a-z_]+_bench' pages | cut -d/ -f2 | sort -u)
for program in hex heat random wave cg battlefield shock nbody explore pen-comm pen-draw pen-keep $benches; do
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
cmake: --build --parallel --install --prefix --config --target
one process: --faulty --dies-at --fails-at --stacks --work --overhead --eager --served
gdb: --args
pkg-config: --cflags --libs --with-path
Slurm: --nodes --ntasks-per-node
FOREIGN
for option in $(grep -oE -e '--[a-z][a-z-]*' pages | sort -u); do
    grep -qE -e "$option([^a-z-]|\$)" known || complain "a page names $option, which no --help knows"
done

# Files, folders, and links from page to page.
boxes='runtime|directory|balance|apps|tools|tests'
cd "folder of tests-README.md" || exit 1 # benchmarks are there
for path in $(grep -oE "\\b($boxes|build/release)/[A-Za-z0-9_./*-]*[A-Za-z0-9_*]" ../pages | sort -u); do
    compgen -G "$path" >/dev/null || complain "a page names $path, which does not exist"
done
cd "$work" || exit 1
for page in "${pages[@]}" runtime/glossary.md; do
    for link in $(grep -oE '\]\([^)#]*' "$source/$page" | cut -c3-); do
        [ -e "$source/$(dirname "$page")/$link" ] || complain "$page has a link to $link, which does not exist"
    done
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
    }' "$source/.github/CONTRIBUTING.md" | sort -u >named
(cd "$source" && find runtime directory balance apps tools tests -maxdepth 1 -type d) | sed 's#$#/#' | sort -u >folders
diff named folders >differences ||
    complain "folders that CONTRIBUTING.md names (<) and those that there are (>): $(grep '^[<>]' differences)"
finish
