#!/bin/sh
# Builds a copy of the sources in another folder, at another time, with another locale, time zone,
# umask and number of jobs, and compares the results with those in $BUILD bit by bit. Prints TAP.
#
# BUILD is the folder of a finished build, MAKE and CC its tools.
set -u
build=${BUILD:-build}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
copy=$scratch/a/folder/with/a/longer/name
mkdir -p "$copy"
tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$copy"
# Other times, and names in another order of creation.
find "$copy" -type f -exec touch -d '2001-02-03 04:05:06' {} + 2>/dev/null

umask 077
if ! (cd "$copy" && LC_ALL=C TZ=Asia/Tokyo ${MAKE:-make} --no-print-directory BUILD=build all) \
    >"$scratch/log" 2>&1; then
    echo "not ok 1 - the copy builds"
    sed 's/^/# /' "$scratch/log"
    echo 1..1
    exit 1
fi
number=1 failed=no
echo "ok 1 - the copy builds"
(cd "$copy/build" && find psdvec psdvec-api.json libpsdvec.a libpsdvec.so.*.*.* man/*.1 completions/* -type f) |
    LC_ALL=C sort >"$scratch/files"
while read -r file; do
    number=$((number + 1))
    if cmp "$build/$file" "$copy/build/$file" >"$scratch/difference" 2>&1; then
        echo "ok $number - $file is the same"
    else
        echo "not ok $number - $file is the same"
        sed 's/^/# /' "$scratch/difference"
        failed=yes
    fi
done <"$scratch/files"
echo "1..$number"
[ $failed = no ]
