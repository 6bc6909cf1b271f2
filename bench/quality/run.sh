#!/bin/sh
# Measures the effect of each choice of the default preset: trains one model per line of variants.txt, scores all
# of them on test sets, each half of the questions separately, and prints a table for docs/explanation/quality.md.
#
#   bench/quality/run.sh TEXT WORK SET...
#
# TEXT is what psdvec count reads; WORK is a folder for counts and models, which are kept and reused; a SET is what
# psdvec eval reads. MIN_COUNT (20), VARIANTS (variants.txt) and TRAINING (options for all
# models, such as --dim 300) may be set. For analogies the better method is used. With SEEDS=2 each variant is
# also trained with a second seed, and a column shows how many of the ten nearest words the two models have in common
# (overlap.py; PYTHON, by default /usr/bin/python3, must have numpy).
set -eu

if [ $# -lt 3 ]; then
    echo "usage: $0 TEXT WORK SET..." >&2
    exit 2
fi
here=$(dirname "$0")
psdvec=${PSDVEC:-$here/../../build/psdvec}
variants=${VARIANTS:-$here/variants.txt}
python=${PYTHON:-/usr/bin/python3}
seeds=${SEEDS:-1}
text=$1 work=$2
shift 2
case $seeds in
1) ;;
2) "$python" "$here/overlap.py" --help >/dev/null ;;
*)
    echo "$0: SEEDS is $seeds; it must be 1 or 2" >&2
    exit 2
    ;;
esac
mkdir -p "$work"

# The letters and digits of a string, for a file name.
plain() { printf '%s' "$1" | tr -cs 'A-Za-z0-9.\n' '-' | sed 's/^-*//; s/-*$//'; }

scores() { # model | half | set...: lines of set, section, score
    model=$1 half=$2
    shift 2
    "$psdvec" eval "$model" "$@" --half "$half" --resamples 0 --format tsv -q
}

train() { # counts | model | options...
    counts=$1 model=$2
    shift 2
    # shellcheck disable=SC2086 # options are words
    [ -e "$model" ] || "$psdvec" train "$counts" -q ${TRAINING:-} "$@" -o "$model" </dev/null
}

grep -v '^#' "$variants" | while IFS='|' read -r name counting training; do
    name=$(echo "$name" | sed 's/ *$//')
    counts=$work/counts-$(plain "$counting").safetensors
    model=$work/model-$(plain "$name").safetensors
    if [ ! -e "$counts" ]; then
        # shellcheck disable=SC2086 # options are words
        "$psdvec" count "$text" -q --min-count "${MIN_COUNT:-20}" --window 10 --distance harmonic --oov drop \
            --subsample 1e-3 $counting -o "$counts" </dev/null
    fi
    # shellcheck disable=SC2086
    train "$counts" "$model" $training
    for half in first second; do
        scores "$model" $half "$@" </dev/null | sed "s/^/$name	$half	/"
    done
    if [ "$seeds" = 2 ]; then
        second=$work/model-$(plain "$name")-seed-1.safetensors
        # shellcheck disable=SC2086
        train "$counts" "$second" $training --seed 1
        common=$("$python" "$here/overlap.py" "$work/model-$(plain "$name").safetensors" "$second")
        printf '%s\tboth\ttwo seeds in common\t\t\t\t%s\n' "$name" "${common%% of *}"
    fi
done | awk -F'\t' -f "$here/table.awk"
