"""Records of other systems: vt's LBDatafile JSON, one file per rank, and tables of tasks in CSV."""

import csv
import io
import json
import re
from collections import defaultdict

import numpy as np

from penumbra.files import Error, _naming, _read, read_json, whole_files
from penumbra.graphs import Graph
from penumbra.records import Record, node_loads, write_record

_MOST_RANKS = 1 << 20 # of pen-sim replay
_MOST_PHASES = 1000000
_MOST = 1e18 # of loads and bytes: the squares of their sums are numbers

def _whole(value, what, most=2**63 - 1, least=0):
    """An integer, also one in decimal digits."""
    text = str(value).strip()
    if not re.fullmatch("[0-9]{1,19}", text) or not least <= int(text) <= most:
        raise ValueError(f"{what} {text[:40]}: must be an integer from {least} to {most}")
    return int(text)

def _number(value, what):
    """A real number, also one in text."""
    try:
        number = float(str(value).replace("_", "?")) # Python takes 1_0 for 10
    except ValueError:
        number = -1
    if not 0 <= number <= _MOST:
        raise ValueError(f"{what} {str(value)[:40]}: must be a number from 0 to {_MOST:g}")
    return number

# ---- What both have --------------------------------------------------------------------------------------------------

class Tasks:
    """The rank and load of tasks in each step, and what they read of each other over all steps: {(reader, read):
    amount}."""

    def __init__(self):
        self.steps, self.reads, self.fixed, self.unknown = defaultdict(dict), defaultdict(float), set(), 0

    def add(self, step, task, rank, load):
        if task in self.steps[step]:
            raise ValueError(f"task {task} twice in step {step}")
        self.steps[step][task] = (_whole(rank, f"task {task} has rank", _MOST_RANKS - 1),
                                  _number(load, f"task {task} has load"))

    def write(self, path, ranks, weigh, **world):
        """Writes a record whose graph does not change: a task missing in a step has no load there. weigh(amount) is
        the weight of an arc."""
        gids = sorted(set().union(*self.steps.values()))
        if not gids:
            raise Error("there are no tasks")
        place, numbers = {gid: i for i, gid in enumerate(gids)}, sorted(self.steps)
        owners, loads = np.full(len(gids), -1), np.zeros((len(numbers), len(gids)))
        sums, now = defaultdict(float), np.zeros(len(gids), int)
        for row, number in zip(loads, numbers):
            for task, (rank, load) in self.steps[number].items():
                row[place[task]], now[place[task]] = load, rank
                if owners[place[task]] < 0:
                    owners[place[task]] = rank
            l, n = (np.bincount([rank for rank, _ in self.steps[number].values()], of, ranks)
                    for of in ([load for _, load in self.steps[number].values()], None))
            for names, value in (("nn", n * n), ("nl nt", n * l), ("ll lt tt", l * l)): # t = l
                for name in names.split():
                    sums[name] += float(np.sum(value))
            sums["loop"] += float(np.max(l))
        arcs = sorted((place[a], place[b], weigh(amount)) for (a, b), amount in self.reads.items())
        rows, columns, weights = np.array(arcs, np.int64).reshape(-1, 3).T
        back = {(b, a, w) for a, b, w in arcs}
        offsets = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(gids)))))
        gids = np.array(gids, np.int64)
        graph = Graph(offsets, gids[columns], gids, back != set(arcs), None, None, weights)
        write_record(path, graph, owners, loads, {} if world.get("declared") else sums, ranks=ranks,
                     steps=len(numbers), arc_bytes=0, **world)

# ---- vt --------------------------------------------------------------------------------------------------------------

_RIGHT = "not vt's load balancing data: no \"phases\", or its type is not LBDatafile"

def _is_vt(found):
    about = found.setdefault("metadata", {})
    return isinstance(found.get("phases"), list) and isinstance(about, dict) and \
        found.get("type", about.get("type", "LBDatafile")) == "LBDatafile"

def _listed(found, name):
    """Phases listed one by one and in ranges, both ends included."""
    listed = found["metadata"].get("phases", {}).get(name, {})
    return {*map(_phase, listed.get("list", ())),
            *(phase for a, b in listed.get("range", ()) for phase in range(_phase(a), _phase(b) + 1))}

def _phase(number):
    return _whole(number, "phase", _MOST_PHASES - 1)

