#!/bin/sh
# Prints the hardening flags that the compiler and its linker support.
#
#   scripts/hardening.sh compile     flags for every object
#   scripts/hardening.sh fortify     the level of _FORTIFY_SOURCE, for optimised objects
#   scripts/hardening.sh link        flags for programs and shared libraries
#   scripts/hardening.sh program     flags for programs only
#
# CC is the compiler. A flag is used if a program compiles with it without a warning.
set -u
CC=${CC:-cc}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
echo 'int main(void) { return 0; }' >"$scratch/empty.c"

# CC may hold options too ("ccache gcc"), and the flags are several words.
# shellcheck disable=SC2086
compiles() { $CC -Werror $1 -c "$scratch/empty.c" -o "$scratch/empty.o" 2>/dev/null; }
# shellcheck disable=SC2086
links() { $CC -Werror -fPIC $1 "$scratch/empty.c" -o "$scratch/empty" 2>/dev/null; }

# supported HOW FLAG...: all flags if they work together, else those that work alone.
supported() {
    how=$1
    shift
    if $how "$*"; then
        echo "$*"
        return
    fi
    found=
    for flag in "$@"; do
        ! $how "$flag" || found="$found $flag"
    done
    echo "$found"
}

# The features of processors: x86 (CET), ARM (branch target identification, pointer authentication).
case $($CC -dumpmachine 2>/dev/null) in
x86_64* | i[3-6]86*) branches=-fcf-protection=full ;;
aarch64* | arm64*) branches=-mbranch-protection=standard ;;
*) branches= ;;
esac

# Level 3 needs glibc 2.34 and a compiler that knows the sizes of dynamic objects; without them the
# headers fall back to 2. Other C libraries ignore the level.
# shellcheck disable=SC2086
fortify_level() {
    cat >"$scratch/level.c" <<'END'
#include <stdio.h>
#if defined(__USE_FORTIFY_LEVEL) && __USE_FORTIFY_LEVEL < 3
#error level 3 is not supported
#endif
END
    if $CC -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -c "$scratch/level.c" \
        -o "$scratch/level.o" 2>/dev/null; then
        echo 3
    else
        echo 2
    fi
}

case ${1:-} in
compile) supported compiles -fstack-protector-strong -fstack-clash-protection ${branches:+"$branches"} ;;
fortify) fortify_level ;;
link)
    supported links -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,--as-needed -Wl,--build-id=sha1
    ;;
program) supported links -pie ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
