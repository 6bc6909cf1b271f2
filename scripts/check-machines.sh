#!/bin/sh
# Trains the same models as on processors of other kinds, and compares them. Prints TAP.
#
#   scripts/check-machines.sh TEXT
#
# Besides the program in $BUILD, three programs are built: one whose kernels for AVX-512 run on
# emulated instructions (tests/support/avx512_emulated.h), one without AVX2, and one with plain C
# only (PORTABLE=1). The last two also use the oldest kernels of OpenBLAS and the functions of the C
# library for processors without AVX and FMA. Counts must have the same bits everywhere, and models
# those of AVX-512; other models must not differ by more than LARGEST in any cosine
# (scripts/compare_models.py). Needs an x86-64 processor with AVX2 and numpy.
set -u
build=${BUILD:-build} make=${MAKE:-make} largest=${LARGEST:-0.01}
text=${1:?usage: check-machines.sh TEXT}
skip() {
    echo "1..0 # SKIP $*"
    exit 0
}
grep -q 'flags.* avx2' /proc/cpuinfo 2>/dev/null || skip "the processor has no AVX2"
python3 -c 'import numpy' 2>/dev/null || skip "there is no numpy"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
number=0 failed=no
report() {
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else
        failed=yes
        echo "not ok $number - $2"
    fi
}

mkdir "$work/source"
tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$work/source"
# The compiler must not use AVX-512 by itself.
kernels=$work/source/src/solve/regression_kernels.c
sed -e 's/,avx512f,avx512bw,avx512vnni//' \
    -e 's|^#include <immintrin.h>|&\n#include "../tests/support/avx512_emulated.h"|' \
    src/solve/regression_kernels.c >"$kernels"
program() {
    folder=$1
    shift
    (cd "$work/source" && $make --no-print-directory DEPS=no WEB=no MICROHTTPD=no "BUILD=$folder" "$@" program) \
        >"$work/log" 2>&1 || {
        sed 's/^/# /' "$work/log"
        echo "Bail out! The program does not build."
        exit 1
    }
}
program avx512
cp src/solve/regression_kernels.c "$kernels"
program sse2 CPPFLAGS=-DPV_AVX2=0
program plain PORTABLE=1

# Each in its own folder, so that the files have the same names.
mkdir "$work/this" "$work/avx512" "$work/sse2" "$work/plain"
train() {
    name=$1 with=$2
    (cd "$work/$name" &&
        "$with" count "$text" --document line --threads 1 -q -o counts &&
        "$with" train counts --dim 100 --threads 1 -q -o default &&
        "$with" train counts --preset paper --dim 100 --core 2000 --threads 1 -q -o paper &&
        "$with" train counts --dim 300 --threads 1 -q -o 300 &&
        "$with" train counts --dim 300 --core 2000 --threads 1 -q -o noncore)
    report $? "$name: counts and trains"
}
text=$(realpath "$text")
train this "$(realpath "$build/psdvec")"
train avx512 "$work/source/avx512/psdvec"
OPENBLAS_CORETYPE=Prescott GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX
export OPENBLAS_CORETYPE GLIBC_TUNABLES
train sse2 "$work/source/sse2/psdvec"
train plain "$work/source/plain/psdvec"

for name in avx512 sse2 plain; do
    cmp "$work/this/counts" "$work/$name/counts"
    report $? "$name: the counts have the same bits"
    for model in default paper 300 noncore; do
        if [ $name = avx512 ]; then
            cmp "$work/this/$model" "$work/$name/$model"
            report $? "$name: the model ($model) has the same bits"
        else
            result=$(python3 scripts/compare_models.py "$work/this/$model" "$work/$name/$model")
            echo "$result" | awk -v most="$largest" '{ exit !($3 + 0 <= most) }'
            report $? "$name: $model: $result"
        fi
    done
done
echo "1..$number"
[ $failed = no ]
