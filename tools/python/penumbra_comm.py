"""Tables and conclusions for pen-comm, and models for pen-sim; a socket is its standard input and output:

    penumbra_comm.py check [FILE]          whether pen-comm --csv wrote the file
    penumbra_comm.py from FILE             its tables and conclusions
    penumbra_comm.py conclude JOIN MODEL   the same of the measurements on standard input
    penumbra_comm.py model FILE TRANSPORT  what pen-sim replay --model needs

The answer is six texts: a failure, and what to print, to warn, and to write as CSV, JSON and model."""

import json
import os
import signal
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__))) # also where PYTHONSAFEPATH is set
from penumbra_command import Mistake

def load_comparison():
    """The module alone: the package needs NumPy."""
    import importlib.util
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "penumbra/comparison.py")
    spec = importlib.util.spec_from_file_location("penumbra_comparison", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module

def text_of(path):
    try:
        if os.path.exists(path) and not os.path.isfile(path):
            raise Mistake(f"{path}: cannot read: not a regular file")
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as file:
            return file.read()
    except OSError as why:
        raise Mistake(f"{path}: cannot read: {why.strerror}") from None

def conclude(c, join, path):
    facts = json.loads(sys.stdin.buffer.read().decode("utf-8", "replace"))
    rows, drift = c.parse_rows(facts["csv"], "csv"), 0.0
    if join:
        drift = c.join(rows, c.parse_rows(text_of(join), join), join)
    model = c.dump(c.as_model(facts, rows)) if "machine" in facts else ""
    warning = c.warning(rows, path) if path else ""
    return "\n".join([*c.printed(facts, rows, drift, join), ""]), warning, c.format_rows(rows), \
        c.dump(c.as_json(facts, rows)), model

def model(path, transport):
    """Latency, seconds per byte, per neighbour and of synchronisation (-1: unknown); the neighbours that the latency is
    of, and bytes that the time of one has; and ranks."""
    try:
        found = json.loads(text_of(path))
    except (ValueError, RecursionError) as why:
        raise Mistake(f"{path}: line {getattr(why, 'lineno', 1)}: not JSON; give a file that pen-comm --model=FILE "
                      "wrote") from None
    models = found.get("transports", found.get("models")) if isinstance(found, dict) else None
    ranks = found.get("ranks") if isinstance(found, dict) else None
    if not isinstance(models, list) or type(ranks) is not int or not 0 < ranks < 2**31:
        raise Mistake(f"{path}: not a model that pen-comm --model=FILE wrote")
    mine = next((m for m in models if isinstance(m, dict) and m.get("transport") == transport), None)
    if mine is None:
        raise Mistake(f"{path}: it lacks the transport {transport}")
    def known(key):
        value = mine.get(key)
        return value if isinstance(value, (int, float)) and 0 <= value < 1e300 else -1.0
    keys = ("latency_seconds", "seconds_per_byte", "seconds_per_neighbor", "sync_seconds")
    times = " ".join(f"{known(key):.17g}" for key in keys)
    return f"{times} {max(1, known('neighbors'))} {max(0, known('bytes_per_neighbor'))} {ranks}\n"

def act(work, *words):
    if work == "model":
        return [model(*words)]
    c = load_comparison()
    if work == "conclude":
        return conclude(c, *words)
    if not words:
        return []
    rows = c.parse_rows(text_of(words[0]), words[0])
    return ["\n".join([*c.printed_again(rows, words[0]), ""])] if work == "from" else []

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL) # the program has given up, and says why
    try:
        texts = ["", *act(*sys.argv[1:])]
    except Mistake as why:
        texts = [str(why)]
    pieces = [text.encode("utf-8", "surrogateescape") for text in [*texts, *["" for _ in range(6 - len(texts))]]]
    with open(sys.stdout.fileno(), "wb", closefd=False) as out:
        out.write(struct.pack("=6q", *map(len, pieces)) + b"".join(pieces))
