"""What tests of the Python package have in common; the command line is BIN SOURCES."""
import importlib.util
import os
import subprocess
import sys

import numpy as np

NAME = os.path.basename(sys.argv[0])
BIN, SOURCES = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.join(SOURCES, "tools/python"))
sys.dont_write_bytecode = True
import penumbra

failures = 0


def check(what, found, expected=True):
    global failures
    arrays = isinstance(found, np.ndarray) or isinstance(expected, np.ndarray)
    if not (np.array_equal(found, expected) if arrays else found == expected):
        failures += 1
        print(f"{NAME}: {what} is {found!r}, expected {expected!r}", file=sys.stderr)


def fails(what, text, call, kind=penumbra.Error):
    """The call raises; returns the exception."""
    try:
        call()
    except kind as error:
        check(f"{what}: {error}: whether it has {text!r}", text in str(error), True)
        return error
    check(what, "no exception", kind.__name__)
    return kind("")


def leave_out(why):
    print(f"{NAME}: skipped: {why}", file=sys.stderr)


def has(module):
    return importlib.util.find_spec(module) is not None


def write(path, data):
    with open(path, "wb") as file:
        file.write(data.encode() if isinstance(data, str) else data)
    return path


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tool(*words):
    return subprocess.run([os.path.join(BIN, words[0]), *words[1:]], check=True, capture_output=True, text=True).stdout


def finish():
    sys.exit(failures > 0)
