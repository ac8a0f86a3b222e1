#!/bin/bash
# install_test.sh BIN SOURCE - what is installed is whole: somebody else's project builds against it, and the examples
# do, by CMake and by make, and plug-ins need the headers alone. Manual pages: manual_test.sh; what a package brings:
# package_test.sh.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
build=$(dirname "$bin")
must() { "$@" >log 2>&1 || { complain "$*: $(tail -5 log)"; return 1; }; }

must cmake --install "$build" --prefix "$work/there" || finish
mv there "moved" # nothing in it may know where it was
there=$work/moved lib=$(dirname "$(find moved -name libpenumbra.a)")

# The same result by every way of building.
expect 0 0 heat --generate=random:nodes=60 --steps=7
checksum=$(grep checksum out)
same() { [ "$(grep checksum "$1")" = "$checksum" ] || complain "$2: $(grep checksum "$1"), expected $checksum"; }

must cmake -S "$source/tests/consumer/installed" -B consumer "-DCMAKE_PREFIX_PATH=$there" && must cmake --build consumer
for kind in shared static; do
    patiently 30 "consumer/$kind" --generate=random:nodes=60 --steps=7 >out 2>err ||
        complain "consumer $kind: $(cat err)"
    same out "by CMake, $kind"
done
if command -v python3 >/dev/null; then
    expect 0 0 hex --generate=hex:11x9 --steps=0 --quiet --save-graph=hex.graph
    python3 "$source/tests/tools/cg.py" hex.graph 0.1 1e-6 noise 200 >solved
    bin=$work/consumer
    expect 0 3 cg --graph=hex.graph --steps=200 --verify --migrate-random=3 --dump=found
    bin=$build/bin
    cmp solved found || complain "$ran: not what the serial program has"
fi
cp -r "$there/share/doc/penumbra/examples" .
(cd examples && ls -- *.c) >files # both projects have all of them
for list in CMakeLists.txt Makefile; do
    for file in $(cat files); do
        grep -qw "${file%.c}" "examples/$list" || complain "the examples' $list lacks $file"
    done
done
must cmake -S examples -B examples/build "-DCMAKE_PREFIX_PATH=$there" && must cmake --build examples/build
patiently 30 examples/build/heat --generate=random:nodes=60 --steps=7 \
    --balancer=examples/build/pairwise.so >out 2>err ||
    complain "the examples by CMake: $(cat err)"
same out "the examples by CMake"
if command -v pkg-config >/dev/null && command -v make >/dev/null; then
    cd examples || exit 1
    must make "PKG_CONFIG_PATH=../$lib/pkgconfig"
    patiently 30 ./heat --generate=random:nodes=60 --steps=7 --balancer=./pairwise.so >out 2>err ||
        complain "by pkg-config: $(cat err)"
    same out "by pkg-config"
    cd ..
fi

# C++: the README's program, by CMake in a project of C++ alone, and an embedded one by pkg-config with the plain
# compiler; headers and both programs without a warning, each by itself; a plug-in.
mkdir cxx
cat >plugin.cpp <<'EOF'
#include <penumbra_plugin.h>
static pen_status stay(void *, const pen_load_view *, pen_peers *, pen_plan *) { return PEN_OK; }
static const pen_balancer mine = { "mine", "moves nothing", nullptr, 0, nullptr, stay, nullptr, false, 0, 0, nullptr };
PEN_PLUGIN(&mine, nullptr);
EOF
mpi_header=$(echo '#include <mpi.h>' | mpicc -M -x c - | tr ' ' '\n' | grep '/mpi\.h$')
if ! command -v g++ >/dev/null || ! command -v pkg-config >/dev/null; then
    leave_out "no g++ or no pkg-config: C++"
else
    must cmake -S "$source/tests/consumer/installed_cxx" -B cxx "-DCMAKE_PREFIX_PATH=$there" && must cmake --build cxx
    patiently 30 cxx/heat --generate=random:nodes=60 --steps=7 >out 2>err || complain "C++ by CMake: $(cat err)"
    same out "C++ by CMake"
    flags=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --cflags --libs penumbra) || complain "pkg-config"
    # shellcheck disable=SC2086
    must g++ -std=c++17 "$source/tests/consumer/embedded.cpp" -o by-g++ $flags -Wl,-rpath,"$work/$lib"
    patiently 30 "${MPIEXEC:-mpiexec}" -n 3 ./by-g++ >out 2>err || complain "embedded.cpp by g++: $?: $(cat err)"
    # shellcheck disable=SC2086
    must g++ -std=c++17 "$source/tests/consumer/push.cpp" -o push++ $flags -Wl,-rpath,"$work/$lib"
    for program in ./push++ "$bin/examples/push"; do
        patiently 30 "${MPIEXEC:-mpiexec}" -n 2 "$program" --generate=random:nodes=60 --steps=90 --verify \
            --dump="${program##*/}.dump" >out 2>err || complain "$program: $?: $(cat err)"
    done
    cmp push++.dump push.dump || complain "mail in C++: another result than in C"
