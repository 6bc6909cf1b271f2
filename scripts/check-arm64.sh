#!/bin/sh
# Builds for 64-bit ARM with Debian's cross compiler and runs the unit tests with QEMU's
# user emulation, one case per test program. Takes about an hour on two cores. Prints TAP.
#
#   scripts/check-arm64.sh [NAME...]    these unit tests only, such as test_base
#
# Needs, on Debian, with `dpkg --add-architecture arm64` (in a chroot, to leave the system
# unchanged): gcc-aarch64-linux-gnu, qemu-user-static, and for arm64 the development packages
# of the build and libcmocka-dev:
#
#   apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static \
#       libarchive-dev:arm64 zlib1g-dev:arm64 libutf8proc-dev:arm64 libexpat1-dev:arm64 \
#       libxxhash-dev:arm64 libopenblas-serial-dev:arm64 libicu-dev:arm64 libcmocka-dev:arm64
#
# Without them the check is skipped. TEST_TIMEOUT is the time limit of a test program in seconds (3600).
set -u
target=aarch64-linux-gnu
build=${BUILD:-build}/arm64
make=${MAKE:-make}
PKG_CONFIG_LIBDIR=/usr/lib/$target/pkgconfig:/usr/share/pkgconfig
export PKG_CONFIG_LIBDIR

skip() {
    echo "1..1"
    echo "ok 1 - the unit tests pass on 64-bit ARM # SKIP $*"
    exit 0
}
command -v $target-gcc >/dev/null || skip "there is no $target-gcc"
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || skip "there is no qemu-aarch64"
pkg-config --exists libarchive zlib libutf8proc expat libxxhash openblas cmocka 2>/dev/null ||
    skip "the libraries for arm64 are not installed"

log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
if ! $make --no-print-directory WERROR=1 CC=$target-gcc AR=$target-ar BUILD="$build" SANITIZE= \
    library program unit-tests >"$log" 2>&1; then
    echo "1..1"
    echo "not ok 1 - builds for 64-bit ARM without a warning"
    grep -v '^  [A-Z]' "$log" | sed 's/^/# /'
    exit 1
fi
number=1 failed=no
echo "ok 1 - builds for 64-bit ARM without a warning"
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(for source in tests/unit/*.c; do basename "$source" .c; done)
for name in "$@"; do
    number=$((number + 1))
    if CMOCKA_MESSAGE_OUTPUT=tap timeout "${TEST_TIMEOUT:-3600}" \
        "$emulator" "$build/tests/unit/$name" >"$log" 2>&1; then
        echo "ok $number - $name: $(grep -c '^ok' "$log") tests pass on 64-bit ARM"
    else
        echo "not ok $number - $name passes on 64-bit ARM"
        grep -v '^ok' "$log" | sed 's/^/# /'
        failed=yes
    fi
done
echo "1..$number"
[ $failed = no ]
