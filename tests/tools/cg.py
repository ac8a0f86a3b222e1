#!/usr/bin/env python3
"""cg.py GRAPH SIGMA TOLERANCE noise|poles STEPS - what the application cg must print, "gid x" a line, to the bit:
math.fsum rounds exact sums once, as observables are."""
import math
import sys


def read_graph(path):
    with open(path) as file:
        lines = [line.split() for line in file if not line.startswith("%")]
    nodes = int(lines[0][0])
    weighted = len(lines[0]) > 2 and lines[0][2].endswith("1")
    rows = []
    for words in (lines[1:] + [[]] * nodes)[:nodes]:
        numbers = [int(word) for word in words]
        arcs = zip(numbers[0::2], numbers[1::2]) if weighted else ((number, 1) for number in numbers)
        rows.append(sorted((number - 1, weight) for number, weight in arcs))
    return rows


def multiply(rows, sigma, vector):
    out = []
    for own, row in zip(vector, rows):
        neighbors = 0.0
        for column, weight in row:
            neighbors += weight * vector[column]
        out.append((float(sum(weight for _, weight in row)) + sigma) * own - neighbors)
    return out


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def solve(rows, sigma, tolerance, noise, steps):
    count = len(rows)
    b = [float((gid == 0) - (gid == count - 1)) for gid in range(count)]
    if noise:
        b = [(gid * 2654435761) % 2**32 / 2**32 - 0.5 for gid in range(count)]
    x, r, p = [0.0] * count, b[:], [0.0] * count
    residual = first = dot(r, r)
    before = 0.0
    for _ in range(steps):
        if residual <= tolerance * tolerance * first:
            break
        factor = residual / before if before else 0.0
        p = [ri + factor * pi for ri, pi in zip(r, p)]
        q = multiply(rows, sigma, p)
        length = residual / dot(p, q)
        x = [xi + length * pi for xi, pi in zip(x, p)]
        r = [ri - length * qi for ri, qi in zip(r, q)]
        before, residual = residual, dot(r, r)
    return x


def main():
    path, sigma, tolerance, right, steps = sys.argv[1:]
    x = solve(read_graph(path), float(sigma), float(tolerance), right == "noise", int(steps))
    for gid, value in enumerate(x):
        print("%d %.17g" % (gid, value))


main()
