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
export PYTHONPATH="$package" PYTHONDONTWRITEBYTECODE=1 TAP=1
set -- -m pytest -q -p no:cacheprovider --no-header --no-summary -rN --tb=no "$@" .
[ -n "${SANITIZE:-}" ] || exec "$python" "$@"

# A library built with the address sanitizer needs its run-time library in the interpreter. Python
# and numpy never free some of their memory, so only leaks with a public function of the library count.
case $SANITIZE in
*address*) ;;
*) skip "the library is built with another sanitizer" ;;
esac
runtime=$(${CC:-cc} -print-file-name=libasan.so)
[ -f "$runtime" ] || skip "there is no libasan.so"
reports=$(mktemp -d) || exit 2
trap 'rm -rf "$reports"' EXIT
LD_PRELOAD="$runtime $(${CC:-cc} -print-file-name=libstdc++.so.6)" PYTHONMALLOC=malloc \
    OPENBLAS_NUM_THREADS=1 \
    ASAN_OPTIONS="detect_leaks=1:exitcode=23:leak_check_at_exit=1:log_path=$reports/asan" \
    LSAN_OPTIONS=report_objects=0:print_suppressions=0 "$python" "$@" >"$reports/tap"
grep -v '^1\.\.[0-9]*$' "$reports/tap"
count=$(grep -Ec '^(not )?ok ' "$reports/tap")
echo "1..$((count + 1))"
# The sanitizer ends the interpreter with its own status, so the last line must say that all tests
# were run. A report of an error counts, or a leak whose stack has a function of the library.
if grep -q '^1\.\.' "$reports/tap" && ! grep -q '^Bail out' "$reports/tap" && awk '
    /ERROR: AddressSanitizer|runtime error:/ { bad = 1; print "# " FILENAME ": " $0 }
    /^(Direct|Indirect) leak/ { leak = $0; stack = ""; next }
    leak != "" && /^ *#/ { stack = stack "\n#" $0; if (/ in psdvec_/) ours = 1; next }
    leak != "" && NF == 0 { if (ours) { bad = 1; print "# " leak stack }; leak = ""; ours = 0 }
    END { exit bad }' "$reports"/asan.* 2>/dev/null
then
    echo "ok $((count + 1)) - the address sanitizer finds no error and no leak of the library"
else
    echo "not ok $((count + 1)) - the address sanitizer finds no error and no leak of the library"
fi
