# header_to_man.awk - a manual page of one section of a public header, which is the manual:
#     awk -v section="Graphs" -v name=pen_graph -v summary="..." -v version=0.1.0 -v date=2026-01-01 \
#         -f header_to_man.awk penumbra.h
# Sections begin with a line "/* ---- Title ---- */"; without a section, the page is the header's first comment.
# With whole=1 it is the whole header. Comments become text, indented lines in them and declarations stay as they are.
function paragraph() { if (pending) print ".PP"; pending = 0 }
function verbatim(line)
{
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    if (line ~ /^[.']/) line = "\\&" line
    print line
}
function display(on)
{
    if (!on && shown) { print ".fi"; pending = 1 }
    if (on && !shown) { if (begun) pending = 1; paragraph(); print ".nf" }
    shown = on
}
function text(line, indented) {
    if (line ~ /^ *$/) { display(0); pending = begun; return }
    display(indented); paragraph(); verbatim(line); begun = 1
}
function start() {
    printf ".TH %s 3 \"%s\" \"Penumbra %s\" \"Penumbra manual\"\n", toupper(name), date, version
    printf ".SH NAME\n%s \\- %s\n", name, summary
    print ".SH SYNOPSIS\n.nf"; verbatim("#include <" header ">"); print ".fi\n.SH DESCRIPTION"
    inside = 1
}
BEGIN { header = ARGV[1]; sub(/.*\//, "", header) }
/^\/\* ---- / {
    title = $0; sub(/^\/\* ---- /, "", title); sub(/ -+ \*\/$/, "", title)
    if (inside && !whole) exit
    if (section != "" && title == section) start()
    next
}
section == "" && NR == 1 { start() }
!inside { next }
section == "" && !whole && /^#ifndef/ { exit }
/^#(ifdef|ifndef|endif|include)|^#define PENUMBRA_[A-Z]*_?H$|^extern "C"|^}$/ { next }
/^\/\*/ || comment {
    line = $0
    comment = line !~ /\*\//
    sub(/ *\*\/ *$/, "", line); sub(/^\/\* ?/, "", line); sub(/^ \* ?/, "", line)
    if (!comment && line ~ /^ *$/) next
    text(line, line ~ /^    /)
    if (!comment) display(0)
    next
}
/^ *$/ { display(0); pending = begun; next }
{ sub(/^PEN_API /, ""); sub(/^PEN_CHECKED /, ""); display(1); verbatim($0); begun = 1 }
END {
    if (!inside) { print "header_to_man.awk: no section " section > "/dev/stderr"; exit 1 }
    display(0)
    print ".SH SEE ALSO\n.BR penumbra (3)"
}
