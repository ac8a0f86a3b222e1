#!/usr/bin/env python3
"""figures.py BIN part|all [--limits] - the figures of the benchmarks that do not depend on the clock, each with its
limit in figures.txt. All of them are the better, the smaller they are; what is reported as a share is turned around.

Exit status 1: a figure is above its limit, has none, or has a limit and was not measured; or a page has another number
(pages.txt). Where one is 3 % below its limit or more, a line asks for a tighter limit. --limits prints lines for
figures.txt instead, with what was measured and 1 % more.

`part` runs what takes a minute on two cores. What differs from machine to machine, with the threads of ptscotch and
with clocks, is left out."""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
import pages

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBER = r"([-+0-9.e]+)"
LAUNCH = os.environ.get("MPIEXEC", "mpiexec") + " --oversubscribe -n 2 "
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")  # as the other scripts here

RANKS = 'bin=$(cd {bin} && pwd) && cd "$(mktemp -d)" && mkdir ranks.checkpoints && trap "rm -r $PWD" EXIT && ' \
        '"$bin/ranks_bench" '


def words(text):
    return re.sub(r"[ ,]+", "_", text.strip())


def search(line, **patterns):
    """The numbers that follow these words in a line."""
    found = {name: re.search(pattern.replace("#", NUMBER), line) for name, pattern in patterns.items()}
    return {name: float(match.group(1)) for name, match in found.items() if match}


def means(rows):
    """Of dictionaries, per key: the mean; of imbalances the worst."""
    merged = {}
    for case, row in rows:
        for name, value in row.items():
            merged.setdefault((case, name), []).append(value)
    for (case, name), values in merged.items():
        yield case, name, max(values) if name in ("imbalance", "two-sided") else sum(values) / len(values)


# ---- One reader for each program's output: yields case, figure, value ---------------------------------------------

def read_when(text):
    for line in text.splitlines():
        row = re.match(r"(.*\S) +(\d+) diffusive .* " + NUMBER + r"[ *] +" + NUMBER + r" +\d+ +\d+$", line)
        if row:
            case = words(row[1]) + ",P=" + row[2]
            yield case, "makespan/ideal", float(row[3])
            yield case, "auto/best", float(row[4])
        total = re.match(r"(.*): auto / best in hindsight, \d\d+ rows: geometric mean " + NUMBER +
                         ", worst " + NUMBER, line)
        if total:
            yield words(total[1]), "auto/best", float(total[2])
            yield words(total[1]), "auto/best,worst", float(total[3])


def read_virtual(text):
    rows = []
    for line in text.splitlines():
        begin = re.match(r"(\S.*\S) +P=(\d+) ", line)
        if begin:
            size = re.search(r"n=(\d+)", line)
            case = words(begin[1]) + ",P=" + begin[2] + (",n=" + size[1] if size else "")
            rows.append((case, search(line, **{
                "step/ideal": r"step/ideal #", "imbalance": r"imbalance .*-> # two-sided",
                "two-sided": "two-sided #", "cut": r"cut .*-> #",
                "pieces": "pieces #", "moved%": "moved +#", "exchanges": "exchanges #",
                "reductions": "reductions #", "steps": " # steps,", "bytes/rank": "bytes/rank #"})))
    return means(rows)


def read_phases(text):
    for line in text.splitlines():
        row = re.match(r"(\w+) +(\S+) +" + NUMBER + " +" + NUMBER + " +" + NUMBER + "$", line)
        if row:
            for figure, value in zip(("makespan", "cut", "moved"), row.groups()[2:]):
                yield row[1] + "," + row[2], figure, float(value)


def read_machine(text):
    for line in text.splitlines():
        begin = re.match(r"((?:partitioner|balancer) \S+) .*two-sided", line) or \
            re.match(r"(\S+ radius \S+: .*?\S) +step ", line)
        if begin and "ptscotch" not in line:
            for name, value in search(line, step="step +#", two_sided="two-sided #", cut="cut (?:at the end )?#",
                                      moved="moved #").items():
                yield words(begin[1]), name.replace("_", "-"), value


def read_minex(text):
    """Ours of the tables; of long ones the mean of a column."""
    rows = []
    for table in json.loads(text)["tables"]:
        number = re.match(r"Table \d", table["title"])[0].replace(" ", "")
        for row in table["rows"]:
            ours = {words(name): value for name, value in row.items() if isinstance(value, (int, float)) and
                    not re.match("paper|bodies|P$|I$|grids|ThroT|METIS|Scotch", name)}
            case = row.get("contender", "P=%s" % row["P"] if "P" in row else "all")
            if not case.startswith(("METIS", "Scotch")):
                rows.append((number + "," + words(case + (",I=%s" % row["I"] if "I" in row else "")), ours))
    return means(rows)


