#!/usr/bin/env python3
"""generated.py BIN [--seed=N] [--records=N] - the balancer diffusive on generated records, which nothing was tuned on:
20 of pen-sim generate, with kinds, graphs, ranks and settings that a seed draws. The seed is the version of the library
(1.2.3: 10203), so that every release is judged on other records.

A line per record: the makespan (--balance-when=auto, declared loads, calls included) with each balancer / ideal, and
that of diffusive / the best of the others. Then the geometric mean and the worst of these ratios. Everything follows
from the seed. It takes two minutes on two cores; a balancer that fails on a record (rcb, without places) is "-"."""

import concurrent.futures
import csv
import math
import os
import random
import re
import subprocess
import sys
import tempfile

BALANCERS = ("none", "central", "metis", "rcb", "diffusive")
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")  # as the other scripts here


def draw_graph(between, choose):
    nodes = between(400, 6000)
    width = max(8, int(math.sqrt(nodes * between(25, 400) / 100)))
    return choose(("hex:%dx%d" % (width, max(8, nodes // width)), "mesh:%dx%d" % (width, max(8, nodes // width)),
                   "geometric:nodes=%d,coordinates,seed=%d" % (nodes, between(1, 1 << 30)),
                   "random:nodes=%d,seed=%d" % (nodes, between(1, 1 << 30))))


def draw(seed, number):
    """The arguments of pen-sim generate for a record."""
    chance = random.Random(1000 * seed + number).random  # of integers, the same in all versions of Python

    def between(low, high):
        return low + int(chance() * (high + 1 - low))

    def choose(words):
        return words[between(0, len(words) - 1)]

    kind = choose(("hot-disc", "front", "walkers", "alternating", "hot-spot", "half", "noise"))
    graph = draw_graph(between, choose)
    settings = {"generate": graph, "ranks": int(4 * 16 ** chance()), "steps": between(50, 200),
                "period": between(5, 100), "seed": between(1, 1 << 30), "heat": round(2 * 25 ** chance(), 2),
                "walkers": between(1, 64), "spread": round(chance(), 2), "memory": round(chance(), 3)}
    return kind, ["--%s=%s" % setting for setting in settings.items()]


def measure(sim, kind, settings):
    """The makespan with each balancer / ideal; None, if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        record, table = folder + "/record", folder + "/table"
        for command in (["generate", kind, "-o", record] + settings,
                        ["replay", record, "--balancer=" + ",".join(BALANCERS), "--format=csv", "-o", table,
                         "--columns=balancer,work-only efficiency,failed"]):
            subprocess.run([sim] + command, check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = [row[-3:] for row in csv.reader(open(table)) if row and row[0].startswith("Replay of")]
    return {balancer: 1 / float(efficiency) if failed == "0" else None for balancer, efficiency, failed in rows}


def main():
    sim = os.path.join(sys.argv[1], "pen-sim")
    options = dict(word.lstrip("-").split("=") for word in sys.argv[2:])
    version = subprocess.run([sim, "--version"], check=True, capture_output=True, text=True).stdout
    major, minor, patch = map(int, re.search(r"(\d+)\.(\d+)\.(\d+)", version).groups())
    seed = int(options.get("seed", 10000 * major + 100 * minor + patch))
    cases = [draw(seed, number) for number in range(int(options.get("records", 20)))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda case: measure(sim, *case), cases))
    ratios = []
    print("Seed %d: makespan / ideal" % seed)
    print("%-3s %-11s" % ("", "kind") + "".join("%10s" % name for name in BALANCERS) + "   auto/best  record")
    for number, ((kind, settings), row) in enumerate(zip(cases, results)):
        ratios.append(row["diffusive"] / min(row[name] for name in BALANCERS[:-1] if row[name]))
        cells = "".join("%10s" % ("%.4f" % row[name] if row[name] else "-") for name in BALANCERS)
        print("%-3d %-11s%s %11.4f  %s" % (number, kind, cells, ratios[-1], " ".join(settings)))
    print("diffusive / best of the others: geometric mean %.4f, worst %.4f" %
          (math.exp(sum(map(math.log, ratios)) / len(ratios)), max(ratios)))


main()
