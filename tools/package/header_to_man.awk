# header_to_man.awk - the manual pages of section 3, from the public headers, which are the manual:
#     awk -v out=man3 -v version=1.0.0 -v date=2026-01-01 \
#         -f man.awk -f header_to_man.awk penumbra.h penumbra_nodes.h penumbra_plugin.h
# A comment and the declarations right below it, up to the next comment or empty line, are a page; its further names,
# and constants of enumerations with a name, are links to it. What ends in _abi is the library's own. A comment alone
# belongs to its section, which begins with "/* ---- Title ---- */". The first comment of a header is a page with the
# header's name and a list of its sections. Works with any awk.

# ---- Text --------------------------------------------------------------------------------------

# How the first sentence that says more than who calls it reads on a line of its own.
function summary(text,   sentence)
{
    gsub(/\n/, " ", text)
    gsub(/  +/, " ", text)
    do {
        sentence = match(text, /[^ .][.]( |$)/) ? substr(text, 1, RSTART) : text # not at the dots of "1 .. n"
        text = substr(text, length(sentence) + 3)
    } while (sentence ~ /^(All )?(Local|Collective)/ && text != "")
    if (match(sentence, /[:;] |:$| \(/)) sentence = substr(sentence, 1, RSTART - 1)
    if (length(sentence) > 90 && match(substr(sentence, 30), /[,] /)) sentence = substr(sentence, 1, 28 + RSTART)
    if (sentence ~ /^[A-Z]([a-z]| )/) sentence = tolower(substr(sentence, 1, 1)) substr(sentence, 2)
    gsub(/`/, "", sentence)
    return sentence
}

# ---- What the headers say ----------------------------------------------------------------------

function begin_group(text)
{
    group++
    text_of[group] = text
    header_of[group] = header
    section_of[group] = section
}

function add_name(name)
{
    if (name in home) return 0
    home[name] = group
    names_of[group] = names_of[group] (names_of[group] == "" ? "" : " ") name
    return 1
}

function add_constants(text,   name)
{
    sub(/^[^{]*{/, "", text)
    gsub(/\/\*[^*]*\*\//, "", text)
    while (match(text, /PEN_[A-Z0-9_]+/)) {
        name = substr(text, RSTART, RLENGTH)
        if (!(name in home)) {
            home[name] = group
            constants_of[group] = constants_of[group] " " name
        }
        text = substr(text, RSTART + RLENGTH)
    }
}

# An enumeration without a name: its constants are what the page describes.
function add_names(text,   name, added)
{
    sub(/^[^{]*{/, "", text)
    while (match(text, /PEN_[A-Z0-9_]+/)) {
        name = substr(text, RSTART, RLENGTH)
        added += add_name(name)
        text = substr(text, RSTART + RLENGTH)
    }
    return added
}

function last_word(text)
{
    sub(/[^A-Za-z0-9_]+$/, "", text)
    sub(/^.*[^A-Za-z0-9_]/, "", text)
    return text
}

# Without what callers need not know; lines below the first move along.
function prototype(text,   shift, blanks)
{
    shift = length(text)
    while (sub(/^(PEN_API|PEN_CHECKED|static inline|extern) /, "", text)) ;
    shift -= length(text)
    blanks = sprintf("%" shift "s", "")
    if (shift) gsub("\n" blanks, "\n", text)
    if (match(text, /[ \n]*{/)) text = substr(text, 1, RSTART - 1) ";"
    return text
}

# A declaration, whole.
function take(text,   name, shown)
{
    if (text ~ /^static const /) return
    if (text ~ /^enum *{/) {
        if (add_names(text)) synopsis_of[group] = synopsis_of[group] text "\n"
        return
    }
    checked = text ~ /^[^(]*PEN_CHECKED pen_status/
    shown = text
    if (text ~ /^#/) {
        name = text
        sub(/^#define +/, "", name)
        shown = match(name, /^[A-Za-z0-9_]+\([^)]*\)/) ? substr(name, 1, RLENGTH) : name
        if (text !~ /\n/) shown = text
        gsub(/  +/, " ", shown)
        sub(/[^A-Za-z0-9_].*/, "", name)
    } else if (text ~ /^(typedef )?(struct|enum)[^;(]*{/) {
        name = text ~ /^typedef/ ? last_word(text) : text
        if (text !~ /^typedef/) {
            sub(/ *{.*/, "", name)
            name = last_word(name)
        }
    } else if (text ~ /^typedef/ && text !~ /\(/) {
        name = last_word(text)
    } else {
        shown = prototype(text)
        name = shown
        if (text ~ /^typedef[^(]*\(\*/) sub(/\)\(.*/, "", name)
        else sub(/\(.*/, "", name)
        name = last_word(name)
    }
    if (name !~ /^(pen|PEN|PRI)/ || name ~ /^PENUMBRA_|_abi$/) return
    if (add_name(name) || (name in forward && text ~ /{/)) {
        synopsis_of[group] = synopsis_of[group] shown "\n"
        if (checked) checked_of[group] = 1
    }
    if (text ~ /^typedef struct [a-z_]+ [a-z_]+;/) forward[name] = 1
    if (text ~ /^(typedef )?enum/) add_constants(text)
}

# An empty line, a comment or the end of a header: what stands alone belongs to the section.
function end_group()
{
    if (group && names_of[group] == "") {
        if (!(header in about)) about[header] = text_of[group]
        else if (section != "") section_text[section] = section_text[section] text_of[group] "\n\n"
        group--
    }
}

FNR == 1 {
    end_group()
    header = FILENAME
    sub(/.*\//, "", header)
    headers[++header_count] = header
    section = declaration = ""
    comment = open = 0
}
/^\/\* ---- / {
    end_group()
    section = $0
    sub(/^\/\* ---- /, "", section)
    sub(/ -+ \*\/$/, "", section)
    sections[++section_count] = section
    section_header[section_count] = header
    open = 0
    next
}
comment || (declaration == "" && /^\/\*/) {
    line = $0
    if (!comment) {
        end_group()
        begin_group("")
        open = 1
    }
    comment = line !~ /\*\//
    sub(/ *\*\/ *$/, "", line)
    sub(/^\/\* ?/, "", line)
    sub(/^ \* ?/, "", line)
    text_of[group] = text_of[group] line "\n"
    next
}
declaration == "" && /^ *$/ {
    end_group()
    open = 0
    next
}
declaration == "" && (/^#(if|ifdef|ifndef|else|endif|elif|error|include)/ || /^extern "C"/ || /^}$/) { next }
{
    if (!open) begin_group("")
    open = 1
    declaration = declaration (declaration == "" ? "" : "\n") $0
    line = declaration
    if (line ~ /^#/) {
        if (line ~ /\\$/) next
    } else {
        gsub(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//, "", line)
        if (line !~ /[;}] *$/ || gsub(/{/, "", line) != gsub(/}/, "", line)) next
    }
    take(declaration)
    declaration = ""
}

# ---- Pages -------------------------------------------------------------------------------------

function first_name(g,   words)
{
    split(names_of[g], words, " ")
    return words[1]
}

function head(name, names, what)
{
    page = out "/" name ".3"
    printf ".TH %s 3 \"%s\" \"Penumbra %s\" \"Penumbra manual\"\n", escape(name), date, version > page
    printf ".SH NAME\n%s \\- %s\n", escape(names), escape(what) > page
}

function print_include(h)
{
    print ".SH SYNOPSIS\n.nf" > page
    if (h ~ /^penumbra_(app|options)\.h$/) h = "penumbra.h>"
    else if (h ~ /^penumbra_(basics|nodes|mail)\.h$/) h = "penumbra.h>     /* or <" h ">, without MPI */"
    else h = h ">"
    print "#include <" escape(h) > page
}

# Words of a text that have a page, each once, without those of this group.
function mention(text, g,   word)
{
    while (match(text, /(pen|PEN)_[A-Za-z0-9_]+/)) {
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if (word in home && home[word] != g) refer(first_name(home[word]))
    }
}

function refer(name)
{
    if (name in referred) return
    referred[name] = 1
    references = references " " name "(3)"
}

function end_page(   i)
{
    refer("penumbra")
    print_references(references)
    for (i in referred) delete referred[i]
    references = ""
}

# What fails, behind "Errors:", up to the end of its paragraph, apart from the rest.
function split_errors(text,   from, rest, paragraph)
{
    errors = ""
    while (match(text, /(^|[ \n])Errors( besides)?: /)) {
        from = RSTART + (RSTART > 1)
        rest = substr(text, from)
        paragraph = index(rest, "\n\n") ? substr(rest, 1, index(rest, "\n\n")) : rest
        text = substr(text, 1, from - 1) substr(rest, length(paragraph) + 1)
        if (!sub(/^Errors: /, "", paragraph)) sub(/^Errors besides: /, "Besides: ", paragraph)
        errors = errors paragraph
    }
    return text
}

function print_group(g,   name, names, count, i, text, words)
{
    count = split(names_of[g], words, " ")
    name = words[1]
    names = name
    for (i = 2; i <= count; i++) names = names ", " words[i]
    head(name, names, summary(text_of[g]))
    print_include(header_of[g])
    print "" > page
    count = split(synopsis_of[g], words, "\n")
    for (i = 1; i < count; i++) print escape(words[i]) > page
    print ".fi\n.SH DESCRIPTION" > page
    text = split_errors(text_of[g])
    print_text(text)
    if (checked_of[g]) {
        print ".SH RETURN VALUE\nPEN_OK, or an error code, see" > page
        print ".BR pen_status (3);\n.BR pen_error_message (3)\nreturns the message." > page
    }
    if (errors != "") {
        print ".SH ERRORS" > page
        print_text(errors)
    }
    mention(synopsis_of[g], g)
    mention(text_of[g], g)
    for (i = 1; i <= group; i++)
        if (i != g && section_of[i] == section_of[g] && header_of[i] == header_of[g]) refer(first_name(i))
    if (users[name] <= 40)
        for (i = 1; i <= group; i++) if (i != g && uses(i, name)) refer(first_name(i))
    end_page()
    count = split(names_of[g] constants_of[g], words, " ")
    for (i = 2; i <= count; i++) {
        print "ln -s " name ".3 '" out "/" words[i] ".3'" | "sh"
    }
}

function uses(g, name) { return synopsis_of[g] ~ ("(^|[^A-Za-z0-9_])" name "([^A-Za-z0-9_]|$)") }

function list_groups(h, title,   g)
{
    for (g = 1; g <= group; g++) {
        if (section_of[g] != title || header_of[g] != h) continue
        print ".TP\n.BR " escape(first_name(g)) " (3)\n" escape(summary(text_of[g])) > page
    }
}

# The list of a header's sections, after what precedes the first one.
function print_index(h,   s, g)
{
    list_groups(h, "")
    for (s = 1; s <= section_count; s++) {
        if (section_header[s] != h) continue
        listed = 0
        for (g = 1; g <= group; g++) if (section_of[g] == sections[s] && header_of[g] == h) listed++
        if (!listed && !(sections[s] in section_text)) continue
        print ".SS " escape(sections[s]) > page
        if (sections[s] in section_text) print_text(section_text[sections[s]])
        list_groups(h, sections[s])
    }
}

END {
    end_group()
    # Links are made by a shell, which ends with this program.
    for (g = 1; g <= group; g++)
        for (other = 1; other <= group; other++) users[first_name(g)] += uses(other, first_name(g))
    for (g = 1; g <= group; g++) print_group(g)
    for (h = 1; h <= header_count; h++) {
        name = headers[h]
        sub(/\.h$/, "", name)
        text = what = about[headers[h]] # its first paragraph, then the rest
        sub(/\n\n.*/, "", what)
        text = substr(text, length(what) + 1)
        sub(/^\n+/, "", text)
        gsub(/\n/, " ", what)
        sub(/ +$/, "", what)
        sub(/^[^ ]* \- /, "", what)
        sub(/\.$/, "", what)
        head(name, name, what)
        print_include(headers[h])
        print ".fi\n.SH DESCRIPTION" > page
        print_text(text)
        if (headers[h] !~ /\.hpp$/) { # whose first comment has it all
            print ".SH FUNCTIONS, MACROS AND TYPES" > page
            print_index(headers[h])
        }
        for (other = 1; other <= header_count; other++) {
            text = headers[other]
            sub(/\.h$/, "", text)
            if (text != name) refer(text)
        }
        end_page()
    }
}
