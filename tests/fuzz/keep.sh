#!/bin/bash
# keep.sh BUILD - what the long searches of a build have found, and what was known before, without what adds nothing,
# becomes found.tar.xz: a folder for each reader, and one for checkpoints.
set -eu
build=$(cd "$1" && pwd)
found=$(cd "$(dirname "$0")" && pwd)/found.tar.xz
kept=$(mktemp -d)
trap 'rm -rf "$kept"' EXIT
for known in "$build"/fuzz_found/*/ "$build"/fuzz_found/.[a-z]*/; do
    reader=$(basename "$known")
    mkdir "$kept/$reader"
    program=readers_fuzz
    case $reader in
    checkpoint) program=checkpoint_fuzz ;;
    input | record | machine | delays) program=files_fuzz ;;
    esac
    PEN_FUZZ_READER=$reader "$build/bin/$program" -set_cover_merge=1 -max_len=4096 -malloc_limit_mb=160 \
        -verbosity=0 "$kept/$reader" "$known" "$build/fuzz_corpus/$reader"
done
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$kept" -cJf "$found" .
