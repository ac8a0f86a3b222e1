#!/bin/bash
# freeze.sh [FOLDER] - keeps the public headers as they are, with a program in C, in C++ and in Python, for
# frozen_test: later versions must run these programs. FOLDER: tests/frozen/VERSION. Headers and programs that it has
# are replaced.
set -eu
tests=$(cd "$(dirname "$0")/.." && pwd)
include=$tests/../runtime/include
version=$(awk '/^#define PEN_VERSION_(MAJOR|MINOR|PATCH) / { text = text point $3; point = "." } END { print text }' \
    "$include/penumbra_basics.h")
to=${1:-$tests/frozen/$version}
mkdir -p "$to/include"
rm -f "$to"/include/penumbra*.h "$to"/include/penumbra*.hpp
cp "$include"/*.h "$include"/*.hpp "$to/include"
cp "$tests/consumer/halves.c" "$to/program.c"
cp "$tests/consumer/embedded.cpp" "$to/program.cpp"
cp "$tests/consumer/science/grayscott.py" "$to/program.py"
