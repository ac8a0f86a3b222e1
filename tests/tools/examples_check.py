#!/usr/bin/env python3
"""examples_check.py MODULE - in the folder where the commands of the examples' text have been run: what the examples
have computed is what other methods compute. MODULE is the folder of penumbra.py. Prints what is wrong, a line each."""

import sys

import numpy

sys.path.insert(0, sys.argv[1])
import penumbra

wrong = []


def check(what, found, expected, tolerance=0.0):
    difference = numpy.max(numpy.abs(numpy.asarray(found, float) - numpy.asarray(expected, float)))
    if not difference <= tolerance:
        wrong.append(f"{what}: differs by {difference}, at most {tolerance}")


def table(name):
    """The columns of a CSV file without those of text."""
    return numpy.genfromtxt(name, delimiter=",", skip_header=1, unpack=True)


def check_pagerank():
    ranks = table("rank.csv")[1]
    nodes = len(ranks)
    links = numpy.zeros((nodes, nodes))
    for source, target in table("links.csv").T.astype(int):
        links[target, source] = source != target
    moves = links / numpy.maximum(links.sum(axis=0), 1)
    moves[:, links.sum(axis=0) == 0] = 1 / nodes
    wanted = numpy.linalg.solve(numpy.eye(nodes) - 0.85 * moves, numpy.full(nodes, 0.15 / nodes))
    check("pagerank", ranks, wanted, 1e-9)


def shortest(nodes, source, target, length):
    ways = numpy.full(nodes, numpy.inf)
    ways[0], before = 0.0, None
    while before is None or not numpy.array_equal(ways, before):
        before = ways.copy()
        numpy.minimum.at(ways, source, ways[target] + length)
    return ways


def check_paths():
    towns = penumbra.read_graph("towns.pen")
    nodes = len(towns.offsets) - 1
    source = numpy.repeat(numpy.arange(nodes), numpy.diff(towns.offsets))
    places = numpy.asarray(towns.coordinates)
    length = numpy.linalg.norm(places[source] - places[towns.targets], axis=1)
    ways = shortest(nodes, source, towns.targets, length)
    reached = numpy.isfinite(ways)
    found = table("ways.csv")[1]
    check("paths, which towns are reached", numpy.isfinite(found), reached)
    check("paths", found[reached], ways[reached], 1e-9)
    source, target, length = table("lengths.csv")
    ends = numpy.concatenate([[source, target], [target, source]], axis=1).astype(int)  # a road goes both ways
    ways = shortest(nodes, *ends, numpy.tile(length, 2))
    check("paths with lengths", table("detours.csv")[1][reached], ways[reached], 1e-9)


def check_material():
    width, height, dt = 120, 80, 0.1
    conducts = table("plate.csv")[1].reshape(height, width)
    heat = numpy.zeros((height, width))
    heat[:, 0] = 100.0
    down = 2 * conducts[1:] * conducts[:-1] / (conducts[1:] + conducts[:-1])
    right = 2 * conducts[:, 1:] * conducts[:, :-1] / (conducts[:, 1:] + conducts[:, :-1])
    for _ in range(10000):
        flow = numpy.zeros((height, width))
        over = down * (heat[1:] - heat[:-1])
        flow[:-1] += over
        flow[1:] -= over
        over = right * (heat[:, 1:] - heat[:, :-1])
        flow[:, :-1] += over
        flow[:, 1:] -= over
        flow[:, [0, -1]] = 0.0
        heat += dt * flow
    check("material", numpy.load("temperature.npy").reshape(height, width), heat, 1e-8)


def check_fire():
    """Ash was fire before, fire was a tree next to fire."""
    counts = table("fire.csv")[1:].T
    check("fire, all ground", counts.sum(axis=1), 60 * 40)
    check("fire, the last step", counts[-1][2], 0)
    check("fire, what has burnt", counts[-1][1] + counts[-1][3], counts[0][1] + counts[0][2])
    forest = penumbra.read_graph("forest.pen")
    source = numpy.repeat(numpy.arange(60 * 40), numpy.diff(forest.offsets))
    near, before = None, None
    for step in range(0, len(counts), 2):
        state = numpy.load(f"fire/state-{step:06d}.npy")
        check(f"fire, step {step}", numpy.bincount(state, minlength=4), counts[step])
        if before is not None:
            touched = near | (state >= 2)  # in the step between
            reached = numpy.zeros(60 * 40, bool)
            numpy.logical_or.at(reached, source, touched[forest.targets])
            check(f"fire, lit from nowhere in step {step}", numpy.sum((state == 2) & ~reached), 0)
            check(f"fire, ash that was no tree in step {step}", numpy.sum((state == 3) & (before == 0)), 0)
            check(f"fire, ash that is none in step {step}", numpy.sum((before >= 2) & (state != 3)), 0)
        near, before = state >= 2, state


