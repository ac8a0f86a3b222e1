#!/bin/bash
# package_test.sh BIN [root] - the Debian package has its files where Debian and users look for them. With `root` it is
# tried in a clean root, which has what Debian calls essential and what the package says it depends on: it is installed,
# all programs run, and nothing is left of it when it is removed. With NumPy in the root, the Python module runs them.
# The root is made of this machine's packages.
. "$(dirname "$0")/support.bash"
[ ! "${2:-}" ] || [ "$(id -u)" -eq 0 ] || skip "only root can install packages"
for tool in dpkg dpkg-deb dpkg-query cpack chroot; do
    command -v $tool >/dev/null || skip "no $tool to make a package and a root with"
done
build=$(dirname "$bin")
root=$work/root

(umask 077 && cpack --config "$build/CPackConfig.cmake" -B "$work/package") >log 2>&1 ||
    { complain "cpack: $(tail -5 log)"; finish; }
package=$(find package -maxdepth 1 -name '*.deb')
depends=$(dpkg-deb -f "$package" Depends)

# Where Debian and users look for what is not a program.
dpkg-deb -c "$package" | awk '{ print $6 }' >contents
closed=$(dpkg-deb -c "$package" | grep -v -e '^-r..r..r' -e '^dr.xr.xr.x' -e '^l')
[ ! "$closed" ] || complain "others cannot read $(head -3 <<<"$closed")"
for file in doc/penumbra/{copyright,changelog.gz,README.md,CITATION.cff} \
    doc/penumbra/examples/{heat.c,pairwise.c,Makefile} \
    man/man1/pen-hex.1 man/man3/{penumbra,pen_run_steps,PEN_NEXT}.3; do
    grep -q -x "./usr/share/$file" contents || complain "the package has no usr/share/$file"
done
grep -q -x ./usr/lib/python3/dist-packages/penumbra/__init__.py contents ||
    complain "the package has no module where Debian's Python looks"
changes=$(dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/share/doc/penumbra/changelog.gz | gzip -dc | head -1)
case $changes in
"penumbra ($(dpkg-deb -f "$package" Version)) "*) ;;
*) complain "the package is $(dpkg-deb -f "$package" Version), its list of changes begins with $changes" ;;
esac
[ "${2:-}" ] || finish

