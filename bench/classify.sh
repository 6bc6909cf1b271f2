#!/usr/bin/env bash
# Classifies documents by the posterior of one model per class, compared with naive Bayes on the same words. Prints
# one Markdown report on standard output; docs/explanation/classification.md contains a report.
#
#   bash bench/classify.sh
#
#   PARTS="test generated"      the parts to run; the third is choice, which compares settings on the tuning part
#   WORK=folder                 for texts and models, which are kept and reused
#   LEAST=600                   classes with fewer documents than this are skipped
#
# The dictionary is Debian's dict-gcide, whose senses carry subjects: (Bot.), (Law). Of ten parts by headword,
# 0 and 1 are for the test, 2 and 3 for tuning, the others for training.
set -eu
export LC_ALL=C
here=$(dirname "$0")/classify build=${BUILD:-build}
psdvec=$(realpath "${PSDVEC:-$build/psdvec}") parts=${PARTS:-test generated} least=${LEAST:-600}
dictionary=${DICTIONARY:-/usr/share/dictd/gcide.dict.dz}
if [ -n "${WORK:-}" ]; then
    mkdir -p "$WORK" && work=$WORK
else
    work=$(mktemp -d "${TMPDIR:-/tmp}/psdvec-bench.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi

has() { [[ " $parts " == *" $1 "* ]]; }
say() { echo "bench: $*" >&2; }
classes() { cut -f1 "$texts/classes"; }

# ---- Texts: $texts/CLASS.train, CLASS.tune; tune, test and, class by class, tune.truth, test.truth ----

dictionary_texts() {
    texts=$work/dictionary
    [ -s "$texts/classes" ] && return
    [ -r "$dictionary" ] || { say "$dictionary is not there; it is in the package dict-gcide"; exit 1; }
    mkdir -p "$texts"
    gzip -dc <"$dictionary" | iconv -c -f utf-8 -t utf-8 | awk -f "$here/labelled.awk" >"$texts/all"
    cut -f2 "$texts/all" | sort | uniq -c | awk -v least="$least" '$1 >= least { print $2 }' >"$texts/names"
    awk -F'\t' -v folder="$texts/" 'NR == FNR { known[$1] = 1; next }
        !($2 in known) { next }
        { part = $1 < 2 ? "test" : $1 < 4 ? "tune" : "train"; print $3 > (folder $2 "." part) }
        part != "train" { print $3 > (folder part); print $2 > (folder part ".truth") }
        part == "train" { documents[$2]++ }
        END { for (class in documents) print class "\t" documents[class] }' "$texts/names" "$texts/all" |
        sort >"$texts/classes.part"
    mv "$texts/classes.part" "$texts/classes"
}

# Three texts with the same word frequencies and different vectors.
generated_texts() { # words of a document
    local seed documents=$((400000 / $1))
    texts=$work/generated-$1
    [ -s "$texts/classes" ] && return
    rm -rf "$texts" && mkdir -p "$texts"
    for seed in 1 2 3; do
        "$psdvec" simulate --vocab 500 --dim 10 --residual 0 --strength 0.7 --document-words "$1" \
            --tokens $((documents * $1)) --seed $seed -q -o "$texts/truth-$seed"
        head -n $((documents - 1500)) "$texts/truth-$seed/text.txt" >"$texts/$seed.train"
        tail -n 1500 "$texts/truth-$seed/text.txt" | head -n 500 >"$texts/$seed.tune"
        tail -n 1000 "$texts/truth-$seed/text.txt" >>"$texts/test"
        yes $seed | head -n 1000 >>"$texts/test.truth"
        printf '%s\t%s\n' $seed $((documents - 1500)) >>"$texts/classes.part"
    done
    mv "$texts/classes.part" "$texts/classes"
}

# ---- Models and scores ----

# One model per class, in $models.
train() { # name, options of count, options of train
    local class
    models=$texts/$1
    [ -e "$models/done" ] && return
    say "training $(basename "$texts") $1"
    rm -rf "$models" && mkdir -p "$models"
    for class in $(classes); do
        # shellcheck disable=SC2086
        "$psdvec" count "$texts/$class.train" $2 -q -o "$models/$class.counts"
        # shellcheck disable=SC2086
        "$psdvec" train "$models/$class.counts" $3 -q -o "$models/$class.safetensors"
        "$psdvec" fit-temperature "$models/$class.safetensors" "$texts/$class.tune" --counts "$models/$class.counts" \
            --in-place -q >/dev/null
    done
    touch "$models/done"
}

# Document, class, and a column of the output of psdvec score, in $models/NAME.
score() { # name, part, column, options
    local name=$1 part=$2 column=$3 class files=()
    shift 3
    for class in $(classes); do files+=("$models/$class.safetensors"); done
    say "scoring $(basename "$models") $name"
    "$psdvec" score "${files[@]}" "$texts/$part" --format tsv -q "$@" >"$models/scores"
    for column in $column; do
        awk -F'\t' -v column="$column" 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
            $1 != "total" { print $1 "\t" $(at["model"]) "\t" $(at[column]) }' "$models/scores" >"$models/$name.$column"
    done
}
with_counts() { # for each class, in their order
    local class
    for class in $(classes); do printf -- '--counts\n%s\n' "$models/$class.counts"; done
}

heading() {
    echo "| | right | against naive Bayes | mean log posterior | above 0.9 | of them right |"
    echo "|---|---|---|---|---|---|"
}
row() { # name, part, baseline, scores, priors
    awk -v name="$1" -v priors="${5:-0}" -f "$here/accuracy.awk" "$texts/classes" "$texts/$2.truth" "$3" "$4"
}
# Naive Bayes from the words alone, with this many additional occurrences of each: $texts/PART.bayes.
bayes() { # part, more
    local class arguments=()
    for class in $(classes); do
        "$psdvec" tokenize "$texts/$class.train" >"$texts/$class.words"
        arguments+=("class=$class" "$texts/$class.words")
    done
    "$psdvec" tokenize "$texts/$1" >"$texts/$1.words"
    awk -v more="$2" -f "$here/bayes.awk" "${arguments[@]}" class= "$texts/$1.words" >"$texts/$1.bayes"
}

# The contribution of the context to a document at T = 1, before normalisation: by the right class, and by the others.
pulls() { # name, part; of the last scores
    awk -F'\t' -v name="$1" 'NR == FNR { truth[FNR] = $1; next }
        FNR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
        $1 != "total" { right = $(at["model"]) == truth[$1]; n[right]++; sum[right] += $(at["log_paper"]) - $(at["log_unigram"]) }
        END { printf "| %s | %+.1f | %+.1f |\n", name, sum[1] / n[1], sum[0] / n[0] }' "$texts/$2.truth" "$models/scores"
}

# ---- The report ----

if has choice; then
    dictionary_texts
    : >"$work/pulls"
    echo "## Settings, on the tuning part"
    echo
    heading
    while IFS='|' read -r name counting training scoring; do
        train "$(tr -cs 'a-z0-9\n' - <<<"$name")" "$counting" "$training"
        # shellcheck disable=SC2086
        score tune tune "log_likelihood log_unigram" $scoring
        row "$name${scoring:+, ${scoring#--}}" tune "$models/tune.log_unigram" "$models/tune.log_likelihood"
        pulls "$name" tune >>"$work/pulls"
    done <<'LINES'
rho-target 0, dim 50|--window 5 --min-count 1|--dim 50 --rho-target 0|
rho-target 0, dim 20|--window 5 --min-count 1|--dim 20 --rho-target 0|
rho-target 0, dim 100|--window 5 --min-count 1|--dim 100 --rho-target 0|
rho 0, dim 50|--window 5 --min-count 1|--dim 50 --rho 0|
default, dim 50|--window 5 --min-count 1|--dim 50|
default, dim 50|--window 5 --min-count 1|--dim 50|--temperature 0.15
default, dim 50, psd|--window 5 --min-count 1|--dim 50 --form psd|
paper, dim 50|--window 5 --min-count 1|--preset paper --dim 50|
paper, dim 50, window 3|--window 3 --min-count 1|--preset paper --dim 50|
paper, dim 50, window 10|--window 10 --min-count 1|--preset paper --dim 50|
paper, dim 50, min-count 2|--window 5 --min-count 2|--preset paper --dim 50|
LINES
    echo
    echo "| what the context adds | right class | others |"
    echo "|---|---|---|"
    uniq "$work/pulls"
    echo
fi

if has test; then
    dictionary_texts
    echo "## Senses of the dictionary: $(wc -l <"$texts/test") documents of $(classes | wc -l) classes"
    echo
    train rho-target-0-dim-50 "--window 5 --min-count 1" "--dim 50 --rho-target 0"
    mapfile -t counts < <(with_counts)
    score test test "log_likelihood log_unigram"
    score one test log_likelihood --temperature 1
    score paper test log_likelihood --temperature 1 --self product
    score counts test "log_likelihood log_bigram" "${counts[@]}"
    score less test "log_likelihood log_unigram" --smoothing 0.1
    score less-counts test log_likelihood "${counts[@]}" --smoothing 0.1
    main=$models base=$models/test.log_unigram
    train default-dim-50 "--window 5 --min-count 1" "--dim 50"
    score test test log_likelihood
    train paper-dim-50 "--window 5 --min-count 1" "--preset paper --dim 50"
    score test test log_likelihood
    heading
    for priors in 0 1; do
        also=""
        [ $priors = 0 ] || also=", priors"
        row "naive Bayes$also" test "$base" "$base" $priors
        row "posterior, T fitted$also" test "$base" "$main/test.log_likelihood" $priors
        row "posterior with residuals, T fitted$also" test "$base" "$main/counts.log_likelihood" $priors
        row "bigrams$also" test "$base" "$main/counts.log_bigram" $priors
    done
    less=$main/less.log_unigram
    row "naive Bayes, --smoothing 0.1, priors" test "$base" "$less" 1
    row "posterior, T fitted, --smoothing 0.1, priors, against the line before" test "$less" "$main/less.log_likelihood" 1
    row "posterior with residuals, the same" test "$less" "$main/less-counts.log_likelihood" 1
    row "posterior, T = 1, e fitted" test "$base" "$main/one.log_likelihood"
    row "posterior, T = 1, own products: the paper's" test "$base" "$main/paper.log_likelihood"
    row "posterior, default preset, T fitted" test "$base" "$texts/default-dim-50/test.log_likelihood"
    row "posterior, paper's preset, T fitted" test "$base" "$models/test.log_likelihood"
    for more in 0.5 0.1 0.01; do
        bayes test $more
        row "naive Bayes from the words, $more more of each, priors" test "$base" "$texts/test.bayes" 1
    done
    echo
fi

if has generated; then
    echo "## Generated text: the same frequencies, other vectors, 3000 documents of 3 classes"
    echo
    heading
    for words in 5 10 20 40; do
        generated_texts $words
        train models "--window 1 --min-count 1" "--dim 10 --context-power 1 --factor-power 1 --rho 0"
        score test test "log_likelihood log_unigram"
        row "$words words, naive Bayes" test "$models/test.log_unigram" "$models/test.log_unigram"
        row "$words words, posterior" test "$models/test.log_unigram" "$models/test.log_likelihood"
    done
fi
