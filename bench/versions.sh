#!/usr/bin/env bash
# Compares two builds of psdvec: are they equally fast, and do they write the same vectors? The
# builds alternate in rounds, in reverse order every second round. Prints a
# Markdown table of medians and of the median of the ratios of each round.
#
#   bash bench/versions.sh OLD NEW TEXT      OLD, NEW: programs; TEXT: anything that count reads
#
#   REPEAT=5                                 rounds
#   THREADS=2                                of each run
#   PARTS="count paper default"              the parts to run
#   MIN_COUNT=20 CORE=25000 DIM=500          for vocabulary, core and both trainings
set -eu
old=${1:?usage: bash bench/versions.sh OLD NEW TEXT} new=${2:?NEW is missing} text=${3:?TEXT is missing}
build=${BUILD:-build} bench=$build/bench
repeat=${REPEAT:-5} parts=${PARTS:-count paper default} threads=${THREADS:-2}
min_count=${MIN_COUNT:-20} core=${CORE:-25000} dim=${DIM:-500}
work=$(mktemp -d "${TMPDIR:-/tmp}/psdvec-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

run() { # program, part, output
    local common=(-q --threads "$threads" -o "$3")
    rm -rf "$3" "$3".*
    case $2 in
    count) "$bench/measure" 1 "$1" count "${common[@]}" --min-count "$min_count" "$text" ;;
    paper) "$bench/measure" 1 "$1" train "${common[@]}" --restart --preset paper --core "$core" --dim "$dim" "$work/counts" ;;
    default) "$bench/measure" 1 "$1" train "${common[@]}" --restart --min-count "$min_count" --dim "$dim" "$text" ;;
    esac
}

# The tensors of a safetensors file: the data after the header, whose length is in the first eight bytes.
tensors() {
    tail -c +$((9 + $(od -An -N8 -tu8 "$1"))) "$1" | cksum
}

median() { sort -n | awk '{ v[NR] = $1 } END { printf("%.3f", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2) }'; }

"$old" count -q --threads "$threads" --min-count "$min_count" -o "$work/counts" "$text"
echo "| what | old: wall s, CPU s, MiB | new: wall s, CPU s, MiB | wall new/old | CPU new/old | tensors |"
echo "|---|---|---|---|---|---|"
for part in $parts; do
    for ((round = 1; round <= repeat; round++)); do
        echo "bench: $part, round $round of $repeat" >&2
        if ((round % 2)); then order="old new"; else order="new old"; fi
        for which in $order; do
            if [ "$which" = old ]; then program=$old; else program=$new; fi
            run "$program" "$part" "$work/$which" >>"$work/$part.$which"
        done
    done
    same=equal
    [ "$(tensors "$work/old")" = "$(tensors "$work/new")" ] || same=DIFFER
    paste "$work/$part.old" "$work/$part.new" >"$work/both"
    cells=()
    for column in 1 2 3 4 5 6; do
        cells+=("$(cut -f$column "$work/both" | median)")
    done
    echo "| $part | ${cells[0]}, ${cells[1]}, ${cells[2]} | ${cells[3]}, ${cells[4]}, ${cells[5]} |" \
        "$(awk '{ print $4 / $1 }' "$work/both" | median) | $(awk '{ print $5 / $2 }' "$work/both" | median) | $same |"
done
