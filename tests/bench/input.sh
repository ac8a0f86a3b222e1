#!/bin/bash
# input.sh - values of nodes from files, against NumPy and pandas on one core.
#
#     input.sh BINARY_DIRECTORY [REPEATS [WxH]]      default 11 repeats, 1000x1000
#
# Three doubles for each node of a field of hexagons: as .npy, in both orders, and as CSV with a column gid, shuffled.
# Prints the median (minimum, maximum) of the seconds, and for CSV the megabytes that a rank reads in one.
. "$(dirname "$0")/bench.bash"
repeats=${2:-11} size=${3:-1000x1000}
python=
for candidate in python3 /usr/bin/python3; do
    [ "$python" ] || ! "$candidate" -c 'import numpy, pandas' 2>/dev/null || python=$candidate
done
[ "$python" ] || { echo "a python3 with numpy and pandas is needed" >&2; exit 1; }

"$python" - "$work" "$size" <<'PYTHON' || exit 1
import sys
import numpy as np
import pandas as pd
folder, nodes = sys.argv[1], int(np.prod([int(n) for n in sys.argv[2].split("x")]))
gid = np.arange(nodes)
values = np.column_stack((gid * 1.0, np.sqrt(gid + 1.0), 1.0 / (gid + 1.0)))
np.save(folder + "/all.npy", values)
np.save(folder + "/fortran.npy", np.asfortranarray(values))
table = pd.DataFrame({"gid": gid, "x": values[:, 0], "y": values[:, 1], "z": values[:, 2]})
table.sample(frac=1, random_state=1).to_csv(folder + "/all.csv", index=False)
PYTHON

setting
echo "hex $size, $repeats repeats; all.npy $(wc -c <"$work/all.npy") bytes, all.csv $(wc -c <"$work/all.csv")"
for ranks in 1 2; do
    for what in x,y,z:all.npy x,y,z:fortran.npy all.csv; do
        file=${what#*:} bytes=0
        [ "$file" != all.csv ] || bytes=$(($(wc -c <"$work/$file") / ranks))
        cat "$work/$file" >/dev/null
        mpirun -n $ranks --bind-to none "$bin/input_bench" "${what/$file/$work/$file}" "$size" "$repeats" |
            awk '/seconds/ { print $2 }' | summary "$file, $ranks ranks" "$bytes"
    done
done
"$python" - "$work" "$repeats" <<'PYTHON'
import sys
import time
import numpy as np
import pandas as pd
folder, repeats = sys.argv[1], int(sys.argv[2])
def timed(name, read, times):
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        read()
        seconds.append(time.perf_counter() - begin)
    seconds.sort()
    print(f"{name:36} {seconds[len(seconds) // 2]:.4f} ({seconds[0]:.4f} .. {seconds[-1]:.4f}) s")
timed("numpy.load", lambda: np.load(folder + "/all.npy"), repeats)
exact = {"index_col": "gid", "float_precision": "round_trip"}
timed("pandas.read_csv, sorted by gid", lambda: pd.read_csv(folder + "/all.csv", **exact).sort_index(), min(repeats, 3))
timed("numpy.loadtxt", lambda: np.loadtxt(folder + "/all.csv", delimiter=",", skiprows=1), 1)
PYTHON
