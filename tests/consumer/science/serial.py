#!/usr/bin/env python3
"""serial.py PROGRAM STEPS [GRAPH [TABLE]] - what the program of that name computes, once more, serially, and by nothing
that Penumbra has: prints "gid text" a line, as a dump does, then the steps done and named values of the whole run.

Sums over all nodes are math.fsum's: rounded once, as Penumbra's are."""
import csv
import heapq
import math
import sys

MASK = (1 << 64) - 1


def read_graph(path):
    """METIS text without weights, or CSV with two gids a line: the neighbours of every node, ascending."""
    with open(path, encoding="ascii") as file:
        if path.endswith(".csv"):
            edges = [(int(a), int(b)) for a, b in list(csv.reader(file))[1:]]
            return {v: sorted({a + b - v for a, b in edges if v in (a, b)}) for v in sorted(set(sum(edges, ())))}
        lines = [line.split() for line in file if not line.startswith("%")]
    return [sorted(int(word) - 1 for word in line) for line in lines[1 : 1 + int(lines[0][0])]]


def read_places(path):
    with open(path, encoding="ascii") as file:
        return [tuple(float(word) for word in line.split()[:2]) for line in file if line.strip()]


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


def draw(node, step, seed, stream):
    return threefry((node, step), (seed, stream))


def draw_real(*what):
    return (draw(*what) >> 11) / 2.0**53


def pagerank(rows, steps, _, damping=0.85, tolerance=1e-6):
    n = len(rows)
    links = [0] * n
    for row in rows:
        for u in row:
            links[u] += 1
    rank, change, done = [1.0 / n] * n, 1.0, 0
    while done < steps and change > tolerance:
        dangling, new = math.fsum(rank[u] for u in range(n) if links[u] == 0), []
        for row in rows:
            total = dangling / n
            for u in row:
                total += rank[u] / links[u]
            new.append((1.0 - damping) / n + damping * total)
        change = math.fsum(abs(a - b) for a, b in zip(new, rank))
        rank, done = new, done + 1
    return [f"{r:.17g}" for r in rank], done, {"change": change}


def paths(rows, _, coordinates):
    at = read_places(coordinates)
    lengths = [[math.sqrt(sum((b - a) * (b - a) for a, b in zip(at[v], at[u]))) for u in row]
               for v, row in enumerate(rows)]
    best, before = [(0.0, -1)] + [(math.inf, -1)] * (len(rows) - 1), None
    while best != before:
        before, best = best, list(best)
        for v, row in enumerate(rows):
            for u, length in zip(row, lengths[v]):
                if before[u][0] + length < best[v][0]:
                    best[v] = before[u][0] + length, u
    return [f"{d:.17g} {u}" for d, u in best], None


def schelling(rows, steps, _, seed=5):
    n = len(rows)
    first = [draw_real(v, 0, seed, 0) for v in range(n)]
    kind = [0 if real < 0.2 else 1 if real < 0.6 else 2 for real in first]
    for step in range(steps):
        wish, luck = [-1] * n, [draw(v, step, seed, 2) for v in range(n)]
        for v, row in enumerate(rows):
            vacant = [u for u in row if kind[u] == 0]
            alike = sum(kind[u] == kind[v] for u in row)
            others = sum(kind[u] not in (0, kind[v]) for u in row)
            if kind[v] != 0 and alike < others and vacant:
                wish[v] = vacant[draw(v, step, seed, 1) * len(vacant) >> 64]
        after = list(kind)
        for v, row in enumerate(rows):
            bidders = [u for u in row if wish[u] == v]
            if kind[v] == 0 and bidders:
                winner = max(bidders, key=lambda u: (luck[u], -u))
                after[v], after[winner] = kind[winner], 0
        kind = after
    return kind, steps


