#!/bin/sh
# Collects the results of an instrumented run in FOLDER: prints a table, and writes pages to
# FOLDER/html. Files that no test executes are included.
set -eu
folder=$1
if ! command -v lcov >/dev/null 2>&1; then
    echo "lcov is not installed; make deps-dev installs it. The raw .gcda files are in $folder."
    exit 1
fi
quietly() { # lcov's own Perl warns about itself
    if ! "$@" 2>"$folder/lcov.log"; then
        cat "$folder/lcov.log" >&2
        exit 1
    fi
}
lcov_() { quietly lcov --quiet --rc lcov_branch_coverage=1 "$@"; }
lcov_ --capture --initial --directory "$folder" --base-directory . --no-external -o "$folder/none.info"
lcov_ --capture --directory "$folder" --base-directory . --no-external -o "$folder/some.info"
lcov_ -a "$folder/none.info" -a "$folder/some.info" -o "$folder/all.info"
lcov_ --remove "$folder/all.info" '*/tests/*' '*/bench/*' -o "$folder/psdvec.info"
quietly genhtml --quiet --branch-coverage --legend --title psdvec --prefix "$PWD" \
    --output-directory "$folder/html" "$folder/psdvec.info"
quietly lcov --quiet --list "$folder/psdvec.info" --rc lcov_branch_coverage=1
echo "HTML report: $folder/html/index.html"
