#!/bin/sh
# Fault injection in the main commands: every call site fails once. Prints TAP.
#
# `make torture` does more: every command, every call, more kinds of faults, and leaks.
set -u
build=${BUILD:-build}
library=$build/tests/torture/inject.so
if [ "$(uname -s)" != Linux ] || ! command -v python3 >/dev/null 2>&1; then
    echo 1..1
    echo "ok 1 - the main commands survive faults # SKIP Linux and Python 3 are needed"
    exit 0
fi
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
python3 tests/torture/torture.py --slice --tap --program "${PSDVEC:-$build/psdvec}" --library "$library" \
    --work "$folder" --jobs 1
