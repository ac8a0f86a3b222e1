#!/usr/bin/python3
"""smpi.py BIN FOLDER [--hosts=4,16,64] - compares the clocks of ranks in one process with those of SimGrid's SMPI.

SMPI (3.32; Debian: libsimgrid-dev) simulates MPI, too, and shares no code with tests/support/one_process. The library,
clock_bench and hex are compiled for it from the sources of the build with BIN; objects stay in FOLDER, and what is
there is not compiled again. Both simulators have one rank on each host of machines/fat_tree.machine, 0.2 us of the
processor for a message, and no work. FOLDER/smpi.csv gets the times of a step of clock_bench's ring; checksums of hex
must be equal, or the exit status is 1; it is 77 where SMPI is not installed. SMPI has no matched probes (balancers,
`sfc`), MPI_Dist_graph_create_adjacent and MPI_Neighbor_alltoallw (`neighbor`), and MPI_WIN_MODEL (`passive`); so these
are left out.
"""

import argparse
import csv
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TRANSPORTS, SIZES, STEPS = "overlap,persistent,pscw,fence", "8,4096,65536", "10"
OVERHEAD = 2e-7
LIBRARIES = "-lmetis -lscotch -lscotcherr -lxxhash -lz -llzma -lzstd -lhwloc -ldl".split()
here = pathlib.Path(__file__).resolve().parent
machine = here / "machines/fat_tree.machine"


def compile_one(job):
    source, flags, target = job
    if not target.exists():
        subprocess.run(["smpicc", "-std=c11", "-O2", "-fPIC", "-ffp-contract=off", "-w", "-DSMPI_NO_OVERRIDE_MALLOC",
                        "-include", here / "smpi.h", *flags, "-c", source, "-o", target], check=True)
    return target


def build(programs, folder):
    """Programs for SMPI, which no ptscotch is built for: the linker warns of its functions, which are not called."""
    jobs = {}
    for entry in json.loads((programs.parent / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        place = re.match(r"(?:runtime|balance|directory)/CMakeFiles/(pen)_|apps/CMakeFiles/(hex)\.dir/|"
                         r"tests/CMakeFiles/(clock)_bench\.dir/", words[words.index("-o") + 1])
        if place:
            flags = [w for w in words if w.startswith(("-D", "-I"))]
            jobs[entry["file"], place[1] or place[2] or place[3]] = flags
    (folder / "objects").mkdir(parents=True, exist_ok=True)
    parts = {"pen": [], "hex": [], "clock": []}
    with ThreadPoolExecutor(2) as pool:
        made = pool.map(compile_one, [(source, flags, folder / "objects" / (source.replace("/", "_") + ".o"))
                                      for (source, _), flags in jobs.items()])
        for (_, part), target in zip(jobs, made):
            parts[part].append(target)
    for program in ("hex", "clock"):
        subprocess.run(["smpicc", "-o", folder / program, *parts[program], *parts["pen"], *LIBRARIES,
                        "-Wl,--warn-unresolved-symbols"], check=True)


def write_platform(folder, hosts):
    """The machine file as SimGrid's platform: a host has a link each way to a switch, with half of the latency."""
    text = machine.read_text()
    seconds = float(re.search(r"^seconds (\S+)", text, re.M)[1])
    cost, latency = map(float, re.search(r"cost=(\S+),latency=(\S+)", text).groups())
    (folder / "platform.xml").write_text(
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        f"<platform version=\"4.1\"><cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-{hosts - 1}\" "
        f"speed=\"1Gf\" bw=\"{seconds / cost}Bps\" lat=\"{latency / 2}s\"/></platform>\n")
    (folder / "hosts").write_text("".join(f"h{i}\n" for i in range(hosts)))


def smpi(folder, hosts, program, *arguments):
    settings = {"smpi/host-speed": "1Gf", "smpi/simulate-computation": "no", "smpi/wtime": 0, "network/model": "CM02",
                "network/crosstraffic": 0, "smpi/async-small-thresh": 65536, "smpi/coll-selector": "ompi"}
    settings |= {f"smpi/{side}": f"0:{OVERHEAD}:0" for side in ("os", "ois", "or")}
    return subprocess.run(["smpirun", "-np", str(hosts), "-platform", "platform.xml", "-hostfile", "hosts",
                           *[f"--cfg={key}:{value}" for key, value in settings.items()], "--log=root.thres:error",
                           "./" + program, *arguments],
                          cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def one_process(programs, folder, hosts, program, *arguments):
    return subprocess.run([programs / f"{program}_one_process", f"--ranks={hosts}", f"--hosts={hosts}", "--stacks",
                           f"--machine={machine}", f"--overhead={OVERHEAD}", "--work=0", "--eager=65536", *arguments],
                          cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def times(out):
    return {(t, int(b)): float(us) for t, b, us in re.findall(r"^(\w+) (\d+) ([\d.]+)$", out, re.M)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--hosts", default="4,16,64")
    options = parser.parse_args()
    if not shutil.which("smpicc"):
        print("smpi.py: skipped: SimGrid's SMPI is not installed (Debian: libsimgrid-dev)")
        sys.exit(77)
    programs, folder = options.programs.resolve(), options.folder.resolve()
    if folder.exists() and any(folder.iterdir()) and not (folder / "objects").exists():
        sys.exit(f"smpi.py: {folder} has other files: give a folder that is new or empty")
    build(programs, folder)
    bench, unequal = [TRANSPORTS, SIZES, STEPS], 0
    with open(folder / "smpi.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["hosts", "transport", "bytes", "smpi_us", "simulated_us", "simulated/smpi"])
        for hosts in map(int, options.hosts.split(",")):
            write_platform(folder, hosts)
            sums = set()
            for comm in ("overlap", "pscw", "fence"):
                hexagons = ["--generate=hex:64x64", "--steps=5", "--partitioner=rect", f"--comm={comm}",
                            "--watchdog=off"]
                for out in (smpi(folder, hosts, "hex", *hexagons),
                            one_process(programs, folder, hosts, "hex", *hexagons)):
                    sums |= set(re.findall(r"^checksum\s+(\w+)$", out, re.M)) or {"none"}
            unequal += len(sums) != 1
            print(f"{hosts} hosts: checksum of hex {' '.join(sorted(sums))}")
            theirs = times(smpi(folder, hosts, "clock", *bench))
            ours = times(one_process(programs, folder, hosts, "clock_bench", *bench))
            for key, us in theirs.items():
                rows.writerow([hosts, *key, us, ours[key], f"{ours[key] / us:.2f}"])
                print(f"{key[0]:10} {key[1]:6} {us:10.2f} {ours[key]:10.2f} {ours[key] / us:6.2f}", flush=True)
    sys.exit(unequal > 0)


if __name__ == "__main__":
    main()