fi
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || { leave_out "no $compiler"; continue; }
    for standard in c++17 c++20; do
        for header in penumbra_basics penumbra_nodes penumbra_mail penumbra_app penumbra_options penumbra_plugin \
            penumbra penumbra_partition penumbra_checkpoint penumbra_output; do
            echo "#include <$header.h>" >one.cpp
            includes=("-I$there/include")
            [[ $header == penumbra_@(basics|nodes|mail|app|options|plugin) ]] || \
                includes+=("-I$(dirname "$mpi_header")" -DOMPI_SKIP_MPICXX=1)
            must $compiler -std=$standard -Wall -Wextra -Wpedantic -Wcast-qual -Werror "${includes[@]}" -c one.cpp \
                -o one.o
        done
        for program in heat embedded push; do
            must $compiler -std=$standard -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wcast-qual -Werror \
                "${includes[@]}" -c "$source/tests/consumer/$program.cpp" -o one.o
        done
        must $compiler -std=$standard -Wall -Wextra -Wpedantic -Werror "-I$there/include" -shared -fPIC plugin.cpp \
            -o plugin_cxx.so
    done
done

# No record in C++ needs a wider alignment than it gets.
cat >aligned.cpp <<'EOF'
#include <penumbra.hpp>
struct alignas(BYTES) wide {
    double value;
};
static_assert(penumbra::type_of<const bool>() == PEN_BOOL);
int main(int argc, char **argv) { return penumbra::app<GIVEN>("wide", { "record" }).main(argc, argv); }
EOF
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    aligned=("$compiler" -std=c++17 "${includes[@]}" -c aligned.cpp)
    for given in wide 'penumbra::edge<wide>' 'penumbra::mail<wide>'; do
        must "${aligned[@]}" -DBYTES=16 "-DGIVEN=$given"
        "${aligned[@]}" -DBYTES=32 "-DGIVEN=$given" >log 2>&1
        grep -q "is aligned to 16 bytes" log || complain "$compiler takes $given that are aligned to 32 bytes"
    done
done

# Where a field is meant, no compiler takes an edge field or a kind of mail.
cat >named.cpp <<'EOF'
#include <penumbra.hpp>
struct cell {
    double value;
};
struct flux : cell {
};
struct call : cell {
};
using penumbra::edge, penumbra::mail;
using node = penumbra::node<cell, edge<flux>, mail<call>>;
using application = penumbra::app<cell, edge<flux>, mail<call>>;
static void step(node n) { n.WITHIN; }
void use(application &a, const application::run &run);
void use(application &a, const application::run &run)
{
    a.phase<step>("step").reads<cell>().edge_writes<flux>().sends<call>().OF_PHASE;
    a.OF_APP;
    run.OF_RUN;
}
EOF
# named WITHIN OF_PHASE OF_APP OF_RUN
named()
{
    "$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Werror "${includes[@]}" "-DWITHIN=$1" "-DOF_PHASE=$2" \
        "-DOF_APP=$3" "-DOF_RUN=$4" -c named.cpp >log 2>&1
}
right=("self<cell>()" "reads<cell>()" "plain<cell>()" "local<cell>()")
wrong=("neighbors<edge<flux>>()" "reads<edge<flux>>()" "plain<mail<call>>()" "local<edge<flux>>()")
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    must named "${right[@]}"
    for i in "${!wrong[@]}"; do
        words=("${right[@]}")
        words[i]=${wrong[i]}
        named "${words[@]}"
        grep -q "without edge<> or mail<>" log || complain "$compiler takes ${wrong[i]}"
    done
done

# A phase has sets of up to 16 indices. A compiler does not take an index in place of a set.
cat >set.c <<'EOF'
#include <penumbra_app.h>
enum { HEAT };
const pen_phase phase = { "relax", .reads = GIVEN };
EOF
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { leave_out "no $compiler"; continue; }
    for given in 'PEN_SET(HEAT, 63)' 'PEN_SET(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15)'; do
        must $compiler -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror "-I$there/include" "-DGIVEN=$given" \
            -c set.c
    done
    for given in HEAT 1 'PEN_SET(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,HEAT)'; do
        ! $compiler -std=c11 "-I$there/include" "-DGIVEN=$given" -c set.c >log 2>&1 ||
            complain "$compiler takes .reads = $given"
    done
done
cat >set.cpp <<'EOF'
#include <penumbra_app.h>
enum { HEAT };
extern const pen_phase phase;
const pen_phase phase = { "relax", GIVEN };
EOF
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    must $compiler -std=c++17 "-I$there/include" "-DGIVEN=PEN_SET(HEAT, 63)" -c set.cpp
    for given in HEAT 1 '{ HEAT }'; do
        ! $compiler -std=c++17 "-I$there/include" "-DGIVEN=$given" -c set.cpp >log 2>&1 ||
            complain "$compiler takes reads = $given"
    done
done