def _entity(entity):
    """The identity of a task: its id, or else its number and owner."""
    if "id" in entity:
        return (int(entity["id"]),)
    return (int(entity["seq_id"]), *(int(entity.get(name, -1)) for name in ("home", "collection_id", "objgroup_id")))

def _read_phase(phase, number, rank, tasks, links):
    tasks.steps.setdefault(number, {}) # also without tasks
    for task in phase["tasks"]:
        name = _entity(task["entity"])
        tasks.add(number, name, task.get("node", rank), task["time"])
        if not task["entity"].get("migratable", True):
            tasks.fixed.add(name)
    for link in phase.get("communications", ()):
        if "object" == link["from"]["type"] == link["to"]["type"]:
            links.append((_entity(link["to"]), _entity(link["from"]), _number(link["bytes"], "bytes")))
        else:
            tasks.unknown += 1

def _read_vt(paths):
    tasks, links, ranks = Tasks(), [], {}
    for path in paths:
        if path.endswith(".br"):
            raise Error(f"{path}: brotli is not read: decompress it with brotli -d, or run vt with "
                        "--vt_lb_data_compress=false")
        found = read_json(path, _is_vt, _RIGHT)
        with _naming(path, "impossible data: "):
            rank = _whole(found["metadata"].get("rank", len(ranks)), "rank", _MOST_RANKS - 1)
            if rank in ranks:
                raise Error(f"{path} and {ranks[rank]} are both of rank {rank}")
            ranks[rank] = path
            phases = {_phase(phase["id"]): phase for phase in found["phases"]}
            for number in sorted({*phases, *_listed(found, "identical_to_previous")}):
                if number not in phases:
                    if number - 1 not in phases:
                        raise ValueError(f"phase {number} is identical to the previous one, which is not there")
                    phases[number] = phases[number - 1]
                _read_phase(phases[number], number, rank, tasks, links)
    return tasks, links, ranks

def import_vt(paths, record, migratable=False, node_bytes=64):
    """Writes a record of the files of all ranks. Seconds are loads; a node's gid is its id, or its place among those
    of tasks that have a seq_id only. A node reads those that send to it; an arc weighs their bytes in a mean phase.
    The graph is the same in all steps; tasks are first where they occur first. Returns sentences about the
    differences."""
    tasks, links, ranks = _read_vt(paths)
    said, last = [], max([*ranks, *(rank for step in tasks.steps.values() for rank, _ in step.values())])
    if set(range(last + 1)) != set(ranks):
        missing = min(set(range(last + 1)) - set(ranks))
        raise Error(f"{last + 1} ranks, but no file of rank {missing}: name the files of all ranks")
    if migratable:
        tasks.steps = {number: {task: of for task, of in step.items() if task not in tasks.fixed}
                       for number, step in tasks.steps.items()}
    elif tasks.fixed:
        said.append(f"{len(tasks.fixed)} tasks are not migratable, which a record cannot say; --migratable leaves "
                    "them out")
    known = sorted(set().union(*tasks.steps.values()))
    by_id = all(len(task) == 1 and 0 <= task[0] < 2**63 for task in known)
    gids = {task: task[0] if by_id else i for i, task in enumerate(known)}
    for reader, read, amount in links:
        if reader in gids and read in gids:
            if reader != read:
                tasks.reads[gids[reader], gids[read]] += amount
        else:
            tasks.unknown += 1
    if tasks.unknown:
        said.append(f"{tasks.unknown} communications are left out: an end of them is a rank or no task")
    tasks.steps = {number: {gids[task]: of for task, of in step.items()} for number, step in tasks.steps.items()}
    mean = sum(tasks.reads.values()) / max(1, len(tasks.reads) * len(tasks.steps))
    tasks.write(record, last + 1, lambda amount: max(1, round(amount / len(tasks.steps))), node_bytes=node_bytes,
                application="vt", phases=[{"name": "phase", "bytes": round(mean)}])
    return said

def _rank_data(begun, rank, amounts, steps):
    own = np.flatnonzero(begun.owners == rank).tolist()
    gids, owners = begun.graph.gids.tolist(), begun.owners.tolist()
    entity = lambda i: {"type": "object", "id": gids[i], "home": owners[i], "collection_id": 0, "index": [gids[i]],
                        "migratable": True}
    sent = [{"type": "SendRecv", "from": entity(read), "to": entity(reader), "bytes": float(amount), "messages": 1}
            for reader, read, amount in amounts if owners[read] == rank]
    task = lambda i, load: {"entity": entity(i), "node": rank, "resource": "cpu", "time": load}
    return {"metadata": {"type": "LBDatafile", "rank": rank},
            "phases": [{"id": number, "tasks": [task(i, loads[i]) for i in own], "communications": sent}
                       for number, loads in enumerate(steps)]}

