#!/usr/bin/env python3
"""shock.py WxH DEPTH WAVE MOVES STEPS... - what the application shock must dump after each of so many steps, to the
bit: files shock.STEPS in this folder, "gid level x y mass" a line, and on standard output "STEPS cells edges hash".

Nothing is asked of a cell, as the application does it: levels are painted as whole sets from the finest one up, the
mesh on a raster of the finest squares, and neighbours are what meets along the lines of the raster."""
import math
import sys

START = 1 << 24


def distances(wave, width, height, k):
    def cubic(px, py):
        t = 2.0 * py / height - 1.0
        return abs(px - ((width / 8.0 + k) + (width / 10.0) * (t * t * t)))

    def line(px, _):
        return abs(px - (width / 8.0 + k))

    def circle(px, py):
        dx, dy = px - (width / 8.0 + k), py - 0.5 * height
        return abs(math.sqrt(dx * dx + dy * dy) - min(width, height) / 8.0)

    return {"cubic": cubic, "line": line, "circle": circle}[wave]


def split_sets(off, width, height, depth):
    """[level] = the cells that are split."""
    sets = [set() for _ in range(depth + 1)]
    for level in range(depth - 1, -1, -1):
        side, columns, rows = 0.5**level, width << level, height << level
        reach = (0.5 if level == depth - 1 else 1.0) * side
        for y in range(rows):
            for x in range(columns):
                if off((x + 0.5) * side, (y + 0.5) * side) <= reach:
                    sets[level].add((x, y))
        for x, y in sets[level + 1]:
            for a, b in ((x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                if 0 <= a < 2 * columns and 0 <= b < 2 * rows:
                    sets[level].add((a // 2, b // 2))
    return sets


def mesh_of(sets, width, height):
    """The set of its cells (level, x, y)."""
    mesh, level = set(), 0
    squares = {(x, y) for x in range(width) for y in range(height)}
    while squares:
        mesh |= {(level, x, y) for x, y in squares - sets[level]}
        halved = squares & sets[level]
        squares = {(2 * x + i, 2 * y + j) for x, y in halved for i in (0, 1) for j in (0, 1)}
        level += 1
    return mesh


def paint(mesh, width, height, depth):
    raster = [[None] * (width << depth) for _ in range(height << depth)]
    for cell in mesh:
        level, x, y = cell
        size = 1 << (depth - level)
        for row in raster[y * size:(y + 1) * size]:
            row[x * size:(x + 1) * size] = [cell] * size
    return raster


def pairs(raster):
    """Cells that meet along a line, each pair once."""
    met = set()
    for row in raster:
        met.update(frozenset(p) for p in zip(row, row[1:]) if p[0] != p[1])
    for one, other in zip(raster, raster[1:]):
        met.update(frozenset(p) for p in zip(one, other) if p[0] != p[1])
    return met


def divide(a, b):
    """As C does, towards zero."""
    return a // b if a >= 0 else -(-a // b)


def relax(masses, edges, depth):
    after = dict(masses)
    for edge in edges:
        i, j = edge
        weight = 3 if i[0] == j[0] else 2
        flow = divide(((masses[i] << 2 * i[0]) - (masses[j] << 2 * j[0])) * weight, 24 << 2 * depth)
        after[i] -= flow
        after[j] += flow
    return after


def modify(masses, old, new):
    """Cells that stay keep their masses; others get them through the square of the coarser one."""
    after = {}
    for cell in masses.keys() & new:
        after[cell] = masses[cell]

    def hand_down(cell, mass):
        if cell in new:
            after[cell] = mass
            return
        level, x, y = cell
        for j in range(4):
            hand_down((level + 1, 2 * x + j % 2, 2 * y + j // 2), mass // 4 + (j < mass % 4))

    for cell in old - new:
        level, x, y = cell
        around = {(level - up, x >> up, y >> up) for up in range(1, level + 1)} & new
        for coarse in around:
            after[coarse] = after.get(coarse, 0) + masses[cell]
        if not around:
            hand_down(cell, masses[cell])
    return after


def gid_of(cell, width, height, depth):
    level, x, y = cell
    coarse = (y >> level) * width + (x >> level)
    if level == 0:
        return coarse
    below = "".join(str(y >> bit & 1) + str(x >> bit & 1) for bit in range(level - 1, -1, -1))
    return width * height + coarse * sum(4**n for n in range(1, depth + 1)) + sum(4**n for n in range(1, level)) + int(
        below, 2)


def mix(gid, mass):
    v = (gid * 0x9E3779B97F4A7C15 ^ mass * 0xC2B2AE3D27D4EB4F) % 2**64
    v ^= v >> 29
    v = v * 0xBF58476D1CE4E5B9 % 2**64
    return v ^ v >> 32


def main():
    width, height = (int(n) for n in sys.argv[1].split("x"))
    depth, wave, moves = int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    wanted = {int(n) for n in sys.argv[5:]}
    mesh = {(0, x, y) for x in range(width) for y in range(height)}
    masses = {(0, x, y): (x + 1) * START for _, x, y in mesh}
    edges = pairs(paint(mesh, width, height, depth))
    for k in range(max(wanted)):
        masses = relax(masses, edges, depth)
        if k <= moves:
            off = distances(wave, width, height, k)
            old, mesh = mesh, mesh_of(split_sets(off, width, height, depth), width, height)
            masses = modify(masses, old, mesh)
            edges = pairs(paint(mesh, width, height, depth))
        if k + 1 in wanted:
            lines = sorted((gid_of(c, width, height, depth), *c, mass) for c, mass in masses.items())
            with open(f"shock.{k + 1}", "w") as out:
                for line in lines:
                    print(*line, file=out)
            total = sum(mix(line[0], line[4]) for line in lines) % 2**64
            print(k + 1, len(mesh), len(edges), f"{total:016x}")


main()
