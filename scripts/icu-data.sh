#!/bin/sh
# Makes an object with the part of ICU's data that psdvec needs, for libraries that contain ICU.
#
#   scripts/icu-data.sh LIBICUDATA.a OUT.o
#
# ICU's data is one table of 30 MB, mostly for languages, time zones, collation and encodings.
# psdvec uses only word boundaries: their rules and dictionaries, and the
# properties and normalisation of characters that these refer to, 4 MB. ICU's own tool, icupkg,
# removes the rest.
#
# CC is the compiler; it may be a cross compiler. Needs GNU binutils and icupkg (Debian: icu-devtools).
set -eu
CC=${CC:-cc}
PATH=$PATH:/usr/sbin:/sbin
archive=$1 object=$2
# shellcheck disable=SC2086
tool() { $CC -print-prog-name="$1"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The data is the symbol icudtNN_dat, where NN is the version of ICU. The name of the file, icudtNN
# with a letter for the byte order, is part of the names of its items.
"$(tool nm)" -A --defined-only "$archive" 2>/dev/null >"$scratch/symbols"
symbol=$(sed -n 's/.* \(icudt[0-9]*_dat\)$/\1/p' "$scratch/symbols")
member=$(sed -n 's/^.*:\([^:]*\):.* icudt[0-9]*_dat$/\1/p' "$scratch/symbols")
name=${symbol%_dat}l.dat
"$(tool ar)" p "$archive" "$member" >"$scratch/whole.o"
"$(tool objcopy)" -O binary --only-section=.rodata --set-section-flags .rodata=alloc \
    "$scratch/whole.o" "$scratch/$name"

icupkg -l "$scratch/$name" | grep -v '^brkitr/\|^\(root\.res\|pool\.res\|nfkc\.nrm\|nfkc_cf\.nrm\|uemoji\.icu\|ulayout\.icu\)$' >"$scratch/others.txt"
mkdir "$scratch/kept"
icupkg --remove "$scratch/others.txt" "$scratch/$name" "$scratch/kept/$name"

cat >"$scratch/data.s" <<END
    .section .rodata
    .globl $symbol
    .hidden $symbol
    .balign 16
    .type $symbol, %object
$symbol:
    .incbin "$scratch/kept/$name"
    .size $symbol, . - $symbol
    .section .note.GNU-stack,"",%progbits
END
# shellcheck disable=SC2086
$CC -c "$scratch/data.s" -o "$object"
