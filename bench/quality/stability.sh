#!/bin/sh
# How much the nearest neighbours of words change with the seed and with the text, for psdvec train, skip-gram (sgns)
# and SVD. Prints a Markdown table for docs/explanation/quality.md: the share of the ten nearest words that two models have in common.
#
#   bench/quality/stability.sh TEXT WORK
#
# TEXT is a plain text file with one document per line. WORK is a folder for parts of the text, counts and models; what is
# already there is not made again. Each system is trained on TEXT with two seeds, on TEXT without every hundredth line,
# and on the odd and the even lines. MIN_COUNT (20) and DIM (300) may be set. psd and svd use the same
# counts, those of the default preset. PYTHON (/usr/bin/python3) must have numpy.
set -eu

if [ $# -ne 2 ]; then
    echo "usage: $0 TEXT WORK" >&2
    exit 2
fi
text=$1 work=$2
if [ ! -f "$text" ]; then
    echo "$0: $text is not a file" >&2
    exit 2
fi
here=$(dirname "$0")
psdvec=${PSDVEC:-$here/../../build/psdvec}
python=${PYTHON:-/usr/bin/python3}
min_count=${MIN_COUNT:-20} dim=${DIM:-300}
"$python" "$here/overlap.py" --help >/dev/null
mkdir -p "$work"

lines() { # part | condition of awk: WORK/part.txt, the lines of TEXT that meet it
    [ -e "$work/$1.txt" ] || awk "$2" "$text" >"$work/$1.new"
    [ -e "$work/$1.txt" ] || mv "$work/$1.new" "$work/$1.txt"
}

model() { # system | part | seed: WORK/system-part-seed.safetensors
    input=$work/$2.txt counts=$work/$2.counts.safetensors
    [ "$2" != whole ] || input=$text
    if [ ! -e "$counts" ]; then
        "$psdvec" count "$input" -q --min-count "$min_count" --window 10 --distance harmonic --oov drop \
            --subsample 1e-3 -o "$counts"
    fi
    output=$work/$1-$2-$3.safetensors
    [ ! -e "$output" ] || return 0
    echo "$1, $2, seed $3" >&2
    case $1 in
    psd) "$psdvec" train "$counts" -q --dim "$dim" --seed "$3" -o "$output" ;;
    svd) "$psdvec" baseline svd "$counts" -q --dim "$dim" --seed "$3" -o "$output" ;;
    sgns) "$psdvec" baseline sgns "$input" -q --min-count "$min_count" --dim "$dim" --seed "$3" -o "$output" ;;
    esac
}

cell() { # system | part | seed | part | seed | options of overlap.py: the overlap of the two models
    model "$1" "$2" "$3"
    model "$1" "$4" "$5"
    a=$work/$1-$2-$3.safetensors b=$work/$1-$4-$5.safetensors
    shift 5
    common=$("$python" "$here/overlap.py" "$@" "$a" "$b")
    echo "${common%% of *}"
}

row() { # label | system | options of overlap.py
    label=$1 system=$2
    shift 2
    seeds=$(cell "$system" whole 0 whole 1 "$@")
    left_out=$(cell "$system" whole 0 most 0 "$@")
    halves=$(cell "$system" odd 0 even 0 "$@")
    echo "| $label | $seeds | $left_out | $halves |"
}

lines most 'NR % 100 != 0'
lines odd 'NR % 2 == 1'
lines even 'NR % 2 == 0'

echo "| | two seeds | one document in a hundred left out | two halves of the text |"
echo "|---|---|---|---|"
row psd psd
row 'psd, generative vectors' psd --raw
row svd svd
row sgns sgns
