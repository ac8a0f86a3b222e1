# man.awk - text in manual pages, for header_to_man.awk and help_to_man.awk. What is printed goes to the file `page`.

function escape(line)
{
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    gsub(/\^/, "\\(ha", line)
    gsub(/~/, "\\(ti", line)
    gsub(/`/, "\\(ga", line)
    gsub(/'/, "\\(aq", line)
    if (line ~ /^\./) line = "\\&" line
    return line
}

# What stands between grave accents becomes bold.
function prose(line,   done)
{
    done = ""
    while (match(line, /`[^` ]([^`]*[^` ])?`/)) {
        done = done escape(substr(line, 1, RSTART - 1)) "\\fB" escape(substr(line, RSTART + 1, RLENGTH - 2)) "\\fR"
        line = substr(line, RSTART + RLENGTH)
    }
    return done escape(line)
}

# Lines of a comment: paragraphs, and what is indented as it stands.
function print_text(text,   count, lines, i, shown, begun, apart)
{
    count = split(text, lines, "\n")
    for (i = 1; i <= count; i++) {
        if (lines[i] ~ /^ *$/) {
            apart = begun
            continue
        }
        if ((lines[i] ~ /^    /) != shown) {
            if (shown) print ".fi" > page
            apart = begun
        }
        if (apart && !(shown && lines[i] ~ /^    /)) print ".PP" > page
        else if (apart) print "" > page
        apart = 0
        if (!shown && lines[i] ~ /^    /) print ".nf" > page
        shown = lines[i] ~ /^    /
        print (shown ? escape(lines[i]) : prose(lines[i])) > page
        begun = 1
    }
    if (shown) print ".fi" > page
}

# References, as "pen-graph(1)", one a line.
function print_references(references,   count, words, i)
{
    print ".SH SEE ALSO" > page
    count = split(references, words, " ")
    for (i = 1; i <= count; i++) {
        sub(/\(/, " (", words[i])
        print ".BR " escape(words[i]) (i < count ? "," : "") > page
    }
    close(page)
}
