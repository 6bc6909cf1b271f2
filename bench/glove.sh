#!/usr/bin/env bash
# Compares this GloVe with the authors' program: seconds per epoch on the same counts with the same
# threads, in alternating rounds; all runs are shown, and medians are used. Prints one Markdown report
# on standard output.
#
#   bash bench/glove.sh COUNTS GLOVE...     COUNTS: a counts file; GLOVE: the authors' `glove`, one
#                                           or several builds of it
#
#   REPEAT=3                    rounds
#   THREADS="1 2"               numbers of threads
#   DIM=300 X_MAX=10            for both
#   EPOCHS=2                    per run; the time of an epoch is the difference to a run with one
#                               epoch less, so that reading and writing are not included
#   SHUFFLE=program             the authors' `shuffle`; by default the one in the folder of the first GLOVE
#   FLAGS="-O3 -march=native"   description of the builds, one for each GLOVE, separated by |
set -eu
build=${BUILD:-build} psdvec=${PSDVEC:-$build/psdvec}
counts=${1:?usage: bash bench/glove.sh COUNTS GLOVE...}
shift
[ $# -gt 0 ] || { echo "bench: name the authors' program" >&2; exit 1; }
repeat=${REPEAT:-3} dim=${DIM:-300} x_max=${X_MAX:-10} epochs=${EPOCHS:-2}
read -ra threads <<<"${THREADS:-1 2}"
shuffle=${SHUFFLE:-$(dirname "$1")/shuffle}
IFS='|' read -ra flags <<<"${FLAGS:-}"
work=$(mktemp -d "${TMPDIR:-/tmp}/psdvec-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

say() { echo "bench: $*" >&2; }
seconds() { # command...: wall and CPU
    local TIMEFORMAT='%R %U %S'
    { time "$@" >"$work/out" 2>"$work/err"; } 2>&1 | awk '{ print $1, $2 + $3 }'
}
ours() { # threads, epochs
    seconds "$psdvec" baseline glove "$counts" -q --restart --dim "$dim" --x-max "$x_max" \
        --threads "$1" --epochs "$2" -o "$work/model"
}
theirs() { # threads, epochs, program
    seconds "$3" -input-file "$work/shuffled" -vocab-file "$work/vocab" -save-file "$work/vectors" \
        -binary 1 -vector-size "$dim" -x-max "$x_max" -threads "$1" -iter "$2" -seed 1 -verbose 0
}
epoch() { # name, threads, function, program: a line of wall and CPU seconds of one epoch
    say "$1, $2 threads"
    local less more
    less=$("$3" "$2" $((epochs - 1)) "${4:-}") more=$("$3" "$2" "$epochs" "${4:-}")
    echo "$less $more" | awk '{ printf "%.2f\t%.2f\n", $3 - $1, $4 - $2 }' >>"$work/$1.$2"
}
median() { # name, column
    cut -f"$2" "$work/$1" | sort -n |
        awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}
ratio() { awk "BEGIN { printf \"%.2f\", $1 / $2 }"; }
[ "$epochs" -gt 1 ] || { echo "bench: EPOCHS must be 2 or more" >&2; exit 1; }

say "the same counts for the authors' program, shuffled"
"$psdvec" counts export "$counts" --format glove --symmetric --vocab-output "$work/vocab" -q -o "$work/cells"
"$shuffle" -verbose 0 -memory 4 -temp-file "$work/temp" <"$work/cells" >"$work/shuffled" 2>"$work/err"
cells=$(($(stat -c %s "$work/cells") / 16))
rm "$work/cells"

for ((round = 1; round <= repeat; round++)); do
    for t in "${threads[@]}"; do
        epoch ours "$t" ours
        for ((k = 1; k <= $#; k++)); do
            epoch "theirs-$k" "$t" theirs "${!k}"
        done
    done
done

echo "$cells cells, $(wc -l <"$work/vocab") words, $dim dimensions, x_max $x_max; seconds of one epoch, wall (CPU), medians of $repeat."
echo "$("$psdvec" --version), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) cores."
for ((k = 1; k <= $#; k++)); do
    echo "GloVe $k: ${flags[k - 1]:-flags not said}"
done
echo
echo "| program | threads | seconds | ratio to psdvec | all runs |"
echo "|---|---|---|---|---|"
for t in "${threads[@]}"; do
    base=$(median "ours.$t" 1) base_cpu=$(median "ours.$t" 2)
    for ((k = 0; k <= $#; k++)); do
        name=ours.$t shown=psdvec
        [ "$k" -eq 0 ] || name=theirs-$k.$t shown="GloVe $k"
        wall=$(median "$name" 1) cpu=$(median "$name" 2)
        echo "| $shown | $t | $wall ($cpu) | $(ratio "$wall" "$base") ($(ratio "$cpu" "$base_cpu")) | $(cut -f1 "$work/$name" | paste -sd' ') |"
    done
done
