"""Runs programs."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from penumbra.files import Error, read_dump, read_metrics, read_observables, read_outputs, read_trace
from penumbra.graphs import read_graph
from penumbra.records import read_record

_OUTPUTS = {"metrics": read_metrics, "dump": read_dump, "trace": read_trace, "observables": read_observables,
            "record": read_record, "save_graph": read_graph, "output": read_outputs}

class Run:
    """The results of a run: command, status, seconds, stdout, stderr; and metrics, dump, trace, observables, record,
    save_graph and output, None unless requested."""

    def __init__(self, command):
        self.__dict__ = {**dict.fromkeys(_OUTPUTS), "command": command, "status": None, "seconds": None}

def find_program(name):
    """The path of "hex", or "pen-hex": in the folder $PENUMBRA_BIN; in the builds of this module's checkout, or in
    its installation; or in PATH. A name with a slash is a path."""
    name = os.fspath(name)
    if os.sep in name:
        return name
    name = name[4:] if name.startswith("pen-") else name
    here = Path(__file__).resolve().parents[1]
    builds = here.parents[1].glob("build/*/bin") if here.parent.name == "tools" else []
    builds = sorted(builds, key=lambda folder: (folder.parent.name != "release", folder))
    tries = [(word, str(folder)) for folder in (os.environ.get("PENUMBRA_BIN", ""), *builds)
             for word in (name, "pen-" + name)]
    for word, folder in [*tries, ("pen-" + name, str(here.parents[2] / "bin")), ("pen-" + name, None)]:
        found = shutil.which(word, path=folder)
        if found:
            return found
    raise Error(f"program {name} not found: set PENUMBRA_BIN to the folder that has it, or give its path")

def _version(program):
    return subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, capture_output=True).stdout

def _find_launcher(program):
    """The mpiexec of the MPI library of a program, from its build, or by its --version: the first in PATH, if it is of
    this library, or Debian's."""
    cache = Path(program).resolve().parents[1] / "CMakeCache.txt"
    known = re.search(r"^MPIEXEC_EXECUTABLE:\w+=(/.+)$", cache.read_text(), re.M) if cache.is_file() else None
    first, own = shutil.which("mpiexec"), known and known[1]
    if not known:
        own, sign = ("mpiexec.mpich", b"HYDRA") if b"MPICH" in _version(program) else ("mpiexec.openmpi", b"Open")
        own = first if first and sign in _version(first) else own
    return [shutil.which(own) or first or "mpirun"]

def _words(options):
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                yield option
            elif one is not None and one is not False:
                yield f"{option}={one}"

def _end(process):
    """Ends the whole session: ranks may have their own process groups."""
    os.killpg(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(5) # time to write a checkpoint
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError): # it has ended
            if int(path.read_bytes().rpartition(b")")[2].split()[3]) == process.pid:
                os.kill(int(path.parent.name), signal.SIGKILL)
    process.kill() # without /proc; otherwise it has ended
    process.wait()

def _written(path):
    """The inode and the time of writing of a file, one of which a new file changes; None: it does not exist."""
    with contextlib.suppress(OSError):
        found = os.stat(path)
        return found.st_ino, found.st_mtime_ns
    return None

def _launch(result, folder, timeout):
    """Runs the command; output goes to files, since a pipe stays open as long as any process holds it."""
    begin, paths = time.monotonic(), [Path(folder, name) for name in ("stdout", "stderr")]
    with open(paths[0], "wb") as out, open(paths[1], "wb") as err:
        process = subprocess.Popen(result.command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   start_new_session=True)
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                result.status = process.wait(timeout)
        finally:
            if result.status is None:
                _end(process)
    result.seconds = time.monotonic() - begin
    result.stdout, result.stderr = (path.read_text(errors="replace") for path in paths)

def _sentence(name, result, timeout):
    """The program's message, without its launcher's."""
    if result.status is None:
        return f"{name}: ended because it took more than {timeout} seconds"
    name = name[:-3] if name.endswith(".py") else name
    for before in (name + ": ", name.replace("pen-", "", 1) + ": ", "penumbra: "): # pen-hex says "hex: "
        said = dict.fromkeys(line for line in result.stderr.splitlines() if line.startswith(before))
        if said:
            return "\n".join(said)
    return result.stderr.strip() or f"{name}: exit status {result.status}"

def run(program, *arguments, ranks=None, launcher=None, timeout=None, check=True, **options):
    """Runs one of Penumbra's programs, or one of your own by pen_main or penumbra.Program, and returns a Run.

    program    see find_program; a path that ends in .py is run by this Python; `arguments` are words after it: "info",
               "hex.pen" for pen-graph
    ranks      how many, by mpiexec; None: one, without it
    launcher   in place of the program's mpiexec: "mpirun --oversubscribe", say; -n RANKS is added
    timeout    seconds, after which all is ended, and Error raised
    check      Error, with what the program said, where the exit status is not 0
    options    balance_when="every:5" is --balance-when=every:5, verify=True is --verify, None and False leave the
               option out, a list gives the option several times; "_" at the end of a name is dropped: check_=True is
               --check

    Of metrics, dump, trace, observables, record, save_graph and output (see read_outputs) True means: into files that
    are read and removed.
    Metrics are asked for unless metrics=False, which pen-graph needs. The environment is passed on as it is: the needs
    of Open MPI for root, and for more ranks than cores, are in runtime/README.md, "Troubleshooting"."""
    if ranks is not None and ranks < 1:
        raise Error(f"{ranks} ranks: must be at least 1")
    path = find_program(program)
    name, options = os.path.basename(path), {"metrics": True, **options}
    with tempfile.TemporaryDirectory(prefix="penumbra-") as folder:
        files = {key: os.path.join(folder, "output/{name}.npy" if key == "output" else key + ".pen")
                 for key in _OUTPUTS if options.get(key) is True}
        if not isinstance(options["metrics"], (bool, type(None))):
            files["metrics"] = os.fspath(options["metrics"])
        own = path.endswith(".py")
        command = [sys.executable] * own + [path, *map(str, arguments), *_words({**options, **files})]
        if ranks is not None:
            launcher = shlex.split(launcher) if isinstance(launcher, str) else launcher
            launcher = launcher or _find_launcher(find_program("hex") if own else path)
            command = [*launcher, "-n", str(ranks), *command]
        result, before = Run(command), _written(files.get("metrics", ""))
        _launch(result, folder, timeout)
        if result.status is None or check and result.status != 0:
            raise Error(_sentence(name, result, timeout), result.status, result)
        for key, file in files.items():
            if _written(os.path.dirname(file) if key == "output" else file) not in (None, before):
                setattr(result, key, _OUTPUTS[key](file))
    if ranks is not None and result.status == 0 and result.metrics and result.metrics["ranks"] != ranks:
        raise Error(f"{name}: {result.metrics['ranks']} ranks, not {ranks}: {command[0]} belongs to another MPI", 0,
                    result)
    return result
