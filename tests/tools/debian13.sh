#!/bin/bash
# debian13.sh SOURCES [CHECK-ARGUMENT ...] - tools/check in a root of Debian 13, whose compilers, CMake, Python and MPI
# libraries are newer than Debian 12's. It is made of Debian's packages, from the mirror that apt knows here; it stays,
# as what is built in it, in SOURCES/build/debian13.
set -u
skip() { echo "debian13.sh: skipped: $*" >&2; exit 77; }
sources=$(cd "$1" && pwd) && shift || exit 1
folder=$sources/build/debian13
[ "$(id -u)" -eq 0 ] && unshare --mount --pid --fork true 2>/dev/null || skip "no right to make a root and to enter it"
mkdir -p "$folder/build" || exit 1

if [ ! -e "$folder/root" ]; then
    command -v mmdebstrap >/dev/null || skip "no mmdebstrap to make a root of Debian 13 with"
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -1)
    [ "$mirror" ] || skip "apt knows no mirror of Debian"
    rm -rf "$folder/new"
    mmdebstrap --variant=minbase trixie "$folder/new" "$mirror" >"$folder/log" 2>&1 ||
        skip "no root of Debian 13 from $mirror: $(tail -1 "$folder/log")"
    mkdir -p "$folder/new/penumbra" && mv "$folder/new" "$folder/root" || exit 1
fi

# What is mounted is gone with the command. The network is this machine's.
enter='
cp -L /etc/resolv.conf /etc/hosts "$0/root/etc" && mount --bind "$0/root" "$0/root" && cd "$0/root" &&
mount --rbind /dev dev && mount -t tmpfs tmpfs dev/shm && mount -t tmpfs tmpfs tmp && mount -t proc proc proc &&
mount -t sysfs sysfs sys && mount --bind "$1" penumbra && mount --bind "$0/build" penumbra/build &&
exec chroot . env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin $(env | grep -E "^[a-z]+_proxy=") \
    /penumbra/tools/check "${@:2}"'
exec unshare --mount --pid --fork --kill-child bash -c "$enter" "$folder" "$sources" "$@"
