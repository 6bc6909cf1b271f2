#!/bin/sh
# Checks that the program and the shared library are hardened (docs/explanation/hardening.md). Reads
# them with readelf. Prints TAP.
#
#   tests/check_hardening.sh          check the build in $BUILD, and that the checker can fail
#
# BUILD is the folder of the build, CC its compiler. A property that the compiler or the linker does
# not support is not expected.
#
# The tests of properties are called by name (SC2317), and the list of objects is split (SC2086).
# shellcheck disable=SC2317,SC2086
set -u
build=${BUILD:-build}
CC=${CC:-cc}
root=$(dirname "$0")/..
number=0 failed=no
result() { # passed? | description | details
    number=$((number + 1))
    if [ "$1" = yes ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        [ -z "$3" ] || printf '%s\n' "$3" | sed 's/^/# /'
        failed=yes
    fi
}
finish() {
    echo "1..$number"
    [ $failed = no ]
    exit
}
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}
command -v readelf >/dev/null 2>&1 || skip_all "readelf is not installed"
[ "$(uname -s)" = Linux ] || skip_all "the properties are those of ELF files"

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
$CC -dumpmachine >"$scratch/machine"

supported=" $(CC=$CC sh "$root/scripts/hardening.sh" compile) $(CC=$CC sh "$root/scripts/hardening.sh" link) \
$(CC=$CC sh "$root/scripts/hardening.sh" program) "
expected() { case $supported in *" $1 "*) true ;; *) false ;; esac }

# Each of these says whether a file has a property.
is_pie() { readelf -hW "$1" | grep -q 'Type: *DYN' && readelf -dW "$1" | grep -q 'FLAGS_1.*PIE'; }
has_relro() { readelf -lW "$1" | grep -q ' GNU_RELRO '; }
binds_now() { readelf -dW "$1" | grep -qE '\((FLAGS|FLAGS_1)\).*(BIND_NOW|NOW)|\(BIND_NOW\)'; }
# Not "RWE"; a file without the header gets an executable stack.
has_plain_stack() { readelf -lW "$1" | grep ' GNU_STACK ' | grep -q ' RW  *0x'; }
has_no_text_relocations() { ! readelf -dW "$1" | grep -q 'TEXTREL'; }
has_no_search_path() { ! readelf -dW "$1" | grep -qE '\((RPATH|RUNPATH)\)'; }
has_build_id() { readelf -nW "$1" | grep -q 'Build ID: [0-9a-f]\{40\}'; }
check() { # property | file | description
    if "$1" "$2"; then result yes "$3" ""; else result no "$3" "$2: $1 is false"; fi
}
check_elf() { # file | its name
    ! expected -Wl,-z,relro || check has_relro "$1" "$2 has read-only relocations"
    ! expected -Wl,-z,now || check binds_now "$1" "$2 binds its symbols when it is loaded"
    ! expected -Wl,-z,noexecstack || check has_plain_stack "$1" "$2 has a stack that is not executable"
    ! expected -Wl,--build-id=sha1 || check has_build_id "$1" "$2 has a build id"
    check has_no_text_relocations "$1" "$2 has no relocations in its code"
    check has_no_search_path "$1" "$2 has no search path for libraries"
}
check_elf "$build/psdvec" "the program"
! expected -pie || check is_pie "$build/psdvec" "the program is position-independent"
for library in "$build"/libpsdvec.so.*.*.*; do
    check_elf "$library" "the library"
done

# What cannot be seen in the linked files is checked in our objects: OpenBLAS also has stack
# protectors and calls checked functions, and the linker keeps the mark of guarded branches only if
# all objects have it, also those of the C library and of OpenBLAS.
objects=$(find "$build/src" "$build/cli" -name '*.o' | LC_ALL=C sort | while read -r object; do
    source=${object%.o}.c
    [ ! -f "$source" ] && [ ! -f "$root/${source#"$build/"}" ] || echo "$object"
done)
symbols() { readelf -sW "$@" | awk '$7 == "UND" { print $8 }' | sort -u; }
# Objects without a note for -fcf-protection=full or -mbranch-protection=standard.
unguarded() {
    readelf -nW "$@" 2>/dev/null | awk '
        /^File: / { if (file != "" && !good) print file; file = $2; good = 0 }
        /x86 feature: .*IBT.*SHSTK/ || /AArch64 feature: .*BTI/ { good = 1 }
        END { if (file != "" && !good) print file }'
}
symbols $objects >"$scratch/symbols"
if expected -fstack-protector-strong; then
    grep -q '^__stack_chk_fail' "$scratch/symbols" && found=yes || found=no
    result $found "our functions have stack protectors" ""
fi
if grep -q gnu "$scratch/machine"; then
    grep -qE '^__(v?snprintf|memcpy|pread64)_chk$' "$scratch/symbols" && found=yes || found=no
    result $found "our functions call checked functions (_FORTIFY_SOURCE)" ""
fi
if expected -fcf-protection=full || expected -mbranch-protection=standard; then
    bare=$(unguarded $objects | head -n 5)
    [ -z "$bare" ] && found=yes || found=no
    result $found "all our objects guard their indirect branches" "$bare"
fi

# The checker itself: a program without any of this has none of the properties.
cat >"$scratch/plain.c" <<'END'
#include <stdio.h>
int main(int count, char **names)
{
    char text[100];
    return sprintf(text, "%s", names[0]) + count;
}
END
case $(uname -m) in aarch64) weak=-mbranch-protection=none ;; x86_64) weak=-fcf-protection=none ;; *) weak= ;; esac
if $CC -O1 -U_FORTIFY_SOURCE -fno-stack-protector $weak -no-pie -fno-pie -Wl,-z,norelro -Wl,-z,lazy \
    -Wl,-z,execstack -Wl,-rpath,/nowhere -Wl,--build-id=none "$scratch/plain.c" -o "$scratch/plain" \
    2>/dev/null; then
    for property in is_pie has_relro binds_now has_plain_stack has_no_search_path \
        has_build_id; do
        if $property "$scratch/plain"; then
            result no "finds that a plain program lacks $property" "it did not"
        else
            result yes "finds that a plain program lacks $property" ""
        fi
    done
    $CC -O1 -U_FORTIFY_SOURCE -fno-stack-protector $weak -c "$scratch/plain.c" -o "$scratch/plain.o"
    symbols "$scratch/plain.o" | grep -q '_chk' && found=no || found=yes
    result $found "finds that a plain object has no checks" ""
    [ -n "$(unguarded "$scratch/plain.o" "$scratch/plain.o")" ] && found=yes || found=no
    result $found "finds that a plain object does not guard its branches" ""
fi
finish
