#!/bin/sh
# Runs the tests of the Python package and prints TAP.
#
# BUILD   the folder that has the package in python/ (make python)
# PYTHON  the interpreter, which needs numpy and pytest (/usr/bin/python3)
set -u
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3
package=$(realpath "${BUILD:-build}")/python
cd "$(dirname "$0")" || exit 2

skip() {
    echo "1..1"
    echo "ok 1 - the tests of the Python package # SKIP $*"
    exit 0
}
for module in numpy pytest; do
    "$python" -c "import $module" 2>/dev/null || skip "$python has no $module"
done
# A library built with a sanitizer cannot be loaded by an interpreter without it.
[ -z "${SANITIZE:-}" ] || skip "the library is built with a sanitizer"
PYTHONPATH=$package PYTHONDONTWRITEBYTECODE=1 TAP=1 exec "$python" -m pytest -q -p no:cacheprovider \
    --no-header --no-summary -rN --tb=no "$@" .
