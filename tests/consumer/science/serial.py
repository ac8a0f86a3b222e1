#!/usr/bin/env python3
"""serial.py PROGRAM STEPS GRAPH [COORDINATES] - what the program of that name computes, once more, serially, and
by nothing that Penumbra has: prints "gid text" a line, as a dump does, and the steps done as the last line.

Sums over all nodes are math.fsum's: rounded once, as Penumbra's are."""
import math
import sys

MASK = (1 << 64) - 1


def read_graph(path):
    """METIS text without weights: the neighbours of every node, ascending."""
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file if not line.startswith("%")]
    return [sorted(int(word) - 1 for word in line) for line in lines[1 : 1 + int(lines[0][0])]]


def threefry(counter, key):
    """Threefry-2x64 with 20 rounds (Salmon et al. 2011)."""
    keys = [key[0], key[1], 0x1BD11BDAA9FC1A22 ^ key[0] ^ key[1]]
    x = [(counter[0] + keys[0]) & MASK, (counter[1] + keys[1]) & MASK]
    for round_ in range(20):
        rotation = (16, 42, 12, 31, 16, 32, 24, 21)[round_ % 8]
        x[0] = (x[0] + x[1]) & MASK
        x[1] = ((x[1] << rotation | x[1] >> (64 - rotation)) & MASK) ^ x[0]
        if round_ % 4 == 3:
            turn = round_ // 4 + 1
            x = [(x[0] + keys[turn % 3]) & MASK, (x[1] + keys[(turn + 1) % 3] + turn) & MASK]
    return x[0]


def pagerank(rows, steps, _):
    n = len(rows)
    links = [0] * n
    for row in rows:
        for u in row:
            links[u] += 1
    rank, done = [1.0 / n] * n, 0
    while done < steps:
        dangling = math.fsum(rank[u] for u in range(n) if links[u] == 0)
        new = []
        for row in rows:
            total = 0.0
            for u in row:
                total += rank[u] / links[u]
            new.append(0.15 / n + 0.85 * (total + dangling / n))
        change = math.fsum(abs(a - b) for a, b in zip(new, rank))
        rank, done = new, done + 1
        if change < 1e-6:
            break
    return [r.hex() for r in rank], done


def sssp(rows, steps, _):
    distance, done = [0.0] + [math.inf] * (len(rows) - 1), 0
    while done < steps:
        new = [min([distance[v]] + [distance[u] + (1.0 + (7 * v + 13 * u) % 11 / 8.0) for u in row])
               for v, row in enumerate(rows)]
        changed, distance, done = new != distance, new, done + 1
        if not changed:
            break
    return [d.hex() for d in distance], done


def components(rows, steps, _):
    label, done = list(range(len(rows))), 0
    while done < steps:
        new = [min([label[v]] + [label[u] for u in row]) for v, row in enumerate(rows)]
        changed, label, done = new != label, new, done + 1
        if not changed:
            break
    return [str(x) for x in label], done


def schelling(rows, steps, _, seed=5):
    n = len(rows)

    def draw(node, step, stream):
        return threefry((node, step), (seed, stream))

    def start(node):
        real = (draw(node, 0, 0) >> 11) / 2.0**53
        return 0 if real < 0.2 else 1 if real < 0.6 else 2

    kind = [start(v) for v in range(n)]
    for step in range(steps):
        wish, luck = [-1] * n, [draw(v, step, 2) for v in range(n)]
        for v, row in enumerate(rows):
            vacant = [u for u in row if kind[u] == 0]
            alike = sum(kind[u] == kind[v] for u in row)
            others = sum(kind[u] not in (0, kind[v]) for u in row)
            if kind[v] != 0 and alike < others and vacant:
                wish[v] = vacant[draw(v, step, 1) * len(vacant) >> 64]
        after = list(kind)
        for v, row in enumerate(rows):
            bidders = [u for u in row if wish[u] == v]
            if kind[v] == 0 and bidders:
                winner = max(bidders, key=lambda u: (luck[u], -u))
                after[v], after[winner] = kind[winner], 0
        kind = after
    return [str(k) for k in kind], steps


def volume(rows, steps, coordinates):
    with open(coordinates, encoding="ascii") as file:
        at = [tuple(float(word) for word in line.split()[:2]) for line in file if line.strip()]
    amount, rate = [x * y + x for x, y in at], [0.0] * len(rows)
    conductance = [[1.0 / (1.0 + math.sqrt((at[v][0] - at[u][0]) * (at[v][0] - at[u][0]) +
                                           (at[v][1] - at[u][1]) * (at[v][1] - at[u][1]))) for u in row]
                   for v, row in enumerate(rows)]
    for _ in range(steps):
        fastest = max(abs(r) for r in rate)
        dt = min(0.05, 0.01 / fastest) if fastest > 0.0 else 0.05
        rate = []
        for v, row in enumerate(rows):
            total = 0.0
            for c, u in zip(conductance[v], row):
                total += c * (amount[u] - amount[v])
            rate.append(total)
        amount = [a + dt * r for a, r in zip(amount, rate)]
    return [a.hex() for a in amount], steps


def as_c(text):
    """A hexadecimal float as printf's %a writes it: without the zeros at the end."""
    if "p" not in text:
        return text
    mantissa, exponent = text.split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{exponent}"


def main():
    program, steps, graph = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    compute = {"pagerank": pagerank, "sssp": sssp, "components": components, "schelling": schelling, "volume": volume}
    texts, done = compute[program](read_graph(graph), steps, sys.argv[4] if len(sys.argv) > 4 else None)
    for gid, text in enumerate(texts):
        print(gid, as_c(text))
    print("steps", done)


if __name__ == "__main__":
    main()
