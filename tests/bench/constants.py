#!/usr/bin/env python3
"""constants.py BUILD [NAME...] - what the diffusive balancer's plans become if one of its constants (constants.h) has
half or double its value, on the cases of balance_virtual_bench that `figures.py part` measures, plans that serve 1 and
10 steps, and up to 1024 ranks. BUILD is a build directory with that bench, made by Ninja. Without names: all
constants.

A line per value: cut, imbalance, nodes moved and exchanges beside those with the values of the header, as the mean over
the cases (cut, imbalance, and the time of a step with two phases: geometric), and the cut of the best and the worst
case. It takes two minutes a constant."""

import concurrent.futures
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile

import figures

ROOT = os.path.dirname(os.path.dirname(figures.HERE))
FOLDER = os.path.join(ROOT, "balance/rebalance/diffusive/")
HEADER = FOLDER + "constants.h"
BENCH = "{bin}/balance_virtual_bench "
CASES = [run[3] for run in figures.RUNS if run[:2] == ("part", "virtual")] + [
    BENCH + "--case=shock --horizon=%d --alone" % steps for steps in (1, 10)] + [
    BENCH + "--case=%s --first=16 --side=32 --alone" % case for case in ("hot", "half")]


def build_commands(build):
    """How the bench is linked, and how the balancer's sources are compiled before that."""
    lines = subprocess.run(["ninja", "-C", build, "-t", "commands", "balance_virtual_bench"], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    compiling = [re.sub(r" -M[DTF] \S*| -o \S+", "", line.replace(" -MD", "")) for line in lines
                 if " -c " + FOLDER in line]
    return compiling, lines[-1]


def make_bench(build, text, folder):
    """The bench in a folder, with this text of the header."""
    compiling, linking = build_commands(build)
    os.makedirs(folder + "/rebalance/diffusive")
    with open(folder + "/rebalance/diffusive/constants.h", "w") as file:
        file.write(text)
    objects = ["%s/%d.o" % (folder, number) for number in range(len(compiling))]
    commands = [command.replace(" -I", " -I%s -I" % folder, 1) + " -o " + to for command, to in zip(compiling, objects)]
    commands.append(linking.replace(" -o bin/", " %s -o %s/" % (" ".join(objects), folder), 1))
    subprocess.run(" && ".join(commands), shell=True, check=True, cwd=build)


def measure(build, text):
    """The figures of all cases with this text of the header: {(case, number of the run, figure): value}."""
    with tempfile.TemporaryDirectory() as folder:
        make_bench(build, text, folder)
        outputs = [subprocess.run(shlex.split(case.format(bin=folder)), check=True, capture_output=True,
                                  text=True).stdout for case in CASES]
    return {(case, number, figure): value for number, output in enumerate(outputs)
            for case, figure, value in figures.read_virtual(output)}


def compare(now, before):
    """cut, imbalance, step, moved, exchanges, and the least and the greatest cut."""
    def ratios(name):
        return [now[key] / value for key, value in before.items() if key[2] == name and value > 0]

    def geometric(name):
        return math.exp(sum(map(math.log, ratios(name))) / len(ratios(name)))

    def total(name):
        return sum(now[key] for key in before if key[2] == name) / sum(v for key, v in before.items() if key[2] == name)

    return (geometric("cut"), geometric("imbalance"), geometric("step/ideal"), total("moved%"), total("exchanges"),
            min(ratios("cut")), max(ratios("cut")))


def main():
    build, names = os.path.abspath(sys.argv[1]), sys.argv[2:]
    header = open(HEADER).read()
    before = measure(build, header)
    print("%-15s %8s %7s %9s %7s %7s %9s   %s" %
          ("constant", "value", "cut", "imbalance", "step", "moved", "exchanges", "cut of a case"))
    tried = []
    for name, value in re.findall(r"#define (\w+) ([-\d.e]+)", header):
        for factor in (0.5, 2.0) if not names or name in names else ():
            other = "%g" % (float(value) * factor)
            tried.append((name, other, re.sub(r"(#define %s) \S+" % name, r"\1 " + other, header)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (name, other, _), now in zip(tried, pool.map(lambda one: measure(build, one[2]), tried)):
            print("%-15s %8s %7.3f %9.3f %7.3f %7.3f %9.3f   %.3f-%.3f" % (name, other, *compare(now, before)),
                  flush=True)


if __name__ == "__main__":
    main()
