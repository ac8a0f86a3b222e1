#!/bin/bash
# data_test.sh BIN DATA [all] - every file of a collection of graphs ($PEN_DATA or DATA, as its INDEX.md describes): it
# has the numbers of nodes and edges that the INDEX gives, comes back equal from every format that can hold it, or is
# refused for the right reason. Of the formats of the Python package, which starts each time, a file goes through one,
# in turn, and a file that is of one goes through three; with `all` through all of them.
all=${3:-}
data=$(cd "${PEN_DATA:-$2}" 2>/dev/null && pwd)
. "$(dirname "$0")/support.bash"
[ -f "$data/INDEX.md" ] || skip "no collection of graphs: PEN_DATA names none"
tool=$bin/pen-graph

# Who is refused, and what `check` must say then.
declare -A refused=(
    # real weights, loops, arcs without reverse, by INDEX
    [jazz2double.graph]="unexpected '.', edge weight must be" [zoltan_ewgt.graph]="unexpected '.', edge weight must be"
    [zoltan_bug.graph]="comment to Chaco alone" [zoltan_simple3d.graph]="is its own neighbour"
    [float_edge_weights.graph]="unexpected '.', edge weight must be"
    [4.graph]="53 edges, so 106 neighbours, but there are 43" [4w.graph]="are edges counted in both directions"
    [m4x4_b1_elv.gcv.graph]="does not have neighbour" [small_0.grf]="distributed graph"
    [small_1.grf]="distributed graph"
    # Chaco's dialect, or DIMACS-10's, under the ending of METIS
    [zoltan_nograph.graph]="ends after 0 of 25 nodes" [comment_hash_top.graph]="comment to Chaco alone"
    [blank_line_before_header.graph]="empty line instead of the header"
    [ok_chaco_vtxnum_split_100.graph]="does not have neighbour"
    [dimacs10_selfloop_100.graph]="7 edges, so 14 neighbours"
    # by ORACLE
    [bad_asymmetric.graph]="node 3 does not have neighbour 1" [bad_asymmetric_weight.graph]="weight 7 here and 8 there"
    [bad_duplicate_edge.graph]="neighbour 2 more than once" [bad_empty_file.graph]="no header"
    [bad_float_ids.graph]="unexpected '.'" [bad_fmt_112.graph]="(fmt) must be" [bad_fmt_2.graph]="(fmt) must be"
    [bad_fmt_letters.graph]="unexpected 'a' in the header" [bad_garbage_token.graph]="unexpected 'x'"
    [bad_header_huge_m.graph]="announces 9999999999999 edges"
    [bad_header_huge_n.graph]="more nodes than the file can hold"
    [bad_header_negative.graph]="must not be negative" [bad_header_one_number.graph]="the numbers of nodes and edges"
    [bad_id_out_of_range.graph]="neighbour 8, must be 1..7" [bad_id_overflow_32.graph]="neighbour 4294967301, must be"
    [bad_id_overflow_64.graph]="more than 18 digits"
    [bad_m_too_big.graph]="12 edges, so 24 neighbours, but there are 22"
    [bad_m_too_small.graph]="10 edges, so 20 neighbours, but there are 22"
    [bad_m_twice.graph]="counted in both directions"
    [bad_missing_vertex_weight.graph]="an empty line, but" [bad_n0_m0.graph]="no nodes"
    [bad_n_too_small.graph]="neighbour 7, must be 1..6" [bad_ncon_without_vw.graph]="fmt says that there are none"
    [bad_negative_edge_weight.graph]="edge weight -5" [bad_negative_id.graph]="neighbour -2, must be"
    [bad_negative_vertex_weight.graph]="node weight -1" [bad_nul_byte.graph]="unexpected 0x00"
    [bad_odd_edge_weight_tokens.graph]="ends before the edge weight" [bad_only_comments.graph]="no header"
    [bad_selfloop.graph]="is its own neighbour" [bad_selfloop_m3.graph]="is its own neighbour"
    [bad_selfloop_weighted.graph]="is its own neighbour" [bad_utf8_bom.graph]="byte order mark"
    [bad_zero_based.graph]="counted from 0" [bad_zero_edge_weight.graph]="edge weight 0"
    [blank_line_after_header.graph]="after the last node" [comment_pct_indented.graph]="must begin in column 1"
    [comment_trailing_on_line.graph]="unexpected '%'" [edge_cr_only.graph]="carriage return"
    [mtkahypar_graph_id_overflow.graph]="neighbour" [mtkahypar_graph_one_line_too_few.graph]="ends after 5 of 6 nodes"
    [mtkahypar_graph_too_few_edges.graph]="6 edges, so 12 neighbours, but there are 10"
    [mtkahypar_graph_too_few_lines.graph]="the file ends after"
    [mtkahypar_graph_too_few_lines_windows.graph]="the file ends after"
    [mtkahypar_graph_too_many_edges.graph]="4 edges, so 8 neighbours, but there are 10"
    # matrices: not square, or not of the format
    [whitaker3_coord.mtx]="9800 rows and 2 columns" [empty.mtx]="3 rows and 4 columns"
    [full_noheader.mtx]="must be the banner"
    [lp_afiro_structure.mtx]="27 rows and 51 columns" [mangled1.mtx]="the banner must be"
    [mangled2.mtx]="one of coordinate, array"
    [mangled3.mtx]="one of real, integer" [mangled4.mtx]="one of general"
    [mangled5.mtx]="no coordinate pattern hermitian"
    [mangled6.mtx]="no coordinate real hermitian" [mangled7.mtx]="GraphBLAS type 'gunk'"
    [mangled8.mtx]="number of columns"
    [mangled9.mtx]="3 rows and 4 columns" [mangled10.mtx]="3 rows and 4 columns" [mangled11.mtx]="3 rows and 4 columns"
    [mangled12.mtx]="3 rows and 4 columns" [mangled13.mtx]="3 rows and 4 columns" [mangled14.mtx]="3 rows and 4 columns"
    [mangled15.mtx]="unexpected text" [mangled16.mtx]="unexpected text" [mangled_bool.mtx]="must be 0..1"
    [mangled_format.mtx]="no array pattern" [mangled_int32.mtx]="-2147483649" [mangled_int8.mtx]="-129"
    [mangled_skew.mtx]="skew-symmetric matrix of type uint8_t" [mangled_uint8.mtx]="value 256"
)
# Graphs in a dialect that their ending does not say.
declare -A dialect=(
    [zoltan_nograph.graph]=chaco [comment_hash_top.graph]=chaco [blank_line_before_header.graph]=chaco
    [ok_chaco_vtxnum_split_100.graph]=chaco [ok_chaco_vtxnum_vw_ew_111.graph]=chaco [ok_chaco_vtxnum_100.graph]=chaco
    [dimacs10_selfloop_100.graph]=dimacs10
)

