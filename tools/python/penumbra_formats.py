"""Reads or writes a graph for pen-graph, which starts it with a socket as standard input and output:

    penumbra_formats.py reading FORMAT common=N [directed] [nodal] [reals] [PATH]
    penumbra_formats.py writing FORMAT"""

import os
import signal
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.realpath(__file__))) # also where PYTHONSAFEPATH is set
from penumbra_command import Mistake, load

def act(work, name, *words):
    """The bytes of the answer, in pieces."""
    formats, = load("formats", draws=False)
    module, = load(formats.MODULES[name], draws=False)
    if work == "writing":
        return formats.write(module.WRITERS[name], sys.stdin.buffer)
    given = dict(word.split("=") for word in words[:1])
    flags = {"directed", "nodal", "reals"}.intersection(words)
    options = formats.Options(common=int(given["common"]), **dict.fromkeys(flags, True),
                              path=words[-1] if name == "meshio" else None)
    return formats.read(module.READERS[name], sys.stdin.buffer, options)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL) # pen-graph has given up, and says why
    try:
        answer = list(act(*sys.argv[1:]))
    except Mistake as why: # a package is missing: nothing but this sentence
        text = f"needs {why}".encode()
        answer = [struct.pack("=17q", *16 * [0], len(text)), text]
    except MemoryError:
        answer = [struct.pack("=17q", *16 * [0], 15), b"needs no memory"]
    while sys.stdin.buffer.read(1 << 20): # a socket that is closed before all was read loses the answer
        pass
    with open(sys.stdout.fileno(), "wb", closefd=False) as out: # also where PYTHONUNBUFFERED is set
        out.writelines(filter(len, answer))
