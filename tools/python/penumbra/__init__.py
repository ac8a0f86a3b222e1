"""Penumbra from Python: run its programs, read and draw files that they write, and write programs of your own.

    import pandas, penumbra

    run = penumbra.run("hex", ranks=4, generate="hex:64x64", steps=200, balance_when="every:5", dump=True)
    run.metrics["seconds"]["loop"]; pandas.DataFrame(run.dump)
    penumbra.metrics_frame("p1.json", "p2.json")        # a row for each file, columns such as "seconds.loop"
    penumbra.read_graph("hex.pen").to_scipy()           # a sparse matrix
    penumbra.read_vtu("heat.vtu").columns["heat"]       # results of --output; read_pvd lists the files of a series
    penumbra.write_graph("mine.pen", matrix)            # and back; Graph.from_scipy(matrix) is without a file
    penumbra.Program("heat", heat=float)                # a program of your own: help(penumbra.program)
    penumbra.write_gexf("run.record", "run.gexf")       # a run as a graph that changes, for Gephi
    penumbra.write_record("mine.record", graph, owners, loads) # loads of your own, for pen-sim replay

Tables are NumPy's structured arrays; pandas.DataFrame(table) makes a frame of one. Only metrics_frame and to_pandas
need pandas, only to_scipy needs SciPy, only draw matplotlib, and only Program Numba. Files that are compressed with
gzip, xz or zstd are decompressed, except records. zstd needs Python 3.14 or the command zstd. Records use zstd inside;
for them the module zstandard suffices, too. If a file cannot be read, or a program fails, penumbra.Error is raised; it
has the file's name and the reason, or the program's message. A missing file raises OSError.

files.py reads texts, JSON, CSV and .npy; graphs.py, records.py and vtu.py (.vtu and .pvd) read what their names say.
There is no reader for checkpoints and .pvtu. runs.py runs programs, program.py and blocks.py make programs in Python;
drawing.py, machines.py and scenes.py draw for pen-draw; gexf.py writes records for Gephi, and exchange.py converts
records of other systems. A file that is written replaces the one of its name when it is complete, also a symbolic
link."""

try:
    import numpy as _ # all of them need it
except ModuleNotFoundError:
    raise ModuleNotFoundError("penumbra needs NumPy, which this Python has not: apt install python3-numpy, for "
                              "programs also python3-numba, and /usr/bin/python3; or pip install numpy numba",
                              name="numpy") from None

from penumbra.drawing import draw
from penumbra.files import (Error, components, metrics_frame, read_csv, read_dump, read_metrics, read_npy,
                            read_observables, read_outputs, read_partition, read_trace)
from penumbra.graphs import Graph, read_graph, write_graph
from penumbra.program import Program
from penumbra.records import Record, Step, read_record, write_record
from penumbra.runs import Run, find_program, run
from penumbra.vtu import read_pvd, read_vtu

__all__ = ["Error", "Graph", "Program", "Record", "Run", "Step", "components", "draw", "find_program", "metrics_frame",
           "read_csv", "read_dump", "read_graph", "read_metrics", "read_npy", "read_observables", "read_outputs",
           "read_partition", "read_pvd", "read_record", "read_trace", "read_vtu", "run", "write_gexf", "write_graph",
           "write_record"]

def write_gexf(record, path):
    """Writes a record of a run as a graph that changes in time, in GEXF; see penumbra.gexf."""
    from penumbra import gexf # a command as well: python3 -m penumbra.gexf
    gexf.write_gexf(record, path)
