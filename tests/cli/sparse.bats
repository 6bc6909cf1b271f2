# Sparse models: baseline ppmi, and every command that takes a model.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    for line in 'the king rules the land' 'the queen rules the land' 'the king sleeps at night' \
        'the dog barks at night' 'the cat sleeps at night' 'the dog sleeps at home' \
        'a cat and a dog' 'a king and a queen'; do
        yes "$line" | head -n 8
    done >text.txt
    "$PSDVEC" count text.txt --min-count 1 --window 2 -o text.counts -q
    "$PSDVEC" baseline ppmi text.counts -o ppmi.safetensors -q
}

# All values as text.
dense() { "$PSDVEC" convert ppmi.safetensors --to word2vec -o dense.vec -q; }

@test "values agree with the formula" {
    "$PSDVEC" counts dump text.counts --format tsv | rows | awk -F '\t' '!/^#/ { print $1, $2, $3 }' >pairs
    "$PSDVEC" vector ppmi.safetensors king queen dog --tsv | rows >numbers
    awk 'FNR == NR { x[$1, $2] += $3; x[$2, $1] += $3; r[$1] += $3; r[$2] += $3; next }
         FNR == 1 { for (j in r) D += r[j] ^ 0.75 }
         { wanted = log(x[$1, $3] * D / (r[$1] * r[$3] ^ 0.75))
           if ((wanted - $4) ^ 2 > 1e-10) { print $0, wanted; bad = 1 }
           seen[$1] = 1; got[$1, $3] = 1; lines++ }
         END { for (i in seen) for (j in r)
                   if (x[i, j] && log(x[i, j] * D / (r[i] * r[j] ^ 0.75)) > 1e-6 && !got[i, j]) {
                       print i, j, "is missing"; bad = 1 }
               exit bad || lines < 10 }' pairs numbers
}

@test "text and its counts give the same vectors, for any number of threads" {
    "$PSDVEC" baseline ppmi text.txt --min-count 1 --window 2 --threads 1 -o one.safetensors -q
    "$PSDVEC" baseline ppmi text.txt --min-count 1 --window 2 --threads 4 -o four.safetensors -q
    cmp one.safetensors four.safetensors
    "$PSDVEC" vector one.safetensors king land >a
    "$PSDVEC" vector ppmi.safetensors king land >b
    cmp a b
    [ ! -e one.safetensors.partial ]
}

@test "a larger shift leaves fewer nonzero values, and one that leaves none is refused" {
    "$PSDVEC" baseline ppmi text.counts --shift 2 -o few.safetensors -q
    many=$("$PSDVEC" info ppmi.safetensors --json | jq .entries)
    few=$("$PSDVEC" info few.safetensors --json | jq .entries)
    [ "$few" -gt 0 ]
    [ "$few" -lt "$many" ]
    refused 3 "lower --shift" baseline ppmi text.counts --shift 1000 -o none.safetensors
    [ ! -e none.safetensors ]
    refused 2 "--shift must be a number above 0" baseline ppmi text.counts --shift 0 -o none.safetensors
    refused 2 "is a counts file" baseline ppmi text.counts --window 3 -o none.safetensors
}

@test "info shows the method and the density" {
    "$PSDVEC" info ppmi.safetensors --verify >shown
    grep -q '^  method  *ppmi$' shown
    grep -q '^  dimensions  *14, one per word$' shown
    grep -q '^  sparse  *[0-9]* nonzero components, [0-9.]*% of all, [0-9]* per word$' shown
    "$PSDVEC" info ppmi.safetensors --json |
        jq -e '.method == "ppmi" and .sparse and .directions_are_words and .entries > 0
               and (.density - .entries / .words / .dim | fabs) < 1e-6' >/dev/null
    "$PSDVEC" train text.counts --dim 3 -o psd.safetensors -q
    "$PSDVEC" info psd.safetensors --json | jq -e '.method == "psd" and (.sparse | not)' >/dev/null
    dense
    "$PSDVEC" info dense.vec --json | jq -e '.method == null' >/dev/null
}

# 3CosMul is excluded: a file that does not record the method ppmi gets the other variant.
@test "queries have the same answers as on dense vectors" {
    dense
    for question in 'similar king queen' 'similar king -queen +dog' 'analogy king queen dog' \
        'odd-one-out king queen dog night'; do
        read -ra asked <<<"$question"
        "$PSDVEC" "${asked[0]}" ppmi.safetensors "${asked[@]:1}" --tsv | cut -f 1-3 | grep -v $'\tmul\t' >a
        "$PSDVEC" "${asked[0]}" dense.vec "${asked[@]:1}" --tsv | cut -f 1-3 | grep -v $'\tmul\t' >b
        diff a b
    done
}

@test "scores are the same as on dense vectors" {
    dense
    printf 'king queen 9\ndog cat 8\nking night 2\ncat land 1\nowl cat 5\n' >pairs.txt
    printf 'king queen dog cat\nking rules dog barks\nthe a king queen\n' >analogies.txt
    printf 'king | queen | night | home\ndog | cat | rules | owl\n' >choices.txt
    printf 'king\tperson\nqueen\tperson\ndog\tanimal\ncat\tanimal\n' >groups.txt
    for rule in drop zero mean spelling; do
        for model in ppmi.safetensors dense.vec; do
            "$PSDVEC" eval "$model" pairs.txt analogies.txt choices.txt groups.txt \
                --unknown "$rule" --format tsv --resamples 0 -q | cut -f 1-3,5- | grep -v 3cosmul >"$model.scores"
        done
        diff ppmi.safetensors.scores dense.vec.scores
    done
}

