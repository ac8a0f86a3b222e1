#!/usr/bin/env python3
"""command_lines.py BIN [--seed=N] [--runs=N] [--seconds=T] - drawn command lines of all programs, from the options of
their --help and odd values, on tiny graphs, in a folder with canaries. Whatever is typed, a program ends soon, with a
documented exit status, leaves nothing behind under a temporary name, and changes no file that it is not told to write;
nor one that it is told to read.

Prints each command that fails, with the reason. The same seed (default: drawn, and printed) gives the same commands.
It ends after so many runs (60), or, with --seconds, after that time."""
import argparse
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CANARIES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/canaries.sh")
APPLICATIONS = ("hex", "heat", "wave", "battlefield", "shock", "nbody", "cg", "random", "grow")
STATUSES = range(6)  # README.md
TEMPORARY = re.compile(r"\.unfinished-|\.part-|^\.penumbra")
PATIENCE = int(os.environ.get("PEN_TEST_PATIENCE", "10"))
MADE = (  # files to read, the last word of what makes them
    "pen-graph make hex:3x3 -o own.graph", "pen-graph make hex:3x3 -o a;b.graph", "pen-graph make mesh:3x3 -o own.pen",
    "pen-graph part own.graph 2 -o own.part", "hex --generate=hex:3x3 --steps=1 --quiet --output= own.csv",
    "hex --generate=hex:3x3 --steps=1 --quiet --metrics= own.json",
    "pen-sim generate front --generate=hex:3x3 --ranks=2 --steps=3 -o own.record")
OWN = [line.split()[-1] for line in MADE]
NAMES = OWN + 3 * ["", "/", "./", "../", "keep-folder/", "."] + [
    "//", "..", "-", "x/", "keep-folder", "keep-folder/new.csv", "nowhere/x",
    "keep-me.txt", ".keep-me", "keep;me,too:please.csv", "keep-000001.vtu", "keep.dump.unfinished-0123456789abcdef",
    "lock",
    "step-000000000009.checkpoint.bak", "keep-link", "keep-dangling", "keep-fifo", "./keep-me.txt", "keep-folder/lock",
    "new", "new.csv", "new.npy", "new.vtu", "new.pen", "new.graph", "new.json", "new.record", "new.svg", "new.machine",
    ".csv", ".graph", ".npy", "a b.csv", "a,b.csv", "a;c.csv", "a:b.csv", "a\nb", "\udcff.csv", "-.csv", "{step}.csv",
    "{name}.npy", "dump", "n" * 255, "n" * 251 + ".csv", "n" * 5000, "/dev/null", "/dev/full"]
WORDS = ["0", "-1", "1", "2", "3x3", "007", "1e-3", "nan", "9223372036854775808", "auto", "none", "all", ":", ",",
         "every:1", "change:always", "declared", "block", "random", "hex:3x3", "x>0", "gid", "on", "rcm", "metis"]
READ = {"--graph": ["own.graph", "a;b.graph"], "--input": ["own.csv"], "--partitioner": ["file:own.part", "block"],
        "--part": ["own.part"], "IN": ["own.graph", "a;b.graph"], "RECORD": ["own.record"], "K": ["2"],
        "KIND:SETTINGS": ["hex:3x3"], "KIND": ["front"], "--resume": ["saved"],
        "pen-graph": ["own.graph", "a;b.graph"], "pen-sim": ["own.record"], "pen-plot": ["own.json"],
        "pen-draw": ["own.pen"]}  # FILE of these
LIKELY = {"--checkpoint": ["saved", ".", "keep-folder"], "--output": ["new.csv", "new.npy", "own.csv", "new.vtu"],
          "-o": ["new.svg", "new.graph", "new.record", "new.csv"], **READ}
WRITTEN = {"--dump", "--metrics", "--observables", "--output", "--record", "--trace", "--save-graph", "--checkpoint",
           "--csv", "--json", "--model", "--edges", "--map", "--ids-to", "--coords-to", "--values-to", "--fix", "-o",
           "OUT"}
