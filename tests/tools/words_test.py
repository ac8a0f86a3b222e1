#!/usr/bin/env python3
"""words_test.py SOURCES - the texts that users meet are plain English: pages (.md), the manual's pages, file formats
and schemas, comments of public headers, messages and options in C, Python, shell and CMake, Python's docstrings, and
comments of scripts, which --help prints. They are held against a list of words and
constructions. Options on pages must occur in a source. Prints what is found, a line each, with better words.

A match that is right is in RIGHT, with its reason."""

import ast
import json
import os
import re
import sys
import textwrap

sys.dont_write_bytecode = True
from structure_test import files_below

# What to avoid, as a regular expression, and what to write.
AVOIDED = [(re.compile(pattern), better) for pattern, better in (
    (r"(?i)\bbesides?\b", "next to, too, except"),
    (r"(?i)\blest\b", "so that ... not"),
    (r"(?i)\banew\b", "again, re-"),
    (r"(?i)\bwhoever\b", "the one that"),
    (r"(?i)\bnobody\b", "no one; better, say what cannot be done"),
    (r"(?i)\bbehind\b", "after"),
    (r"(?i)\bby turns\b", "alternately"),
    (r"(?i)\bin vain\b", "has no effect"),
    (r"(?i)\bbe (it|they|there)\b(?= [a-z])", "if it is"),
    (r"(?i)\bbut for\b", "except"),
    (r"(?i)\ball the same\b", "anyway"),
    (r"(?i)\b(go|goes|going|went) on (from|with|when|without)\b", "continue"),
    (r"(?i)\bas many as there (is|are|were)\b", "the number of"),
    (r"(?i)\bone's own\b", "your own"),
    (r"(?i)\bshall\b", "must, will"),
    (r"(?i)\bfor ever\b|\bthereof\b|\bwherein\b|\bwhence\b", "plainer words"),
    (r"(?i)\bwhat (is|are|was|were)\b(?![^.]*\?)", "a noun: the data, the file"),
    (r"(?:^|[.;:] )[Ww]hat (?!if\b)\w+ (?![^.]*\?)", "a subject: the data, its result"),
    (r"(?i)\b(what|who|which) (must|can|may|shall)( not)? be\b", "an active sentence"),
    (r"(?i)\bcannot be(?=[.,;:)]|$)", "impossible"),
    (r"(?i)(?<!there )\b(is|are|was|were) none\b|\bnone is\b", "does not exist, there is no"),
    (r"(?i)(?<!there )\b(is|are|was|were) no (?!longer\b|more\b|less\b)\w+", "is not a, does not"),
    (r"(?i)\b(has|have|had) not (the|a|its)\b", "lacks"),
    (r"(?i)\band is (not )?there\b|\bthat is not there\b", "does not exist, exists already"),
    (r"\bWho (asks|wants|has|goes|comes|does|is)\b(?![^.]*\?)|[;,:] who (asks|wants|goes|comes)\b",
     "a rank that, a program that"),
    (r"(?:^|[.!?] )Nor\b", "a sentence that begins with its subject"),
    (r"(?i)\bof (?:[A-Z][\w-]*|one|the \w+)'s\b(?! \w)", "of, or the plain genitive"),
    (r"(?i)\bis (said|told)\b(?! to\b)|\b(tell|tells|told) (how|what|who|which)\b", "describes, reports"),
    (r"(?i)\bstands? (there|here|behind|before|twice|of)\b", "occurs, precedes, follows"),
    (r"(?i)\ba lump of\b|\bwishes\b|\bmended\b|\bheld against\b", "plainer words"),
)]

# What is found and right: path, the words, the reason.
RIGHT = {
    "README.md": {"what is"},  # "transfers what is read, and nothing else": an object, and short
    "runtime/README.md": {"what is", "; what the ", "; what it "},  # objects, or the halves of a pair
    ".github/CONTRIBUTING.md": {"What you "},  # the usual sentence about licences
    "apps/battlefield/battlefield.c": {"nobody"},  # a word of dumps: checksums depend on it
}

FOREIGN = {"prtemca"}  # options on pages that no source has: of PRRTE's launcher

FOLDERS = ("runtime/", "directory/", "balance/", "tools/", "apps/")  # whose strings users see
C_TOKEN = re.compile(r"""//[^\n]* | /\*.*?\*/ | "((?:\\.|[^"\\\n])*)" | '(?:\\.|[^'\\])*' | (\s+|\\\n) |
                         (PRI\w+) | .""", re.S | re.X)


def paragraphs(text):
    """Of a page: (line, paragraph on a line), without blocks of commands or code, and without code in backquotes."""
    first, words, code = 0, [], False
    for number, line in enumerate(text.splitlines() + [""], 1):
        fence = line.startswith("```")
        code ^= fence
        if fence or code or not line.strip() or line.startswith("    ") and not words:
            if words:
                yield first, " ".join(words)
            words = []
            continue
        first = first if words else number
        words.append(line.strip())


def comments(text):
    """Of a header: (line, comment on a line)."""
    for found in re.finditer(r"/\*.*?\*/", text, re.S):
        yield text.count("\n", 0, found.start()) + 1, " ".join(re.sub(r"^\s*(/\*|\*/|\*)|\*/$", "", line).strip()
                                                                for line in found[0].splitlines())