# The names of essential packages, of those that $1 asks for, and of all that these depend on; of alternatives and of
# what several provide, the first that is installed.
needed()
{
    dpkg-query -W -f='${Package}\t${Essential}\t${Provides}\t${Pre-Depends}, ${Depends}\n' | awk -F '\t' -v first="$1" '
        function add(wanted,   i, j, all, any, name, count, counts) {
            count = split(wanted, all, /, */)
            for (i = 1; i <= count; i++) {
                counts = split(all[i], any, / *[|] */)
                for (j = 1; j <= counts; j++) {
                    name = any[j]
                    sub(/[ (:].*/, "", name)
                    if (!(name in needs) && name in provider) name = provider[name]
                    if (!(name in needs)) continue
                    if (!(name in seen)) queue[++last] = name
                    seen[name] = 1
                    break
                }
            }
        }
        {
            needs[$1] = $4
            if ($2 == "yes") essential = essential ", " $1
            count = split($3, provides, /, */)
            for (i = 1; i <= count; i++) {
                sub(/[ (:].*/, "", provides[i])
                if (!(provides[i] in provider)) provider[provides[i]] = $1
            }
        }
        END {
            add(first essential)
            for (next_one = 1; next_one <= last; next_one++) {
                print queue[next_one]
                add(needs[queue[next_one]])
            }
        }'
}
needed "$depends" >names
[ "$(wc -l <names)" -ge 20 ] || skip "dpkg knows of too little that is installed to make a root of"

mkdir -p "$root"/{dev/shm,tmp,proc,root,var/lib/dpkg/{info,updates,triggers},var/log}
merged=
for folder in bin sbin lib lib32 lib64 libx32; do
    [ -L /$folder ] || continue
    merged+=${merged:+|}$folder
    mkdir -p "$root/usr/$folder" && ln -s "usr/$folder" "$root/$folder"
done

# Their files, dpkg's knowledge of them, and what their installation makes.
fill_root()
{
    mapfile -t names <names
    dpkg-query -L "${names[@]}" 2>/dev/null | grep '^/' |
        sed -E "${merged:+s#^/($merged)/#/usr/&#; s#//#/#}" | sort -u |
        while IFS= read -r file; do [ ! -e "$file" ] || [ -L "${file%/*}" ] || printf '%s\0' "${file#/}"; done >files
    tar -C / --null --no-recursion -T files -cf - 2>log | tar -C "$root" --keep-directory-symlink -xf - 2>>log ||
        complain "$(head -3 log)"
    dpkg-query -s "${names[@]}" >"$root/var/lib/dpkg/status" 2>log
    for name in "${names[@]}"; do cp /var/lib/dpkg/info/"$name"{,:*}.list "$root/var/lib/dpkg/info/" 2>/dev/null; done
    cp -a /etc/alternatives /etc/passwd /etc/group /etc/ld.so.conf* "$root/etc/" 2>/dev/null
    while IFS= read -r link; do
        [ -e "$root$link" ] || { mkdir -p "$root$(dirname "$link")" && cp -a "$link" "$root$link"; }
    done < <(find /usr -type l -lname '/etc/alternatives/*')
}
fill_root
for device in "null 1 3" "zero 1 5" "urandom 1 9"; do
    # shellcheck disable=SC2086
    mknod -m 666 "$root/dev/"${device%% *} c ${device#* } 2>/dev/null || skip "devices cannot be made here"
done
inside()
{
    patiently 60 chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        PYTHONDONTWRITEBYTECODE=1 "$@" >out 2>err </dev/null
}
inside ldconfig || skip "nothing runs in a root of its own: $(head -3 err)"

contents()
{
    (cd "$root" && find . \( -path ./var/lib/dpkg -o -path ./var/log -o -path ./etc/ld.so.cache \
                              -o -path ./var/cache/ldconfig \) -prune -o -print | sort)
}
contents >before
cp "$package" "$root/tmp/penumbra.deb"
inside dpkg -i /tmp/penumbra.deb || complain "dpkg -i: $(cat out err)"
rm "$root/tmp/penumbra.deb"

# good COMMAND ...: in the root
good() { inside "$@" || complain "in the root, $*: exit status $?: $(head -20 err)"; }
good dpkg -s penumbra
good dpkg --verify penumbra
root_may=(OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
two=(mpirun --oversubscribe -n 2)
programs=$(sed -n 's|^\./usr/bin/\(.\)|\1|p' contents)
[ "$(wc -w <<<"$programs")" -ge 14 ] || complain "the package has only these programs: $programs"
for program in $programs; do
    [ $program = pen-comm-both ] || good $program --version
    # A launcher that ends may take the folder that the next one is making (issue 8510 of Open MPI).
    launched=(env "${root_may[@]}" TMPDIR="/tmp/of-$program")
    mkdir "$root/tmp/of-$program"
    case $program in
    pen-comm) good "${launched[@]}" "${two[@]}" pen-comm --generate=hex:8x8 --records=8 --rounds=2 ;;
    pen-comm-both)
        good "${launched[@]}" pen-comm-both "${two[@]}" pen-comm --generate=hex:8x8 --records=8 --rounds=2 \
            --csv=/tmp/comm.csv
        ;;
    pen-draw) # matplotlib, which draws for it, is only recommended
        ! inside pen-draw --machine=flat:3 -o /tmp/flat.svg && grep -q matplotlib err ||
            complain "in the root, pen-draw: exit status $?, not a word about matplotlib: $(head -5 err)"
        ;;
    pen-graph) good pen-graph make hex:4x3 -o /tmp/hex.graph.gz ;;
    pen-keep)
        mkdir "$root/tmp/saved" && canaries --checkpoints "$root/tmp/saved"
        good "${launched[@]}" pen-keep "${two[@]}" pen-hex --generate=hex:8x8 --steps=5 --checkpoint=/tmp/saved
        ;;
    pen-plot) # matplotlib, which draws for it, is only recommended
        ! inside pen-plot categories /tmp/pen-heat.json -o /tmp/plot.svg && grep -q matplotlib err ||
            complain "in the root, pen-plot: exit status $?, not a word about matplotlib: $(head -5 err)"
        ;;
    pen-sim) good pen-sim generate hot-disc --generate=hex:8x8 --ranks=2 --steps=3 -o /tmp/disc.record ;;
    pen-grow | pen-heat) good "${launched[@]}" "${two[@]}" $program --generate=tree:nodes=1 --steps=2 --verify \
        --metrics=/tmp/$program.json ;;
    pen-nbody) good "${launched[@]}" "${two[@]}" pen-nbody --bodies=64 --steps=2 --verify ;;
    *) good "${launched[@]}" "${two[@]}" $program --steps=2 --verify ;;
    esac
done
remove_folder "$root/tmp/saved"
rm -rf "$root"/tmp/* "$root"/dev/shm/*

good dpkg -P penumbra
contents >after
diff before after >differences ||
    complain "behind the package remains (>), or went with it (<): $(grep '^[<>]' differences | head -5)"
! inside dpkg -s penumbra || complain "dpkg still knows the package"

# The module, which needs more than the package asks for.
if dpkg-query -W -f='${db:Status-Status}\n' python3-numpy 2>log | grep -qx installed; then
    needed "$depends, python3-numpy" >names
    fill_root
    cp "$package" "$root/tmp/penumbra.deb"
    good dpkg -i /tmp/penumbra.deb
    good env "${root_may[@]}" python3 -c 'import penumbra
done = penumbra.run("hex", ranks=2, launcher="mpirun --oversubscribe", generate="hex:7x5", steps=3, verify=True,
                    dump=True)
assert len(done.dump) == 35, done.dump'
else
    leave_out "no package python3-numpy: the Python module"
fi
finish