# The numbers of nodes and edges, and of loops, that the INDEX gives for a file of a graph that is sound.
declare -A index
while IFS='|' read -r _ file _ n m fmt check _; do
    file=$(echo $file)
    [[ $check = *undirected\ m* ]] && m=${check##*undirected m } && m=${m%%,*}
    [[ $check = *" ok"* ]] && index[$file]="$(echo $n) $(echo ${m%%;*})"
done < <(grep '^| [a-z]*/' "$data/INDEX.md")

# Equal but for the number of the first node, which most formats do not hold, and weights of 1, which are none.
same_graph()
{
    local as=metis
    [[ $1 = metis || $1 = scotch ]] || as=dimacs9
    [ -e "$2.text" ] || "$tool" convert --quiet --values --lossy --from=$1 --to=$as "$2" - >"$2.text" 2>&1
    cmp -s "$2.text" <("$tool" convert --quiet --values --lossy --from=$1 --to=$as "$3" - 2>&1)
}

# Through other formats and back, from a file that this program wrote in the file's own.
through()
{
    local here=$1 own=$2 format
    shift 2
    for format; do
        "$tool" convert --quiet --values --from=$own --to=$format "$here/own" "$here/other" 2>"$here/said" || {
            grep -q "cannot hold this" "$here/said" || complain "$file to $format: $(cat "$here/said")"
            continue
        }
        "$tool" convert --quiet --values --from=$format --to=$own "$here/other" "$here/back" 2>"$here/said" ||
            complain "$file from $format: $(cat "$here/said")"
        # The binary format has its neighbours in ascending order; then so must the other be.
        [ $format != penumbra ] || "$tool" convert --quiet --values --from=$own --to=penumbra "$here/back" \
            "$here/back.pen"
        case $format in
            penumbra) cmp -s "$here/other" "$here/back.pen" ;;
            scotch) cmp -s "$here/own" "$here/back" ;;
            *) cmp -s "$here/own" "$here/back" || same_graph $own "$here/own" "$here/back" ;;
        esac || complain "$file through $format comes back different"
    done
}

graph()
{
    local own=$1 here loops
    here=$(mktemp -d "$work/graph.XXXXXX")
    "$tool" convert --lossy --values --from=$own --to=$own "$data/$file" "$here/own" 2>"$here/said" || {
        complain "$file: $(tail -1 "$here/said")"
        return
    }
    if [ -n "${index[$file]:-}" ]; then
        set -- $("$tool" info --from=$own "$here/own" | awk '$1 == "nodes" || $1 == "edges" { print $2 }')
        [ "$1 $2" = "${index[$file]}" ] || complain "$file has $1 nodes and $2 edges, expected ${index[$file]}"
    fi
    local size=$(wc -c <"$here/own") python=(snap dimacs9 dimacs10)
    local count=$((size < 50000 ? 8 : size < 500000 ? 4 : 2)) # large ones take long
    if [ ! "$all" ]; then
        [[ " ${python[*]} " != *" $own "* ]] || count=$((count < 3 ? count : 3))
        python=("${python[tried % 3]}")
    fi
    local formats=(scotch "${python[0]}" metis mm penumbra chaco "${python[@]:1}")
    through "$here" $own "${formats[@]:0:count}"
    rm -r "$here"
}

