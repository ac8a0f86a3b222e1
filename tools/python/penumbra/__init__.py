"""Penumbra from Python: what its programs write is read and drawn, they are run, and one's own are written.

    import pandas, penumbra

    run = penumbra.run("hex", ranks=4, grid="64x64", steps=200, balance_when="every:5", dump=True)
    run.metrics["seconds"]["loop"]; pandas.DataFrame(run.dump)
    penumbra.metrics_frame("p1.json", "p2.json")        # a row a file, columns such as "seconds.loop"
    penumbra.read_graph("hex.pen").to_scipy()           # a sparse matrix
    penumbra.write_graph("mine.pen", matrix)            # and back; Graph.from_scipy(matrix) is without a file
    penumbra.Program("heat", heat=float)                # a program of one's own: help(penumbra.program)
    penumbra.write_gexf("run.record", "run.gexf")       # a run as a graph that changes, for Gephi
    penumbra.write_record("mine.record", graph, owners, loads) # loads of one's own, for pen-sim replay

Tables are NumPy's structured arrays, of which pandas.DataFrame(table) makes a frame. pandas is needed by metrics_frame
and to_pandas only, SciPy by to_scipy, matplotlib by draw, Numba by Program. Files in gzip, xz and zstd are
decompressed; zstd, which is in records, too, takes Python 3.14, its command, or for records the module zstandard. What
cannot be read or run raises penumbra.Error, which says why with the file's name, or in the program's words; a missing
file OSError.

files.py reads what programs write; graphs.py, records.py and vtu.py read what their names say; runs.py runs programs,
program.py makes those in Python; drawing.py, machines.py and scenes.py draw for pen-draw; gexf.py writes records for
Gephi, exchange.py reads and writes those of other systems."""

from penumbra.drawing import draw
from penumbra.files import (Error, components, metrics_frame, read_dump, read_metrics, read_npy, read_observables,
                            read_outputs, read_partition, read_trace)
from penumbra.graphs import Graph, read_graph, write_graph
from penumbra.program import Program
from penumbra.records import Record, Step, read_record, write_record
from penumbra.runs import Run, find_program, run

__all__ = ["Error", "Graph", "Program", "Record", "Run", "Step", "components", "draw", "find_program", "metrics_frame",
           "read_dump", "read_graph", "read_metrics", "read_npy", "read_observables", "read_outputs", "read_partition",
           "read_record", "read_trace", "run", "write_gexf", "write_graph", "write_record"]

def write_gexf(record, path):
    """Writes a record of a run as a graph that changes in time, in GEXF; see penumbra.gexf."""
    from penumbra import gexf # a command as well: python3 -m penumbra.gexf
    gexf.write_gexf(record, path)
