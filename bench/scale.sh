#!/usr/bin/env bash
# Counts and trains on more and more text within one memory limit, extends the models and uses them,
# and prints a Markdown table: time and memory against the number of words.
# docs/explanation/scale.md contains a report.
#
#   bash bench/scale.sh [TEXT...]    real texts, which come first; the rest is drawn by zipf_text
#
#   WORDS="10000000 100000000 1000000000 2000000000"    numbers of words
#   REAL=0                  number of words in the texts
#   MEMORY=8G THREADS=2     of each run
#   MIN_COUNT=100           smallest frequency of a word; or the numbers for each of WORDS
#   PARTS="count train"     the parts to run; also extend (by the new words of NEW words of text),
#                           and use (info, similar, eval, convert, explore and map)
#   NEW=10000000            length of the text of extend
#   DIM=300 CORE=25000      of the model
#   WORK=folder             for counts and models, which are kept; default: a temporary folder
set -eu
build=${BUILD:-build} psdvec=$(realpath "${PSDVEC:-$build/psdvec}") bench=$(realpath "$build/bench")
read -ra words <<<"${WORDS:-10000000 100000000 1000000000 2000000000}"
read -ra least <<<"${MIN_COUNT:-100}"
real=${REAL:-0} memory=${MEMORY:-8G} threads=${THREADS:-2} parts=${PARTS:-count train}
dim=${DIM:-300} core=${CORE:-25000} new=${NEW:-10000000}
if [ -n "${WORK:-}" ]; then
    mkdir -p "$WORK" && work=$WORK
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/psdvec-bench.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi

has() { [[ " $parts " == *" $1 "* ]]; }
member() { # of the result in a log
    sed -n 's/.*"event": "result".*"'"$2"'": \([0-9.]*\).*/\1/p' "$1" | grep . || echo 0
}
mib() { awk "BEGIN { printf(\"%.0f\", $1 / 1048576) }"; }
text() { # words
    if [ "$real" -gt 0 ]; then
        for file in "${inputs[@]}"; do
            case $file in *.zst) zstdcat "$file" ;; *.gz) zcat "$file" ;; *) cat "$file" ;; esac
        done | awk -v left="$1" 'left > 0 { print } { left -= NF }'
    fi
    [ "$1" -le "$real" ] || "$bench/zipf_text" $(($1 - real))
}
# The options of the default preset.
counting=(--document line --window 10 --distance harmonic --oov drop --subsample 1e-3 --hold-out 5000)
inputs=("$@")

echo "| words | step | wall s | CPU s | million words per CPU s | peak MiB | temporary MiB | result |"
echo "|--:|---|--:|--:|--:|--:|--:|---|"
row() { # words, step, measurement, temporary bytes, result
    read -r wall cpu peak <<<"$3"
    echo "| $1 | $2 | $wall | $cpu | $(awk "BEGIN { printf(\"%.2f\", $1 / 1e6 / $cpu) }") | $peak | $(mib "$4") | $5 |"
}
for k in "${!words[@]}"; do
    n=${words[$k]} min_count=${least[$k]:-${least[-1]}}
    counts=$work/$n.counts.safetensors model=$work/$n.safetensors log=$work/$n.log
    if has count; then
        # The measured program reads the text from a pipe, so the time of drawing it does not count as
        # CPU time; wall time includes waiting for it.
        text "$n" | "$bench/measure" 1 "$psdvec" count - "${counting[@]}" --min-count "$min_count" \
            --memory "$memory" --threads "$threads" -q --log "$log" -o "$counts" >"$work/measured"
        row "$n" count "$(cat "$work/measured")" "$(member "$log" spilled_bytes)" \
            "$(member "$log" words) words, $(member "$log" bigrams) pairs, $(mib "$(stat -c %s "$counts")") MiB"
    fi
    if has train; then
        "$bench/measure" 1 "$psdvec" train "$counts" --dim "$dim" --core "$core" --memory "$memory" \
            --threads "$threads" --restart -q --log "$log" -o "$model" >"$work/measured"
        row "$n" train "$(cat "$work/measured")" "$(member "$log" spilled_bytes)" \
            "$(member "$log" core_words) core words, $(mib "$(stat -c %s "$model")") MiB"
    fi
    if has extend; then
        "$bench/zipf_text" "$new" 2 | "$bench/measure" 1 "$psdvec" extend "$model" - --memory "$memory" \
            --threads "$threads" -q --log "$log" -o "$work/$n.extended.safetensors" >"$work/measured"
        row "$n" extend "$(cat "$work/measured")" 0 "$(member "$log" new_words) new words"
        rm "$work/$n.extended.safetensors"
    fi
    if has use; then
        use() { # step, command...
            row "$n" "$1" "$("$bench/measure" 1 "$psdvec" "${@:2}" --memory "$memory" --threads "$threads")" 0 ""
        }
        use info info "$model"
        use similar similar "$model" a e i
        use eval eval "$model"
        use convert convert "$model" "$work/$n.bin" -q
        use "explore --get" explore "$model" --map-words 0 --get '/api/v1/similar?positive=a'
        use map map "$model" -q -o "$work/$n.map.tsv"
        rm "$work/$n.bin" "$work/$n.map.tsv"
    fi
done
