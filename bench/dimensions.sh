#!/bin/sh
# How training time grows with the number of dimensions, for psdvec train and for skip-gram (psdvec baseline sgns).
# Prints CSV for docs/data/dimensions.csv, which scripts/plot_quality.py draws.
#
#   bench/dimensions.sh TEXT
#
# CPU seconds cover the complete command, from text to vectors, with the defaults of both systems; skip-gram makes 5
# epochs. The commands take turns, REPEAT (1) times, and every run is printed. DIMS ("100 200 300 500") and MIN_COUNT
# (5) may be set.
set -eu

build=${BUILD:-build} psdvec=${PSDVEC:-${BUILD:-build}/psdvec} measure=${MEASURE:-$build/bench/measure}
text=${1:?usage: bench/dimensions.sh TEXT}
[ -r "$text" ] || { echo "$0: cannot read $text" >&2; exit 2; }
work=$(mktemp -d "${TMPDIR:-/tmp}/psdvec-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

run() { # system | dimensions | round | arguments of psdvec...
    printf '%s,%s,%s,' "$1" "$2" "$3"
    dim=$2
    shift 3
    rm -rf "$work"/model*
    "$measure" 1 "$psdvec" "$@" "$text" -q --min-count "${MIN_COUNT:-5}" --dim "$dim" -o "$work/model" |
        awk -v OFS=, '{ print $1, $2, $3 }'
}

echo "# bench/dimensions.sh TEXT: text to vectors with the defaults of both systems, --min-count ${MIN_COUNT:-5}"
echo "system,dimensions,round,wall_seconds,cpu_seconds,peak_mib"
round=1
while [ "$round" -le "${REPEAT:-1}" ]; do
    for dim in ${DIMS:-100 200 300 500}; do
        run psd "$dim" "$round" train
        run sgns "$dim" "$round" baseline sgns
    done
    round=$((round + 1))
done
