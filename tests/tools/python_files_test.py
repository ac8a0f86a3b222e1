#!/usr/bin/env python3
"""python_files_test.py BIN SOURCES - tables and series that penumbra reads, and how it writes files: as the programs in
C do."""
import contextlib
import io
import os
import pathlib
import sys

sys.dont_write_bytecode = True
from python_checks import check, fails, finish, np, penumbra, read, tool, write
import penumbra_command
from work_folder import work_folder


def test_tables():
    table = penumbra.read_csv(write("t.csv", b"gid,\"a,b\",big\n5,nan,18446744073709551615\n7,-1.5e3,0\n"))
    check("a table", [str(table.dtype[k]) for k in range(3)] + [str(row) for row in table.tolist()],
          ["int64", "float64", "uint64", "(5, nan, 18446744073709551615)", "(7, -1500.0, 0)"])
    check("no rows", penumbra.read_csv(write("t.csv", b"a,b\n")).tolist(), [])
    for text, why in ((b"a,b\n1\n", "t.csv:2: 1 fields"), (b"", "t.csv:1: the file has no header"),
                      (b"a\nx\n", "t.csv: could not convert")):
        fails(repr(text), why, lambda: penumbra.read_csv(write("t.csv", text)))
    for text, why in ((b"step,a\n0,1\n1,x\n", "o.csv:3: '1,x' is not a row of int64, float64"),
                      (b"step,a,b\n0,1,2\n1,5\n", "o.csv:3: '1,5' is not a row of int64, float64, float64"),
                      (b"step,a\n0,1\n1,2", "o.csv: the last line is cut off")):
        fails(repr(text), why, lambda: penumbra.read_observables(write("o.csv", text)))
    fails("a part", "p.part:3: 'x' is not a row of int64",
          lambda: penumbra.read_partition(write("p.part", b"%\n0\nx\n1\n")))
    write("t.pvd", b'<VTKFile><Collection><DataSet timestep="0.25" file="a.vtu"/></Collection></VTKFile>')
    check("a series", penumbra.read_pvd(os.path.join("..", os.path.basename(os.getcwd()), "t.pvd")),
          [(0.25, os.path.join("..", os.path.basename(os.getcwd()), "a.vtu"))])
    for read_it in (penumbra.read_csv, penumbra.read_pvd, penumbra.read_vtu, penumbra.read_graph):
        fails("a missing file", "nothing", lambda: read_it("nothing"), FileNotFoundError)


