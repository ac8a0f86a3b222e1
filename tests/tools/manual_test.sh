#!/bin/bash
# manual_test.sh BIN - of what is installed, every public name has a manual page, without fault; what the pages show
# works; and completion completes.
. "$(dirname "$0")/support.bash"
build=$(dirname "$bin") there=$work/there
cmake --install "$build" --prefix "$there" >log 2>&1 || { complain "cmake --install: $(tail -5 log)"; finish; }

# Manual pages: every public name has one, which says something, and leads on.
cd "$there/share/man" || exit 1 # where links between pages begin
headers=$there/include
{
    nm -D --defined-only "$there"/lib*/libpenumbra.so "$there"/lib/*/libpenumbra.so 2>/dev/null | awk '{ print $3 }' |
        sed 's/@.*//'
    sed -n 's/^static inline [^(]*\(pen_[a-z0-9_]*\)(.*/\1/p' "$headers"/penumbra*.h
    sed -n 's/^PEN_API [^(]*\(pen_[a-z0-9_]*\)(.*/\1/p' "$headers"/penumbra*.h
    sed -n 's/^ *# *define \(PEN_[A-Z0-9_]*\).*/\1/p' "$headers"/penumbra*.h
    sed -n 's/^enum { \(PEN_.*\) };$/\1/p' "$headers"/penumbra*.h | grep -o 'PEN_[A-Z0-9_]* = ' # constants like macros
    sed -n -e 's/^} \(pen_[a-z0-9_]*\);/\1/p' -e 's/^typedef [^{(]* \(pen_[a-z0-9_]*\);/\1/p' \
        -e 's/^typedef [^{(]*\(pen_[a-z0-9_]*\)(.*/\1/p' "$headers"/penumbra*.h
} | sed 's/ = $//' | grep '^\(pen\|PEN\)_' | grep -v '_abi$' | sort -u >"$work/names"
[ "$(wc -l <"$work/names")" -ge 80 ] || complain "only $(wc -l <"$work/names") public names found"
while IFS= read -r name; do
    page=man3/$name.3
    [ -e "$page" ] || { complain "$name has no manual page"; continue; }
    awk -v name="$name" -v page="$page" '
        /^\.SH / { title = $0; next }
        title == ".SH NAME" {
            named = index(", " $0 " ", ", " name ",") || index(", " $0, ", " name " \\- ") || name ~ /^[A-Z]/
            told = $0 ~ /\\- .+/
        }
        title == ".SH SYNOPSIS" {
            shown = shown || index($0, name)
            synopsis = synopsis $0
        }
        title == ".SH DESCRIPTION" && !/^\./ && length($0) > 10 { described = 1 }
        title == ".SH SEE ALSO" { leads += /^\.BR / }
        END {
            gsub(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//, "", synopsis)
            cut = gsub(/{/, "", synopsis) != gsub(/}/, "", synopsis) ||
                gsub(/\(/, "", synopsis) != gsub(/\)/, "", synopsis)
            if (!named || !told) print page ": NAME lacks " (named ? "what it is" : name)
            if (!shown) print page ": SYNOPSIS does not show " name
            if (cut) print page ": SYNOPSIS is cut in two"
            if (!described) print page ": DESCRIPTION is empty"
            if (leads < 1) print page ": SEE ALSO leads nowhere"
        }' "$page"
done <"$work/names" >"$work/lacking"
[ ! -s "$work/lacking" ] || complain "$(head -5 "$work/lacking")"
sed -n 's/^\.BR \(.*\) (3),*$/\1/p' man3/*.3 | sed 's/\\-/-/g' | sort -u | while IFS= read -r name; do
    [ -e "man3/$name.3" ] || echo "$name"
done >"$work/missing"
[ ! -s "$work/missing" ] || complain "SEE ALSO leads to pages that do not exist: $(cat "$work/missing")"
# Pages of headers list every page of theirs. The first comment of penumbra.hpp has it all.
sed -n '/^\.SH FUNCTIONS/,/^\.SH SEE/s/^\.BR \(.*\) (3)$/\1/p' man3/penumbra*.3 | LC_ALL=C sort >"$work/listed"
find man3 -type f ! -name 'penumbra*' | sed 's|man3/\(.*\)\.3|\1|' | LC_ALL=C sort >"$work/pages"
LC_ALL=C comm -13 "$work/listed" "$work/pages" >"$work/missing"
[ ! -s "$work/missing" ] || complain "no page of a header lists $(head -5 "$work/missing")"
for page in man3/penumbra*.3; do
    [[ $page = man3/penumbra*.hpp.3 ]] || sed -n '/^\.SH FUNCTIONS/,/^\.SH SEE/p' "$page" | grep -q '^\.BR .* (3)$' ||
        complain "$page lists nothing"
done
grep -A1 '^\.SH NAME' man3/*.3 | grep '[ .]$' >"$work/log" && complain "NAME is cut: $(head -3 "$work/log")"
# That of a header is its whole first sentence.
for header in "$headers"/penumbra*; do
    page=man3/$(basename "$header" .h).3
    first=$(sed -n '1,/^ \*$/{ s/^ \*$//; s/^\/\* [^ ]* - //; s/^ \* //; p }' "$header" | tr '\n' ' ' |
        sed 's/[. ]*$//')
    name=$(sed -n '/^\.SH NAME/ { n; s/^[^ ]* \\- //; s/\\(aq/'"'"'/g; s/\\-/-/g; p }' "$page")
    [ "$name" = "$first" ] || complain "$page: NAME says \"$name\", the header \"$first\""
done
for constant in PEN_ERR_INPUT PEN_SUM_REAL PEN_OPTION_FLAG; do
    [ -e man3/$constant.3 ] || complain "$constant leads to no page"
done
for program in "$there"/bin/*; do
    [ -e "man1/${program##*/}.1" ] || complain "${program##*/} has no manual page"
done
for page in man1/*.1; do
    for title in NAME SYNOPSIS DESCRIPTION "EXIT STATUS" EXAMPLES "SEE ALSO"; do
        grep -q "^\.SH $title\$" "$page" || complain "$page has no $title"
    done
    grep -q '^\.SH.* OPTIONS$\|^\.SH OPTIONS$' "$page" || complain "$page has no options"
    awk '/^\.SH/ { on = /SYNOPSIS/; next } on && !/^\./' "$page" |
        grep -q -F "$(basename "$page" .1 | sed 's/-/\\-/g')" ||
        complain "$page: SYNOPSIS does not show the installed name"
done
pages=$(find man1 man3 man7 -type f)
[ "$(wc -w <<<"$pages")" -ge 70 ] || complain "$(wc -w <<<"$pages") manual pages"
# shellcheck disable=SC2086
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning $pages >"$work/log" 2>&1 || complain "$(head -3 "$work/log")"
fi
if command -v groff >/dev/null; then
    # shellcheck disable=SC2086
    groff -ww -man -Tutf8 $pages 2>"$work/log" >/dev/null # one launch: warnings begin with the page
    [ ! -s "$work/log" ] || complain "$(head -3 "$work/log")"
fi
# Each command that --help lists has its options in the page.
for tool in pen-graph pen-plot pen-sim; do
    [ -x "$there/bin/$tool" ] || continue
    for command in $("$there/bin/$tool" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
        sed -n 's/\\-/-/g; s/^\.SS //p' man1/$tool.1 | grep -q "^$tool $command\( \|\$\)" ||
            complain "man1/$tool.1 lacks the command $command"
    done
done
grep -q 'balance..when' man1/pen-hex.1 || complain "pen-hex.1 does not speak of --balance-when"
cd "$work" || exit 1

# What the pages of programs show works, in order, in one folder.
mkdir shown && cd shown && canaries . || exit 1
for page in "$there"/share/man/man1/*.1; do
    [ ! -L "$page" ] || continue
    sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/s/^    \(.*\)/\1/p' "$page" | sed 's/\\-/-/g; s/\\e/\\/g' |
        unfold | while IFS= read -r line; do
        PATH=$there/bin:$PATH patiently 60 bash -c "$line" >../out 2>../err </dev/null ||
            echo "${page##*/}: $line: exit status $?: $(head -3 ../err)" >>../wrong
    done
