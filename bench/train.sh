#!/usr/bin/env bash
# Runs the benchmarks of training: prints one Markdown report on standard output. The
# commands that are compared alternate in rounds; all runs are shown, and medians are used.
# docs/explanation/benchmarks.md contains a report.
#
#   bash bench/train.sh TEXT      TEXT: anything that psdvec count reads
#
#   REPEAT=3            rounds
#   THREADS="1 2"       numbers of threads; ratios are to the first
#   PARTS="paper text noncore solve"      the parts to run
#   MIN_COUNT=20 CORE=25000               for vocabulary and core
#   DIM=500 PAPER_DIM=500                 for the default preset and for the paper's settings
#   CORES=5000,10000,20000                smaller cores, to see how time grows
#   SGEMM=4096          rows of the matrices of the reference product
#   WORD2VEC=program    the original word2vec, for comparison. It is timed on the first WORD2VEC_MB=4
#                       megabytes with the vocabulary of the complete text, and the time of
#                       five epochs is extrapolated from that
set -eu
build=${BUILD:-build} psdvec=${PSDVEC:-$build/psdvec} bench=$build/bench
text=${1:?usage: bash bench/train.sh TEXT}
repeat=${REPEAT:-3} parts=${PARTS:-paper text noncore solve}
min_count=${MIN_COUNT:-20} core=${CORE:-25000} dim=${DIM:-500} paper_dim=${PAPER_DIM:-500}
cores=${CORES:-5000,10000,20000} side=${SGEMM:-4096} slice=${WORD2VEC_MB:-4}
read -ra threads <<<"${THREADS:-1 2}"
[ -r "$text" ] || { echo "bench: $text is not there" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/psdvec-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

has() { [[ " $parts " == *" $1 "* ]]; }
say() { echo "bench: $*" >&2; }
member() { # of the result in a log; 0 if it is not there
    sed -n 's/.*"event": "result".*"'"$2"'": \([0-9.]*\).*/\1/p' "$1" | grep . || echo 0
}
reckon() { awk "BEGIN { printf(\"$1\", ($2)) }"; } # format, formula
ratio() { reckon %.2f "$2 > 0 ? $1 / $2 : 0"; }
column() { cut -f"$2" "$work/$1"; }             # name, column: all runs
runs() { column "$1" "$2" | paste -sd' '; }
median() { # name, column
    column "$1" "$2" | sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# Columns of the output of train in a file: wall, CPU, peak MiB, seconds of counting,
# targets, solving, regression, words by regression, per second and thread, targets and solving, read-out.
train() { # name, threads, arguments...
    local name=$1.$2 t=$2 log=$work/log usage
    shift 2
    say "$name"
    rm -rf "$work"/model* "$log"
    usage=$("$bench/measure" 1 "$psdvec" train -q --restart --threads "$t" --log "$log" -o "$work/model" "$@")
    local count link solve regression others
    count=$(member "$log" count_seconds) link=$(member "$log" link_seconds)
    solve=$(member "$log" solve_seconds) regression=$(member "$log" regression_seconds)
    others=$(($(member "$log" words) - $(member "$log" core_words)))
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$usage" "$count" "$link" "$solve" "$regression" "$others" \
        "$(reckon %.0f "$regression > 0 ? $others / $regression / $t : 0")" "$(reckon %.3f "$link + $solve")" \
        "$(member "$log" readout_seconds)" \
        >>"$work/$name"
}

count() { # threads
    say "count.$1"
    rm -f "$work/again"
    "$bench/measure" 1 "$psdvec" count -q --window 3 --min-count "$min_count" --threads "$1" -o "$work/again" "$text" \
        >>"$work/count.$1"
}

sgemm() { # threads
    say "sgemm.$1"
    "$bench/sgemm" "$side" 1 "$1" | cut -f3,4 >>"$work/sgemm.$1"
}

word2vec() { # threads
    say "word2vec.$1"
    "$WORD2VEC" -train "$work/slice" -read-vocab "$work/vocab" -output "$work/vectors" -binary 1 -cbow 0 \
        -size "$dim" -window 5 -negative 5 -hs 0 -sample 1e-3 -iter 1 -min-count "$min_count" -threads "$1" |
        tr '\r' '\n' | sed -n 's/.*Words\/thread\/sec: \([0-9.]*\)k.*/\1/p' | tail -1 |
        awk '{ printf "%.0f\n", 1000 * $1 }' >>"$work/word2vec.$1"
}

# ---- Preparation: counts, and the text in the form that word2vec needs ---------------------
say "counting"
cat "$text" >/dev/null # in the page cache
narrow=$work/narrow.safetensors wide=$work/wide.safetensors # of the paper, and of the default preset
"$psdvec" count -q --window 3 --min-count "$min_count" -o "$narrow" "$text"
"$psdvec" count -q --window 10 --distance harmonic --oov drop --subsample 1e-3 --min-count "$min_count" -o "$wide" "$text"
"$psdvec" counts info --no-verify --json "$narrow" >"$work/info"
words=$(sed -n 's/.*"tokens": *\([0-9]*\).*/\1/p' "$work/info" | head -1)
vocabulary=$(sed -n 's/.*"words": *\([0-9]*\).*/\1/p' "$work/info" | head -1)
if [ -n "${WORD2VEC:-}" ] && has text; then
    "$psdvec" tokenize -q "$text" -o "$work/tokens"
    head -c $((slice << 20)) "$work/tokens" >"$work/slice"
    trained=$("$WORD2VEC" -train "$work/tokens" -save-vocab "$work/vocab" -min-count "$min_count" |
        tr '\r' '\n' | sed -n 's/Words in train file: //p')
    rm "$work/tokens"
fi

# ---- The rounds ------------------------------------------------------------------------------
for ((round = 1; round <= repeat; round++)); do
    for t in "${threads[@]}"; do
        sgemm "$t"
        ! has paper || count "$t"
        ! has paper || train paper "$t" --preset paper --core "$core" --dim "$paper_dim" "$narrow"
        ! has text || train text "$t" --min-count "$min_count" --dim "$dim" "$text"
        [ -z "${trained:-}" ] || word2vec "$t"
        if has noncore; then
            train factored "$t" --core "$core" --dim "$dim" --iterations 1 "$wide"
            train raw "$t" --preset paper --core "$core" --dim "$dim" --iterations 1 "$narrow"
        fi
    done
done

# ---- The report --------------------------------------------------------------------------------
first=${threads[0]}
echo "## Training: $words words of text, $vocabulary of vocabulary"
echo
echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores; $("$psdvec" --version | head -1); min-count $min_count; medians of $repeat rounds"
echo
echo "| yardstick | threads | runs s | s | Gflop/s |"
echo "|---|---|---|---|---|"
for t in "${threads[@]}"; do
    printf '| sgemm %s | %s | %s | %.3f | %.1f |\n' "$side" "$t" "$(runs "sgemm.$t" 1)" "$(median "sgemm.$t" 1)" "$(median "sgemm.$t" 2)"
done

row() { # label, name, threads: complete runs
    printf '| %s | %s | %s | %.2f | %.2f | %.0f | %.1f | %s |\n' "$1" "$3" "$(runs "$2.$3" 1)" \
        "$(median "$2.$3" 1)" "$(median "$2.$3" 2)" "$(median "$2.$3" 3)" \
        "$(ratio "$(median "$2.$3" 1)" "$(median "sgemm.$3" 1)")" "$(ratio "$(median "$2.$first" 1)" "$(median "$2.$3" 1)")"
}
stages() { # label, name, threads
    local m=() c
    for c in 4 5 6 7 11; do m+=("$(median "$2.$3" "$c")"); done
    printf '| %s | %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |\n' "$1" "$3" "${m[@]}" \
        "$(ratio "$(median "$2.$3" 10)" "$(median "sgemm.$3" 1)")"
}
trained_rows() { # row or stages
    for t in "${threads[@]}"; do
        ! has paper || "$1" "preset paper, $core core words, $paper_dim dimensions, from counts" paper "$t"
    done
    for t in "${threads[@]}"; do
        ! has text || "$1" "default preset, all words, $dim dimensions, from text" text "$t"
    done
}
if has paper || has text; then
    echo
    echo "Times sgemm: wall time divided by that of one sgemm on as many threads. Core: targets and solving."
    echo
    echo "| what | threads | runs, wall s | wall s | CPU s | peak MiB | times sgemm | speed-up over $first thread |"
    echo "|---|---|---|---|---|---|---|---|"
    for t in "${threads[@]}"; do
        ! has paper || row 'count, window 3' count "$t"
    done
    trained_rows row
    echo
    echo "| stages | threads | counting s | targets s | solving s | regression s | read-out s | core, times sgemm |"
    echo "|---|---|---|---|---|---|---|---|"
    trained_rows stages
fi
if has noncore; then
    echo
    echo "| noncore words, $core core words, $dim dimensions | threads | words | runs, words/s per core | words/s per core |"
    echo "|---|---|---|---|---|"
    for kind in factored raw; do
        for t in "${threads[@]}"; do
            printf '| %s weights | %s | %.0f | %s | %.0f |\n' "$kind" "$t" "$(median "$kind.$t" 8)" "$(runs "$kind.$t" 9)" "$(median "$kind.$t" 9)"
        done
    done
fi
if [ -n "${trained:-}" ]; then
    echo
    echo "word2vec: skip-gram, $dim dimensions, window 5, 5 negative samples, the same vocabulary. The runs are the words per"
    echo "second and thread that it reports (CPU time, without reading the vocabulary) on the first $slice MB; the seconds are"
    echo "extrapolated from them to 5 epochs of all $trained words."
    echo
    echo "| text to vectors | threads | runs | s | times word2vec |"
    echo "|---|---|---|---|---|"
    for t in "${threads[@]}"; do
        theirs=$(reckon %.1f "5 * $trained / ($(median "word2vec.$t" 1) * $t)")
        ours=$(median "text.$t" 1)
        printf '| word2vec, 5 epochs (extrapolated) | %s | %s words/s per thread | %s | 1 |\n' "$t" "$(runs "word2vec.$t" 1)" "$theirs"
        printf '| psdvec, default preset | %s | %s s | %.2f | %s |\n' "$t" "$(runs "text.$t" 1)" "$ours" "$(ratio "$theirs" "$ours")"
    done
fi
if has solve; then
    for t in "${threads[@]}"; do
        printf '\n### Parts of solving: the paper'\''s setting, threads: %s\n\n' "$t"
        "$bench/solve" -p paper -d "$paper_dim" -c "$cores,$core" -t "$t" "$narrow"
    done
    for t in "${threads[@]}"; do
        printf '\n### Parts of solving: the default, threads: %s\n\n' "$t"
        "$bench/solve" -p default -d "$dim" -c "$cores,all" -t "$t" "$wide"
    done
fi