@test "compare shows the contexts that two words share" {
    "$PSDVEC" compare ppmi.safetensors king queen >shown
    grep -q '^  *PPMI with' shown
    grep -q '^  Shared contexts ' shown
    grep -q '^  rules ' shown
    run ! grep -q 'PMI$' shown
    [ "$(wc -L <shown)" -le 80 ]
    "$PSDVEC" compare ppmi.safetensors king queen --json >json
    # The parts of all contexts would add up to the cosine.
    jq -e '(.contexts | length) > 1 and ([.contexts[].part] | add) <= .cosine + 1e-6 and
           all(.contexts[]; .value_a > 0 and .value_b > 0)' json >/dev/null
}

@test "vector prints the nonzero values with their words" {
    "$PSDVEC" vector ppmi.safetensors king >line
    [ "$(wc -l <line)" -eq 1 ]
    grep -qE '^king .*rules:[0-9.]+' line
    "$PSDVEC" vector ppmi.safetensors king --tsv | rows >table
    [ "$(wc -l <table)" -eq "$(($(wc -w <line) - 1))" ]
    "$PSDVEC" vector ppmi.safetensors king --json >json
    jq -e '.word == "king" and .dim == 14 and all(.entries[]; .direction > 0 and .value > 0) and
           any(.entries[]; .word == "rules")' json >/dev/null
}

@test "conversion keeps the model sparse, or writes all values" {
    "$PSDVEC" convert ppmi.safetensors copy.safetensors -q
    cmp ppmi.safetensors copy.safetensors
    "$PSDVEC" convert ppmi.safetensors small.safetensors --words 5 --dim 4 -q
    "$PSDVEC" info small.safetensors --json | jq -e '.sparse and .words == 5 and .dim == 4' >/dev/null
    dense
    [ "$(head -n 1 dense.vec)" = "14 14" ]
    [ "$(sed -n 2p dense.vec | wc -w)" -eq 15 ]
    "$PSDVEC" convert ppmi.safetensors all.npy -q
    [ "$(wc -l <all.words.txt)" -eq 14 ]
    refused 2 "omit --precision" convert ppmi.safetensors x.safetensors --int8
    refused 2 "omit --precision" convert ppmi.safetensors x.safetensors --float16
}

@test "commands that need a generative model name the method of any other" {
    only='its vectors were trained by ppmi; only models made by psdvec train'
    refused 4 "$only have probabilities" score ppmi.safetensors text.txt
    refused 4 "$only have probabilities" next ppmi.safetensors the king
    refused 4 "$only have probabilities" explain ppmi.safetensors text.txt
    refused 4 "$only have probabilities" generate ppmi.safetensors
    refused 4 "$only have probabilities" fit-temperature ppmi.safetensors text.txt
    refused 4 "$only can be extended" extend ppmi.safetensors text.txt -o more.safetensors
    refused 4 "$only have targets" residuals ppmi.safetensors text.counts
    refused 4 "$only have targets" compare ppmi.safetensors king queen --counts text.counts
    "$PSDVEC" baseline svd text.counts --dim 3 -o svd.safetensors -q
    refused 4 "trained by svd" score svd.safetensors text.txt
    refused 4 "trained by svd" extend svd.safetensors text.txt -o more.safetensors
    refused 4 "trained by svd" residuals svd.safetensors text.counts
    "$PSDVEC" compare svd.safetensors king queen >shown
    run ! grep -q PMI shown
    # The words alone are sufficient for this command.
    "$PSDVEC" interaction -M ppmi.safetensors text.txt --top 1 >/dev/null
}

# claims DIM FILE: huge.safetensors, FILE with this number of dimensions in its header.
claims() {
    local length header
    length=$(od -An -t u8 -N 8 "$2" | tr -d ' ')
    header=$(tail -c +9 "$2" | head -c "$length" | sed "s/\"dim\": *\"[0-9]*\"/\"dim\":\"$1\"/")
    while [ $((${#header} % 8)) -ne 0 ]; do header+=' '; done
    printf '%b' "\\x$(printf %02x $((${#header} % 256)))\\x$(printf %02x $((${#header} / 256)))\\0\\0\\0\\0\\0\\0" >huge.safetensors
    printf %s "$header" >>huge.safetensors
    tail -c +$((9 + length)) "$2" >>huge.safetensors
}

@test "a small file that declares very long vectors stays within the memory budget" {
    claims 4294967295 ppmi.safetensors
    "$PSDVEC" info huge.safetensors --json | jq -e '.dim == 4294967295' >/dev/null
    for question in "similar huge.safetensors king" "vector huge.safetensors king" \
        "compare huge.safetensors king queen" "analogy huge.safetensors king queen man"; do
        # shellcheck disable=SC2086
        refused 6 "vectors of 4294967295 dimensions need" $question --memory 500M
    done
}
