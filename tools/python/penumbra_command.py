"""Command lines of programs in Python, as those in C have them: "--name=value", and one sentence for a mistake. Only
Python itself is needed, so that --help works without NumPy."""

import difflib
import os
import signal
import sys
import tempfile
from collections import namedtuple

class Mistake(Exception):
    """What is wrong with a command line or its files, in a sentence."""

class Absent(Exception):
    """What this machine does not have, in a sentence: exit status 3."""

# argument: what the value is called, "" of a flag; parse(text) returns the value or raises ValueError.
Option = namedtuple("Option", "name argument help parse", defaults=(str,))
Command = namedtuple("Command", "name words summary output options most", defaults=((), None)) # most: so many words

def whole(least, most):
    """Of an option, a whole number."""
    def parse(text):
        number = int(text) if text.strip("-").isdigit() else None
        if number is None or not least <= number <= most:
            raise ValueError("not a whole number" if number is None else f"must be from {least} to {most}")
        return number
    return parse

def unknown(what, word, names, before=""):
    near = difflib.get_close_matches(word, names, 1)
    meant = f": did you mean {before}{near[0]}?" if near else "."
    return f"unknown {what} {before}{word}{meant} Known: {', '.join(before + name for name in names) or 'none'}"

def _option(word, options, given):
    name, equals, text = word[2:].partition("=")
    option = next((o for o in options if word.startswith("--") and o.name == name), None)
    if not option:
        raise Mistake(unknown("option", name, [o.name for o in options], "--"))
    if name in given:
        raise Mistake(f"{word}: it can be given once only")
    if option.argument and not equals:
        raise Mistake(f"{word} needs its value behind \"=\": {word}={option.argument}")
    if equals and not option.argument:
        raise Mistake(f"{word}: {name} takes no value")
    try:
        return name, option.parse(text) if equals else True
    except ValueError as why:
        raise Mistake(f"{word}: {why}") from None

def _parse(program, command, line):
    """({option: value, "o": file}, [word])"""
    given, words, line = {}, [], iter(line)
    for word in line:
        if word == "--":
            words += line
        elif word == "-o":
            if "o" in given:
                raise Mistake("-o is given twice")
            given["o"] = next(line, None)
            if given["o"] is None:
                raise Mistake("-o: the file's name is missing")
        elif word[:1] == "-" and word != "-":
            name, value = _option(word, command.options, given)
            given[name] = value
        else:
            words.append(word)
    if not words:
        raise Mistake(f"usage: {program} {command.name} {command.words}, see --help")
    if command.most and len(words) > command.most:
        raise Mistake(f"unexpected argument {words[command.most]}: usage: {program} {command.name} {command.words}")
    return given, words

def _help(program, command):
    print(f"usage: {program} {command.name} {command.words}\n{command.summary}.\n  -o FILE  {command.output}")
    left = [f"--{o.name}" + (o.argument and f"={o.argument}") for o in command.options]
    if left:
        print("options:")
    for o, text in zip(command.options, left):
        print(f"  {text:{max(map(len, left))}}  {o.help}")

def _run(program, version, commands, rest, act, line):
    known = {c.name: c for c in commands}
    if line[:1] == ["--version"]:
        print(f"{program} (Penumbra) {version}")
    elif not line or line[0] in ("--help", "-h"):
        print(f"usage: {program} COMMAND ...\n")
        for c in commands:
            print(f"  {c.name:{max(map(len, known))}}  {c.words:{max(len(c.words) for c in commands)}}  {c.summary}")
        print("\nEvery command has --help, or -h. " + rest)
        return 0 if line else 2
    elif line[0] not in known:
        raise Mistake(unknown("command", line[0], list(known)))
    elif {"--help", "-h"} & set(line):
        _help(program, known[line[0]])
    else:
        act(line[0], *_parse(program, known[line[0]], line[1:]))
    return 0

def main(program, version, commands, rest, act):
    """Runs act(command, {option: value, "o": file}, words), or prints --help or --version. Returns the exit status: 3
    where this machine cannot do what was asked, 2 for other mistakes."""
    for number in signal.SIGTERM, signal.SIGHUP:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda number, _: sys.exit(128 + number)) # what is not finished is removed
    try:
        status = _run(program, version, commands, rest, act, sys.argv[1:])
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except (Mistake, Absent, BrokenPipeError) as why:
        said = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in str(why))
        print(f"{program}: {said}", file=sys.stderr)
        return 3 if isinstance(why, Absent) else 2

def write(path, data, read):
    """Writes a file whole or not at all, and not over one that was read. Pipes and devices are written as they are."""
    for other in read:
        if os.path.exists(path) and os.path.samefile(other, path):
            raise Mistake(f"{other} and {path} are one file, which would be replaced: give the output another name")
    beside = None
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            with open(path, "wb") as file:
                file.write(data)
            return
        target = os.path.realpath(path)
        handle, beside = tempfile.mkstemp(prefix=os.path.basename(path) + ".part-", dir=os.path.dirname(target))
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, target)
        beside = None
    except OSError as why:
        raise Mistake(f"cannot write {path}: {why.strerror}") from None
    finally:
        if beside:
            os.unlink(beside)
