#!/usr/bin/env bash
# Compares finding and joining phrases with word2phrase: prints one Markdown table on standard output, and
# whether both join the same phrases. One pass, from text to joined text; CPU time, medians of rounds.
#
#   WORD2PHRASE=program bash bench/phrases.sh TEXT     TEXT: words and blanks, one document per line
#
#   REPEAT=3  THRESHOLD=100  MIN_COUNT=5
#
# Without WORD2PHRASE only psdvec is timed.
set -eu
build=${BUILD:-build} psdvec=${PSDVEC:-$build/psdvec} bench=$build/bench
text=${1:?usage: WORD2PHRASE=program bash bench/phrases.sh TEXT}
repeat=${REPEAT:-3} threshold=${THRESHOLD:-100} min_count=${MIN_COUNT:-5} word2phrase=${WORD2PHRASE:-}
[ -x "$bench/measure" ] || { echo "bench: $bench/measure is not there; make bench-programs" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/psdvec-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

phrases() { tr ' ' '\n' <"$1" | grep _ | LC_ALL=C sort | uniq -c; }

if [ -n "$word2phrase" ]; then
    "$bench/measure" "$repeat" "$word2phrase" -train "$text" -output "$work/theirs" -threshold "$threshold" \
        -min-count "$min_count" | tail -n 1 >"$work/theirs.times"
fi
for threads in 1 2; do
    "$bench/measure" "$repeat" "$psdvec" phrases "$text" --tokenizer whitespace --passes 1 --threshold "$threshold" \
        --min-count "$min_count" --threads $threads -q -o "$work/ours" >"$work/ours.$threads.times"
done

echo "| | wall s | CPU s | MiB |"
echo "|---|---|---|---|"
[ ! -e "$work/theirs.times" ] || awk '{ printf "| word2phrase | %.1f | %.1f | %.0f |\n", $1, $2, $3 }' "$work/theirs.times"
for threads in 1 2; do
    awk -v t=$threads '{ printf "| psdvec phrases, threads: %d | %.1f | %.1f | %.0f |\n", t, $1, $2, $3 }' "$work/ours.$threads.times"
done
[ -z "$word2phrase" ] || if cmp -s <(phrases "$work/theirs") <(phrases "$work/ours"); then
    echo "The same phrases, as often: $(phrases "$work/ours" | wc -l) of them."
else
    echo "The phrases differ."
    exit 1
fi
