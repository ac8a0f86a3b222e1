#!/usr/bin/env python3
"""one_sided.py FOLDER - the tables of one_sided.sh, from the files that it measured."""

import glob
import json
import os
import sys

NETWORKS = {"one-host": "one host", "20us-10Gbs": "20 µs, 10 Gb/s", "50us-1Gbs": "50 µs, 1 Gb/s"}
GRAPHS = ("hexagons", "geometric", "social")
FAR = 1.03  # a choice of --comm=auto that takes longer, outside the intervals, is wrong
MOST_NOISE = 0.25  # with more, pen-comm concludes nothing from a row either


def size(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 1024 or unit == "MiB":
            return f"{count:.3g} {unit}"
        count /= 1024


def row(cells):
    print("| " + " | ".join(cells) + " |")


def table(head, rows):
    row(head)
    print("|---" * len(head) + "|")
    for cells in rows:
        row(cells)
    print()


def halo(document):
    """By the bytes that a rank pulls: rows by transport, without PetscSF's."""
    sizes = {}
    for r in document["rows"]:
        if r["sweep"] == "halo" and not r["transport"].startswith("petsc-"):
            sizes.setdefault(r["halo_bytes"], {})[r["transport"]] = r
    return sizes


def number(seconds):
    return f"{1e6 * seconds:.0f}" if seconds >= 1e-3 else f"{1e6 * seconds:.3g}"


def microseconds(r):
    s = r["seconds"]
    return number(s["median"]) + ("" if s["low"] is None else f" ({number(s['low'])}–{number(s['high'])})")


def wrong(choice, best):
    times, least = choice["seconds"], best["seconds"]
    known = times["low"] is not None and max(choice["noise"], best["noise"]) <= MOST_NOISE
    return known and times["median"] > FAR * least["median"] and times["low"] > least["high"]


def cell(sizes, verdict):
    """The winner, and how many times as long the best of the other side takes."""
    one, two = (sizes[verdict[side]]["seconds"]["median"] for side in ("one_sided", "two_sided"))
    return {"one": f"{verdict['one_sided']} {two / one:.2f}", "two": f"*{verdict['two_sided']}* {one / two:.2f}",
            "neither": "no difference", "unknown": "no verdict"}[verdict["faster"]]


def main():
    found = {}
    for network in NETWORKS:
        for graph in GRAPHS:
            for path in glob.glob(os.path.join(sys.argv[1], f"{network}-{graph}.json")):
                found[network, graph] = json.load(open(path, encoding="utf-8"))
    for (network, graph), document in found.items():
        print(f"{network}-{graph}: {document['setting']}; {document['rounds']} samples")
    print("\nMicroseconds of a pull (95 % confidence interval of the median), hexagons:\n")
    columns = [(n, b, rows) for (n, g), d in found.items() if g == "hexagons"
               for b, rows in list(halo(d).items())[::3]]
    table(["transport", "side"] + [f"{NETWORKS[n]}: {size(b)}" for n, b, _ in columns],
          ([f"`{name}`", "one-sided" if r["one_sided"] else "two-sided"] + [microseconds(c[2][name]) for c in columns]
           for name, r in (columns[0][2].items() if columns else ())))
    print("The fastest transport (two-sided ones in italics), and how many times as long the best of the other side "
          "takes; by bytes of a node's record:\n")
    records = sorted({r["record"] for d in found.values() for r in d["rows"] if r["sweep"] == "halo"})
    table(["network", "graph"] + [size(r) for r in records],
          ([NETWORKS[n], g] + [cell(halo(d)[v["halo_bytes"]], v) for v in d["verdicts"]]
           for (n, g), d in found.items()))
    choices, slow = 0, []
    for (network, graph), document in found.items():
        for count, rows in halo(document).items():
            best = min(rows.values(), key=lambda r: r["seconds"]["median"])
            for r in (r for r in rows.values() if r["auto"]):
                choices += 1
                if wrong(r, best):
                    ratio = r["seconds"]["median"] / best["seconds"]["median"]
                    slow.append(f"{NETWORKS[network]}, {graph}, {size(count)}: {r['transport']} takes {ratio:.2f} "
                                f"times as long as {best['transport']}")
    print(f"--comm=auto: {choices} choices; more than {100 * (FAR - 1):.0f} % slower than the fastest, beyond the "
          f"intervals: {len(slow)}")
    print("".join(line + "\n" for line in slow), end="")


if __name__ == "__main__":
    main()
