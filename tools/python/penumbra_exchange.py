"""pen-sim import and pen-sim export, which pen-sim starts."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__))) # also where PYTHONSAFEPATH is set
from penumbra_command import Command, Mistake, Option, load, main, say, whole

COMMANDS = [
    Command("import", "Write a workload record of vt's load balancing data (LBDatafile), or of tables in CSV",
            "FILE... -o RECORD", "the record", (".record",), [
                Option("edges", "FILE.csv", "of a table of tasks: the table of edges, from,to and weight"),
                Option("directed", "", "of a table of tasks: to reads from, and not the reverse"),
                Option("declared", "", "of a table of tasks: loads are in units, not in seconds"),
                Option("migratable", "", "of vt: leave out tasks that are not migratable"),
                Option("node-bytes", "N", "bytes to send for a node that moves (64)", whole(0))]),
    Command("export", "Write a workload record as vt's load balancing data (LBDatafile), or as tables in CSV",
            "RECORD -o FILE", "NAME.json, for NAME.0.json and so on, or the table of tasks", (".json", ".csv"), [
                Option("edges", "FILE.csv", "with a table of tasks: the table of edges")], 1, 1)]

def act(command, options, paths):
    to = options.pop("o")
    given = {name.replace("-", "_"): value for name, value in options.items()}
    tables = (to if command.name == "export" else paths[0]).endswith((".csv", ".csv.gz"))
    wrong = [name for name in given if name in (("migratable",) if tables else ("edges", "directed", "declared"))]
    if wrong:
        raise Mistake(f"{command.name}: --{wrong[0]} does not apply to {'tables' if tables else 'data of vt'}")
    if command.name == "import" and tables and len(paths) > 1:
        raise Mistake(f"unexpected argument {paths[1]}: one table of tasks is read")
    exchange, = load("exchange", draws=False)
    work = getattr(exchange, f"{command.name}_{'csv' if tables else 'vt'}")
    for sentence in work(paths if command.name == "import" else paths[0], to, **given) or ():
        say("pen-sim", sentence)

main("pen-sim", "", COMMANDS, act)
