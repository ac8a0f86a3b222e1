#!/bin/bash
# locale_test.sh BIN - numbers are read and written with a decimal point, whatever locale the program has.
. "$(dirname "$0")/support.bash"
command -v localedef >/dev/null || skip "no localedef to make a locale with a decimal comma"
localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null
[ -d "$work/de_DE.UTF-8" ] || skip "localedef makes no de_DE.UTF-8 here"

# LC_ALL is the locale, LOCPATH where it is.
files_of() # NAME RANKS LOCALE
{
    { export LOCPATH=$work LC_ALL=$3; } 2>/dev/null # the shell itself does not find it
    expect 0 "$2" comma --generate=geometric:nodes=64,degree=4.5,seed=3 --scale=1.25 --until="mean<1.75" --steps=90 \
        --migrate-random=3:0.25 --dump="$1.dump" --observables="-,$1.csv" --metrics="$1.json" --trace="$1.trace" \
        --verify
    grep -E '^ *[0-9]+ ' out >"$1.table"
    grep -E '^(checksum|ended|partition|    (mean|warm)) ' out >"$1.summary"
    unset LC_ALL LOCPATH
}
files_of plain 0 C
steps=$(sed -n 's/^ended  *after \([0-9]*\) steps: until mean<1.75$/\1/p' plain.summary)
[ "${steps:-90}" -lt 90 ] || complain "the run does not end by its observable: $(cat plain.summary)"
export COMMA=1 # where the locale does not come up, that is a failure
for ranks in 0 3; do
    files_of comma "$ranks" de_DE.UTF-8
    for file in dump csv table; do
        cmp "plain.$file" "comma.$file" || complain "with a decimal comma, $ranks ranks: the $file differs"
    done
    [ "$ranks" -gt 0 ] || cmp plain.summary comma.summary || complain "the summary differs"
    for file in json trace; do
        command -v python3 >/dev/null || { leave_out "no python3 to read JSON with"; continue; }
        python3 -m json.tool <"comma.$file" >/dev/null ||
            complain "with a decimal comma, $ranks ranks: $file is no JSON"
    done
done
finish
