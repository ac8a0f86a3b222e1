# summary.awk - what tests came to, over several builds: awk -f summary.awk BUILD.xml ... reads what ctest
# --output-junit wrote. First the output of each test that failed, its last 40 lines. Then a line a build; under it what
# was skipped or failed, a skipped test or part of a test with the sentence that it said; last "N passed, N failed, N
# skipped" over all builds. A test that is skipped and does not say why has failed. Exit status 1 where something has
# failed.

function end_test(   i)
{
    if (test == "") return
    if (status == "notrun" && reasons > 0 && !missing) status = "skipped"
    if (status == "run") passed[build]++
    else if (status == "skipped") skipped[build]++
    else {
        failed[build]++
        if (status == "notrun") test = test ": did not run, and did not say why"
        list[build] = list[build] "    failed   " test "\n"
        printf "---- %s, %s, failed after %d s:\n", test, build, seconds
        for (i = lines > 40 ? lines - 39 : 1; i <= lines; i++) print output[i]
    }
    if (status == "run") skipped[build] += reasons
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

FNR == 1 {
    end_test()
    build = FILENAME
    sub(/.*\//, "", build)
    sub(/\.xml$/, "", build)
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
    said = ""
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
END {
    end_test()
    for (i = 1; i <= count; i++) {
        build = builds[i]
        printf "%s: %d passed, %d failed, %d skipped\n", build, passed[build], failed[build], skipped[build]
        printf "%s", list[build]
        good += passed[build]
        bad += failed[build]
        left += skipped[build]
    }
    printf "%d passed, %d failed, %d skipped\n", good, bad, left
    exit bad > 0
}
