#!/bin/sh
# Analysis of paths through the code with gcc: scripts/analyze.sh 'COMPILER FLAGS' FILE.c...
# Prints every finding, and fails if there is one.
set -u

# One file.
if [ "$1" = --one ]; then
    # shellcheck disable=SC2086
    output=$(gcc $ANALYZE_FLAGS -O1 -fanalyzer -Werror -fdiagnostics-plain-output -c "$2" -o /dev/null 2>&1) &&
        exit 0
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
