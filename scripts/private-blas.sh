#!/bin/sh
# Makes the private copy of OpenBLAS that libpsdvec contains (src/base/blas.h).
#
#   scripts/private-blas.sh find
#       prints the static archive of a serial OpenBLAS that this compiler links, if any
#   scripts/private-blas.sh make ARCHIVE GUARD.o NAMES.h OUT.o OUT.so
#       links GUARD.o (src/base/blas_private.c) with the members of ARCHIVE that the
#       functions listed in NAMES.h (src/base/blas.h) need, under the names given there,
#       and makes every other symbol local. In OUT.o, which goes into the libraries, the
#       names are hidden; OUT.so exports them, so that a hundred test programs need not
#       contain a copy each. Kernels for complex numbers, more than half of the code, are
#       left out.
#
# CC is the compiler; it may be a cross compiler. Needs GNU binutils.
set -eu
CC=${CC:-cc}

# CC may contain options ("ccache gcc"), so it is not quoted.
# shellcheck disable=SC2086
tool() { $CC -print-prog-name="$1"; }

# Debian and Ubuntu install the serial build in a separate folder. An archive elsewhere, named by
# the variable BLAS_ARCHIVE of the Makefile, is checked when it is used.
# shellcheck disable=SC2086
find_archive() {
    archive=$($CC -print-file-name=openblas-serial/libopenblas.a)
    [ ! -f "$archive" ] || readlink -f "$archive"
}

# Links the required members of the archive into $1, with the linker script $2 if given.
# shellcheck disable=SC2046,SC2086
gather() {
    $CC -r -nostdlib $(sed 's/ .*//; s/^/-Wl,-u,/' "$scratch/rename") \
        -Wl,--wrap=blas_memory_alloc -Wl,--wrap=blas_memory_free \
        -Wl,--wrap=mmap -Wl,--wrap=munmap -Wl,--wrap=getenv \
        "$guard" ${2:-} "$archive" -o "$1"
}

# OpenBLAS chooses its kernels for the processor from one table per type of processor, and the
# tables refer to every kernel. Those of the types complex and double complex, like
# cgemm_kernel_n_HASWELL, are replaced by a stub in the tables, unless some code refers to one
# directly or there is any other function for complex numbers.
leave_out_complex() {
    awk '$2 == "T" && $3 !~ /_[A-Z][A-Z0-9_]*$/ { sub(/^cblas_/, "", $3); if ($3 ~ /^i?[cz]/) exit 1 }' \
        "$scratch/symbols" || return 0
    awk '$2 == "T" && $3 ~ /^i?[cz][a-z0-9_]*_[A-Z][A-Z0-9_]*$/ { print $3 " = pv_blas_left_out;" }' \
        "$scratch/symbols" >"$scratch/complex.ld"
    [ -s "$scratch/complex.ld" ] || return 0
    gather "$scratch/real.o" "$scratch/complex.ld"
    "$(tool readelf)" -rW "$scratch/real.o" | awk '
        FNR == NR { left_out[$1]; next }
        /^Relocation section/ { table = $3 ~ /\.data/ }
        !table { for (i = 1; i <= NF; i++) if ($i in left_out) found = 1 }
        END { exit found }' "$scratch/complex.ld" - || return 0
    mv "$scratch/real.o" "$scratch/all.o"
}

# shellcheck disable=SC2086
make_copy() {
    archive=$1 guard=$2 names=$3 object=$4 shared=$5
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    awk '$1 == "#define" && $3 ~ /^pv_blas_/ { print $2, $3 }' "$names" >"$scratch/rename"
    {
        cut -d ' ' -f 2 "$scratch/rename"
        echo pv_blas_reserve
    } >"$scratch/keep"
    gather "$scratch/all.o"

    # A threaded build would start its threads when the library is loaded.
    "$(tool nm)" "$scratch/all.o" >"$scratch/symbols"
    if grep -q ' blas_thread_init$\| omp_get_' "$scratch/symbols"; then
        echo "$archive is a build of OpenBLAS with threads; a serial one is needed" >&2
        exit 1
    fi
    # The guard learns the size of a buffer from the call of mmap (src/base/blas_private.c).
    if [ "$("$(tool ar)" p "$archive" memory.o >"$scratch/memory.o" &&
        "$(tool nm)" "$scratch/memory.o" | grep -c ' U mmap$')" != 1 ]; then
        echo "$archive does not map its work buffers with mmap; use BLAS=shared" >&2
        exit 1
    fi
    if grep ' U _gfortran_' "$scratch/symbols" >&2; then
        echo "$archive needs more of the Fortran runtime than src/base/blas_private.c provides" >&2
        exit 1
    fi
    while read -r name _; do
        if ! grep -q " T $name\$" "$scratch/symbols"; then
            echo "$archive does not have $name" >&2
            exit 1
        fi
    done <"$scratch/rename"
    leave_out_complex

    "$(tool objcopy)" --redefine-syms="$scratch/rename" "$scratch/all.o" "$scratch/renamed.o"
    "$(tool objcopy)" --keep-global-symbols="$scratch/keep" --strip-unneeded \
        "$scratch/renamed.o" "$scratch/open.o"
    $CC -shared -Wl,-soname,"${shared##*/}" "$scratch/open.o" -lm -pthread -o "$shared"
    # A hidden reference makes the definition hidden.
    {
        sed 's/^/.hidden /' "$scratch/keep"
        echo '.section .note.GNU-stack,"",%progbits'
    } >"$scratch/hide.s"
    $CC -c "$scratch/hide.s" -o "$scratch/hide.o"
    $CC -r -nostdlib "$scratch/hide.o" "$scratch/open.o" -o "$object"
}

case ${1:-} in
find) find_archive ;;
make) shift && make_copy "$@" ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
