#!/usr/bin/env python3
"""headers_test.py SOURCES - the public headers are a manual that can be looked up: no comment is long, the first example
of penumbra.h is the program of README and of apps/heat.c, and the comment of a function names its parameters and the
errors that it returns. Prints what is wrong, a line each."""

import glob
import os
import re
import sys

LONGEST = 15  # lines of a comment: what is longer belongs on a page (tools/package/pages/penumbra_*.md)
COMMENT = re.compile(r"/\*.*?\*/", re.S)


def lines_of(text, at):
    return text.count("\n", 0, at) + 1


def check_lengths(name, text, wrong):
    for comment in COMMENT.finditer(text):
        lines = comment[0].count("\n") + 1
        if lines > LONGEST:
            wrong.append(f"{name}:{lines_of(text, comment.start())}: a comment of {lines} lines, at most {LONGEST}")


def bare(text):
    """A program without white space, comments and includes."""
    text = re.sub(r"//[^\n]*|#include[^\n]*", "", COMMENT.sub("", text))
    return re.sub(r"\s", "", text)


def check_example(root, header, wrong):
    """The first section of penumbra.h is the program of apps/heat.c, which is built and run."""
    section = re.search(r"/\* ---- A whole program -+ \*/\n(.*?)/\* ---- ", header, re.S)
    code = re.findall(r"^ \*     (.*?)(?: \*/)?$", section[1], re.M) if section else []
    with open(os.path.join(root, "apps/heat.c"), encoding="utf-8") as file:
        if bare("\n".join(code)) != bare(file.read()):
            wrong.append("penumbra.h: the program of \"A whole program\" is not apps/heat.c")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root, wrong = sys.argv[1], []
    paths = sorted(glob.glob(os.path.join(root, "runtime/include/*")))
    for path in paths:
        name = os.path.basename(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        check_lengths(name, text, wrong)
        if name == "penumbra.h":
            check_example(root, text, wrong)
    if len(paths) < 10:
        wrong.append(f"only {len(paths)} public headers found")
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