A_NAME = re.compile("FILE|DIR|PATTERN|PREFIX|XYZ|PARTS|FOLDER|IN$|OUT|RECORD|TABLE")
# Root's programs see everything but their folder as somebody else sees it: `--checkpoint=/` must not do its work.
PROTECTED = ["unshare", "--mount", "sh", "-c",
             'mount --bind "$0" "$0" && mount -o remount,bind,ro / && cd "$0/in" && exec "$@"']


class Program:
    """A command with its options and other arguments, as its --help has them."""

    def __init__(self, words, usual=None, then=()):
        """`usual`: options that make it quick; `then`: the rest of the command, followed by --checkpoint."""
        text = subprocess.run([*words, "--help"], capture_output=True, text=True, check=True).stdout
        self.words, self.usual, self.then, self.tool = words, usual or {}, then, os.path.basename(words[0])
        self.options = dict(re.findall(r"^  (-o(?= )|--[a-z-]+)(\S*)", text, re.M))
        self.options.update({"-o": "=FILE"} if "-o" in self.options else {}, **{"--checkpoint": "=DIR"} if then else {})
        for name in ("--help", "--version", "--list", "--hosts"):
            self.options.pop(name, None)
        shown = re.sub(r"\[?-\S+( [A-Z]+)?", "", text.splitlines()[0]).split()[len(words) + 1:]
        self.arguments = [] if usual or then else [word.strip("[].") for word in shown if re.match(r"\[?[A-Z]", word)]

    def drawn(self, draw):
        """Pairs of an option, or of what --help calls another argument, and its value, which may be None."""
        def value(name, odd):
            likely = LIKELY.get(name) or (LIKELY[self.tool] if name == "FILE" else odd)
            return draw.choice(likely if draw.random() < (0.5 if name in WRITTEN else 0.8) else odd)

        given = dict(self.usual)
        for name in self.arguments + ["-o"] * ("-o" in self.options):
            given[name] = value(name, NAMES)
        files = {name for name in self.options if A_NAME.search(self.options[name])}
        drawn = []
        others = self.options.keys() - files
        for names, most, often in ((files & WRITTEN, 2, 1.0), (files - WRITTEN, 1, 0.3), (others, 1, 0.2)):
            if draw.random() < often: # the last two are mostly refused, before anything is written
                drawn += draw.sample(sorted(names), min(len(names), draw.randint(1, most)))
        for name in drawn:
            odd = NAMES if draw.random() < (0.9 if name in files else 0.2) else WORDS
            before = [other for option, other in given.items() if other and option not in self.usual]
            if name == "--graph":
                given.pop("--generate", None)
            if "=" not in self.options[name]:
                given[name] = None
            elif before and draw.random() < 0.15:
                given[name] = draw.choice(before)
            else:
                given[name] = value(name, odd)
        return given

    def command(self, given):
        words = {name: [name] if value is None else [name, value] if name == "-o" else
                 [f"{name}={value}"] if name.startswith("-") else [value] for name, value in given.items()}
        last = words.pop("--checkpoint", []) if self.then else []
        return [*self.words, *sum(words.values(), []), *self.then, *last]

    def may_change(self, given):
        """Whether what happens to a file, by its path in the folder, is what the options ask for."""
        read, written, saved = set(), set(), set()
        for name, value in given.items():
            paths = {os.path.normpath(part) for part in (value, *re.split("[:,]", value)) if part} if value else set()
            if name == "--checkpoint": saved |= paths
            elif name in WRITTEN: written |= paths
            elif name in READ or A_NAME.search(self.options.get(name, name)): read |= paths

        def may(path, what):
            folder, name = os.path.split(path)
            if path in read: return False
            if path in written or path in saved or path in map(os.path.dirname, written): return True
            if what == "came to be" and path.startswith(tuple(written)): return True
            return (folder or ".") in saved and bool(re.fullmatch(r"lock|step-\d{12}\.checkpoint", name))
        return may


