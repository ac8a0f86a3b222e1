#!/usr/bin/env python3
"""guards.py - the tests that guard a folder of the sources (folders.txt), the quick ones first, until one fails.

    guards.py --targets FOLDER           what is built for them
    guards.py --baseline BUILD FOLDER    all must pass; how long each takes is noted in BUILD/guards.json
    guards.py BUILD FOLDER               exit status 1, and which one, where a test fails, crashes, hangs, or needs ten
                                         times the processor's time that is noted"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

SEEDS = 60  # of each subject of explore
LEAST, MOST, WALL = 5, 300, 900  # seconds: of the processor, where little or nothing is noted; of the clock
MEMORY = 4 << 30  # bytes that a process may write to
# Those that are launched, or have plug-ins, which are not built for all.
LEFT_OUT = {"advice_test", "balance_test", "battlefield_test", "checkpoint_refused_test", "message_test",
            "partition_scotch_test", "places_test"}


def folders():
    """Of each folder, its weight and the tests that are tried first."""
    found = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "folders.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                folder, weight, *tests = line.split()
                found[folder] = int(weight), tests
    return found


def command_of(test, ranks="3 1 0"):
    if test.startswith("@"):
        return ["explore", "--stop", f"--seeds={SEEDS}", test[1:]]
    if test.startswith(":"):
        return test[1:].split("=")
    if test.startswith("+"):
        return ["core_tests", test[1:]]
    if test.startswith("%"):
        return ["ctest", "-R", f"^{test[1:].split('=')[0]}$"]
    return ["core_one_process", *ranks.split(), test]


def commands(build, folder):
    """Those of the folder, and the rest."""
    with open(f"{build}/tests/batch/batch_cases.h", encoding="utf-8") as file:
        cases = [c for c in re.findall(r"CASE\((\w+)", file.read()) if c not in LEFT_OUT]
    listed = subprocess.run([f"{build}/bin/explore", "--list"], capture_output=True, text=True, check=True).stdout
    subjects = ["@" + line.split()[0] for line in listed.splitlines()]
    own = folders()[folder][1]
    for test in own:
        if test[0] not in ":+%" and test not in cases + subjects:
            raise SystemExit(f"guards.py: {folder}: what is {test}?")
    return [command_of(t) for t in own] + [command_of(t, "4 2 1") for t in own if t in cases], \
           [command_of(t) for t in cases + subjects if t not in own]


def run(build, command, seconds):
    """The exit status, and the seconds of the processor."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    work = tempfile.mkdtemp(prefix="guards.", dir=build)
    words = [f"{build}/bin/{command[0]}", *command[1:]]
    if command[0] == "core_tests":
        words[:0] = [os.environ.get("MPIEXEC", "mpiexec"), "-n", "3"]
    elif command[0] == "ctest":
        words = [os.environ.get("CTEST", "ctest"), "--test-dir", build, *command[1:]]
    try:
        with subprocess.Popen(words, cwd=work, preexec_fn=limit, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:
            try:
                status = process.wait(WALL)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                status = process.wait()
    finally:
        shutil.rmtree(work, ignore_errors=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if sys.argv[1] == "--targets":
        own = [t[1:].split("=")[0] for t in folders()[sys.argv[2]][1] if t.startswith(":")]
        launched = ["core_tests"] if any(t.startswith("+") for t in folders()[sys.argv[2]][1]) else []
        own += [p for t in folders()[sys.argv[2]][1] if t.startswith("%") for p in t.split("=")[1].split("+")]
        print("core_one_process", "explore", *launched, *own)
        return 0
    baseline = sys.argv[1] == "--baseline"
    build, folder = os.path.abspath(sys.argv[-2]), sys.argv[-1]
    noted = {}
    if os.path.exists(f"{build}/guards.json"):
        with open(f"{build}/guards.json", encoding="utf-8") as file:
            noted = json.load(file)
    own, rest = (sorted(some, key=lambda c: noted.get(" ".join(c), 0)) for some in commands(build, folder))
    for command in own + rest:
        name = " ".join(command)
        if baseline and name in noted:
            continue
        status, seconds = run(build, command, MOST if baseline else max(LEAST, int(10 * noted.get(name, MOST / 10))))
        if status != 0:
            print(f"{name}: {'signal %d' % -status if status < 0 else 'exit status %d' % status}")
            return 1
        if baseline:
            noted[name] = seconds
            with open(f"{build}/guards.json", "w", encoding="utf-8") as file:
                json.dump(noted, file, indent=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