def shallow(rows, steps, _, g=9.81, end=3.0, width=9):
    at = [(float(v % width), float(v // width)) for v in range(len(rows))]
    normals = [[(at[u][0] - at[v][0], at[u][1] - at[v][1]) for u in row] for v, row in enumerate(rows)]
    cells = [(1.0 + 0.5 * ((x - 3.0) * (x - 3.0) + (y - 4.0) * (y - 4.0) < 4.0), 0.0, 0.0) for x, y in at]
    time, done, volume = 0.0, 0, 0.0

    def wave(c):
        return math.sqrt(c[1] * c[1] + c[2] * c[2]) / c[0] + math.sqrt(g * c[0])

    def through(c, nx, ny):
        q, p = (c[1] * nx + c[2] * ny) / c[0], 0.5 * g * c[0] * c[0]
        return c[0] * q, c[1] * q + p * nx, c[2] * q + p * ny

    while done < steps and time < end:
        dt, new = min(0.45 / max(map(wave, cells)) / 2.0, end - time), []
        for v, row in enumerate(rows):
            a, total, nx, ny = cells[v], [0.0, 0.0, 0.0], 0.0, 0.0
            for u, normal in zip(row, normals[v]):
                b = cells[u]
                s, left, right = max(wave(a), wave(b)), through(a, *normal), through(b, *normal)
                total = [t + 0.5 * (l + r - s * (y - x)) for t, l, r, x, y in zip(total, left, right, a, b)]
                nx, ny = nx + normal[0], ny + normal[1]
            p = 0.5 * g * a[0] * a[0]
            new.append((a[0] - dt * total[0], a[1] - dt * (total[1] - p * nx), a[2] - dt * (total[2] - p * ny)))
        cells, time, done = new, time + dt, done + 1
        volume = math.fsum(c[0] for c in cells)
    return [c[0] for c in cells], done, {"time": time, "volume": volume}


def grayscott(rows, steps, _, feed=0.037, kill=0.06):
    cells, t, done = [(0.5, 0.25)] * 40 + [(1.0, 0.0)] * (len(rows) - 40), 0.0, 0
    while done < steps and t < 20.0:
        most = max(v for _, v in cells)
        dt = min(1.0, 0.1 / (most * most + feed + kill))
        new = []
        for (u, v), row in zip(cells, rows):
            du = dv = 0.0
            for other in row:
                du += cells[other][0] - u
                dv += cells[other][1] - v
            reaction = u * v * v
            new.append((u + dt * (0.2 * du - reaction + feed * (1.0 - u)),
                        v + dt * (0.1 * dv + reaction - (feed + kill) * v)))
        cells, t, done = new, t + dt, done + 1
    return cells, done, {"t": t}


def epidemic(rows, steps, _, ill=0.02, infection=0.3, recovery=0.25, seed=4):
    state, before, done = [int(draw_real(v, 0, seed, 0) < ill) for v in range(len(rows))], None, 0
    while done < steps and (state != before or 1 in state):
        before, state = state, list(state)
        for v, row in enumerate(rows):
            safe = 1.0
            for u in row:
                safe *= 1.0 - infection if before[u] == 1 else 1.0
            if before[v] == 0 and draw_real(v, done, seed, 1) >= safe:
                state[v] = 1
            if before[v] == 1 and draw_real(v, done, seed, 2) < recovery:
                state[v] = 2
        done += 1
    return state, done, {name: state.count(k) for k, name in enumerate(("susceptible", "ill", "immune"))}


def quadtree(_, steps, __):
    """Leaves are paths of quarters from the root, compared with each other by integers: the finest are 64 a side."""
    def square(gid):
        path = format(gid, "b")[1:]
        return int("0" + path[1::2], 2) << 6 - len(path) // 2, int("0" + path[::2], 2) << 6 - len(path) // 2, \
            64 >> len(path) // 2

    def adjacent(a, b):
        (x, y, side), (x2, y2, side2) = squares[a], squares[b]
        beside = x + side == x2 or x2 + side2 == x
        above = y + side == y2 or y2 + side2 == y
        return beside and y < y2 + side2 and y2 < y + side or above and x < x2 + side2 and x2 < x + side

    heat, squares, rows = {1: 1.0}, {}, {}
    for step in range(steps):
        for gid in heat.keys() - squares.keys():
            squares[gid] = square(gid)
        if squares.keys() != rows.keys():
            rows = {a: [b for b in sorted(heat) if adjacent(a, b)] for a in heat}
        new = {}
        for gid, row in rows.items():
            x, y, side = squares[gid]
            warmer = heat[gid]
            for other in row:
                warmer += 0.05 * (heat[other] - heat[gid])
            dx, dy = (x + side / 2) / 64 - 0.4, (y + side / 2) / 64 - 0.3
            splits = gid < 16 or gid < 4096 and abs(math.sqrt(dx * dx + dy * dy) - 0.04 * step) < side / 128
            new.update({4 * gid + i: warmer + i for i in range(4)} if splits else {gid: warmer})
        heat = new
        squares = {gid: squares[gid] for gid in squares.keys() & heat.keys()}
    texts = {}
    for gid, value in heat.items():
        x, y, side = square(gid)
        texts[gid] = (x + side / 2) / 64, (y + side / 2) / 64, value
    return texts, steps


def potential(rows, steps, _, until=1e-9, diagonal=lambda row: 1):
    n = len(rows)
    x, r, p, before, done = [0.0] * n, [1.0] + [0.0] * (n - 2) + [-1.0], [0.0] * n, 0.0, 0
    while True:
        z = [a / diagonal(row) for a, row in zip(r, rows)]
        rr = math.fsum(a * b for a, b in zip(r, z))
        if done == steps or rr < until:
            break
        factor = rr / before if before > 0.0 else 0.0
        p = [a + factor * b for a, b in zip(z, p)]
        q = []
        for v, row in enumerate(rows):
            total = len(row) * p[v]
            for u in row:
                total -= p[u]
            q.append(total)
        length = rr / math.fsum(a * b for a, b in zip(p, q))
        x = [a + length * b for a, b in zip(x, p)]
        r = [a - length * b for a, b in zip(r, q)]
        before, done = rr, done + 1
    return [f"{a:.17g}" for a in x], done, {"r.r": rr}


def preconditioned(rows, steps, _):
    return potential(rows, steps, _, diagonal=len)


def towns(rows, steps, table):
    with open(table, encoding="utf-8", newline="") as file:
        lines = {int(line["plz"]): line for line in csv.DictReader(file)}
    at = {gid: (float(line["east"]), float(line["north"])) for gid, line in lines.items()}
    people = {gid: float(line["people"]) for gid, line in lines.items()}
    jobs = {gid: float(line["jobs"]) if line["jobs"] else people[gid] / 2.0 for gid, line in lines.items()}
    for _ in range(steps):
        new = {}
        for gid, row in rows.items():
            change = 0.0
            for other in row:
                dx, dy = at[other][0] - at[gid][0], at[other][1] - at[gid][1]
                change += (people[other] * jobs[gid] - people[gid] * jobs[other]) / (1.0 + dx * dx + dy * dy)
            new[gid] = people[gid] + 1e-3 * change
        people = new
    return people, steps, {"people": math.fsum(people.values()), "fullest": max(people.values()) / 400.0}


def coloring(rows, steps, _, seed=6, colors=3):
    color = [draw(v, 0, seed, 0) * colors >> 64 for v in range(len(rows))]
    conflicts, heat, fewest = [len(row) for row in rows], 0.5, sum(map(len, rows))
    for step in range(steps):
        conflicts = [sum(color[u] == color[v] for u in row) for v, row in enumerate(rows)]
        color = [draw(v, step, seed, 2) * colors >> 64
                 if conflicts[v] and draw_real(v, step, seed, 1) < heat else color[v] for v in range(len(rows))]
        if sum(conflicts) <= fewest:
            heat, fewest = 0.8 * heat, sum(conflicts)
        else:
            heat += 0.01 * (0.5 - heat)
    return list(zip(color, conflicts)), steps, {"heat": heat, "fewest": fewest}


def travellers(rows, steps, _, seed=42, household=4):
    """The example of that name: people move between places."""
    def luck(one, place, use):
        return draw(place, done, seed, use + 5 * (one[0] * household + one[1]))

    def real(*what):
        return (luck(*what) >> 11) / 2.0**53

    n, done, people, infections = len(rows), 0, [], [0] * len(rows)
    for home in (v for v in range(n) if v % 8):
        for number in range(household):
            one, row = (home, number), rows[home]
            first = luck(one, home, 0) * len(row) >> 64
            work = next((u for u in row[first:] + row[:first] if u % 8 == 0), home)
            people.append([one, work, int(real(one, home, 1) < 0.001), home])
    here = [[0] * 3 for _ in range(n)]
    for _, _, state, place in people:
        here[place][state] += 1
    while done < steps and (not done or any(ill for _, ill, _ in here)):
        safe, here = [1.0] * n, [[0] * 3 for _ in range(n)]
        for _, _, state, place in people:
            if state == 1:
                safe[place] *= 1.0 - (0.1 if place % 8 else 0.02)
        for person in people:
            one, work, state, place = person
            if state == 0 and safe[place] < 1.0 and real(one, place, 2) >= safe[place]:
                person[2] = 1
                infections[place] += 1
            elif state == 1 and real(one, place, 2) < 0.1:
                person[2] = 2
            here[place][person[2]] += 1
            if done % 2 == 1:
                person[3] = one[0]
            else:
                person[3] = work if real(one, place, 3) >= 0.02 else luck(one, place, 4) * n >> 64
        done += 1
    sums = [sum(column) for column in zip(*here)]
    return [(*counts, new) for counts, new in zip(here, infections)], done, \
        dict(zip(("susceptible", "ill", "immune"), sums))


def push(rows, steps, _, damping=0.85, tolerance=1e-7):
    n = len(rows)
    rank, rest, mail, done = [0.0] * n, [1.0] + [0.0] * (n - 1), [[] for _ in rows], 0
    while done < steps and (not done or any(mail) or
                            any(r > tolerance * (len(row) + 1) for r, row in zip(rest, rows))):
        sent = [[] for _ in rows]
        for v, row in enumerate(rows):
            for amount in mail[v]:
                rest[v] += amount
            if rest[v] > tolerance * (len(row) + 1):
                given = damping * rest[v]
                rank[v], rest[v] = rank[v] + (rest[v] - given), 0.0
                for u in row:
                    sent[u].append(given / len(row))
                if not row:
                    sent[0].append(given)
        mail, done = sent, done + 1
    return [f"{r:.17g}" for r in rank], done, {"rank": math.fsum(rank)}


def stepping(rows, _, coordinates):
    """The method of Dijkstra."""
    at = read_places(coordinates)
    distance, waiting = [0.0] + [math.inf] * (len(rows) - 1), [(0.0, 0)]
    while waiting:
        far, v = heapq.heappop(waiting)
        for u in rows[v] if far == distance[v] else []:
            dx, dy = at[u][0] - at[v][0], at[u][1] - at[v][1]
            over = far + math.sqrt(dx * dx + dy * dy)
            if over < distance[u]:
                distance[u] = over
                heapq.heappush(waiting, (over, u))
    return [f"{d:.17g}" for d in distance], None


def samplesort(_, steps, __, seed=4, count=1000, blocks=7):
    share = count // blocks
    lists = [[draw(b, 0, seed, i) for i in range(share if b < blocks - 1 else count - share * b)]
             for b in range(blocks)]
    samples = sorted(key for keys in lists for key in keys[:64])
    splitters = [samples[len(samples) * b // blocks] for b in range(1, blocks)] + [MASK + 1]
    keys, texts = sorted(key for keys in lists for key in keys), []
    for low, high in zip([0] + splitters, splitters):
        texts.append(" ".join(str(key) for key in keys if low <= key < high))
    return texts, steps, {"keys": count}


def as_c(value):
    """Numbers as the programs print them: a hexadecimal float as printf's %a writes it, without zeros at the end."""
    if isinstance(value, tuple):
        return " ".join(map(as_c, value))
    if not isinstance(value, float) or math.isinf(value):
        return str(value)
    mantissa, exponent = value.hex().split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{exponent}"


def main():
    program, steps, graph, table = (sys.argv[1:] + ["", ""])[:4]
    values, done, *named = globals()[program](read_graph(graph) if graph else None, int(steps), table)
    for gid, value in sorted(values.items() if isinstance(values, dict) else enumerate(values)):
        print(gid, as_c(value))
    if done is not None:
        print("steps", done)
    for name, value in named[0].items() if named else ():
        print(name, float(value))


if __name__ == "__main__":
    main()
