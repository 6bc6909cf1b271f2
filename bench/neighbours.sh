#!/usr/bin/env bash
# Measures the search for neighbours of many vectors, with this library and with numpy alternately, in queries per second.
#
#   bench/neighbours.sh [MODEL]      needs build/bench (make bench-programs)
#
# Without MODEL: 29,541 random vectors of 500 dimensions. THREADS (all cores), ROUNDS (5) and
# SECONDS_EACH per measurement (2) may be set; PYTHON must have numpy (Debian: python3-numpy).
set -euo pipefail
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
PSDVEC=${PSDVEC:-$BUILD/psdvec}
PYTHON=${PYTHON:-/usr/bin/python3}
THREADS=${THREADS:-$(nproc)}
ROUNDS=${ROUNDS:-5}
SECONDS_EACH=${SECONDS_EACH:-2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

model=${1:-$work/model.safetensors}
[ $# -gt 0 ] || "$BUILD/bench/similar_many" make "$model" 29541 500
"$PSDVEC" convert --quiet --to npy "$model" "$work/vectors.npy"

for ((round = 0; round < ROUNDS; round++)); do
    "$BUILD/bench/similar_many" run "$model" "$THREADS" "$SECONDS_EACH" | sed 's/^/psdvec\t/'
    OPENBLAS_NUM_THREADS=$THREADS "$PYTHON" bench/neighbours.py "$work/vectors.npy" "$SECONDS_EACH" |
        sed 's/^/numpy\t256\t/'
done | awk -F'\t' -v threads="$THREADS" -v rounds="$ROUNDS" '
    { key = $1 "\t" $2; if (!(key in best)) keys[n++] = key; if ($3 > best[key]) best[key] = $3 }
    END {
        printf "%d threads, best of %d rounds\n\n| program | batch | queries a second | to numpy |\n|---|---|---|---|\n", threads, rounds
        for (k = 0; k < n; k++) {
            split(keys[k], part, "\t")
            printf "| %s | %s | %.0f | %.2f |\n", part[1], part[2], best[keys[k]], best[keys[k]] / best["numpy\t256"]
        }
    }'
