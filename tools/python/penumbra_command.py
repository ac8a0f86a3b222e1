"""Command lines of Python programs, in the style of those in C: "--name=value", and one sentence for a mistake.
Needs only Python itself, so that --help works without NumPy."""

import difflib
import importlib
import io
import itertools
import logging
import os
import re
import signal
import sys
from collections import namedtuple
from contextlib import suppress

PACKAGES = {"numpy": "NumPy", "scipy": "SciPy", "meshio": "meshio"}
SYSTEM = "/usr/bin/python3" # another Python or environment may come first on the path, without the system's packages

class Mistake(Exception):
    """A sentence about a mistake, and the exit status: 3 if this machine cannot do it."""

    def __init__(self, sentence, exit_status=2):
        super().__init__(sentence)
        self.exit_status = exit_status

# argument: what the value is called, "" of a flag; parse(text) returns the value or raises ValueError.
Option = namedtuple("Option", "name argument help parse", defaults=(str,))
# words: of its usage, at least and at most so many; output: what -o writes, with these endings. The only command of a
# program has no name. Where it `launches` another command, that is its words, with all their options.
Command = namedtuple("Command", "name summary words output endings options least most launches",
                     defaults=("", (), (), 1, None, False))

def whole(least, most=2**63 - 1):
    """The parser of an option with a whole number."""
    def parse(text):
        if not re.fullmatch("-?[0-9]+", text):
            raise ValueError("not a whole number")
        number = int(text)
        if number < least and most == 2**63 - 1:
            raise ValueError(f"must be at least {least}")
        if not least <= number <= most:
            raise ValueError(f"must be from {least} to {most}")
        return number
    return parse

def unknown(what, word, names):
    near = difflib.get_close_matches(word, names, 1)
    meant = f": did you mean {near[0]}?" if near else "."
    quoted = word or '""'
    return f"unknown {what} {quoted}{meant} Known: {', '.join(names) or 'none'}"

def say(program, text):
    """Prints a line on standard error, if it has a reader; control characters do not reach the terminal."""
    def code(c): # a surrogate is a byte of a file's name, or of a text in JSON
        return c.encode(errors="surrogateescape" if "\udc80" <= c <= "\udcff" else "surrogatepass")

    shown = (c if c.isprintable() else "".join(f"\\x{b:02x}" for b in code(c)) for c in text)
    with suppress(OSError):
        print(f"{program}: {''.join(shown)}", file=sys.stderr, flush=True)

_inputs = None # of a program: the names of the files that it has read, by device and inode

def _place(path):
    found = os.stat(path)
    return found.st_dev, found.st_ino

def reads(*paths):
    """Remembers files that a program reads: no output replaces them. OSError if one does not exist."""
    for path in paths:
        place = _place(path)
        if _inputs is not None:
            _inputs[place] = path

def find_input(path, *more):
    """The file that the program has read, or one of `more`, which is the same as this one; else None."""
    with suppress(OSError):
        return {**(_inputs or {}), **{_place(name): name for name in more}}.get(_place(path))

def load(*modules, draws=True):
    """Modules of the package, whose dependencies may be missing; those of modules that draw come with matplotlib."""
    try:
        logging.getLogger("matplotlib").setLevel(logging.ERROR) # no messages about caches and fonts
        return [importlib.import_module("penumbra." + name) for name in modules]
    except ImportError as why:
        if (why.name or "").startswith("penumbra"): # our own mistake must not pass for a missing package
            raise
        if os.path.exists(SYSTEM) and (sys.prefix != sys.base_prefix or not os.path.samefile(SYSTEM, sys.executable)):
            os.execv(SYSTEM, [SYSTEM, *sys.argv])
        for package, name in PACKAGES.items():
            if not draws and (why.name or "").split(".")[0] == package:
                raise Mistake(f"{name} is not installed here (Debian's package is python3-{package})", 3) from None
        if not draws:
            raise Mistake(f"a package is not installed here: {why}", 3) from None
        raise Mistake("pictures are drawn by matplotlib, which is not installed here (Debian's package is "
                      f"python3-matplotlib): {why}", 3) from None

def _option(word, options, given):
    name, equals, text = word[2:].partition("=")
    option = next((o for o in options if word.startswith("--") and o.name == name), None)
    if not option:
        raise Mistake(unknown("option", word.partition("=")[0], [f"--{o.name}" for o in options]))
    if name in given:
        raise Mistake(f"{word}: it can be given only once")
    if option.argument and not text:
        raise Mistake(f"--{name} needs its value after \"=\": --{name}={option.argument}")
    if equals and not option.argument:
        raise Mistake(f"{word}: {name} takes no value")
    try:
        return name, option.parse(text) if equals else True
    except ValueError as why:
        raise Mistake(f"{word}: {why}") from None

