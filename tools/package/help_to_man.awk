# help_to_man.awk - the manual page of a program, from what is written about it by hand, and what its --help prints:
#     awk -v page=man1/pen-hex.1 -v name=pen-hex -v program=hex -v graph=hex:24x24 -v root=SOURCES -v version=1.0.0 \
#         -v date=2026-01-01 -f man.awk -f help_to_man.awk pages/pen-hex.txt pages/application.txt pen-hex.help
# The last file is the help; "@@ TEXT" begins that of a command. Of the others the first line is the summary, "## TITLE"
# begins a section, @NAME@ is the program's name, @GRAPH@ a graph that it takes, and "@comment FILE" stands for the
# first comment of a header; of several files the first one's summary and description hold, and sections are joined.

function add_section(title, line) { section[title] = section[title] line "\n" }

function read_comment(file, title,   line, inside)
{
    while ((getline line < file) > 0) {
        if (line ~ /^\/\*/) {
            inside = 1 # and this line says what the header is
            continue
        }
        if (!inside) continue
        last = line ~ /\*\//
        sub(/ *\*\/ *$/, "", line)
        sub(/^ \* ?/, "", line)
        add_section(title, line)
        if (last) break
    }
    close(file)
}

function print_section(title)
{
    if (!(title in section)) return
    print ".SH " title > page
    print_text(section[title])
    delete section[title]
}

BEGIN { help = ARGV[ARGC - 1] }

FILENAME != help && FNR == 1 {
    title = "DESCRIPTION"
    described = what != ""
    if (!described) what = $0
    next
}
FILENAME != help {
    gsub(/@NAME@/, name)
    gsub(/@GRAPH@/, graph)
    if (/^## /) {
        title = substr($0, 4)
        if (!(title in section)) titles[++title_count] = title
        else add_section(title, "")
    } else if (/^@comment /) {
        read_comment(root "/" $2, title)
    } else if (title != "DESCRIPTION" || !described) {
        add_section(title, $0)
    }
    next
}

# The help. Lines of it are kept with what they are: a usage, a heading, an option, text.
/^@@ / { next }
/^[Uu]sage: / {
    line = $0
    sub(/^[Uu]sage: /, "", line)
    if (program != name) sub(" " program " ", " " name " ", line)
    if (usages++) {
        kind[++lines] = "command"
        text[lines] = line
        sub(/ [a-z]+ /, "&[OPTION ...] ", line)
    }
    usage[usages] = line
    next
}
/^[A-Za-z][^ ]*:$/ {
    kind[++lines] = "heading"
    text[lines] = substr($0, 1, length($0) - 1)
    next
}
/^  -/ {
    match($0, /^  [^ ]+( [^ ]+)*/)
    kind[++lines] = "option"
    text[lines] = substr($0, 3, RLENGTH - 2)
    rest[lines] = substr($0, RLENGTH + 1)
    sub(/^ +/, "", rest[lines])
    next
}
/^    / && kind[lines] == "option" {
    line = $0
    sub(/^ +/, "", line)
    rest[lines] = rest[lines] (rest[lines] == "" ? "" : " ") line
    next
}
/^Examples?: / {
    line = $0
    sub(/^Examples?: /, "    ", line)
    if (program != name) sub(" " program " ", " " name " ", line)
    if (!("EXAMPLES" in section)) add_section("EXAMPLES", line)
    next
}
{
    kind[++lines] = "text"
    text[lines] = $0
}

function display(on)
{
    if (on && !shown) print ".PP\n.nf" > page
    if (!on && shown) print ".fi" > page
    shown = on
}

END {
    printf ".TH %s 1 \"%s\" \"Penumbra %s\" \"Penumbra manual\"\n", escape(name), date, version > page
    printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n", escape(name), escape(what) > page
    for (i = 1; i <= usages; i++) if (i > 1 || usages == 1) print escape(usage[i]) > page
    sub(/\n+$/, "", section["SYNOPSIS"])
    if (section["SYNOPSIS"] != "") print escape(section["SYNOPSIS"]) > page
    print ".fi\n.SH DESCRIPTION" > page
    print_text(section["DESCRIPTION"])
    for (i = 1; i <= lines && kind[i] == "text"; i++) {
        display(1)
        print escape(text[i]) > page
    }
    display(0)
    print ".SH " (usages > 1 ? "COMMANDS AND THEIR OPTIONS" : "OPTIONS") > page
    for (; i <= lines; i++) {
        display(0)
        if (kind[i] == "option") {
            print ".TP\n.B " escape(text[i]) > page
            if (rest[i] != "") print escape(rest[i]) > page
        } else if (kind[i] == "text") {
            print escape(text[i]) > page
        } else if (kind[i] == "command" || usages == 1) {
            print ".SS " escape(text[i]) > page
        }
    }
    for (i = 1; i <= title_count; i++)
        if (titles[i] !~ /^(SYNOPSIS|DESCRIPTION|EXIT STATUS|FILES|EXAMPLES|SEE ALSO)$/) print_section(titles[i])
    print_section("EXIT STATUS")
    print_section("FILES")
    print_section("EXAMPLES")
    print_references(section["SEE ALSO"])
}