# A plug-in, with the programs under their installed names.
must cc -std=c11 -Wall -Wextra -Werror -shared -fPIC "-I$there/include" -o pairwise.so \
    "$source/apps/examples/pairwise.c"
bin=$there/bin
expect 0 3 pen-hex --generate=hex:12x12 --steps=20 --balancer=./pairwise.so --imbalance=three-phase --load=declared \
    --verify
grep -q 'pairwise.so: [1-9]' out || complain "$ran: the plug-in was not called: $(grep balancing out)"
[ ! -e plugin_cxx.so ] || expect 0 2 pen-hex --generate=hex:12x12 --steps=20 --balancer=./plugin_cxx.so --load=declared
expect 0 0 pen-graph --version

# From Python, with the programs that are beside the module.
python=
for path in python3 /usr/bin/python3; do
    ! "$path" -c 'import numpy' 2>/dev/null || { python=$path; break; }
done
if [ "$python" ]; then
    PYTHONPATH=$there/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1 "$python" - "$there" >log 2>&1 <<'END' ||
import sys, penumbra
run = penumbra.run("hex", ranks=2, generate="hex:7x5", steps=3, dump=True, launcher="mpirun", timeout=600)
assert run.command[3] == sys.argv[1] + "/bin/pen-hex", run.command
assert run.metrics["ranks"] == 2 and len(run.dump) == 35, run.metrics
assert "mpiexec" in penumbra.runs._find_launcher(run.command[3])[0]
assert penumbra.blocks._library().pen_exit_status(-2) == 2 # the library that is installed with it
try:
    penumbra.run("pen-hex", ranks=2, stepz=1)
except penumbra.Error as error:
    assert str(error) == "hex: unknown option --stepz=1: did you mean --steps?", error
END
        complain "from Python: $(tail -3 log)"
else
    leave_out "no python3 that has numpy: the module"
fi

# Documents. The programs that they name are examples.
documents=$there/share/doc/penumbra
grep -rohE '\b(apps|(apps/)?examples)/[A-Za-z0-9_]+[.](c|cpp|py)\b' "$documents" "$there/include" |
    sort -u >named
[ "$(wc -l <named)" -ge 12 ] || complain "pages name only $(cat named)"
while IFS= read -r name; do
    [ -s "$documents/examples/${name##*/}" ] || complain "pages name $name, which is not installed"
done <named
version=$(sed -n 's/^set(PACKAGE_VERSION "\(.*\)")/\1/p' "$lib/cmake/penumbra/penumbraConfigVersion.cmake")
for file in README.md LICENSE copyright CITATION.cff examples/{heat.c,heat.cpp,pairwise.c,CMakeLists.txt,Makefile}; do
    [ -s "$documents/$file" ] || complain "$file is not among the documents"
done
pages=("$documents/"{runtime,balance,tools,apps})
! grep -rnE 'build/|apps/examples/|runtime/include|tests/consumer' "${pages[@]}" | # but for work in a checkout
    grep -vE 'build/dev|tests/bench/|cmake |cpack ' >log ||
    complain "installed pages name what is not installed: $(head -3 log)"
for name in $(grep -rohE '\bpen-[a-z]+ ' "${pages[@]}" | sort -u); do
    [ -x "$there/bin/$name" ] || complain "installed pages name $name, which is not installed"
done
grep -q 'Permission is hereby granted' "$documents/copyright" || complain "the copyright file has no licence"
if command -v gzip >/dev/null; then
    gzip -dc "$documents/changelog.gz" >changes || complain "the list of changes cannot be read"
    grep -q "^penumbra ($version) " changes ||
        complain "the list of changes does not begin with $version: $(head -1 changes)"
    for minor in $(seq 0 "$(echo "$version" | cut -d. -f2)"); do # an entry for each version that a header had
        grep -q "^penumbra (${version%%.*}\.$minor\.[0-9]*) " changes || complain "no list of changes of 1.$minor"
    done
    if command -v dpkg-parsechangelog >/dev/null; then
        ran=$(dpkg-parsechangelog --all -l changes 2>&1 >/dev/null)
        [ -z "$ran" ] || complain "the list of changes is not as Debian's are: $ran"
    fi
fi
citation=$documents/CITATION.cff
for key in cff-version message title authors; do # that the format demands
    grep -q "^$key: *" "$citation" || complain "CITATION.cff has no $key"
done
grep -q "^version: $version\$" "$citation" || complain "CITATION.cff is not of $version: $(grep ^version "$citation")"
grep -qF "version(\"$version\")" "$source/tools/package/spack/package.py" || complain "Spack's recipe is no $version"
if python3 -c 'import yaml' 2>/dev/null; then
    python3 -c 'import sys, yaml; c = yaml.safe_load(open(sys.argv[1])); assert c["cff-version"] == "1.2.0" \
        and c["title"] and all("name" in a or "family-names" in a for a in c["authors"]), c' "$citation" ||
        complain "CITATION.cff is no YAML"
else
    leave_out "no yaml for python3 to read CITATION.cff with"
fi
finish
