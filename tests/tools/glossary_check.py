"""glossary_check.py GLOSSARY NAMES FILE ... - are the words that programs print in the glossary? Each FILE is the
output of a program. Found in it are the headings of tables, the names of lines and of a table's rows, and words before
numbers, as in "cut 23". The glossary must have each in bold. NAMES has the names of algorithms, which --list describes.

Prints the words that are missing, with the line that has them."""

import re
import sys

NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
# Words before a number that say nothing about it.
PLAIN = set("a about after and are at by changed end every first for from host in is least most of on or "
            "package than the then to up vm with x".split())
NAMED = re.compile(r" *([a-z][a-z ]*?)  +\S")  # a line that begins with a name


def bold(page):
    """The terms of the glossary, in lower case."""
    text = " ".join(open(page, encoding="utf-8").read().split())
    return {term.lower() for term in re.findall(r"\*\*(.+?)\*\*", text)}


def cells(line):
    return [cell for cell in re.split(r" {2,}", line.strip()) if cell]


def is_row(line):
    """A line of a table, below its heading: a cell of it is a number, or a dash."""
    return any(re.fullmatch(NUMBER + "|-", cell) for cell in re.split(r" +", line.strip())[1:])


def is_heading(line, below):
    return len(line.split()) > 2 and not re.search(r"\d|[,;.:]( |$)|^[A-Z]", line) and is_row(below)


def words_of(lines):
    """Yields (words, line)."""
    table = own = False
    for line, below in zip(lines, lines[1:] + [""]):
        own = line == "observables at the end" or own and line[:1] == " "  # names that the application gives
        if not line.strip() or line[0].isupper():
            table = False
        elif not table and is_heading(line, below):
            table = True
            yield from ((cell, line) for cell in cells(line))
        elif table:
            yield re.sub(r" \(.*", "", cells(line)[0]), line
        elif NAMED.match(line) and not own:
            yield NAMED.match(line)[1], line
            for word in re.findall(r"(?<![\w./=:-])([a-z]+) " + NUMBER + r"(?![\w.:-])", line):
                yield word, line


def is_known(words, terms, names):
    words = words.lower()
    if words.split(":")[0] in PLAIN | names | terms or re.match(NUMBER, words):
        return True
    # "imbalance after": cells with one blank between them; "span" of "mean arc span"
    parts = words.split()
    return all(any(re.search(r"(?<!\w)" + re.escape(part) + r"s?(?!\w)", term) for term in terms) for part in parts)


def main():
    terms, names = bold(sys.argv[1]), set(open(sys.argv[2]).read().split())
    missing = {}
    count = 0
    for path in sys.argv[3:]:
        for words, line in words_of(open(path, encoding="utf-8").read().splitlines()):
            count += 1
            if not is_known(words, terms, names):
                missing.setdefault(words, f"{path}: {line.strip()[:90]}")
    for words, where in missing.items():
        print(f'"{words}" is not in the glossary: {where}')
    if count < 150:
        print(f"only {count} words found in the output")
    return bool(missing) or count < 150


if __name__ == "__main__":
    sys.exit(main())
