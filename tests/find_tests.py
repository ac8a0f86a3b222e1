#!/usr/bin/env python3
"""find_tests.py [FOLDER ...] - which tests guard which folder: those that use its headers, and those that
must find a fault in it (mutants/mutants.txt), a line a folder. Programs are tested by the scripts of tests/tools."""

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BOXES = re.compile(r"(runtime|balance|directory|tools|apps)(/\w+)?/")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def files(folder, *endings):
    for path, _, names in os.walk(os.path.join(ROOT, folder)):
        yield from (os.path.relpath(os.path.join(path, name), ROOT) for name in sorted(names) if name.endswith(endings))


def folder_of(path):
    found = BOXES.match(path)
    return found[0].rstrip("/") if found else None


def header_folders():
    """The folders that a header may be of, as tests include it: "store/rows.h"."""
    headers = {}
    for box in ("runtime", "directory", "balance", "tools", "apps"):
        for path in files(box, ".h"):
            for name in (path, path.removeprefix("runtime/"), path.removeprefix("balance/")):
                headers[name] = folder_of(path)
    return headers


def main():
    headers, guards, folders_of = header_folders(), {}, {}

    def used(path):
        """The folders whose headers a file of tests needs, also by other headers of tests."""
        if path not in folders_of:
            folders_of[path] = set()
            for name in re.findall(r'^#include "([^"]+)"', read(path), re.M):
                if name.startswith("tests/"):
                    folders_of[path] |= used(name)
                elif name in headers:
                    folders_of[path].add(headers[name])
        return folders_of[path]

    for path in files("tests", "_test.c", "_fuzz.c"):
        for folder in used(path):
            guards.setdefault(folder, set()).add(os.path.basename(path).removesuffix(".c"))
    for block in read("tests/mutants/mutants.txt").split("\n\n"):
        finder = re.search(r"^(run|test|explore): (?:--\S+ )*(\S+)", block, re.M)
        for path in re.findall(r"^file: (\S+)", block, re.M):
            if finder and folder_of(path):
                name = f"explore {finder[2]}" if finder[1] == "explore" else finder[2]
                guards.setdefault(folder_of(path), set()).add(name)
    every = {folder_of(path) for box in ("runtime", "directory", "balance") for path in files(box, ".c")} - {None}
    for folder in sorted(every | set(guards)):
        if folder != "runtime/include" and (len(sys.argv) == 1 or folder in sys.argv[1:]):
            print(f"{folder}: {', '.join(sorted(guards.get(folder, ()))) or 'no test'}")


main()
