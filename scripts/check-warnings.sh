#!/bin/sh
# Compiles everything with the other compiler, warnings as errors. Prints TAP.
#
# clang finds its warnings before it generates code, so it generates none; gcc needs optimisation
# for some of its own.
set -u
build=${BUILD:-build}
other=clang flags='-fsyntax-only'
case ${CC:-cc} in *clang*) other=gcc flags='-O2 -g0' ;; esac
echo 1..1
if ! command -v $other >/dev/null 2>&1; then
    echo "ok 1 - compiles without a warning with $other # SKIP $other is not installed"
elif output=$(${MAKE:-make} --no-print-directory -k WERROR=1 CC=$other CFLAGS="$flags" \
    BUILD="$build/$other" all-objects 2>&1); then
    echo "ok 1 - compiles without a warning with $other"
else
    echo "not ok 1 - compiles without a warning with $other"
    printf '%s\n' "$output" | grep -v '^  \(CC\|LD\|AR\) ' | sed 's/^/# /'
    exit 1
fi
