#!/bin/sh
# Analysis of paths through the code with gcc: scripts/analyze.sh 'COMPILER FLAGS' FILE.c...
# Prints every finding, and fails if there is one.
#
# Two checks of gcc 12 are off. It loses track of pointers that are copied with memcpy or stored in
# arrays, so it reports leaks and uninitialised values that do not exist; the tests with the address
# sanitizer find leaks, and -Wmaybe-uninitialized of the normal build finds uninitialised values.
# With optimisation, conditions that are evaluated together give false findings, too.
set -u

# One file.
if [ "$1" = --one ]; then
    # shellcheck disable=SC2086
    output=$(gcc $ANALYZE_FLAGS -DPV_ANALYZE -O0 -fanalyzer -Wno-analyzer-malloc-leak \
        -Wno-analyzer-use-of-uninitialized-value -Werror -fdiagnostics-plain-output \
        -c "$2" -o /dev/null 2>&1) && exit 0
    printf '%s\n' "$output"
    exit 1
fi

flags=$1
shift
if ! echo 'int x;' | gcc -fanalyzer -c -x c - -o /dev/null 2>/dev/null; then
    echo "gcc with -fanalyzer is not installed: skipped"
    exit 0
fi
echo "gcc -fanalyzer: $# files"
printf '%s\0' "$@" |
    ANALYZE_FLAGS=$flags xargs -0 -n 1 -P "${JOBS:-1}" sh "$0" --one || exit 1
echo "nothing found"
