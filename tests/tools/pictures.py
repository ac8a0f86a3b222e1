"""What tests of pictures have in common; the command line is BIN SOURCES. 77 where there is no matplotlib."""
import importlib.machinery
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import xml.etree.ElementTree as xml

try:
    import matplotlib.image
    import numpy as np
    from matplotlib.colors import to_hex
except ImportError as why:
    print(f"{os.path.basename(sys.argv[0])}: skipped: {why}", file=sys.stderr)
    sys.exit(77)
from python_checks import BIN, check, finish, penumbra
import penumbra_command
from penumbra import canvas, palette
from work_folder import work_folder

SVG = "{http://www.w3.org/2000/svg}"
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_mpi_yield_when_idle": "1"}


def run(program, *words, ranks=None):
    """Its exit status, and what it says on standard error."""
    launcher = ["mpiexec.openmpi" if shutil.which("mpiexec.openmpi") else "mpiexec", "-n", str(ranks)] if ranks else []
    done = subprocess.run([*launcher, os.path.join(BIN, program), *words], env={**os.environ, **MPI},
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=False)
    return done.returncode, done.stderr


def good(program, *words, ranks=None):
    status, said = run(program, *words, ranks=ranks)
    check(f"{program} {words}", (status, said if status else ""), (0, ""))


spec = importlib.util.spec_from_loader("pen_draw", importlib.machinery.SourceFileLoader("pen_draw", f"{BIN}/pen-draw"))
pen_draw = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pen_draw)


def draw_file(path, picture, given):
    """As pen-draw does with these words."""
    words = [f"--{name}" + f"={value}" * bool(value) for name, value in given.items()]
    words += [path] * bool(path) + ["-o", picture] * bool(picture)
    pen_draw.act(None, *penumbra_command.parse("pen-draw", pen_draw.COMMAND, words))


def refuse(text, path, picture="new.png", **given):
    """It is told why, and nothing is left behind."""
    try:
        draw_file(path, picture, given)
    except penumbra_command.Mistake as why:
        check(f"{path} {given}: {why}: whether it has {text!r}, in a line", (text in str(why), "\n" in str(why)),
              (True, False))
    else:
        check(f"{path} {given}", "no mistake", text)
    check("what is left", [name for name in os.listdir(".") if name.startswith("new")], [])


def pixels(path):
    return np.round(255 * matplotlib.image.imread(path)[:, :, :3]).astype(int)


def save(drawn, path="drawn.png"):
    canvas.save(path, 1, lambda k: drawn)
    return pixels(path) if path.endswith(".png") else xml.parse(path).getroot() if path.endswith(".svg") else None


def colour(pixel):
    return "#%02x%02x%02x" % tuple(int(c) for c in pixel)


def texts(picture):
    return [text.text for text in picture.iter(SVG + "text")]


PALETTE, DARK, GREY = list(palette.PALETTE), palette.DARK, palette.GREY


def main(*tests):
    signal.alarm(1450) # a hang is a failure
    os.environ["PENUMBRA_BIN"] = BIN
    with work_folder():
        for test in tests:
            test()
    finish()
