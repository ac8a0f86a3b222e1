#!/bin/bash
# order.sh - order_bench on generated graphs and, where $PEN_DATA is a folder, on those graphs in it that have at least
# $NODES nodes (60000): with their own numbers and with shuffled ones, 8 and 64 bytes a node.
#
#     order.sh BUILD/bin [GRAPH ...]      GRAPH: KIND:SETTINGS or a file; default: all of these
#
# On a busy machine MPIRUN="chrt -f 5 mpirun --bind-to core", or with a lock before it that others wait for.
# Aimed at: auto with own numbers <= 1.02; shuffled, auto / own <= 1.25 and / hand <= 0.35; set-ups <= 1.15.
. "$(dirname "$0")/bench.bash"
shift
if [ $# -eq 0 ]; then
    set -- hex:1000x1000,coordinates mesh:100x100x100,coordinates geometric:nodes=1000000,coordinates rmat:scale=17
    [ -z "${PEN_DATA:-}" ] || readarray -t files < <(find "$PEN_DATA" -name '*.graph' -size +1M | sort)
    set -- "$@" ${files[@]+"${files[@]}"}
fi
skip=0
for graph in "$@"; do
    if [ -f "$graph" ]; then
        name=$(basename "$graph" .graph)
        places=$(find "$(dirname "$graph")/.." -name "$name*.xyz" | head -1)
        "$bin/pen-graph" convert ${places:+--coords="$places"} "$graph" "$work/own.pen" --quiet
        nodes=$("$bin/pen-graph" info "$work/own.pen" | awk '$1 == "nodes" { print $2 }')
        [ "$nodes" -ge "${NODES:-60000}" ] || continue
    else
        name=${graph%,coordinates}
        "$bin/pen-graph" make "$graph" -o "$work/own.pen"
    fi
    "$bin/pen-graph" order "$work/own.pen" "$work/shuffled.pen" --by=random
    for doubles in 1 8; do
        # shellcheck disable=SC2086
        ${MPIRUN:-mpirun --bind-to core:overload-allowed} -n 2 "$bin/order_bench" --own="$work/own.pen" \
            --shuffled="$work/shuffled.pen" --name="$name" --doubles=$doubles >"$work/row"
        tail -n +$((skip + 1)) "$work/row"
        skip=5
    done
done
