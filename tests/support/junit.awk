# junit.awk - one JUnit file of several builds: awk -f junit.awk BUILD.xml ... reads what ctest --output-junit wrote. A
# suite for each build, with its name; a test's class is its build.
BEGIN { print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>" }
FNR == 1 {
    build = FILENAME
    sub(/.*\//, "", build)
    sub(/\.xml$/, "", build)
}
/^<\?xml / { next }
/^<testsuite name="/ { sub(/name="[^"]*"/, "name=\"" build "\"") }
/^[ \t]*<testcase name="/ { sub(/ classname="[^"]*"/, " classname=\"" build "\"") }
{ print }
END { print "</testsuites>" }
