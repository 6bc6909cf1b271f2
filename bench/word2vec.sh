#!/usr/bin/env bash
# Compares skip-gram and CBOW with the original word2vec: prints one Markdown table on standard output. The
# two alternate in rounds, with complete commands from text to vectors; medians are used.
#
#   WORD2VEC=program bash bench/word2vec.sh TEXT     TEXT: words and blanks, one document per line
#
#   REPEAT=3            rounds
#   THREADS="1 2"       numbers of threads
#   MODELS="sgns cbow"  the models to train
#   EPOCHS=1            (word2vec as published runs only one epoch with one thread, regardless of its option)
#   MIN_COUNT=20 DIM=300 WINDOW=5 NEGATIVE=5 SAMPLE=1e-3
#
# Without WORD2VEC only psdvec is timed. State the compiler flags of word2vec when you quote a
# ratio: -Ofast -march=native gains a factor of 1.4 over its own Makefile.
set -eu
build=${BUILD:-build} psdvec=${PSDVEC:-$build/psdvec} bench=$build/bench
text=${1:?usage: WORD2VEC=program bash bench/word2vec.sh TEXT}
repeat=${REPEAT:-3} models=${MODELS:-sgns cbow} epochs=${EPOCHS:-1} min_count=${MIN_COUNT:-20}
dim=${DIM:-300} window=${WINDOW:-5} negative=${NEGATIVE:-5} sample=${SAMPLE:-1e-3} word2vec=${WORD2VEC:-}
read -ra threads <<<"${THREADS:-1 2}"
[ -r "$text" ] || { echo "bench: $text is not there" >&2; exit 1; }
[ -x "$bench/measure" ] || { echo "bench: $bench/measure is not there; make bench-programs" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/psdvec-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

median() { # file, column
    cut -f"$2" "$1" | sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

ours() { # model, threads
    local flag=() name=$work/ours.$1.$2
    [ "$1" = sgns ] || flag=(--cbow)
    "$bench/measure" 1 "$psdvec" baseline sgns -q --restart "$text" ${flag[@]+"${flag[@]}"} --threads "$2" --dim "$dim" \
        --window "$window" --negative "$negative" --subsample "$sample" --epochs "$epochs" --min-count "$min_count" \
        --tokenizer whitespace -o "$work/ours" >>"$name"
}

theirs() { # model, threads
    local cbow=0 name=$work/theirs.$1.$2
    [ "$1" = sgns ] || cbow=1
    "$bench/measure" 1 "$word2vec" -train "$text" -output "$work/theirs" -cbow $cbow -threads "$2" -size "$dim" \
        -window "$window" -negative "$negative" -hs 0 -sample "$sample" -iter "$epochs" -min-count "$min_count" \
        -binary 1 2>/dev/null | tail -n 1 >>"$name"
}

for ((round = 0; round < repeat; round++)); do
    for model in $models; do
        for t in "${threads[@]}"; do
            echo "bench: round $((round + 1)) of $repeat, $model, $t threads" >&2
            [ -z "$word2vec" ] || theirs "$model" "$t"
            ours "$model" "$t"
        done
    done
done

words=$(($(wc -w <"$text") * epochs))
line() { # title, file, threads, file to compare with
    local wall cpu than=
    wall=$(median "$2" 1) cpu=$(median "$2" 2)
    [ ! -e "$4" ] || than=$(awk "BEGIN { printf \"%.1f\", $(median "$4" 1) / $wall }")
    awk "BEGIN { printf \"| %s | %.2f | %.2f | %.0f | %.0f | %s |\n\", \"$1\", $wall, $cpu, $(median "$2" 3),
        $words / $wall, \"$than\" }"
}
echo "$words words in $epochs epochs; $dim dimensions, window $window, $negative noise words, sample $sample, words seen"
echo "$min_count times; medians of $repeat"
echo
echo "| what | wall s | CPU s | peak MiB | words/s | times word2vec |"
echo "|---|---|---|---|---|---|"
for model in $models; do
    for t in "${threads[@]}"; do
        reference=$work/theirs.$model.$t
        [ -z "$word2vec" ] || line "word2vec, $model, threads: $t" "$reference" "$t" "$reference"
        line "psdvec, $model, threads: $t" "$work/ours.$model.$t" "$t" "$reference"
    done
done
