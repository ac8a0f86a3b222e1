#!/bin/bash
# batch.sh PROGRAM NAME ... -- LAUNCHER ...: runs tests in one launch (batch.c). Where some fail, or one ends the
# launch, those that did not pass are repeated alone, so that it is told which of them fail by themselves, and so that
# all have run.
set -u
program=$1
shift
names=()
while [ "$1" != -- ]; do names+=("$1") && shift; done
shift
. "$(dirname "$0")/canaries.sh"
begin_work batch
mkdir "${names[@]}" && canaries "${names[@]}" || exit 1

"$@" "$program" "${names[@]}" | tee told
status=${PIPESTATUS[0]}
for name in "${names[@]}"; do
    grep -q "^case $name " told && continue
    status=1
    echo "---- $name, alone"
    if "$@" "$program" "$name"; then echo "$name passes alone"; else echo "$name fails alone"; fi
done
exit $status
