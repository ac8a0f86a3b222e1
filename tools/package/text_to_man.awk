# text_to_man.awk - a manual page from Markdown that has a title, sections "## 1. TITLE", paragraphs,
# bold words, and blocks:
#     awk -v page=man7/penumbra_tutorial.7 -v name=penumbra_tutorial -v references="pen-hex(1)" -v version=1.0.0 \
#         -v date=2026-01-01 -f man.awk -f text_to_man.awk tutorial.md
FNR == 1 {
    sub(/^# /, "")
    what = tolower(substr($0, 1, 1)) substr($0, 2)
    printf ".TH %s 7 \"%s\" \"Penumbra %s\" \"Penumbra manual\"\n", escape(name), date, version > page
    printf ".SH NAME\n%s \\- %s\n.SH DESCRIPTION\n", escape(name), escape(what) > page
    next
}
/^```/ {
    shown = !shown
    text = text "\n"
    next
}
!shown && /^## / {
    print_text(text)
    text = ""
    print ".SH " escape(substr($0, 4)) > page
    next
}
{
    if (!shown) gsub(/\*\*/, "`") # bold
    text = text (shown ? "    " : "") $0 "\n"
}
END {
    print_text(text)
    print_references(references)
}
