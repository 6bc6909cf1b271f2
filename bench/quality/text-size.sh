#!/bin/sh
# How scores grow with the amount of text: trains psdvec, skip-gram and GloVe on nested parts of a text and prints
# the scores as CSV for docs/data/text-size.csv, which scripts/plot_quality.py draws.
#
#   bench/quality/text-size.sh TEXT WORK SET...
#
# TEXT is a plain text file with one document per line. A part is every N-th line; STRIDES ("64 32 16 8 4") lists the
# values of N, and ONLY_PSD (1) those for which only psdvec is trained. WORK is a folder for parts and models; models
# that are already there are not trained again. SET is a test set that psdvec eval reads. DIM (100) is the number of
# dimensions.
#
# All models have the same vocabulary: the words that occur at least MIN_COUNT (5) times in the smallest part. So all
# of them answer the same questions from the same candidates, and only the amount of text differs. The systems:
#
#   psd          psdvec train with its defaults
#   psd-plain    the same without spelling and word order
#   sgns         psdvec baseline sgns with its defaults, which are word2vec's (5 epochs)
#   sgns-epochs  the same with more epochs on small parts, so that every part takes as many steps as the largest one
#   glove        psdvec baseline glove with its defaults but --x-max 10, which GloVe's own example uses for small texts
#
# CPU seconds cover the complete command, from text to vectors. NICE (10) is the niceness of all commands.
set -eu

if [ $# -lt 3 ]; then
    echo "usage: $0 TEXT WORK SET..." >&2
    exit 2
fi
here=$(dirname "$0")
psdvec=${PSDVEC:-$here/../../build/psdvec}
measure=${MEASURE:-$here/../../build/bench/measure}
strides=${STRIDES:-64 32 16 8 4} only_psd=${ONLY_PSD-1} dim=${DIM:-100}
text=$1 work=$2
shift 2
mkdir -p "$work"
smallest=${strides%% *} largest=${strides##* }

part() { # stride: WORK/STRIDE.txt
    [ -e "$work/$1.txt" ] || awk -v n="$1" 'NR % n == 1 || n == 1' "$text" >"$work/$1.new"
    [ -e "$work/$1.txt" ] || mv "$work/$1.new" "$work/$1.txt"
}

train() { # system | stride | arguments of psdvec...: WORK/SYSTEM-STRIDE.safetensors, .cpu with the output of measure
    model=$work/$1-$2.safetensors cpu=$work/$1-$2.cpu
    echo "$1, every $2-th line" >&2
    shift 2
    [ -e "$cpu" ] || nice -n "${NICE:-10}" "$measure" 1 "$psdvec" "$@" -q --vocab "$work/vocabulary.safetensors" \
        --dim "$dim" -o "$model" >"$cpu.new"
    [ -e "$cpu" ] || mv "$cpu.new" "$cpu"
}

tokens() { # stride: tokens of the part, in the vocabulary or not
    [ -e "$work/$1.tokens" ] || "$psdvec" count -q --window 1 --min-count 1000000 --keep the --log "$work/log.count" \
        -o "$work/tokens.safetensors" "$work/$1.txt"
    [ -e "$work/$1.tokens" ] || sed -n 's/.*"event": "result".*"tokens": \([0-9]*\).*/\1/p' "$work/log.count" >"$work/$1.tokens"
    cat "$work/$1.tokens"
}

row() { # system | stride | SET...
    system=$1 stride=$2 words=$(tokens "$2")
    shift 2
    nice -n "${NICE:-10}" "$psdvec" eval "$work/$system-$stride.safetensors" "$@" --format tsv -q -o "$work/scores.tsv"
    awk -F'\t' -v OFS=, -v name="$system" -v words="$words" -v cpu="$(cut -f 2 "$work/$system-$stride.cpu")" '
        NR > 1 && $2 == "" { print name, words, cpu, $1, $3, $5, $6, $7, $8, $9 }' "$work/scores.tsv"
}

part "$smallest"
if [ ! -e "$work/vocabulary.safetensors" ]; then
    "$psdvec" count "$work/$smallest.txt" -q --min-count "${MIN_COUNT:-5}" -o "$work/vocabulary.safetensors"
fi
echo "# bench/quality/text-size.sh TEXT WORK SET...: $dim dimensions, parts of every N-th line, N = $strides $only_psd"
echo "system,words,cpu_seconds,set,measure,score,low,high,known,total"
for stride in $strides $only_psd; do
    part "$stride"
    train psd "$stride" train "$work/$stride.txt"
    row psd "$stride" "$@"
    train psd-plain "$stride" train "$work/$stride.txt" --spelling off --order off
    row psd-plain "$stride" "$@"
    case " $only_psd " in *" $stride "*) continue ;; esac
    train sgns "$stride" baseline sgns "$work/$stride.txt"
    row sgns "$stride" "$@"
    if [ "$stride" != "$largest" ]; then
        train sgns-epochs "$stride" baseline sgns "$work/$stride.txt" --epochs $((5 * stride / largest))
        row sgns-epochs "$stride" "$@"
    fi
    train glove "$stride" baseline glove "$work/$stride.txt" --x-max 10
    row glove "$stride" "$@"
done
