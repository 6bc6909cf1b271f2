#!/usr/bin/env bash
# Runs the benchmarks: prints one Markdown report on standard output. Everything is
# measured in one run on one machine, so that ratios are meaningful even if the machine
# is shared and noisy. docs/explanation/benchmarks.md contains reports.
#
#   bash bench/run.sh [TEXT]      TEXT: a plain text; by default that of the demo
#
#   REPEAT=5            runs of each command, of which the median is used
#   MIN_COUNT=20        of the vocabulary
#   GLOVE=folder        with GloVe's vocab_count and cooccur, for comparison;
#                       they need GLOVE_TEXT, the text lower-cased and reduced
#                       to words and blanks beforehand
set -eu
build=${BUILD:-build} psdvec=${PSDVEC:-$build/psdvec} bench=$(realpath "$build")/bench
text=${1:-$build/demo/dictionaries.txt}
repeat=${REPEAT:-5} min_count=${MIN_COUNT:-20}
[ -r "$text" ] || { echo "bench: $text is not there; run 'make demo' first or name a text" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/psdvec-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
out=$work/out.safetensors

measure() { "$bench/measure" "$repeat" "$@"; }
field() { cut -f"$1" <<<"$2"; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.2f", a / b; else printf "?" }'; }
row() { # label, measurement, words, time to compare with, of that: wall or cpu
    local wall cpu peak
    wall=$(field 1 "$2") cpu=$(field 2 "$2") peak=$(field 3 "$2")
    printf '| %s | %s | %s | %s | %s | %s |\n' "$1" "$wall" "$cpu" "$peak" \
        "$(awk -v n="$3" -v t="$wall" 'BEGIN { printf "%.1f", n / t / 1e6 }')" "$4"
}

count=("$psdvec" count -q --window 5 --min-count "$min_count" -o "$out")
"${count[@]}" "$text"
words=$("$psdvec" counts info --no-verify --json "$out" | sed -n 's/.*"tokens": *\([0-9]*\).*/\1/p' | head -1)
cp "$text" "$work/text" && cat "$work/text" >/dev/null # in the page cache

echo "## $(basename "$text"): $words words, $(wc -c <"$text") bytes"
echo
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores; $("$psdvec" --version | head -1); window 5, min-count $min_count; median of $repeat"
echo
echo "| what | wall s | CPU s | peak MiB | million words/s | ratio |"
echo "|---|---|---|---|---|---|"

# The commands that are compared run alternately, so that a noisy period affects
# all of them; then the median of each is used.
medians() { # column by column
    awk -F'\t' '{ for (i = 1; i <= 3; i++) v[i, NR] = $i }
        END { for (i = 1; i <= 3; i++) { n = NR
            for (a = 1; a <= n; a++) for (b = a + 1; b <= n; b++)
                if (v[i, b] < v[i, a]) { t = v[i, a]; v[i, a] = v[i, b]; v[i, b] = t }
            printf "%s%s", v[i, int((n + 1) / 2)], i < 3 ? "\t" : "\n" } }' "$1"
}
for ((round = 0; round < repeat; round++)); do
    "$bench/measure" 1 "${count[@]}" --threads 1 "$work/text" >>"$work/one"
    "$bench/measure" 1 "${count[@]}" --threads 2 "$work/text" >>"$work/two"
    # shellcheck disable=SC2016
    [ -z "${GLOVE:-}" ] || "$bench/measure" 1 bash -c '"$0/vocab_count" -verbose 0 -min-count "$1" <"$2" >"$3/vocab" &&
        cd "$3" && "$0/cooccur" -verbose 0 -window-size 5 -memory 4 -vocab-file vocab <"$2" >cooccur.bin' \
        "$GLOVE" "$min_count" "${GLOVE_TEXT:?}" "$work" 2>/dev/null >>"$work/glove"
done
one=$(medians "$work/one") two=$(medians "$work/two")
if [ -n "${GLOVE:-}" ]; then
    glove=$(medians "$work/glove")
    g=$(field 1 "$glove")
    row "GloVe vocab_count + cooccur, text tokenised before" "$glove" "$words" "1"
    row "psdvec count, 1 thread" "$one" "$words" "$(ratio "$g" "$(field 1 "$one")") times GloVe"
    row "psdvec count, 2 threads" "$two" "$words" \
        "$(ratio "$g" "$(field 1 "$two")") times GloVe, $(ratio "$(field 1 "$one")" "$(field 1 "$two")") times 1 thread"
    rm -f "$work/cooccur.bin"
else
    row "psdvec count, 1 thread" "$one" "$words" ""
    row "psdvec count, 2 threads" "$two" "$words" "$(ratio "$(field 1 "$one")" "$(field 1 "$two")") times 1 thread"
fi
for memory in 256M 64M; do
    little=$(measure "${count[@]}" --threads 2 --memory $memory "$work/text")
    row "2 threads, --memory $memory" "$little" "$words" "$(ratio "$(field 1 "$little")" "$(field 1 "$two")") of the time without limit"
done
m=$(measure "${count[@]}" --threads 1 --subsample 1e-4 --distance linear "$work/text")
row "1 thread, subsample 1e-4, linear" "$m" "$words" ""
m=$(measure "${count[@]}" --threads 1 --tokenizer whitespace "$work/text")
row "1 thread, tokenizer whitespace" "$m" "$words" ""

echo
echo "| reading alone, 1 thread | wall s | CPU s | ratio of CPU |"
echo "|---|---|---|---|"
zstd -q -3 "$work/text" -o "$work/text.zst"
gzip -6 -c "$work/text" >"$work/text.gz"
reading() { # label, decompressor, file
    local alone ours
    # shellcheck disable=SC2086
    alone=$(measure $2 "$3") ours=$(measure "$bench/reading" "$3")
    printf '| %s alone | %s | %s | 1 |\n' "$2" "$(field 1 "$alone")" "$(field 2 "$alone")"
    printf '| %s, unpacked and cut by psdvec | %s | %s | %s |\n' "$1" "$(field 1 "$ours")" "$(field 2 "$ours")" \
        "$(ratio "$(field 2 "$ours")" "$(field 2 "$alone")")"
}
reading text cat "$work/text"
reading zst "zstd -dc --single-thread" "$work/text.zst"
reading gz "gzip -dc" "$work/text.gz"
for kind in zst gz; do
    m=$(measure "${count[@]}" --threads 2 "$work/text.$kind")
    printf '| counting the %s, 2 threads, everything | %s | %s | %s of the plain text |\n' $kind \
        "$(field 1 "$m")" "$(field 2 "$m")" "$(ratio "$(field 1 "$m")" "$(field 1 "$two")")"
done

echo
echo "| limit or kernel | unit | value |"
echo "|---|---|---|"
"$bench/bandwidth" | awk -F'\t' '{ printf "| memory, triad, %s threads | GB/s | %s |\n", $1, $2 }'
"$bench/kernels" | awk -F'\t' '{ printf "| %s | %s | %s |\n", $1, $2, $3 }'
"$bench/eval" | awk -F'\t' '{ printf "| %s | %s | %s |\n", $1, $2, $3 }'
"$bench/documents" | awk -F'\t' '{ printf "| %s | %s | %s |\n", $1, $2, $3 }'

echo
echo "| search among 70,000 vectors of 300 numbers | threads | GB/s | ms | share of reading alone |"
echo "|---|---|---|---|---|"
(cd "$work" && "$bench/neighbours") | awk -F'\t' '{ printf "| %s | %s | %s | %s | %s |\n", $2, $1, $3, $4, $5 }'