refuse()
{
    local file=$1 reason=${refused[$(basename "$1")]} out
    out=$("$tool" check --limit=1000 "$data/$file" 2>&1)
    [ $? -eq 2 ] || complain "$file is not refused"
    grep -q -F -e "$reason" <<<"$out" || complain "$file: check says \"$(head -3 <<<"$out")\", expected \"$reason\""
    "$tool" convert --lossy --quiet --to=metis "$data/$file" - >/dev/null 2>&1
    [ $? -eq 2 ] || complain "$file is converted"
}

# Coordinates come back: the same graph with them is the same binary file.
places()
{
    local here graph=$2
    here=$(mktemp -d "$work/places.XXXXXX")
    for kind in chaco scotch; do
        "$tool" convert --quiet --coords="$data/$1" --coords-to="$here/$kind" --coords-kind=$kind "$data/$graph" \
            "$here/own.grf" &&
            "$tool" convert --quiet --coords="$data/$1" "$data/$graph" "$here/one.pen" &&
            "$tool" convert --quiet --coords="$here/$kind" "$data/$graph" "$here/two.pen" &&
            cmp -s "$here/one.pen" "$here/two.pen" || complain "$1: the coordinates come back different as $kind"
    done
    rm -r "$here"
}

# A partition comes back line by line; its comments are for `info` alone, which must find the same cut.
parts()
{
    local k=$3 here cut
    here=$(mktemp -d "$work/parts.XXXXXX")
    grep -v '^%' "$data/$1" | tr -d ' \r' >"$here/plain"
    if [ "$k" -gt 16777216 ]; then # more than may be empty
        "$tool" part "$data/$2" $k --partitioner=file:"$here/plain" -o "$here/back" 2>"$here/said"
        [ $? -eq 2 ] && grep -q 'may be empty' "$here/said" || complain "$1: says $(cat "$here/said")"
        rm -r "$here"
        return
    fi
    "$tool" part "$data/$2" $k --partitioner=file:"$here/plain" -o "$here/back" >"$here/table" 2>"$here/said" ||
        complain "$1: $(cat "$here/said")"
    cmp -s "$here/plain" "$here/back" || complain "$1 comes back different"
    cut=$(awk 'NR == 2 { print $(NF - 5) }' "$here/table")
    "$tool" info "$data/$2" --part="$data/$1" >"$here/told" 2>&1 && grep -q -F "parts: cut $cut," "$here/told" ||
        complain "$1: info does not find a cut of $cut: $(grep '^partition' "$here/told")"
    rm -r "$here"
}

map()
{
    "$tool" info "$data/$2" --part="$data/$1" >/dev/null || complain "$1 cannot be read"
}

tried=0
while read -r file; do
    name=${file##*/}
    tried=$((tried + 1))
    if [ -n "${refused[$name]:-}" ]; then
        later refuse "$file"
        [ -n "${dialect[$name]:-}" ] || continue
    fi
    stem=${name%%.*}
    case $file in
        *.md | scotch/tgt*/* | scotch/m4x4_vertlist.txt) tried=$((tried - 1)) ;;   # not graphs, nor of graphs alone
        scotch/mesh/* | vt/*) tried=$((tried - 1)) ;;                               # nor a format of this program
        *.ptn) stem=${name%%.*} later parts "$file" "graph/$stem.graph" "$(cut -d. -f2 <<<"$name")" ;;
        *.graph.part.*) later parts "$file" "graph/${name%%.part*}" "${name##*.}" ;;
        oracle/3elt.*.map) later map "$file" graph/3elt.graph scotch/xyz/3elt.xyz ;;
        scotch/map/bump_old.map) later map "$file" scotch/grf/bump.grf scotch/xyz/bump.xyz ;;
        oracle/*.map) ;;                                                            # of a graph without coordinates
        xyz/4elt_r2.xyz) later places "$file" graph/4elt_r2.graph ;;
        xyz/zoltan_simple3d.coords) ;;                                              # of a graph that is refused
        xyz/*) later places "$file" "graph/$stem.graph" ;;
        scotch/xyz/*) later places "$file" "scotch/grf/$stem.grf" ;;
        *.graph | *.metis | *.mgraph) later graph "${dialect[$name]:-metis}" ;;
        *.grf) later graph scotch ;;
        *.mtx) later graph mm ;;
        *.gr) later graph dimacs9 ;;
        *.el | *.wel | *.edgelist | edgelist/*.txt) later graph snap ;;
        *.mesh)
            "$tool" convert "$data/$file" mesh.graph && "$tool" convert --nodal "$data/$file" nodal.graph &&
                "$tool" check mesh.graph >/dev/null && "$tool" check nodal.graph >/dev/null || complain "$file" ;;
        *) complain "$file is of no kind that this test knows" ;;
    esac
done < <(cd "$data" && find . -type f -printf '%P\n' | sort)
wait
[ $tried -ge 250 ] || complain "only $tried files were tried"
finish
