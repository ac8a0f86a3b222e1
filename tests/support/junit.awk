# junit.awk - one JUnit file of several builds: awk -f junit.awk DEPTHS BUILD.xml ... reads what ctest --output-junit
# wrote, before each build its depths ("NAME DEPTH" a line: depths.cmake). A suite for each build, with its name; a
# test's class is its build, and its depth a property. Tests that one launch ran (support/batch.c) are listed by their
# own names with the number of ranks, and with what they left out. A suite counts the cases that it lists.
BEGIN { print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>" }
FNR == 1 {
    build = FILENAME
    sub(/.*\//, "", build)
    sub(/\.xml$/, "", build)
    if (FILENAME !~ /\.xml$/) delete depths
}
FILENAME !~ /\.xml$/ {
    depths[$1] = $2
    next
}

function property() { return "\t\t<properties><property name=\"depth\" value=\"" depths[test] "\"/></properties>" }

function add_case(lines, kind)
{
    cases_of_suite = cases_of_suite lines "\n"
    count["tests"]++
    count[kind]++
}

function end_test(   i, ranks)
{
    ranks = test
    sub(/.*\./, ".", ranks)
    if (!(status == "run" && cases > 0)) add_case(text, status)
    left_out[cases] = left_out[cases] pending
    for (i = 1; i <= cases; i++)
        add_case(sprintf("\t<testcase name=\"%s%s\" classname=\"%s\" time=\"%s\" status=\"run\">\n%s\n%s%s",
            names[i], ranks, build, seconds[i], property(),
            left_out[i] ? "\t\t<system-out>" left_out[i] "</system-out>\n" : "", "\t</testcase>"), "run")
    test = ""
}

function put_count(attribute, number)
{
    sub("[^a-z]" attribute "=\"[0-9]*\"", " " attribute "=\"" number + 0 "\"", suite)
}

function end_suite()
{
    put_count("tests", count["tests"])
    put_count("failures", count["fail"])
    put_count("disabled", count["disabled"])
    put_count("skipped", count["notrun"])
    printf "%s%s", suite, cases_of_suite
    suite = cases_of_suite = ""
    delete count
}

/^<\?xml / { next }
/^<testsuite name="/ { sub(/name="[^"]*"/, "name=\"" build "\"") }
/^[ \t]*<testcase name="/ {
    test = $0
    sub(/.*<testcase name="/, "", test)
    sub(/".*/, "", test)
    status = $0
    sub(/.* status="/, "", status)
    sub(/".*/, "", status)
    sub(/ classname="[^"]*"/, " classname=\"" build "\"")
    text = $0 "\n" property()
    cases = 0
    pending = ""
    next
}
/^<\/testsuite>/ {
    end_suite()
    print
    next
}
test == "" {
    suite = suite $0 "\n"
    next
}
{ text = text "\n" $0 }
/[Ss]kipped: / {
    reason = $0
    gsub(/<\/?system-out>/, "", reason)
    pending = pending reason "\n"
}
/^([ \t]*<system-out>)?case [a-z_0-9]+ [0-9.]+(<\/system-out>)?$/ {
    names[++cases] = $(NF - 1)
    seconds[cases] = $NF + 0
    left_out[cases] = pending
    pending = ""
}
/<\/testcase>/ { end_test() }
END { print "</testsuites>" }
