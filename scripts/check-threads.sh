#!/bin/sh
# Runs the program on four threads, in several ways, under the thread sanitizer; the counts must be
# the same bits each time. Prints TAP.
set -u
program=${PSDVEC:?}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
number=0 failed=no
check() { # description, command...
    number=$((number + 1))
    what=$1
    shift
    if "$@" >"$scratch/out" 2>&1 && ! grep -q 'WARNING: ThreadSanitizer' "$scratch/out"; then
        echo "ok $number - $what"
    else
        echo "not ok $number - $what"
        sed 's/^/# /' "$scratch/out"
        failed=yes
    fi
}

# About 2 MB of words with a frequent head and a long tail, the same every time.
awk 'BEGIN {
    x = 42
    for (line = 0; line < 20000; line++) {
        text = ""
        for (i = 0; i < 15; i++) {
            x = (x * 16807) % 2147483647
            u = x / 2147483647
            text = text "w" int(5000 * u * u * u) " "
        }
        print text
    }
}' >"$scratch/text.txt"
mkdir "$scratch/parts"
split -l 4000 "$scratch/text.txt" "$scratch/parts/part-"
gzip -k "$scratch/text.txt"

count() { "$program" count "$@" --tokenizer whitespace --min-count 1 --window 5 -q; }
same() { cmp "$scratch/one.safetensors" "$1"; }
many() { # output, arguments
    out=$scratch/$1
    shift
    count "$@" --threads 4 -o "$out" && same "$out"
}
check "one thread" count "$scratch/text.txt" --threads 1 -o "$scratch/one.safetensors"
check "four threads on one file" many a.safetensors "$scratch/text.txt"
check "four threads on little memory" many b.safetensors "$scratch/text.txt" --memory 64M
check "four threads on a folder" count "$scratch/parts" --threads 4 -o "$scratch/c.safetensors"
check "four threads behind a decompressor" count "$scratch/text.txt.gz" --threads 4 -o "$scratch/d.safetensors"
check "a merge on four threads" "$program" counts merge "$scratch/one.safetensors" \
    "$scratch/a.safetensors" -o "$scratch/e.safetensors" --threads 4 -q
check "a dump" "$program" counts dump "$scratch/one.safetensors" --top 10 --threads 4
train() { # threads: with the default preset, so with the complete read-out
    "$program" train "$scratch/one.safetensors" --core 300 --dim 24 --threads "$1" -o "$scratch/$1.model" -q
}
trained() { train 1 && train "$1" && cmp "$scratch/1.model" "$scratch/$1.model"; }
check "training on two threads" trained 2
check "training on five threads" trained 5
awk 'BEGIN { for (i = 0; i < 3000; i++) { printf "w%d", i; for (k = 0; k < 60; k++) printf " %g", sin(i * k); print "" } }' \
    >"$scratch/vectors.txt"
convert() { "$program" convert "$1" -o "$2" --threads "$3" -q; }
both() { # from, to: the same on one thread and on four
    convert "$1" "$scratch/1$2" 1 && convert "$1" "$scratch/4$2" 4 && cmp "$scratch/1$2" "$scratch/4$2"
}
check "vectors read on four threads" both "$scratch/vectors.txt" .safetensors
check "vectors written on four threads" both "$scratch/1.safetensors" .vec
check "neighbours on four threads" "$program" similar "$scratch/1.safetensors" w5 w7 --threads 4
awk 'BEGIN { for (i = 0; i < 500; i++) printf "w%d w%d %d\n", i, 7 * i % 3000, i % 11 }' >"$scratch/pairs.txt"
awk 'BEGIN { for (i = 0; i < 500; i++) printf "w%d w%d w%d w%d\n", i, i + 1, i + 2, i + 3 }' >"$scratch/analogies.txt"
evaluate() { "$program" eval "$scratch/1.safetensors" "$scratch/pairs.txt" "$scratch/analogies.txt" --resamples 200 --threads "$1" -o "$scratch/$1.scores"; }
scores() { evaluate 1 && evaluate 4 && cmp "$scratch/1.scores" "$scratch/4.scores"; }
check "scores on four threads" scores
echo "1..$number"
[ $failed = no ]
