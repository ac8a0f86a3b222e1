#!/usr/bin/env python3
"""plant.py - copies the sources, with mutants in them, each of which sleeps until PEN_MUTANT in the environment is its
number: one build has them all.

    plant.py MUTANTS ROOT COPY      MUTANTS as run.sh reads them; prints the numbers of those that are planted

A function with mutants begins with a copy of its body for each of them, which it takes if that one is awake. Left to
others is what does not stand within one function of a C file: the braces of its body stand alone in their lines, at
their beginnings, or all of it is one line. Files of the copy that are right already keep their times."""

import os
import re
import shutil
import sys

COPIED = "CMakeLists.txt", "LICENSE", ".github", "runtime", "directory", "balance", "apps", "tools", "tests"

AWAKE = """extern char *getenv(const char *);
extern int atoi(const char *);
static int pen_mutant(void)
{
    static _Atomic int awake = -1; /* threads ask, too */
    if (awake < 0) awake = getenv("PEN_MUTANT") ? atoi(getenv("PEN_MUTANT")) : 0;
    return awake;
}
"""
IN_ONE_LINE = re.compile(r"(\w[^{}]*\)) (\{ .* \})")


def blocks(path):
    """Of each mutant: its file, the lines it replaces, and those in their place."""
    with open(path, encoding="utf-8") as file:
        for block in re.split(r"\n\n+", file.read()):
            lines = [line for line in block.splitlines() if not line.startswith("#")]
            if any(line.startswith("mutant: ") for line in lines):
                name = [line[len("file: "):] for line in lines if line.startswith("file: ")][0]
                old, new = ([line[1:] for line in lines if line[0] == sign] for sign in "-+")
                yield name, old, new


def place(lines, old, new):
    """Where the function's body begins, what is behind it, and the body with the mutant in it; or None."""
    at = [i for i in range(len(lines)) if lines[i:i + len(old)] == old]
    if len(at) != 1:
        return None
    first, last = at[0], at[0] + len(old)
    while old and new and old[0] == new[0]:
        old, new, first = old[1:], new[1:], first + 1
    while old and new and old[-1] == new[-1]:
        old, new, last = old[:-1], new[:-1], last - 1
    if len(old) == len(new) == 1 and IN_ONE_LINE.fullmatch(old[0]) and IN_ONE_LINE.fullmatch(new[0]):
        return first, last, [IN_ONE_LINE.fullmatch(new[0]).group(2)]
    begin = max((i for i in range(first) if lines[i] in ("{", "}")), default=None)
    end = min((i for i in range(first, len(lines)) if lines[i] in ("{", "}")), default=None)
    if begin is None or end is None or (lines[begin], lines[end]) != ("{", "}") or end < last:
        return None
    return begin, end + 1, lines[begin:first] + new + lines[last:end + 1]


def plant(lines, bodies):
    """The file's lines with all bodies: (begin, end, number, body)."""
    for begin, end in sorted({(b, e) for b, e, _, _ in bodies}, reverse=True):
        taken = []
        for _, _, number, body in [b for b in bodies if b[:2] == (begin, end)]:
            taken += [f"if (pen_mutant() == {number})", *body, "else"]
        whole = lines[begin:end]
        head = IN_ONE_LINE.fullmatch(whole[0])
        if head:
            lines[begin:end] = [head.group(1), "{", *taken, head.group(2), "}"]
        else:
            lines[begin:end] = ["{", *taken, *whole, "}"]
    return AWAKE.splitlines() + lines


def planted(text, some):
    """A file's text with those of its mutants (number, old, new) that can be planted, and their numbers."""
    lines = text.decode().splitlines()
    bodies = [(*found[:2], number, found[2]) for number, old, new in some if (found := place(lines, old, new))]
    if not bodies:
        return text, []
    return ("\n".join(plant(lines, bodies)) + "\n").encode(), [number for _, _, number, _ in bodies]


def files_of(root):
    for name in COPIED:
        if os.path.isfile(os.path.join(root, name)):
            yield name
        for folder, _, names in os.walk(os.path.join(root, name)):
            yield from (os.path.relpath(os.path.join(folder, n), root) for n in names)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main():
    mutants, root, copy = sys.argv[1:]
    found = {}
    for number, (name, old, new) in enumerate(blocks(mutants), 1):
        if name.endswith(".c"):
            found.setdefault(name, []).append((number, old, new))
    names = set(files_of(root))
    for name in names:
        text, numbers = planted(read(os.path.join(root, name)), found[name]) if name in found else \
            (read(os.path.join(root, name)), [])
        path = os.path.join(copy, name)
        if not os.path.exists(path) or read(path) != text:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(text)
            shutil.copymode(os.path.join(root, name), path)
        for number in numbers:
            print(number)
    for name in set(files_of(copy)) - names:
        os.remove(os.path.join(copy, name))


if __name__ == "__main__":
    main()