def programs(bin):
    found = []
    for name in APPLICATIONS:
        quick = {"--bodies": "20"} if name == "nbody" else {"--generate": f"{'mesh' if name == 'shock' else 'hex'}:4x4"}
        found += 3 * [Program([f"{bin}/{name}"], {"--steps": "2", **quick})]
    found.append(Program([f"{bin}/pen-comm"],
                         {"--generate": "hex:3x3", "--records": "8", "--rounds": "1", "--seconds": "0"}))
    found.append(Program([f"{bin}/pen-keep"], then=["env", f"{bin}/hex", "--generate=hex:4x4", "--steps=2"]))
    for tool in ("pen-graph", "pen-sim", "pen-plot"):
        text = subprocess.run([f"{bin}/{tool}", "--help"], capture_output=True, text=True, check=True).stdout
        found += [Program([f"{bin}/{tool}", command]) for command in re.findall(r"^  ([a-z]+) ", text, re.M)]
    return found + [Program([f"{bin}/pen-draw"])]


def run(command, work):
    """Its exit status; None where it has to be ended."""
    with open(f"{work}/said", "wb") as said, subprocess.Popen(
            command, cwd=f"{work}/in", env={**os.environ, "TMPDIR": f"{work}/tmp"}, stdin=subprocess.DEVNULL,
            stdout=said, stderr=said, start_new_session=True) as child:
        try:
            return child.wait(6 * PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            return None


def wrong(work, inodes, may):
    """The first thing that a run has done and should not have."""
    told = subprocess.run(["bash", CANARIES, "compare", work + "/canaries"], stderr=subprocess.PIPE, check=False).stderr
    for line in os.fsdecode(told).splitlines():
        path, what = line.partition(f": {work}/")[2].split(" ", 1)
        path = os.path.relpath(path, "in")
        if not may(path, what):
            return f"{path} {what}"
    for name, inode in inodes.items():
        path = f"{work}/in/{name}"
        if not (os.path.exists(path) and os.stat(path).st_ino == inode) and not may(name, "changed"):
            return f"{name} is another file"
    left = [name for _, _, names in os.walk(work + "/in") for name in names
            if TEMPORARY.search(name) and "0123456789abcdef" not in name]
    return f"{left} is left behind" if left else None


def attempt(program, draw, made):
    """Run one command line; returns it, and what is wrong or None."""
    with tempfile.TemporaryDirectory(prefix="penumbra fuzz.") as work:
        for folder in ("in", "in/saved", "tmp"):
            os.mkdir(f"{work}/{folder}")
        for name in OWN:
            shutil.copy(f"{made}/in/{name}", f"{work}/in/{name}")
        inodes = {name: os.stat(f"{work}/in/{name}").st_ino for name in OWN}
        subprocess.run(["bash", CANARIES, "place", f"{work}/canaries", work, f"{work}/in"], check=True)
        given = program.drawn(draw)
        command = program.command(given)
        status = run([*PROTECTED, work, *command] if os.geteuid() == 0 else command, work)
        if status is None:
            return command, "it does not end"
        if status not in STATUSES:
            with open(f"{work}/said", errors="replace") as said:
                return command, f"exit status {status}: {said.read()[-500:]}"
        return command, wrong(work, inodes, program.may_change(given))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("bin", type=os.path.abspath)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options.add_argument("--runs", type=int, default=60)
    options.add_argument("--seconds", type=float)
    asked = options.parse_args()
    if os.geteuid() == 0 and subprocess.run([*PROTECTED[:4], "mount -o remount,bind,ro /"], check=False).returncode:
        print("command_lines.py: skipped: root may write everywhere, and has no right to make namespaces")
        sys.exit(77)
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", ASAN_OPTIONS="detect_leaks=0")
    failures, number, begun = 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="penumbra fuzz.") as made:
        for folder in ("in", "tmp"):
            os.mkdir(f"{made}/{folder}")
        for line in MADE:
            words = line.replace("= ", "=").split()
            if run([f"{asked.bin}/{words[0]}", *words[1:]], made) != 0:
                sys.exit(f"command_lines.py: {line}: failed")
        tried = programs(asked.bin)
        while number < asked.runs if asked.seconds is None else time.monotonic() - begun < asked.seconds:
            draw = random.Random(f"{asked.seed} {number}")
            command, reason = attempt(draw.choice(tried), draw, made)
            number += 1
            if reason:
                failures += 1
                print(f"command_lines.py: {shlex.join(command)}: {reason}".encode(errors="backslashreplace").decode(),
                      flush=True)
    print(f"command_lines.py: {number} command lines, seed {asked.seed}, {failures} failures")
    sys.exit(failures > 0)


main()
