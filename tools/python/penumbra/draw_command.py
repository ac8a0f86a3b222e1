"""What pen-draw does: reads what is to be drawn, and writes its pictures."""

import json
import math
import os
import re
import subprocess
import tempfile

from penumbra.canvas import check_name, save
from penumbra.drawing import Picture, measure
from penumbra.files import Error
from penumbra.graphs import read_graph
from penumbra.runs import find_program
from penumbra.values import find_series, read_parts, read_values

def _pen_graph(*words):
    """What it prints; Error with what it says."""
    done = subprocess.run([find_program("pen-graph"), *words], capture_output=True, text=True, errors="replace",
                          stdin=None)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"pen-graph: exit status {done.returncode}"]
        raise Error(said[-1].replace("pen-graph: ", "", 1))
    return done.stdout

def _read(path, given):
    """The graph, by pen-graph where it has another format."""
    how = [f"--{name}={given[name]}" for name in ("coords", "from") if name in given] + \
        ["--directed"] * ("directed" in given)
    if not how and re.search(r"\.pen(\.gz|\.xz)?$", path):
        return read_graph(path)
    with tempfile.TemporaryDirectory(prefix="penumbra-") as folder:
        file = os.path.join(folder, "graph.pen")
        _pen_graph("convert", path, file, "--lossy", "--quiet", *how)
        return read_graph(file)

def _numbers(given, name, form, separator, count):
    """The numbers of an option; None where it is not given."""
    try:
        numbers = [float(word) for word in given[name].split(separator)] if name in given else None
    except ValueError:
        numbers = []
    if numbers is not None and (len(numbers) != count or not all(map(math.isfinite, numbers))):
        raise Error(f"--{name}={given[name]}, must be {form}")
    return numbers

def _whole_number(given, name, least, most, default):
    text = given.get(name, default)
    if not re.fullmatch(r"\d{1,10}", text) or not least <= int(text) <= most:
        raise Error(f"--{name}={text}, must be a number from {least} to {most}")
    return int(text)

def _check(path, picture, given):
    """What belongs to what."""
    machine, wrong = given.get("machine"), None
    graphs = ("coords", "part", "values", "window", "from", "directed")
    if (path is None) == (machine is None):
        wrong = "give either a graph's, a machine's or a results' FILE, or --machine=NAME"
    elif machine and any(name in given for name in graphs):
        wrong = f"{', '.join('--' + name for name in graphs)} are of graphs, not of the machine {machine}"
    elif "parts" in given and not machine:
        wrong = f"--parts={given['parts']} is of a machine"
    elif "part" in given and "values" in given:
        wrong = "give either --part or --values"
    elif "range" in given and "values" not in given:
        wrong = f"--range={given['range']} is of --values"
    elif not picture:
        wrong = "no picture is named: -o PICTURE.svg, .png or .pdf"
    if wrong:
        raise Error(wrong)
    check_name(picture)

def draw_file(path, picture, given):
    """Draws a graph, results or a machine; `given` are pen-draw's options by their names."""
    if path and "machine" not in given and path.endswith((".machine", ".tgt")):
        path, given = None, {**given, "machine": path}
    _check(path, picture, given)
    if path and path != "-":
        os.stat(path) # OSError: there is none
    size = _whole_number(given, "size", 100, 20000, "1600")
    bounds = _numbers(given, "range", "LOW:HIGH, two numbers", ":", 2)
    window = _numbers(given, "window", "X0,Y0,X1,Y1, four numbers", ",", 4)
    if bounds and bounds[0] > bounds[1]:
        raise Error(f"--range={given['range']}, must be LOW:HIGH, the smaller one first")
    if window and (window[0] == window[2] or window[1] == window[3]):
        raise Error(f"--window={given['window']} is empty")
    if path is None:
        from penumbra.machines import draw_machine
        parts = [f"--parts={_whole_number(given, 'parts', 1, 2**31 - 1, '1')}"] if "parts" in given else []
        machine = json.loads(_pen_graph("info", "--json", "--machine=" + given["machine"], *parts))
        canvas = draw_machine(machine, os.path.basename(given["machine"]), size)
        save(picture, 1, lambda k: canvas)
    elif path.endswith((".vtu", ".pvd")):
        from penumbra.scenes import draw_results
        from penumbra.vtu import find_results
        paths = find_results(path)
        check_name(picture, len(paths))
        save(picture, len(paths), draw_results(paths, given.get("values"), size, window, bounds))
    else:
        _draw_graph(path, picture, given, size, window, bounds)

def _draw_graph(path, picture, given, size, window, bounds):
    graph, title = _read(path, given), os.path.basename(path)
    if "values" not in given:
        parts = read_parts(given["part"], graph.gids) if "part" in given else None
        canvas = Picture(graph, title, size, window, parts).canvas
        return save(picture, 1, lambda k: canvas)
    files, colon, column = given["values"].rpartition(":")
    if not colon or os.path.exists(given["values"]):
        files, column = given["values"], None
    paths = find_series(files)
    check_name(picture, len(paths))
    found, missing = measure(read_values(path, column, graph.gids) for path in paths)
    drawn = Picture(graph, title, size, window, None, bounds or found, missing, os.path.basename(given["values"]))
    return save(picture, len(paths), lambda k: drawn.show(
        read_values(paths[k], column, graph.gids), os.path.basename(paths[k]) if len(paths) > 1 else ""))
