#!/bin/sh
# Static analysis: scripts/lint.sh 'COMPILER FLAGS' FILE.c...
# Uses clang-tidy, cppcheck and shellcheck, whichever are installed.
set -u

# One file through clang-tidy, without its count of suppressed warnings.
if [ "$1" = --one ]; then
    # shellcheck disable=SC2086
    clang-tidy --quiet "$2" -- $LINT_FLAGS 2>/dev/null || exit 1
    exit 0
fi

flags=$1
shift
failed=no
have() {
    command -v "$1" >/dev/null 2>&1 && return 0
    echo "$1 is not installed (make deps-dev): skipped"
    return 1
}

if have clang-tidy; then
    echo "clang-tidy: $# files"
    printf '%s\0' "$@" |
        LINT_FLAGS=$flags xargs -0 -n 1 -P "${JOBS:-1}" sh "$0" --one || failed=yes
fi
if have cppcheck; then
    echo "cppcheck: $# files"
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
        --suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches \
        -j "${JOBS:-1}" -D_GNU_SOURCE -D__GNUC__ -Iinclude -Isrc \
        --error-exitcode=1 "$@" || failed=yes
fi
if have shellcheck; then
    echo "shellcheck"
    shellcheck scripts/*.sh tests/*.sh bench/*.sh bindings/python/tests/*.sh debian/tests/program debian/tests/python debian/tests/c-program .ci/run || failed=yes
fi
[ $failed = no ] && echo "nothing found"
[ $failed = no ]