def check_epidemic():
    """Ill persons are next to those who were ill; a number of persons are left."""
    days, well, ill, immune = table("epidemic.csv")[:4]
    check("epidemic, all persons", well + ill + immune, 3000)
    check("epidemic, the end", ill[-1], 0)
    check("epidemic, no person falls ill twice", numpy.sum(numpy.diff(well) > 0) + numpy.sum(numpy.diff(immune) < 0), 0)
    state = numpy.load("people-state.npy")
    check("epidemic, the picture", numpy.bincount(state, minlength=3), [well[-1], ill[-1], immune[-1]])
    people = penumbra.read_graph("people.pen")
    source = numpy.repeat(numpy.arange(3000), numpy.diff(people.offsets))
    met = numpy.zeros(3000, bool)
    numpy.logical_or.at(met, source, state[people.targets] == 2)
    if numpy.sum((state == 2) & ~met) > ill[0]:
        wrong.append("epidemic: a person who met none was ill")
    if immune[-1] < 1000:
        wrong.append(f"epidemic: only {immune[-1]} persons have been ill")


def check_life():
    boards = [numpy.load(f"life/alive-{step:06d}.npy").reshape(30, 40) for step in range(0, 61, 2)]
    for step, (board, later) in enumerate(zip(boards, boards[1:])):
        for _ in range(2):
            around = sum(numpy.roll(board, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1)) - board
            board = (around == 3) | ((around == 2) & (board == 1))
            board = board.astype(numpy.uint8)
        check(f"life, step {2 * step + 2}", later, board)


def check_potential():
    potential = numpy.load("potential.npy").reshape(64, 64)
    current = numpy.zeros((64, 64))
    current[0, 0], current[-1, -1] = -1.0, 1.0
    for axis in 0, 1:
        over = numpy.diff(potential, axis=axis)
        before = [(0, 0), (0, 0)]
        before[axis] = (1, 1)
        padded = numpy.pad(over, before)
        current += numpy.take(padded, range(64), axis=axis) - numpy.take(padded, range(1, 65), axis=axis)
    check("potential, currents that are left over", current, 0.0, 1e-7)


def check_travellers():
    """All people are somewhere, and are infected as often as they are no longer susceptible."""
    days, well, ill, immune = table("travellers.csv")[:4]
    check("travellers, all people", well + ill + immune, 4 * 2625)
    check("travellers, the end", ill[-1], 0)
    infections = numpy.load("travellers-infections.npy")
    check("travellers, infections", infections.sum(), well[0] - well[-1])
    if immune[-1] < 5000 or not infections[::8].any() or not infections[1::8].any():
        wrong.append(f"travellers: {immune[-1]} people have been ill")


def check_push():
    nodes = len(table("rank.csv")[1])
    moves = numpy.zeros((nodes, nodes))
    for source, target in table("links.csv").T.astype(int):
        moves[target, source] = source != target
    moves[149, moves.sum(axis=0) == 0] = 1
    moves /= moves.sum(axis=0)
    wanted = numpy.linalg.solve(numpy.eye(nodes) - 0.85 * moves, 0.15 * (numpy.arange(nodes) == 149))
    check("push", table("near.csv")[1], wanted, 1e-5)


def check_stepping():
    found, ways = numpy.load("stepping-distance.npy"), table("ways.csv")[1]
    check("stepping, which towns are reached", numpy.isfinite(found), numpy.isfinite(ways))
    check("stepping", found[numpy.isfinite(ways)], ways[numpy.isfinite(ways)])


def check_samplesort():
    _, keys, first, last = table("blocks.csv")
    check("samplesort, all keys", keys.sum(), 20000)
    ends = numpy.stack([first, last], axis=1).ravel()
    check("samplesort, the order", numpy.sum(numpy.diff(ends) < 0), 0)
    if keys.max() > 1.5 * keys.mean():
        wrong.append(f"samplesort: a block has {keys.max()} keys")


check_travellers()
check_push()
check_stepping()
check_samplesort()
check_pagerank()
check_paths()
check_material()
check_fire()
check_epidemic()
check_life()
check_potential()
print("\n".join(wrong), end="")
