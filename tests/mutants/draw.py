#!/usr/bin/env python3
"""draw.py - draws mutants of the sources, by a seed, and prints them as run.sh reads them (mutants.txt).

    draw.py BUILD SEED COUNT [FOLDER ...]

BUILD has compile_commands.json. The folder is drawn by the weights of folders.txt, or each of those named is as likely;
then the file, by its length; the kind of fault; and one of its places (sites.py). Another mutant is drawn for one that
the compiler refuses, or of which it makes the same code."""

import json
import os
import random
import subprocess
import sys

import guards
import sites

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def code(text, path, compiler):
    """The assembler's text that the compiler makes; None: it refuses."""
    made = subprocess.run([*compiler, "-O2", "-g0", "-S", "-x", "c", "-iquote",
                           os.path.dirname(path), "-o", "-", "-"], input=b'#line 1 "%s"\n' % path.encode() + text,
                          capture_output=True, check=False)
    return made.stdout if made.returncode == 0 else None


class Source:
    """A file with its sites, by kinds."""

    def __init__(self, path, entry):
        arguments, self.compiler = sites.arguments_of(entry)
        self.path, self.name = path, os.path.relpath(path, ROOT)
        found = sites.Sites(path, arguments)
        self.text = found.text
        self.kinds = {k: sorted(s for s in found.found if s[0] == k) for k in sites.KINDS}
        self.kinds = {k: s for k, s in self.kinds.items() if s}
        self.code = code(self.text, path, self.compiler)
        if self.code is None:
            raise SystemExit(f"draw.py: {path} does not compile")

    def bites(self, site):
        _, begin, end, new = site
        made = code(self.text[:begin] + new.encode() + self.text[end:], self.path, self.compiler)
        return made is not None and made != self.code

    def block(self, site, folder):
        """The mutant with as many lines around it as make them unique in the file."""
        kind, begin, end, new = site
        lines = self.text.split(b"\n")
        first = self.text[:begin].count(b"\n")
        last = self.text[:end].count(b"\n")
        changed = (self.text[:begin] + new.encode() + self.text[end:]).split(b"\n")
        more = len(changed) - len(lines)
        while self.text.count(b"\n".join(lines[first:last + 1])) > 1:
            first, last = max(first - 1, 0), min(last + 1, len(lines) - 1)
        number = self.text[:begin].count(b"\n") + 1
        column = begin - self.text.rfind(b"\n", 0, begin)
        told = [f"mutant: {self.name}:{number}:{column} {kind}", f"guards: {folder}", f"file: {self.name}"]
        told += ["-" + line.decode() for line in lines[first:last + 1]]
        told += ["+" + line.decode() for line in changed[first:last + 1 + more]]
        return "\n".join(told) + "\n"


def files_of(build, folder):
    with open(f"{build}/compile_commands.json", encoding="utf-8") as file:
        entries = {}
        for entry in json.load(file):
            if os.path.dirname(entry["file"]) == f"{ROOT}/{folder}":
                entries.setdefault(entry["file"], entry)
    return sorted(entries.items())


def main():
    build, seed, count, *named = sys.argv[1:]
    table = guards.folders()
    weights = {f: 1 for f in named} if named else {f: w for f, (w, _) in table.items()}
    drawn, sources, taken = random.Random(seed), {}, set()
    for _ in range(50 * int(count)):  # fewer are found where there is little to change
        if len(taken) == int(count):
            break
        folder = drawn.choices(list(weights), list(weights.values()))[0]
        files = files_of(build, folder)
        path, entry = drawn.choices(files, [os.path.getsize(path) for path, _ in files])[0]
        if path not in sources:
            sources[path] = Source(path, entry)
        source = sources[path]
        if not source.kinds:
            continue
        site = drawn.choice(source.kinds[drawn.choice(sorted(source.kinds))])
        if (path, site) not in taken and source.bites(site):
            taken.add((path, site))
            print(source.block(site, folder), flush=True)


if __name__ == "__main__":
    main()