def test_outputs():
    """Files are written as the programs in C do it, also where the file system has no files without names."""
    graph, before = penumbra.read_graph("hex.pen"), set(os.listdir())
    write("target", b"kept")
    for unnamed in (os.O_TMPFILE, 0): # 0: a folder cannot be opened for writing
        os.O_TMPFILE, known = unnamed, os.O_TMPFILE
        for name, to in (("link.pen", "target"), ("dangling.pen", "nowhere"), ("plain.pen", None)):
            if to:
                os.symlink(to, name)
            penumbra.write_graph(name, graph)
            check(name, [os.path.islink(name), read(name) == read("hex.pen"), os.stat(name).st_mode & 0o777],
                  [False, True, 0o666 & ~umask()])
            os.unlink(name)
        write("one.csv", b"kept")
        with contextlib.suppress(KeyError), penumbra.files.whole_files() as create:
            for name in "one.csv", "two.csv":
                with create(name) as out:
                    out.write(b"new")
            raise KeyError # the second is complete, but not all
        check("what is written of several", read("one.csv"), b"kept")
        os.unlink("one.csv")
        os.O_TMPFILE = known
    os.symlink("/proc/self/fd/1", "open.pen")
    os.mkfifo("fifo.pen")
    for name, why in (("open.pen", "not a regular file"), ("fifo.pen", "not a regular file"),
                      (".", "not a regular file"), ("", "its name is missing"), ("target/", "its name is missing")):
        fails(name, why, lambda: penumbra.write_graph(name, graph, coordinates=None))
    fails("a folder", "cannot write nowhere/a.pen: No such file", lambda: penumbra.write_graph("nowhere/a.pen", graph),
          OSError)
    penumbra.write_record("a.record", graph, np.zeros(35, int), [np.ones(35)])
    os.symlink("a.record", "a.gexf")
    fails("a record as GEXF", "are the same file", lambda: penumbra.write_gexf("a.record", "a.gexf"))
    check("loads", [step.loads.sum() for step in penumbra.read_record("a.record")], [35.0])
    penumbra.write_record("a.record", graph, np.zeros(35, int), penumbra.read_record("a.record")) # that is named
    penumbra.write_record("late.record", graph, np.zeros(35, int), 3 * [np.ones(35)], {"open": True}, first=7)
    late = penumbra.read_record("late.record")
    check("a later record", ([step.number for step in late], late.times["open"]), ([8, 9, 10], True))
    check("pen-sim has it", "after step 7\nsteps                  3;" in tool("pen-sim", "info", "late.record"), True)
    fails("GEXF", "must end in .gexf", lambda: penumbra.write_gexf("a.record", pathlib.Path("a.txt")))
    for world, why in (({"node_bytes": -1}, "node_bytes: must be a whole number from 0 to 9223372036854775807, not -1"),
                       ({"steps": -5}, "steps: must be"),
                       ({"first": 7, "steps": 5}, "after 7 steps is not of 5 steps"),
                       ({"ranks": 2**40}, "ranks: must be a whole number from 1 to"),
                       ({"ranks": 2.5}, "not 2.5"), ({"load_phases": 17}, "from 1 to 16, not 17"),
                       ({"declared": 2}, "declared: must be"), ({"application": 5}, "another type than expected"),
                       ({"phases": ["a"]}, "another type than expected"),
                       ({"phases": [{"name": "a", "bytes": -1}]}, "bytes of a phase: must be")):
        fails(f"{world}", why, lambda: penumbra.write_record("b.record", graph, np.zeros(35, int), [], **world))
    check("what was kept", read("target"), b"kept")
    for name in ("open.pen", "fifo.pen", "target", "a.record", "late.record", "a.gexf"):
        os.unlink(name)
    check("what is left", set(os.listdir()), before)


def test_fits():
    """The lines that pen-comm's conclusions fit: known ones are found again; as comm_fit_test has it of those in C."""
    from penumbra.comparison import fit_line
    sizes = [64, 512, 4096, 8192, 32768, 131072, 524288, 1048576]
    def near(what, found, expected, part):
        check(f"{what}: {found} near {expected}", abs(found - expected) <= part * abs(expected), True)
    for latency, bandwidth in ((2e-7, 1e8), (1e-6, 1.25e9), (3e-5, 4e10)):
        start, slope, misses = fit_line(sizes, [latency + size / bandwidth for size in sizes])
        near("latency", start, latency, 1e-6)
        near("bandwidth", 1 / slope, bandwidth, 1e-6)
        check("misses", misses < 1e-6, True)
    start, slope, misses = fit_line([1, 2, 3], [3, 2, 1]) # a negative slope
    near("a falling line", start, (1 / 3 + 1 / 2 + 1) / (1 / 9 + 1 / 4 + 1), 1e-12)
    near("its misses", misses, 1 - start / 3, 1e-12)
    check("its slope", slope, 0.0)
    start, slope, _ = fit_line([1, 2, 3], [1, 4, 9]) # a negative start
    check("a steep line", start, 0.0)
    near("its slope", slope, (1 + 0.5 + 1 / 3) / (1 + 0.25 + 1 / 9), 1e-12)
    for x, times in (([8, 8, 8], [1, 2, 3]), ([8], [1]), ([], [])):
        check("no line", fit_line(x, times), None)


def test_said():
    """Control characters and surrogates, which are no text."""
    with contextlib.redirect_stderr(io.StringIO()) as said:
        penumbra_command.say("p", "\x1b\udcff\ud800\xe9")
    check("what is said", said.getvalue(), "p: \\x1b\\xff\\xed\\xa0\\x80\xe9\n")


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def main():
    with work_folder():
        tool("pen-graph", "make", "hex:7x5,coordinates", "-o", "hex.pen")
        test_tables()
        test_outputs()
        test_fits()
        test_said()
    finish()


main()
