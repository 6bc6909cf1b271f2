# Compares psdvec eval with gensim, if python3 has it, on generated data: vectors with
# structure, and a model trained on a text with structure.
load ../cli/common
load with_gensim

# agree MODEL VECTORS: compares the scores of MODEL by psdvec and of VECTORS, the same vectors in
# word2vec's text format, by gensim.
agree() {
    "$PYTHON" "$FIGURES" gensim . "$2" >theirs 2>gensim.log || { cat gensim.log; return 1; }
    cut -f1,2 theirs | sort -u >settings
    while read -r unknown restrict; do
        "$PSDVEC" eval "$1" similarity.txt analogies.txt --unknown "$unknown" --restrict "$restrict" \
            --resamples 0 --format tsv |
            awk -F'\t' -v OFS='\t' -v unknown="$unknown" -v restrict="$restrict" \
                '{ print unknown, restrict, $1, $2, $3, $5 }'
    done <settings >ours
    awk -F'\t' '
        { key = $1 FS $2 FS $3 FS $4 FS $5 }
        NR == FNR { ours[key] = $6; next }
        !(key in ours) || ours[key] - $6 > 5e-5 || $6 - ours[key] > 5e-5 {
            print key, "gensim", $6, "psdvec", ours[key]
            bad = 1
        }
        { lines++ }
        END { exit bad || lines < 40 }' ours theirs
}

@test "gensim and psdvec give the same vectors the same scores" {
    for seed in 1 2 3; do
        "$PYTHON" "$FIGURES" make . 400 40 $seed
        agree vectors.vec vectors.vec
    done
}

@test "gensim and psdvec give a trained model the same scores" {
    "$PYTHON" "$FIGURES" corpus . 100 1
    "$PSDVEC" train corpus.txt --dim 50 -o model.safetensors -q
    "$PSDVEC" convert model.safetensors model.vec -q
    agree model.safetensors model.vec
    # The scores show that something was learnt.
    awk -F'\t' '$1 == "drop" && $2 == 0 && $3 == "similarity" { exit !($6 > 0.3) }' ours
}