def strings(text):
    """Of a C file: (line, string), adjacent ones being one."""
    joined, first = None, 0
    for found in C_TOKEN.finditer(text):
        if found[1] is not None:
            if joined is None:
                joined, first = [], text.count("\n", 0, found.start()) + 1
            joined.append(found[1])
        elif found[3] and joined is not None:
            joined.append("N")
        elif not found[2] and not found[0].startswith(("//", "/*")) and joined is not None:
            yield first, "".join(joined)
            joined = None


def python_strings(text):
    """Of a Python file: (line, string), also docstrings, whose paragraphs are apart."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(v.value if isinstance(v, ast.Constant) else "N" for v in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            for line, words in paragraphs(textwrap.dedent("    " + node.value)):
                yield node.lineno + line - 1, words


def script_texts(text):
    """Of a shell script or a CMake file: (line, comment on a line) and (line, string)."""
    comment, first = [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        if re.match(r"\s*#(?!!)", line):
            first = first if comment else number
            comment.append(line.strip("# \t"))
            continue
        if comment:
            yield first, " ".join(comment)
            comment = []
        for found in re.finditer(r""""((?:\\.|[^"\\])*)"|'([^']*)'""", line):
            yield number, re.sub(r"\$\{?\w+\}?", "N", found[1] or found[2] or "")


def descriptions(text):
    """Of a JSON schema: (0, description)."""
    def walk(value):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if key == "description" and isinstance(item, str):
                yield 0, item
            elif isinstance(item, (dict, list)):
                yield from walk(item)
    yield from walk(json.loads(text))


def newest_changes(text):
    """Of the list of changes: the entry of this version."""
    yield 1, " ".join(text.split("\n -- ", 1)[0].split())


def reader_of(path, text):
    """How the texts of a file are found; None: users do not see it."""
    if path.endswith(".md") or re.match("tools/package/(pages|schema)/.*[.]txt$", path):
        return paragraphs
    if path.startswith("tools/package/schema/"):
        return descriptions
    if path == "tools/package/changelog.in":
        return newest_changes
    if path.startswith("runtime/include/"):
        return comments
    if not path.startswith(FOLDERS) and path != "CMakeLists.txt":
        return None
    if path.endswith((".c", ".h")):
        return strings
    if path.endswith(".py") or text.startswith("#!/usr/bin/env python3"):
        return python_strings
    is_script = text.startswith(("#!/bin/sh", "#!/bin/bash")) or path.endswith((".bash", ".cmake", "CMakeLists.txt"))
    return script_texts if is_script else None


def findings(root, path):
    """Of a file: (words, sentence)."""
    try:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
    except UnicodeDecodeError:
        return
    reader = reader_of(path, text)
    for line, words in reader(text) if reader else ():
        words = re.sub(r"`[^`]*`", "CODE", " ".join(words.replace("\\n", "\n").split()))
        for pattern, better in AVOIDED:
            for found in pattern.finditer(words):
                near = words[max(0, found.start() - 30):found.end() + 30]
                yield found[0], f"{path}:{line}: \"{found[0]}\" in \"{near}\": {better}"


def read_text(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def unknown_options(root, paths):
    """Options on pages: a source has each, as --name or in a table as "name"."""
    pages = [path for path in paths if reader_of(path, "") is paragraphs]
    sources = "\n".join(read_text(root, path) for path in paths
                        if path not in pages and not path.endswith("/words_test.py"))
    known = set(re.findall(r'(?:--|")([a-z][\w-]*)', sources)) | FOREIGN
    for path in pages:
        for option in sorted(set(re.findall(r"(?<![\w-])--([a-z][\w-]*)", read_text(root, path))) - known):
            yield f"{path}: --{option} is in no source"


def unnamed_members(root, paths):
    """Options in messages of the library: members.c must know what a program without a command line calls them."""
    options = set()
    for path in ("runtime/driver/options.c", "runtime/graph/graph_options.c"):
        options |= set(re.findall(r'^ +\{ "([a-z-]+)", (?:"|NULL|PEN_LIST)', read_text(root, path), re.M))
    known = set(re.findall(r'"--([a-z-]+)', read_text(root, "runtime/base/members.c")))
    for path in paths:
        if re.match(r"runtime/(?!driver/).*[.]c$", path): # tables of options, from which their members follow
            known |= set(re.findall(r'\{ "([a-z-]+)",(?:(?!\{ ").)*?PEN_OPTION_SETS', read_text(root, path), re.S))
    for path in paths:
        if not re.match(r"(runtime/(?!driver/|graph/graph_options|base/options)|balance/|directory/).*[.]c$", path):
            continue
        for line, words in strings(read_text(root, path)):
            words = re.sub(r"\bpen-graph .*|\bdocker .*", "", words)
            for option in re.findall(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)", words):
                if option in options - known:
                    yield f"{path}:{line}: --{option}: members.c lacks the member that has this effect"


def main(root):
    wrong = []
    paths = sorted(files_below(root))
    for path in paths:
        found = list(findings(root, path))
        right = RIGHT.get(path, set())
        wrong += [sentence for words, sentence in found if words not in right]
        wrong += [f"{path}: RIGHT lists \"{words}\", which does not occur" for words in right - {w for w, _ in found}]
    wrong += [*unknown_options(root, paths), *unnamed_members(root, paths)]
    wrong += [path + ": listed in words_test.py, but does not exist" for path in set(RIGHT) - set(paths)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
