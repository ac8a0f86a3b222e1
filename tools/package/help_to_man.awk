# help_to_man.awk - a manual page of what a program's --help prints, read from standard input; "@@ TEXT" begins the
# help of a command:
#     awk -v name=pen-hex -v summary="..." -v version=0.1.0 -v date=2026-01-01 -f help_to_man.awk
# Options become tagged paragraphs, titles headings, all else stays as it is.
function escape(line)
{
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    if (line ~ /^[.']/) line = "\\&" line
    return line
}
function display(on)
{
    if (on && !shown) print begun ? ".PP\n.nf" : ".nf"
    if (!on && shown) print ".fi"
    shown = on
    begun = 1
}
BEGIN {
    printf ".TH %s 1 \"%s\" \"Penumbra %s\" \"Penumbra manual\"\n", name, date, version
    printf ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n", escape(name), summary
}
/^@@ / { display(0); print ".SH " escape(toupper(substr($0, 4))); begun = blank = 0; next }
/^ *$/ { blank = shown; next }
/^[A-Za-z][^ ]*:$/ { display(0); print ".SS " substr($0, 1, length($0) - 1); begun = blank = 0; next }
/^  --[a-z]/ {
    display(0)
    match($0, /^  [^ ]+( [^ ]+)*/)
    option = substr($0, 3, RLENGTH - 2); text = substr($0, RLENGTH + 1); sub(/^ +/, "", text)
    print ".TP\n.B " escape(option)
    if (text != "") print escape(text)
    blank = 0
    next
}
{ display(1); if (blank) print ""; blank = 0; print escape($0) }
END { display(0) }
