"""Reads the numbers of a block of lines at once; and the fields of single lines, with a sentence about each fault, for
the few lines that the first way does not understand."""

import re

import numpy as np

def blocks(stream, size=1 << 22):
    """(bytes, number of their first line), up to the end of a line."""
    line, rest = 1, []
    while data := stream.read(size):
        cut = data.rfind(b"\n") + 1
        rest.append(data[:cut] if cut else data)
        if cut:
            block, rest = b"".join(rest), [data[cut:]]
            yield block, line
            line += block.count(b"\n")
    if block := b"".join(rest):
        yield block, line

class Block:
    """The lines and words of a block. Blanks and tabs separate words; "\r" before the end of a line belongs to it."""

    def __init__(self, data, line):
        self.data, self.line = data, line
        self.bytes = b = np.frombuffer(data, np.uint8)
        returns = b == 13
        returns[:-1] &= b[1:] == 10
        solid = ~((b == 32) | (b == 9) | (b == 10) | returns)
        bounds = np.flatnonzero(np.diff(solid.view(np.int8), prepend=np.int8(0), append=np.int8(0)))
        self.starts, self.ends = bounds[::2], bounds[1::2] # [words] bytes
        newlines = np.flatnonzero(b == 10)
        self.begins = np.concatenate(([0], newlines + 1)) # [lines] bytes; a last empty line is none
        if self.begins[-1] == len(b):
            self.begins = self.begins[:-1]
        words = np.searchsorted(self.starts, self.begins)
        self.firsts, self.counts = words, np.diff(words, append=len(self.starts)) # [lines] first word, words
        others = self._running(solid & ((b < 48) | (b > 57)))
        self.signs = np.isin(b[self.starts], (43, 45)) # [words]
        digits = self.ends - self.starts - self.signs
        self.whole = (others[self.ends] - others[self.starts] == self.signs) & (digits > 0) & (digits <= 18)

    @staticmethod
    def _running(marks):
        return np.concatenate(([0], np.cumsum(marks, dtype=np.int32)))

    def _only(self, words):
        """The text of some words, ascending."""
        marks = np.zeros(len(self.bytes) + 1, np.int8)
        marks[self.starts[words]] += 1
        marks[self.ends[words]] -= 1
        return np.where(np.cumsum(marks[:-1], dtype=np.int8), self.bytes, np.uint8(32)).tobytes()

    def integers(self, words):
        """The values of words that are `whole`."""
        return np.fromstring(self._only(words), np.int64, sep=" ") if len(words) else np.empty(0, np.int64)

    def reals(self, words):
        """(values, which of the words are finite numbers, as far as this finds out)."""
        marks = np.isin(self.bytes, tuple(b"+-.0123456789eE"), invert=True)
        count = self._running(marks)
        good = (count[self.ends[words]] == count[self.starts[words]]) & (self.ends[words] - self.starts[words] < 64)
        values = np.zeros(len(words))
        texts = [self.data[s:e] for s, e in zip(self.starts[words[good]].tolist(), self.ends[words[good]].tolist())]
        try:
            values[good] = np.array(texts, bytes).astype(float) if texts else 0.0
        except ValueError:
            return values, np.zeros(len(words), bool)
        return values, good & np.isfinite(values) & (values != 0.0)

    def text(self, at):
        """Line `at` of the block, without its end."""
        end = self.begins[at + 1] if at + 1 < len(self.begins) else len(self.data)
        return re.sub(rb"\r?\n$|\r\Z", b"", self.data[self.begins[at]:end])

    def initials(self):
        """[lines] the first byte of the first word, 0 if there is none."""
        found = np.zeros(len(self.begins), np.uint8)
        some = self.counts > 0
        found[some] = self.bytes[self.starts[self.firsts[some]]]
        return found

class Fault(Exception):
    """(column, text) of a line."""

_INTEGER, _BLANKS = re.compile(rb"[+-]?[0-9]{1,18}(?![^ \t])"), re.compile(rb"[ \t]*")
_REAL = re.compile(rb"[-+.0-9eE]{1,63}(?![^ \t])")

def real_of(text):
    """The finite number that a text is, or None; so is one that is too small for a double."""
    try:
        value = float(text)
    except ValueError:
        return None
    small = value == 0.0 and re.search(rb"[1-9]", re.split(rb"[eE]", text)[0])
    return None if small or value - value != 0.0 else value

class Fields:
    """The words of a line, one after the other."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self):
        self.at = _BLANKS.match(self.text, self.at).end()

    def over(self):
        self.skip()
        return self.at == len(self.text)

    def unexpected(self):
        """A sentence about the fault of the word here."""
        word = re.match(rb"([+-]?)([0-9]*)(.?)", self.text[self.at:], re.DOTALL)
        sign, digits, next_byte = word.groups()
        real = _REAL.match(self.text, self.at)
        if real and real_of(real[0]) is None and re.fullmatch(rb"[+-]?([0-9]+\.?|[0-9]*\.[0-9]+)[eE]-[0-9]+", real[0]):
            return "a number too small for a double"
        if len(digits) > 18:
            return "a number of more than 18 digits"
        if sign and not digits and next_byte in (b"", b" ", b"\t"):
            return "a sign without a number"
        if next_byte == b"\r":
            return "carriage return inside the line"
        c = next_byte[0] if next_byte else 10
        return f"unexpected '{chr(c)}'" if 32 < c < 127 else f"unexpected 0x{c:02X}"

    def fault(self, what, kind):
        if self.at == len(self.text):
            return Fault(self.at + 1, f"the line ends before {what}")
        return Fault(self.at + 1, f"{self.unexpected()}, {what} must be {kind}")

    def try_integer(self):
        self.skip()
        found = _INTEGER.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found and int(found[0])

    def integer(self, what, low=None, high=None):
        self.skip()
        column, number = self.at + 1, self.try_integer()
        if number is None:
            raise self.fault(what, "a decimal integer")
        if low is not None and number < low or high is not None and number > high:
            bounds = f">= {low}" if high is None else f"{low}..{high}"
            raise Fault(column, f"{what} {number}, must be {bounds}")
        return number

    def real(self, what):
        self.skip()
        found = _REAL.match(self.text, self.at)
        value = real_of(found[0]) if found else None
        if value is None:
            raise self.fault(what, "a finite number")
        self.at = found.end()
        return value

    def end(self):
        if not self.over():
            raise Fault(self.at + 1, "unexpected text after the line's numbers")

def nodes_fit(line, nodes, size):
    """Whether a text of `size` bytes may announce so many nodes, each of which costs memory; else the fault."""
    if nodes > 1 << 20 and nodes // 4 > size:
        return f"{nodes} nodes, far more than a text of {size} bytes has edges for"
    return None
