# Several models as a classifier, on texts that differ only in which words co-occur. bench/classify.sh is
# the large version.
load common

setup() { common_setup; }

# Three classes with the same word frequencies and different vectors: CLASS.train, and 150 documents
# of 40 words for each class in `test`, whose classes are in `truth`.
three_classes() {
    local seed
    for seed in 1 2 3; do
        "$PSDVEC" simulate --vocab 200 --dim 6 --residual 0 --strength 0.7 --tokens 80k --document-words 40 \
            --seed $seed -q -o drawn$seed
        head -n 1700 drawn$seed/text.txt >class$seed.train
        sed -n '1701,1850p' drawn$seed/text.txt >class$seed.tune
        sed -n '1851,$p' drawn$seed/text.txt >>test
        yes class$seed | head -n 150 >>truth
    done
}

# share_right COLUMN: the percentage of documents whose class has the highest COLUMN of scores.tsv.
share_right() {
    awk -F'\t' -v column="$1" '
        NR == FNR { truth[FNR] = $1; next }
        FNR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        $1 == "total" { next }
        !($1 in best) || $(at[column]) > best[$1] { best[$1] = $(at[column]); class[$1] = $(at["model"]) }
        END { for (d in class) { n++; right += class[d] == truth[d] }; printf "%.0f\n", 100 * right / n }' truth scores.tsv
}

@test "the posterior separates classes that unigrams cannot" {
    three_classes
    for class in class1 class2 class3; do
        "$PSDVEC" train $class.train --window 1 --min-count 1 --dim 6 --context-power 1 --factor-power 1 --rho 0 -q \
            -o $class.safetensors
        "$PSDVEC" fit-temperature $class.safetensors $class.tune --in-place -q >/dev/null
    done
    "$PSDVEC" score class[123].safetensors test --format tsv -q >scores.tsv
    by_words=$(share_right log_unigram) by_model=$(share_right log_likelihood) by_posterior=$(share_right posterior)
    echo "right: $by_words % by words, $by_model % by the model"
    # One in three is chance, with a standard error of 2.2 per cent.
    [ "$by_words" -ge 24 ] && [ "$by_words" -le 42 ]
    [ "$by_model" -ge 80 ]
    [ "$by_posterior" -eq "$by_model" ]

    # Without the context, the model equals its unigrams.
    "$PSDVEC" score class[123].safetensors test --temperature 0 --format tsv -q >scores.tsv
    [ "$(share_right log_likelihood)" -eq "$by_words" ]
}
