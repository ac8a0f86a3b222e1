"""A folder of a test's own, with canaries (tests/support/canaries.sh): the test fails if one of them changes."""
import contextlib
import os
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/canaries.sh")
records = None


def canaries(folder, *options):
    """Place some; options are those of the script's function."""
    subprocess.run(["bash", SCRIPT, "place", records, *options, folder], check=True)


@contextlib.contextmanager
def work_folder():
    """The working folder until the end of the block, and then gone."""
    global records
    with tempfile.TemporaryDirectory(prefix="penumbra test.") as folder:
        records = folder + ".canaries"
        os.chdir(folder)
        canaries(".")
        try:
            yield
        finally:
            os.chdir("/")
            if subprocess.run(["bash", SCRIPT, "compare", records], check=False).returncode != 0:
                sys.exit(1)