done
cd ..
[ ! -s wrong ] || complain "$(cat wrong)"

# Completion, as bash would ask.
completes() # WORDS ... EXPECTED: the last word is completed; words of the answer end in semicolons
{
    local expected=${*: -1}
    found=$(
        PATH=$there/bin:$PATH
        . "$there/share/bash-completion/completions/pen-hex"
        compopt() { :; }
        COMP_WORDS=("${@:1:$#-1}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
        _penumbra "$1"
        printf '%s;' "${COMPREPLY[@]}"
    )
    [ "$found" = "$expected" ] || complain "completion of ${*:1:$#-1}: \"$found\", expected \"$expected\""
}
completes pen-hex --balanc "--balancer=;--balance-when=;--balance-cost=;"
completes pen-hex --partitioner = sco "scotch;"
completes pen-hex --load = "measured;declared;"
completes pen-graph con "convert;"
completes pen-graph convert --lo "--lossy;"
completes pen-hex --generate = to "torus;"
completes pen-graph part --partitioner = pt "ptscotch;"
completes pen-sim replay --balancer = diff "diffusive;"
: >"my graph.pen"
completes pen-graph info "my" "my graph.pen;"
completes pen-hex --graph = "my" "my graph.pen;"
completes pen-hex --machine = "my" "my graph.pen;"
[ ! -e "$there/bin/pen-draw" ] || completes pen-draw --ma "--machine=;"
[ ! -e "$there/bin/pen-plot" ] || completes pen-plot observables --o "--of=;"
[ ! -e "$there/bin/pen-plot" ] || completes pen-plot cat "categories;"
finish