def export_vt(record, path):
    """Writes NAME.0.json and so on for path NAME.json, one file per rank: loads are seconds, tasks are on their
    first ranks, and an arc carries its weight in bytes or, if all weights are 1, the bytes of a step's pulls."""
    begun = Record(record)
    graph, at = begun.graph, begun.graph.find(begun.graph.targets)
    weights = graph.arc_weights
    if np.all(weights == 1):
        weights = np.full(len(weights), sum(phase["bytes"] for phase in begun.world["phases"]))
    amounts = list(zip(graph.rows.tolist(), at.tolist(), weights.tolist()))
    steps = [node_loads(_constant(step, begun)).tolist() for step in begun]
    with whole_files() as create:
        for rank in range(begun.world["ranks"]):
            with create(f"{path.removesuffix('.json')}.{rank}.json") as out:
                out.write(json.dumps(_rank_data(begun, rank, amounts, steps)).encode())

def _constant(step, begun):
    if not np.array_equal(step.graph.gids, begun.graph.gids):
        raise Error(f"the nodes of the graph change in step {step.number}: such a record is not exported")
    return step

# ---- CSV -------------------------------------------------------------------------------------------------------------

def _rows(path, names, optional):
    """Rows of a table with these columns, in any order: the line and the values, of which the optional one may be
    None."""
    data = bytes(_read(path))
    with _naming(path):
        reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig")), skipinitialspace=True)
        found = reader.fieldnames or []
        if not set(names) <= set(found) or len(set(found)) < len(found):
            raise ValueError(f"line 1: must name the columns {', '.join(names)}, and may name {optional}")
        for row in reader:
            if None in row or None in row.values():
                raise ValueError(f"line {reader.line_num}: must have {len(found)} columns")
            yield reader.line_num, *(row.get(name) for name in (*names, optional))

def import_csv(paths, record, edges=None, declared=False, directed=False, node_bytes=64):
    """Writes a record of a table of tasks, with columns task, rank, load and, for several steps, step; and of a
    table of edges, with columns from, to and optionally weight (default 1). In a directed graph `to` reads `from`."""
    tasks = Tasks()
    for line, task, rank, load, step in _rows(paths[0], ("task", "rank", "load"), "step"):
        with _naming(paths[0], f"line {line}: "):
            tasks.add(_whole(step or 0, "step"), _whole(task, "task"), rank, load)
    there = set().union(*tasks.steps.values())
    for line, one, other, weight in _rows(edges, ("from", "to"), "weight") if edges else ():
        with _naming(edges, f"line {line}: edge {one},{other}: "):
            one, other = _whole(one, "task"), _whole(other, "task")
            weight = _whole(weight or 1, "weight", 10**18 - 1, 1)
            if one == other or not {one, other} <= there:
                raise ValueError("must join two different tasks of the other table")
            for arc in [(other, one)] if directed else [(other, one), (one, other)]:
                if tasks.reads.setdefault(arc, weight) != weight:
                    raise ValueError("it is there twice, with different weights")
    ranks = 1 + max((rank for step in tasks.steps.values() for rank, _ in step.values()), default=0)
    tasks.write(record, ranks, int, node_bytes=node_bytes, declared=declared, application="csv",
                phases=[{"name": "step", "bytes": 8}])
    return []

def export_csv(record, path, edges=None):
    """Writes both tables; tasks are on their first ranks."""
    begun = Record(record)
    gids, graph = begun.graph.gids.tolist(), begun.graph
    with whole_files() as create:
        with create(path) as out:
            out.write(b"step,task,rank,load\n")
            for step in begun:
                loads = node_loads(_constant(step, begun)).tolist()
                out.writelines(f"{step.number},{gid},{rank},{load!r}\n".encode()
                               for gid, rank, load in zip(gids, begun.owners.tolist(), loads))
        if edges:
            readers = graph.gids[graph.rows].tolist()
            with create(edges) as out:
                out.write(b"from,to,weight\n")
                out.writelines(f"{read},{reader},{weight}\n".encode() for reader, read, weight
                               in zip(readers, graph.targets.tolist(), graph.arc_weights.tolist())
                               if graph.directed or read < reader)
