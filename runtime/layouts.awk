# layouts.awk - lists the structures of headers and their members for driver/layouts.c: WHOLE(pen_field),
# AT(pen_field, name), ... A member of a structure within a structure is listed by its path, "fields.count".

# Comments are removed, which may have several lines.
{
    while (open || (at = index($0, "/*"))) {
        end = index($0, "*/")
        $0 = (open ? "" : substr($0, 1, at - 1)) (end ? substr($0, end + 2) : "")
        open = !end
        if (open) break
    }
}
/^#/ || /__extension__/ { next }
/^typedef struct pen_[a-z_]+ \{/ { structure = $3; text = ""; next }
structure != "" && /^\}/ { print "WHOLE(" structure ")"; list(); structure = ""; next }
structure != "" { text = text " " $0 }

function list(    count, i, part, names, n, k, inner, type)
{
    gsub(/struct \{/, "{;", text)
    count = split(text, part, ";")
    for (i = 1; i < count; i++) {
        if (part[i] ~ /\{/) {
            inner = " "
        } else if (part[i] ~ /\}/) {
            gsub(/[ }]/, "", part[i])
            nested(part[i], inner)
            inner = ""
        } else {
            if (match(part[i], /\(\*[a-z_]+\)\(/)) part[i] = "* " substr(part[i], RSTART + 2, RLENGTH - 4)
            type = part[i] ~ /\*/ ? "" : part[i]
            sub(/^ */, "", type)
            sub(/ .*/, "", type)
            n = split(part[i], names, ",")
            for (k = 1; k <= n; k++) {
                sub(/\[.*/, "", names[k])
                sub(/.*[ *]/, "", names[k])
                if (inner != "") inner = inner " " names[k]
                else {
                    member(names[k])
                    nested(names[k], members[type])
                }
            }
        }
    }
}
function nested(path, inner,    n, names, k)
{
    n = split(inner, names, " ")
    for (k = 1; k <= n; k++) member(path "." names[k])
}
function member(path)
{
    print "AT(" structure ", " path ")"
    members[structure] = members[structure] " " path
}
