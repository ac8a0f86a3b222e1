#!/bin/bash
# debian_test.sh BIN SOURCE - the packages of tools/package/debian: they are built, lintian finds nothing in them, a
# second build elsewhere has the same bytes, and their autopkgtests work with what is unpacked from them.
. "$(dirname "$0")/support.bash"
source=$(cd "$2" && pwd)
for tool in dpkg-buildpackage dh dh_python3 lintian ninja pkg-config; do
    command -v $tool >/dev/null || skip "no $tool to build Debian's packages with"
done
plain=$(mktemp -d "${TMPDIR:-/tmp}/penumbra-debian.XXXXXX") # Debian's tools take no space
to_remove+=("$plain")

# build TREE [VARIABLE=VALUE ...]
build()
{
    (cd "$1" && env -u SOURCE_DATE_EPOCH "${@:2}" nice dpkg-buildpackage -us -uc -j2) >log 2>&1 && return
    ! grep -q 'Unmet build dependencies' log || skip "$(grep 'Unmet build dependencies' log)"
    complain "dpkg-buildpackage: $(tail -5 log)"
    finish
}
mkdir -p "$plain/one" "$plain/two/deeper"
tree=$("$source/tools/package/debian_source" "$plain/one") || { complain "no source tree"; finish; }
"$source/tools/package/debian_source" "$plain/one" >out 2>err
[ $? -eq 2 ] && [ ! -e "$tree/debian/debian" ] && grep -qx "debian_source: $tree is there: remove it first" err ||
    complain "a source tree over another: $(cat err)"
build "$tree"
lintian --display-info --pedantic --fail-on none --allow-root "$plain"/one/*.changes >tags 2>&1
[ ! -s tags ] || complain "lintian: $(head -20 tags)"

# Elsewhere, at another hour and in another language, by the compiler itself.
dpkg-source -x "$plain"/one/*.dsc "$plain/two/deeper/penumbra" >log 2>&1 || complain "dpkg-source -x: $(cat log)"
build "$plain/two/deeper/penumbra" CCACHE_DISABLE=1 TZ=Asia/Tokyo LC_ALL=C.UTF-8
for package in "$plain"/one/*.deb; do
    cmp "$package" "$plain/two/deeper/${package##*/}" || complain "${package##*/} is not reproducible"
done

# As if they were installed.
there=$plain/there
for package in "$plain"/one/*.deb; do dpkg -x "$package" "$there"; done
lib=$(dirname "$(find "$there" -name libpenumbra.so)")
tried=0
for test in "$source"/tools/package/debian/tests/*; do
    [ -x "$test" ] || continue
    tried=$((tried + 1))
    mkdir "$plain/${test##*/}"
    patiently 120 env AUTOPKGTEST_TMP="$plain/${test##*/}" PATH="$there/usr/bin:/usr/bin:$PATH" LD_LIBRARY_PATH="$lib" \
        PKG_CONFIG_PATH="$lib/pkgconfig" CMAKE_PREFIX_PATH="$there/usr" \
        PYTHONPATH="$there/usr/lib/python3/dist-packages" "$test" >out 2>&1 || complain "$test: $(tail -5 out)"
done
[ $tried -gt 0 ] || complain "no test of the packages"
finish
