#!/usr/bin/env python3
"""pages.py SOURCES - the figures on pages, and what prints them: pages.txt ties each to figures.txt, whose figures
figures.py measures and compares with the pages, or names the script that prints it. Prints what does not hold: a quote
that its page does not have, a figure that does not exist, and a row of a table or a paragraph with a measured figure
that pages.txt does not quote.

pages.txt has entries. A line begins one: a page, a colon, and words of the page with figures in them. The lines below
it say where the figures are from:
    = NAME CASE FIGURE; ...   in this order, from figures.txt; {a,b} stands for both, 1 / X and X / Y are computed;
                              lines:PATH is the number of lines of a file, - is not compared; "curve RANKS:PROGRAM,
                              SCALING,MACHINE,TRANSPORT COLUMN", without a blank there, is of apps/pictures/scaling.csv
    by SCRIPT                 SCRIPT prints them; they depend on the machine, or take hours. The head of a table stands
                              for all of it
    no figure: REASON         these numbers were not measured"""

import csv
import functools
import itertools
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = ("README.md", "runtime/README.md", "runtime/ranks.md", "balance/README.md", "tools/README.md", "apps/README.md",
         "tests/README.md")
NUMBER = re.compile(r"(?<![\w.`:=+/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w`]|[.,]\d)")
MEASURED = re.compile(r"\d\.\d|tests/bench/|\w_bench\b")


def plain(text):
    return " ".join(text.split())


def expand(text):
    """Shell's braces: "a{b,c}{d,e}" is four texts."""
    parts = [part.split(",") if i % 2 else [part] for i, part in enumerate(re.split(r"\{(.*?)\}", text))]
    return ["".join(choice) for choice in itertools.product(*parts)]


def entries():
    """Yields page, quote, figures (a list of expressions), script (or None)."""
    entry = None
    for line in open(os.path.join(HERE, "pages.txt"), encoding="utf-8").read().splitlines():
        if line.startswith("    = "):
            entry[2].extend(one for text in line[6:].split("; ") for one in expand(text))
        elif line.startswith("    by "):
            entry[3] = line[7:].strip()
        elif line.strip() and not line.startswith(("#", "    no figure: ")):
            if entry:
                yield entry
            page, quote = line.split(": ", 1)
            entry = [page, plain(quote), [], None]
    if entry:
        yield entry


@functools.cache
def curves():
    with open(os.path.join(HERE, "../../apps/pictures/scaling.csv"), encoding="utf-8") as file:
        return {("curve", row["ranks"] + ":" + ",".join(list(row.values())[:4]), column): float(text)
                for row in csv.DictReader(file) for column, text in row.items() if re.fullmatch(r"[\d.]+", text)}


def value_of(expression, value):
    """`value` gives that of a term. None: it is not known."""
    values = []
    for term in expression.split(" / "):
        if re.fullmatch(r"\d+", term):
            values.append(int(term))
        elif term.startswith("lines:"):
            with open(os.path.join(HERE, "../..", term[6:]), encoding="utf-8") as file:
                values.append(len(file.readlines()))
        else:
            term = tuple(term.split(" "))
            values.append(curves().get(term) or value(term))
    if None in values:
        return None
    return values[0] if len(values) == 1 else values[0] / values[1]


def compare(value):
    """Sentences about figures on pages that are not what was measured. `value` as above."""
    for page, quote, figures, _ in entries():
        for expression, text in zip(figures, NUMBER.findall(quote)):
            found = None if expression == "-" else value_of(expression, value)
            digits = len(text.partition(".")[2])
            if found is not None and abs(found - float(text.replace(",", ""))) > 0.5000001 * 10 ** -digits:
                yield f"{page} says {text}, but {expression} is {found:.6g}: \"{quote}\""


def blocks(text):
    """Paragraphs and rows of tables, the latter with the head of the table, without blocks of code."""
    words, head = [], None
    code = False
    for line in text.splitlines() + [""]:
        row = line.startswith("|")
        code ^= line.startswith("```")
        if words and (row or not line.strip() or code or line.startswith(("* ", "```"))):
            yield plain(" ".join(words)), None
            words = []
        if row and not code:
            head = head or plain(line)
            yield plain(line), head
            continue
        head = None
        if line.strip() and not code and not line.startswith(("```", "    ")):
            words.append(line)


def uncovered(text, quotes):
    """Blocks with figures that no quote covers."""
    for block, head in blocks(text):
        bare = re.sub(r"`[^`]*`|\]\([^)]*\)", "", block)
        measured = NUMBER.search(bare) and (head or MEASURED.search(block))
        if measured and not any(quote in block or quote == head for quote in quotes):
            yield block


def main(root):
    wrong = list(compare(lambda term: None))
    known = {tuple(line.split()[:3]) for line in open(os.path.join(HERE, "figures.txt")) if not line.startswith("#")}
    known |= curves().keys()
    texts = {page: open(os.path.join(root, page), encoding="utf-8").read() for page in PAGES}
    quotes = {page: set() for page in PAGES}
    for page, quote, figures, script in entries():
        quotes[page].add(quote)
        if plain(texts[page]).count(quote) != 1:
            wrong.append(f"{page} must have once \"{quote}\"")
        if figures and len(figures) != len(NUMBER.findall(quote)):
            wrong.append(f"{page}: {len(figures)} figures for {NUMBER.findall(quote)} in \"{quote}\"")
        for term in (term for one in figures for term in one.split(" / ")):
            if not re.fullmatch(r"-|\d+|lines:.*", term) and tuple(term.split(" ")) not in known:
                wrong.append(f"{page}: figures.txt has no \"{term}\", for \"{quote}\"")
        if script and not os.path.exists(os.path.join(root, script.split()[0])):
            wrong.append(f"{page}: {script} does not exist, for \"{quote}\"")
    for page in PAGES:
        wrong += [f"{page}: pages.txt does not say where the figures are from in \"{block}\""
                  for block in uncovered(texts[page], quotes[page])]
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
