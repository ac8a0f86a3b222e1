#!/usr/bin/env python3
"""headers_test.py SOURCES - the public headers are a manual that can be looked up: no comment is long, the first
example of penumbra.h is the program of apps/heat.c, and the comment of a function names its parameters and the errors
that it returns. Prints what is wrong, a line each."""

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


def without_bodies(text):
    """The header with a semicolon in place of the bodies of functions; line numbers stay."""
    return re.sub(r"^(static inline [^;{]*?\))[ \n]\{(.*?)(?:^\}| \}$)",
                  lambda m: m[1] + ";" + "\n " * (m[0].count("\n") - m[1].count("\n")), text, flags=re.M | re.S)


def functions_of(text):
    """(line, name, parameters, whether it returns a checked status, comment) of the functions of a header. Each belongs
    to the comment above it, up to an empty line."""
    text, comment, end = without_bodies(text), "", 0
    for found in re.finditer(r"^/\*.*?\*/$|^(?:PEN_API|static inline|typedef) [^;{]*?\w\([^;{]*\);", text, re.M | re.S):
        if found[0].startswith("/*"):
            comment, end = found[0], found.end()
            continue
        head = re.search(r"\b(\w+)\(", found[0])
        if "\n\n" in text[end:found.start()].replace("\n#", "\n"):
            comment = ""
        end = found.end()
        inner = re.sub(r"\([^()]*\)$", "", re.sub(r"\([^()]*\)(?=,)", "", found[0][head.end():-2]))
        names = [re.search(r"\(?\*?(\w+)\)?(?:\[\w*\])?$", part.strip()) for part in inner.split(",")]
        yield (lines_of(text, found.start()), head[1], [n[1] for n in names if n and n[1] != "void"],
               "PEN_CHECKED" in found[0], comment)


def check_functions(name, text, wrong):
    """Returns how many functions were checked. The view of the node, and the object in the name of a function, need no
    words. What ends in _abi is the library's own, and what is defined at the end of a header is described before."""
    known = set()
    for line, function, parameters, checked, comment in functions_of(text):
        if function.endswith("_abi") or function in known:
            continue
        known.add(function)
        for parameter in parameters:
            its = parameter == "v" or function.startswith(f"pen_{parameter}_")
            if not its and not re.search(rf"\b{parameter}\b", comment):
                wrong.append(f"{name}:{line}: the comment of {function} does not name {parameter}")
        if checked and "PEN_ERR_" not in comment:
            wrong.append(f"{name}:{line}: the comment of {function} names no error")
    return len(known)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root, wrong, functions = sys.argv[1], [], 0
    paths = sorted(glob.glob(os.path.join(root, "runtime/include/*")))
    for path in paths:
        name = os.path.basename(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        check_lengths(name, text, wrong)
        functions += check_functions(name, text, wrong) if name.endswith(".h") else 0
        if name == "penumbra.h":
            check_example(root, text, wrong)
    if functions < 100:
        wrong.append(f"only {functions} public functions found")
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
