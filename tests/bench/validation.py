#!/usr/bin/python3
"""validation.py BIN HOSTS FILE.csv - compares the clocks of ranks in one process with real times over TCP.

It runs clock_bench with one rank on each of so many emulated hosts (support/net_hosts.sh: needs root), and in one
process, with fence, pscw, passive and overlap, and records of 8 B to 64 KiB. Two real times give the model's
numbers: overlap with 8 B the latency, with 16 KiB the bandwidth. One rank alone gives the work. A message costs a
processor 1 us, and so does the answer to a get. The rest follows from clock.c, whose
rules for windows over TCP were chosen by a comparison on two hosts. Measure on an
idle machine. The page of the runtime has the results. smpi.py compares with another simulator.
"""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile

TRANSPORTS, SIZES, NODES = "fence,pscw,passive,overlap", [8, 512, 4096, 16384, 65536], 2
here = pathlib.Path(__file__).resolve().parent


def times(command, **more):
    out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout
    return {(t, int(b)): float(us) for t, b, us in (line.split() for line in out.splitlines() if line.count(" ") == 2)}


def main():
    programs, hosts, path = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]), sys.argv[3]
    sizes = ",".join(map(str, SIZES))
    steps = "50" if hosts == 2 else "10"
    names = [f"node{chr(ord('A') + h)}" for h in range(hosts)]
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
    real = times([here / "../support/net_hosts.sh", "run", *mpirun, "--host", ",".join(f"{n}:1" for n in names), "-n",
                  str(hosts), programs / "clock_bench", TRANSPORTS, "8," + sizes, steps],
                 env=os.environ | {"NET_HOSTS": " ".join(names)})
    alone = times([programs / "clock_bench", "blocking", sizes, "2000"])
    overhead, message = 1.0, real["overlap", 8]
    latency = max(message - 2 * overhead, 0.0)  # a step is a message
    work = (alone["blocking", 65536] - alone["blocking", 8]) / (NODES * (65536 - 8))
    bytes_more = (16384 - 8) * NODES
    per_byte = (real["overlap", 16384] - message - work * NODES * 16384) / bytes_more
    with tempfile.NamedTemporaryFile("w", suffix=".machine") as machine:
        machine.write(f"processors {hosts}\nseconds 1000000\ncluster host {hosts} "
                      f"cost={per_byte},latency={1e-6 * latency}\n")
        machine.flush()
        simulated = times([programs / "clock_bench_one_process", f"--ranks={hosts}", f"--hosts={hosts}", "--stacks",
                           f"--machine={machine.name}", f"--overhead={1e-6 * overhead}", f"--work={1e-6 * work}",
                           "--eager=65536", f"--served={1e-6 * overhead}", TRANSPORTS, sizes, steps])
    print(f"{hosts} hosts: latency {latency:.1f} us, {1e-3 / per_byte:.2f} GB/s")
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["hosts", "transport", "bytes", "real_us", "simulated_us", "simulated/real"])
        for key, us in real.items():
            rows.writerow([hosts, *key, us, simulated[key], f"{simulated[key] / us:.2f}"])
            print(f"{key[0]:8} {key[1]:6} {us:10.1f} {simulated[key]:10.1f} {simulated[key] / us:6.2f}")


if __name__ == "__main__":
    main()