RANKS_ROW = r"(\S+) +(\d+) ranks +(\d+) messages +(\d+) bytes held +(\d+) bytes at"


def read_ranks(text):
    for what, ranks, *values in re.findall(RANKS_ROW, text):
        for figure, value in zip(("messages", "held", "peak"), values):
            yield what + ",P=" + ranks, figure, float(value)


def read_shares(text):
    """Peaks of readers and writers, as multiples of a rank's share of the graph, which is the peak of generating it."""
    peaks = {what: (ranks, float(peak)) for what, ranks, _, _, peak in reversed(re.findall(RANKS_ROW, text))}
    for what in [w for w in ("write", "read", "write.pen", "read.pen", "checkpoint", "resume") if w in peaks]:
        ranks, peak = peaks[what]
        yield "%s,P=%s,32x32" % (what, ranks), "peak/share", peak / peaks["graph"][1]


def read_cut(text):
    for name, cut in re.findall(r"\| `(\S+)` \| (\d+)", text):
        if name != "ptscotch":
            yield name, "cut", float(cut)


def read_shock(text):
    heads = ["node-imbalance%", "touch%", "/METIS", "all%", "moved%"]
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 8 and re.match(r"\d", cells[2]) and cells[1] != "metis":
            case = cells[0] + "," + cells[1]
            for head, cell in zip(heads, cells[2:7]):
                worst, mean = cell.split(" / ")
                yield case, head + ",worst", float(worst)
                yield case, head + ",mean", float(mean)
            yield case, "pieces", float(cells[7])


def read_meshes(text):
    for start, mean, worst, two, pieces in re.findall(
            r"(\S+) +mean (\S+), worst (\S+); two-sided at most (\S+) %; (\d+) pieces", text):
        yield start, "ratio,mean", float(mean)
        yield start, "ratio,worst", float(worst)
        yield start, "two-sided%", float(two)
        yield start, "pieces", float(pieces)


def read_balance(text):
    table = ""
    for line in text.splitlines():
        table = words(re.split("[:,]", line)[0]) if re.match(r"\S+.*: |three-phase:", line) else table
        row = re.match(r"(\S+) +0(\.\d+)(?: +\d+ +(\d+))? +README", line)
        if row:
            yield "three-phase," + row[1], "makespan/ideal", 1 / float(row[2])
            if row[3]:
                yield "three-phase," + row[1], "moved", float(row[3])
        row = re.match(r"(\S+) +(\d\.\d+) +\d+ applied$", line)
        if row:
            yield "alternate," + row[1], "makespan/none", float(row[2])
        row = re.match(r"(\S+) +(\d\.\d+)$", line)
        if row:
            yield "start," + row[1], "imbalance", float(row[2])
        row = re.match(r"((?:hex|random) --.*\S) +\d\.\d+ +(\d\.\d+) +\d\.\d+$", line)
        if row:
            yield "crowd," + words(row[1]), "imbalance", float(row[2])


def read_memory(text):
    yield "hex", "bytes/node", float(re.search(r"counted by the run: " + NUMBER, text)[1])


def read_generated(text):
    found = re.search(r"Seed (\d+):.*diffusive / best of the others: geometric mean " + NUMBER + ", worst " + NUMBER,
                      text, re.DOTALL)
    yield "seed=" + found[1], "auto/best,mean", float(found[2])
    yield "seed=" + found[1], "auto/best,worst", float(found[3])


# ---- What is run: depth, name, reader, command ---------------------------------------------------------------------