def _or(endings):
    return " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))

def parse(program, command, line):
    """({option: value, "o": file}, [word])"""
    given, words, line = {}, [], iter(line)
    for word in line:
        if word == "--" or command.launches and not word.startswith("-"):
            words += line if word == "--" else [word, *line]
        elif word.startswith("-o") and command.output:
            if "o" in given:
                raise Mistake("-o is given twice")
            given["o"] = word[2:] or next(line, None)
            if given["o"] is None:
                raise Mistake("-o: the file's name is missing")
        elif word.startswith("-") and word != "-":
            name, value = _option(word, command.options, given)
            given[name] = value
        else:
            words.append(word)
    usage = f"usage: {program} {command.name + ' ' * bool(command.name)}{command.words}, see --help"
    if len(words) < command.least:
        raise Mistake(usage)
    if command.most and len(words) > command.most:
        raise Mistake(f"unexpected argument {words[command.most]}: {usage}")
    if command.output and "o" not in given:
        raise Mistake(f"missing output: -o FILE{_or(command.endings)}")
    if command.output and not given["o"].endswith(command.endings):
        raise Mistake(f"{given['o']}: the name of {command.output} must end in {_or(command.endings)}")
    return given, words

_WORDS = "Words and numbers that it prints: man penumbra_glossary, or runtime/glossary.md"

def _help(program, command):
    print(f"usage: {program} {command.name + ' ' * bool(command.name)}{command.words}\n{command.summary}.")
    if command.output:
        print(f"  -o FILE  {command.output}; its name must end in {_or(command.endings)}")
    left = [f"--{o.name}" + (o.argument and f"={o.argument}") for o in command.options]
    if left:
        print("options:")
    for o, text in zip(command.options, left):
        print(f"  {text:{max(map(len, left))}}  {o.help}")
    if not command.name:
        print("\n" + _WORDS)

def _help_all(program, commands, rest):
    print(f"usage: {program} COMMAND ...\n")
    for c in commands:
        print(f"  {c.name:{max(len(c.name) for c in commands)}}  {c.words:{max(len(c.words) for c in commands)}}  "
              f"{c.summary}")
    print("\nEvery command has --help, or -h. " + rest)
    print("\n" + _WORDS)

def _run(program, version, commands, rest, act):
    line, known = sys.argv[1:], {c.name: c for c in commands}
    if line[:1] == ["--version"]:
        print(f"{program} (Penumbra) {version}")
        return 0
    if "" not in known and (not line or line[0] in ("--help", "-h")):
        _help_all(program, commands, rest)
        return 0 if line else 2
    name = "" if "" in known else line.pop(0)
    if name not in known:
        raise Mistake(unknown("command", name, list(known)))
    command = known[name]
    own = itertools.takewhile(lambda word: word.startswith("-"), line) if command.launches else line
    if {"--help", "-h"}.intersection(own):
        return _help(program, command)
    return act(command, *parse(program, command, line))

class _Closed(io.TextIOBase):
    """Standard output, closed before the program began."""

    def write(self, _):
        raise OSError("writing to standard output failed: it is closed")

def _hold_closed_streams():
    """Takes the numbers of closed standard streams, which files would get otherwise."""
    while (number := os.open(os.devnull, os.O_RDONLY)) <= 2:
        pass
    os.close(number)
    if sys.stdout is None:
        sys.stdout = _Closed()

def main(program, version, commands, act, rest=""):
    """Runs act(command, {option: value, "o": file}, words), which may return an exit status, or prints --help or
    --version. Ends the program."""
    global _inputs
    _inputs = {}
    _hold_closed_streams()
    for number in signal.SIGTERM, signal.SIGHUP:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda number, _: sys.exit(128 + number)) # unfinished files are removed
    try:
        status = _run(program, version, commands, rest, act)
        sys.stdout.flush()
        sys.exit(status)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except Mistake as why:
        say(program, str(why))
        sys.exit(why.exit_status)
    except OSError as why: # its own sentence, or that of an unreadable file
        say(program, f"cannot read {why.filename}: {why.strerror}" if why.filename else why.strerror or str(why))
        sys.exit(2)
    except MemoryError:
        say(program, "no memory")
        sys.exit(3)
