#!/bin/sh
# Builds everything with the other compiler, warnings as errors. Prints TAP.
#
# clang finds its warnings before it optimises, so nothing is optimised; gcc needs optimisation for
# some of its own.
set -u
build=${BUILD:-build}
other=clang flags='-O0 -g0'
case ${CC:-cc} in *clang*) other=gcc flags='-O2 -g0' ;; esac
echo 1..1
if ! command -v $other >/dev/null 2>&1; then
    echo "ok 1 - builds without a warning with $other # SKIP $other is not installed"
elif output=$(${MAKE:-make} --no-print-directory -k WERROR=1 CC=$other CFLAGS="$flags" \
    BUILD="$build/$other" library program unit-tests seed-programs bench-programs 2>&1); then
    echo "ok 1 - builds without a warning with $other"
else
    echo "not ok 1 - builds without a warning with $other"
    printf '%s\n' "$output" | grep -v '^  \(CC\|LD\|AR\) ' | sed 's/^/# /'
    exit 1
fi
