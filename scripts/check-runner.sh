#!/bin/sh
# Checks the test runner: suites that fail, crash, stop early or run nothing count as failed, and
# the last line reports them. Prints TAP.
set -u
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
suite() { printf '%s\n' "$2" >"$scratch/$1.sh"; }
suite good 'echo 1..2; echo "ok 1 - a"; echo "ok 2 - b"'
suite skips 'echo 1..3; echo "ok 1 - a"; echo "ok 2 - b # skip why"; echo "not ok 3 # SKIP c"'
suite bad 'echo 1..2; echo "ok 1 - a"; echo "not ok 2 - the culprit"; exit 1'
suite crash 'echo 1..2; echo "ok 1 - a"; echo "ok 2 - b"; kill -SEGV $$'
suite short 'echo 1..3; echo "ok 1 - a"'
suite none 'exit 0'
suite slow 'echo 1..1; sleep 60'

number=0 failed=no
expect() { # description | last line | status | suites
    number=$((number + 1))
    what=$1 line=$2 status=$3
    shift 3
    for name in "$@"; do
        shift
        set -- "$@" "$scratch/$name.sh"
    done
    TEST_TIMEOUT=${limit:-20} sh "$(dirname "$0")/../tests/run.sh" -j 2 -l "$scratch/logs" "$@" >"$scratch/out" 2>&1
    got=$?
    if [ "$(tail -n 1 "$scratch/out")" = "$line" ] && [ "$got" = "$status" ]; then
        echo "ok $number - $what"
    else
        echo "not ok $number - $what"
        echo "# expected '$line' and status $status, got status $got and:"
        sed 's/^/#   /' "$scratch/out"
        failed=yes
    fi
}
expect "adds up what passes" "3 passed, 0 failed" 0 good skips
expect "counts a failed case" "3 passed, 1 failed" 1 good bad
expect "counts a crash" "2 passed, 1 failed" 1 crash
expect "counts a suite that stops short" "1 passed, 1 failed" 1 short
expect "counts a suite without tests" "2 passed, 1 failed" 1 good none
expect "counts a suite that is not there" "0 passed, 1 failed" 1 absent
expect "does not pass with nothing to run" "0 passed, 0 failed" 1
if command -v timeout >/dev/null 2>&1; then
    limit=1
    expect "ends a suite that takes too long" "0 passed, 1 failed" 1 slow
fi
echo "1..$number"
[ $failed = no ]
