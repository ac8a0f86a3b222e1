#!/usr/bin/python3
"""curves.py BIN FOLDER [--ranks=16,64,256,1024] [--jobs=N] - how programs scale, by ranks in one process with clocks.

It runs hex, battlefield and shock on the machines of tests/bench/machines, and writes FOLDER/scaling.csv and the
figures FOLDER/scaling-*.svg. The metrics of each run stay in FOLDER/runs; a run that is there is not repeated. Times
are those of the model (tests/support/one_process/clock.c): they do not depend on this computer. Work is declared:
5 ns for a node of strong scaling; in weak scaling each rank has 32 x 32 nodes that take 64 times as long, as long as
256 x 256. What a rank computes in set-up, balancing, migration and checkpoints takes no time, nor do disks.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

MACHINES = {  # latency in seconds, seconds per byte between hosts; ranks of a host
    "fat_tree": (1e-6, 80e-12, 1),
    "ethernet": (20e-6, 800e-12, 1),
    "hosts_of_32": (1e-6, 80e-12, 32),
}
TRANSPORTS = ["fence", "passive", "overlap"]
STEPS = 10
COLUMNS = ["program", "scaling", "machine", "transport", "ranks", "nodes", "us_per_step", "work_us", "efficiency",
           "over_ideal", "setup_ms", "balance_ms", "migration_ms", "checkpoint_ms", "checksum"]
here = pathlib.Path(__file__).resolve().parent


def cases(ranks):
    """(key, seconds of a load of 1, arguments) of each run on so many ranks."""
    side = math.isqrt(ranks)
    balancing = ["--load=declared", "--balancer=diffusive", "--balance-when=every:5:always"]
    saving = ["--checkpoint=saved", f"--checkpoint-every={STEPS}"]
    for machine in MACHINES:
        for comm in TRANSPORTS:
            if machine != "hosts_of_32" or ranks > 32:
                more = saving if comm == "fence" else []
                yield ("hex", "strong", machine, comm), 5e-9, ["--generate=hex:1024x1024"] + more
        if machine == "hosts_of_32":
            continue
        for comm in TRANSPORTS:
            yield ("hex", "weak", machine, comm), 320e-9, [f"--generate=hex:{32 * side}x{32 * side}"]
        yield ("hex", "migration", machine, "fence"), 320e-9, [f"--generate=hex:{32 * side}x{32 * side}",
                                                               "--migrate-random=1:0.01"]
        for comm in ("fence", "overlap"):
            yield ("battlefield", "weak", machine, comm), 1e-6, [f"--generate=hex:{16 * side}x{16 * side}"] + balancing
            yield ("shock", "weak", machine, comm), 1e-6, [f"--generate=mesh:{16 * side}x{16 * side}"] + balancing


def run(programs, folder, ranks, key, unit, arguments):
    program, _, machine, comm = key
    name = "-".join(key) + f"-{ranks}"
    metrics = folder / "runs" / f"{name}.json"
    if metrics.exists():
        return
    scratch = folder / "scratch" / name
    (scratch / "saved").mkdir(parents=True, exist_ok=True)
    hosts = ranks // MACHINES[machine][2]
    command = [programs / f"{program}_one_process", f"--ranks={ranks}", f"--hosts={max(hosts, 1)}", "--stacks",
               f"--machine={here}/machines/{machine}.machine", f"--work={unit}", f"--comm={comm}", "--partitioner=sfc",
               f"--steps={STEPS}", "--quiet", f"--metrics={scratch}/metrics.json"] + arguments
    done = subprocess.run(command, cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode == 0:
        os.replace(scratch / "metrics.json", metrics)
    else:
        print(f"{name}: exit status {done.returncode}: {done.stderr[-300:]}", file=sys.stderr)
    shutil.rmtree(scratch)


def row_of(folder, ranks, key, unit):
    """A line of the table, or None where the run is missing."""
    program, scaling, machine, comm = key
    try:
        with open(folder / "runs" / ("-".join(key) + f"-{ranks}.json"), encoding="utf-8") as file:
            m = json.load(file)
    except FileNotFoundError:
        return None
    steps = m["steps"]
    balanced, saved = m["balance_totals"], m["checkpoints"]
    step = (m["seconds"]["loop"] - balanced["seconds"] - saved["seconds"]) / steps
    ideal = m["work"]["ideal"] * unit / steps if program != "hex" else m["nodes"] / ranks * unit
    latency, per_byte, _ = MACHINES[machine]
    least = latency + m["halo"]["bytes_per_step"] / ranks * per_byte + ideal
    return {"program": program, "scaling": scaling, "machine": machine, "transport": comm, "ranks": ranks,
            "nodes": m["nodes"], "us_per_step": f"{1e6 * step:.3f}", "work_us": f"{1e6 * ideal:.3f}",
            "efficiency": f"{ideal / step:.4f}", "over_ideal": f"{step / least:.3f}",
            "setup_ms": f"{1e3 * m['seconds']['init']:.3f}",
            "balance_ms": f"{1e3 * balanced['seconds'] / balanced['calls']:.3f}" if balanced["calls"] else "",
            "migration_ms": "",
            "checkpoint_ms": f"{1e3 * saved['seconds'] / saved['written']:.3f}" if saved["written"] else "",
            "checksum": m["checksum"]}


def table(folder, counts):
    rows = {}
    for ranks in counts:
        for key, unit, _ in cases(ranks):
            row = row_of(folder, ranks, key, unit)
            if row:
                rows[key + (ranks,)] = row
    for key in [k for k in rows if k[1] == "migration"]:  # a step with a migration, less one without
        moved, still = rows.pop(key), rows.get(("hex", "weak") + key[2:])
        if still:
            still["migration_ms"] = f"{(float(moved['us_per_step']) - float(still['us_per_step'])) / 1e3:.3f}"
    return list(rows.values())


def draw(rows, counts, folder):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({"svg.hashsalt": "scaling", "font.size": 8, "svg.fonttype": "none"})
    for program, scaling in (("hex", "strong"), ("hex", "weak"), ("battlefield", "weak"), ("shock", "weak")):
        figure, (left, right) = plt.subplots(1, 2, figsize=(7, 2.8), layout="constrained")
        for machine, style in zip(MACHINES, ("-", "--", ":")):
            for comm, color in zip(TRANSPORTS, ("C0", "C1", "C2")):
                points = [r for r in rows if (r["program"], r["scaling"], r["machine"], r["transport"]) ==
                          (program, scaling, machine, comm)]
                if not points:
                    continue
                x = [r["ranks"] for r in points]
                left.loglog(x, [float(r["us_per_step"]) for r in points], marker=".", linestyle=style, color=color,
                            label=f"{comm}, {machine}")
                right.semilogx(x, [100 * float(r["efficiency"]) for r in points], marker=".", linestyle=style,
                               color=color)
        left.set_ylabel("time per step / µs")
        right.set_ylabel("work / time / %")
        right.set_ylim(0, 105)
        for axes in (left, right):
            axes.set_xlabel("ranks")
            axes.set_xticks(counts, [str(c) for c in counts])
            axes.minorticks_off()
            axes.grid(alpha=0.3)
        left.legend(fontsize=6)
        figure.savefig(folder / f"scaling-{program}-{scaling}.svg", metadata={"Date": None})
        plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", default="16,64,256,1024")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    counts = [int(n) for n in options.ranks.split(",")]
    folder = options.folder.resolve()
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        for ranks in counts:
            for key, unit, arguments in cases(ranks):
                pool.submit(run, options.programs.resolve(), folder, ranks, key, unit, arguments)
    shutil.rmtree(folder / "scratch", ignore_errors=True)
    rows = table(folder, counts)
    with open(folder / "scaling.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    draw(rows, counts, folder)


if __name__ == "__main__":
    main()
