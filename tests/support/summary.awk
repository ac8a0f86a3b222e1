# summary.awk - what tests came to, over several builds: awk -f summary.awk TESTS.xml reads what junit.awk wrote. First
# the output of each test that failed, its last 40 lines. Then a line a build; under it what was skipped or failed, a
# skipped test or part of a test with the sentence that it said. Then a table by build and depth; last "N passed, N
# failed, N skipped" over all builds. A test that is skipped and does not say why has failed. Exit status 1 where
# something has failed, or nothing was tested.

function count_as(kind, number)
{
    counts[build, kind] += number
    counts[build, depth, kind] += number
    counts[kind] += number
}

function end_test(   i)
{
    if (test == "") return
    if (status == "notrun" && reasons > 0 && !missing) status = "skipped"
    count_as("seconds", seconds)
    if (status == "run") count_as("passed", 1)
    else if (status == "skipped") count_as("skipped", 1)
    else {
        count_as("failed", 1)
        if (status == "notrun") test = test ": did not run, and did not say why"
        list[build] = list[build] "    failed   " test "\n"
        printf "---- %s, %s, failed after %d s:\n", test, build, seconds
        for (i = lines > 40 ? lines - 39 : 1; i <= lines; i++) print output[i]
    }
    if (status == "run") count_as("skipped", reasons)
    if (status == "run" || status == "skipped") list[build] = list[build] said
    test = ""
}

function plain(text)
{
    gsub(/<[^>]*>/, "", text)
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&amp;/, "\\&", text)
    return text
}

/<testsuite name="/ {
    end_test()
    build = $0
    sub(/.*<testsuite name="/, "", build)
    sub(/".*/, "", build)
    builds[++count] = build
}
/<testcase name="/ {
    end_test()
    test = $0
    sub(/.*<testcase name="/, "", test)
    sub(/".*/, "", test)
    status = $0
    sub(/.* status="/, "", status)
    sub(/".*/, "", status)
    seconds = $0
    sub(/.* time="/, "", seconds)
    sub(/".*/, "", seconds)
    reasons = missing = lines = 0
    depth = ""
    said = ""
}
/<property name="depth"/ {
    depth = $0
    sub(/.* value="/, "", depth)
    sub(/".*/, "", depth)
}
/<skipped message="/ && !/SKIP_RETURN_CODE/ { missing = 1 }
/<system-out>/ { printed = 1 }
printed && test != "" {
    line = $0
    sub(/.*<system-out>/, "", line)
    sub(/<\/system-out>.*/, "", line)
    output[++lines] = plain(line)
}
/<\/system-out>/ { printed = 0 }
/[Ss]kipped: / && test != "" {
    reason = plain($0)
    sub(/.*[Ss]kipped: /, "", reason)
    if (index(said, ": " reason "\n")) next # several ranks, or several times
    reasons++
    said = said "    skipped  " test ": " reason "\n"
}
function row(key, name, depth)
{
    if (counts[key "passed"] + counts[key "failed"] + counts[key "skipped"] > 0)
        printf "%-10s %-8s %6d %6d %7d %7.1f\n", name, depth, counts[key "passed"], counts[key "failed"],
            counts[key "skipped"], counts[key "seconds"] / 60
}

END {
    end_test()
    for (i = 1; i <= count; i++) {
        build = builds[i]
        printf "%s: %d passed, %d failed, %d skipped\n", build, counts[build, "passed"], counts[build, "failed"],
            counts[build, "skipped"]
        printf "%s", list[build]
    }
    print "\nbuild      depth    passed failed skipped minutes"
    for (i = 1; i <= count; i++)
        for (d = split("quick full nightly", depths); d > 0; d--)
            row(builds[i] SUBSEP depths[4 - d] SUBSEP, builds[i], depths[4 - d])
    none = counts["passed"] + counts["failed"] + counts["skipped"] == 0
    if (none) print "no test of this depth fits the arguments"
    printf "%d passed, %d failed, %d skipped\n", counts["passed"], counts["failed"], counts["skipped"]
    exit none || counts["failed"] > 0
}