RUNS = [
    ("part", "when", read_when, "{bin}/when_bench --set=all --ranks=4 --case='%s'" % case)
    for case in ("three-phase:10 32x32 90 ", "alternate:10:1 ", "alternate:10:4 ", "encirclement 24x24 60 ")
] + [
    ("part", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=disc --width=200"),
    ("part", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=start"),
    ("part", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=phases"),
    ("part", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=shock"),
    ("part", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=hot --side=8"),
    ("part", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=half --side=8"),
    ("part", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=opposite --first=4 --side=8"),
    ("part", "machine", read_machine, "{bin}/machine_bench --case=shares --width=128"),
    ("part", "machine", read_machine, "{bin}/machine_bench --case=network --width=128"),
    ("part", "minex", read_minex, "{bin}/papers_bench minex-tables --bodies=1024 --table=1 --format=json"),
    ("part", "minex", read_minex, "{bin}/papers_bench minex-tables --bodies=1024 --table=3 --steps=4 --format=json"),
    ("part", "memory", read_memory, LAUNCH + "{bin}/memory_bench --samples=1 --grid=256x256"),
    ("part", "balance", read_balance, "{here}/balance.sh {bin} start"),
    ("part", "ranks", read_ranks, RANKS + "--ranks=4"),
    ("part", "ranks", read_ranks, RANKS + "--ranks=64"),
    ("all", "ranks", read_ranks, RANKS + "--ranks=1024"),
    ("part", "ranks", read_shares, RANKS + "--ranks=4 --side=32"),
    ("part", "ranks", read_shares, RANKS + "--ranks=64 --side=32"),
    ("all", "ranks", read_shares, RANKS + "--ranks=1024 --side=32 --files"),
    ("all", "when", read_when, "{bin}/when_bench --set=held"),
    ("all", "when", read_when, "{bin}/when_bench --set=fitted"),
    ("all", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=disc"),
    ("all", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=ranks"),
    ("all", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=hot --first=16 --side=32"),
    ("all", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=half --first=16 --side=32"),
    ("all", "virtual", read_virtual, "{bin}/balance_virtual_bench --case=opposite --first=16 --side=32"),
    ("all", "generated", read_generated, "{here}/generated.py {bin}"),
    ("all", "phases", read_phases, "{here}/phases.sh {bin}"),
    ("all", "machine256", read_machine, "{bin}/machine_bench --case=network"),
    ("all", "minex", read_minex, "{bin}/papers_bench minex-tables --bodies=1024 --table=2 --format=json"),
    ("all", "minex", read_minex, "{bin}/papers_bench minex-tables --bodies=1024 --table=4 --format=json"),
    ("all", "minex", read_minex, "{bin}/papers_bench minex-tables --bodies=1024 --table=6 --format=json"),
    ("all", "cut", read_cut, "{here}/cut.sh {bin} table"),
    ("all", "shock", read_shock, "{here}/shock.sh {bin}"),
    ("all", "meshes", read_meshes, "{here}/meshes.sh {bin}"),
    ("all", "balance", read_balance, "{here}/balance.sh {bin} three-phase alternate crowd"),
]


def measure(run):
    """Lines of figures, as keys of figures.txt with values; or None, where the program fails or prints none."""
    depth, name, reader, command = run
    command = command.format(bin=shlex.quote(sys.argv[1]), here=shlex.quote(HERE))
    done = subprocess.run(command, shell=True, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    try:
        figures = {(name, case, figure): (value, depth) for case, figure, value in reader(done.stdout)}
    except (ValueError, TypeError) as error:
        figures, done.stderr = {}, done.stderr + str(error)
    if done.returncode != 0 or not figures:
        print("figures.py: %s: exit status %d, %d figures" % (command, done.returncode, len(figures)))
        print(done.stderr[:2000])
        return None
    return figures


def read_limits():
    limits = {}
    for line in open(os.path.join(HERE, "figures.txt")):
        if line.strip() and not line.startswith("#"):
            name, case, figure, limit, depth = line.split()
            limits[name, case, figure] = float(limit), depth
    return limits


def print_limits(measured):
    for key, (value, depth) in measured.items():
        limit = int(value * 1.01) if value == int(value) else value * 1.01
        print("%-10s %-58s %-20s %10s %s" % (*key, "%.5g" % limit if limit < 1e5 else "%d" % limit, depth))


def judge(limits, measured):
    """Prints the table; returns how many figures are not as they should be."""
    wrong = 0
    print("%-10s %-58s %-20s %10s %10s" % ("name", "case", "figure", "measured", "limit"))
    for key in {**limits, **measured}:
        value, limit = measured.get(key, (None,))[0], limits.get(key, (None,))[0]
        verdict = ""
        if value is None:
            verdict = "WAS NOT MEASURED"
        elif limit is None:
            verdict = "HAS NO LIMIT"
        elif value > limit:
            verdict = "ABOVE ITS LIMIT"
        elif value < 0.97 * limit:
            verdict = "better than its limit"
        wrong += verdict.isupper()
        numbers = ("-" if number is None else "%.6g" % number for number in (value, limit))
        print(("%-10s %-58s %-20s %10s %10s %s" % (*key, *numbers, verdict)).rstrip())
    return wrong


def main():
    wanted = ("part",) if sys.argv[2] == "part" else ("part", "all")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(measure, [run for run in RUNS if run[0] in wanted]))
    measured = {}
    for result in results:
        for key, value in (result or {}).items():
            measured.setdefault(key, value)
    if "--limits" in sys.argv:
        print_limits(measured)
        return results.count(None) > 0
    wrong = judge({key: limit for key, limit in read_limits().items() if limit[1] in wanted}, measured)
    print("%d figures, %d not as they should be, %d programs failed" % (len(measured), wrong, results.count(None)))
    others = list(pages.compare(lambda key: measured.get(key, (None,))[0]))
    print("\n".join(others), end="\n" if others else "")
    return wrong > 0 or None in results or bool(others)


if __name__ == "__main__":
    sys.exit(main())
