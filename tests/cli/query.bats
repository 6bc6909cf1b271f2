# Queries to a model: signs in similar, analogy, odd-one-out, compare, vector.
bats_require_minimum_version 1.5.0
load common

setup() { common_setup; }

# A model with its counts: kings rule, dogs bark, and both sleep. Words are compared by the
# generative vectors: a read-out of fourteen words carries little information.
trained() {
    for line in 'the king rules the land' 'the queen rules the land' 'the king sleeps at night' \
        'the dog barks at night' 'the cat sleeps at night' 'the dog sleeps at home' \
        'a cat and a dog' 'a king and a queen'; do
        yes "$line" | head -n 8
    done >text.txt
    "$PSDVEC" count text.txt --min-count 1 --distance linear "$@" -o text.counts -q
    "$PSDVEC" train text.counts --dim 6 --rho 0.05 --context-power 0.75 \
        --centre no --order off --spelling off -o text.safetensors -q
}

# A model with a read-out, as train makes it by default: verbs in three forms. "jumping" is not in
# the text, but other words with that ending are.
spelled() {
    awk 'BEGIN {
        split("walk talk jump climb paint plant", verb)
        for (round = 0; round < 12; round++)
            for (v = 1; v <= 6; v++) {
                print "we", verb[v], "every day"
                if (v != 3) print "she was", verb[v] "ing all night"
                print "he", verb[v] "ed last year"
            }
    }' >text.txt
    "$PSDVEC" count text.txt --min-count 1 --window 10 --distance harmonic -o text.counts -q
    "$PSDVEC" train text.counts --dim 8 -o text.safetensors -q
}

# number NAME: a member of the JSON object in the file `json`.
number() { sed -E "s/.*\"$1\": ([^,}]*)[,}].*/\1/" json; }

# close_to A B: they differ by less than one millionth.
close_to() { awk -v a="$1" -v b="$2" 'BEGIN { exit !((a - b) ^ 2 < 1e-12) }'; }

# ---- Signs ------------------------------------------------------------------------------

@test "after the model, -word and +word are words" {
    small_vectors
    "$PSDVEC" similar small.safetensors king -man +woman --top 1 | head -n 1 >first
    [ "$(cat first)" = "king - man + woman" ]
    "$PSDVEC" similar -q small.safetensors --top 1 -man king +woman --tsv | rows >printed
    [ "$(cut -f 1 printed)" = "- man + king + woman" ]
    # The position of options does not matter.
    "$PSDVEC" similar --top 1 small.safetensors -man king +woman -q --tsv | rows | cmp - printed
    "$PSDVEC" similar small.safetensors -man king +woman --tsv --top 1 -o out
    rows <out | cmp - printed
}

@test "a sum and an analogy of the same words give the same word" {
    small_vectors
    [ "$("$PSDVEC" similar small.safetensors king -man +woman --top 1 --tsv | rows | cut -f 2)" = queen ]
    [ "$("$PSDVEC" analogy small.safetensors man king woman --top 1 --tsv | rows | cut -f 3 | uniq)" = queen ]
}

@test "options of other programs are not words with a sign" {
    small_vectors
    refused 2 "there is no option -n; for the number of results, write --top N; to subtract the word 'n', write: - n" \
        similar small.safetensors king -n 3
    refused 2 "there is no option -x; to subtract the word 'x', write: - x" similar small.safetensors king -x
    refused 2 "for the number of results, write --top N" similar small.safetensors king -topn 3
    refused 2 "did you mean --top N? To subtract the word 'top', write: - top" similar small.safetensors king -top 3
    refused 2 "did you mean --output FILE?" similar small.safetensors king -output x.txt
    refused 2 "did you mean --json?" similar small.safetensors king -json
    refused 2 "a word is missing after the sign '-'" similar small.safetensors king -
    # Without a value they are words, and so is anything after a separate sign.
    printf 'king 1 0 1\ntop 0 1 0\nn 0 1 1\nman 1 1 0\nwoman 1 1 1\n' >odd.txt
    [ "$("$PSDVEC" similar odd.txt king -top --tsv | rows | cut -f 1 | uniq)" = "king - top" ]
    [ "$("$PSDVEC" similar odd.txt king - n + top --tsv | rows | cut -f 1 | uniq)" = "king - n + top" ]
    "$PSDVEC" similar odd.txt king -man +woman --tsv >together
    "$PSDVEC" similar odd.txt king - man + woman --tsv | cmp - together
}

@test "letters that are options remain options, and -- ends signs" {
    small_vectors
    refused 2 "-o needs a value" similar small.safetensors king -o
    "$PSDVEC" similar small.safetensors king -h | grep -q '^Usage: psdvec similar'
    refused 2 "there is no option --man" similar small.safetensors king --man
    refused 2 "there is no option -m" similar -man small.safetensors king
    refused 2 "there is no option -m" analogy small.safetensors -man king woman
    printf -- '-man 1 0\nking 1 1\nman 0 1\n' >signs.txt
    [ "$("$PSDVEC" similar signs.txt king -man --tsv --top 1 | rows | cut -f 1-2)" = "$(printf 'king - man\t-man')" ]
    [ "$("$PSDVEC" similar signs.txt --tsv --top 1 -- -man | rows | cut -f 1-2)" = "$(printf -- '-man\tking')" ]
    refused 2 "a file name or word on the command line is empty" similar small.safetensors king ''
}

# ---- analogy ------------------------------------------------------------------------------

@test "analogies with both methods, on a terminal and in other formats" {
    small_vectors
    "$PSDVEC" analogy small.safetensors man king woman --top 3 | golden analogy
    "$PSDVEC" analogy small.safetensors man king woman --top 3 --tsv | rows >printed
    [ "$(cut -f 1,2 printed | uniq -c | tr -s ' ')" = "$(printf ' 3 man is to king as woman\tadd\n 3 man is to king as woman\tmul')" ]
    "$PSDVEC" analogy small.safetensors man king woman --top 1 --json >json
    grep -q '^{"a": "man", "b": "king", "c": "woman", "add": \[{"word": "queen", "score": ' json
    grep -q '"spelled": \[\]}$' json
}

@test "the scores of an analogy agree with the formulas for cosines" {
    small_vectors
    cosine() { "$PSDVEC" compare small.safetensors "$1" "$2" --json >json && number cosine; }
    a=$(cosine queen man) b=$(cosine queen king) c=$(cosine queen woman)
    "$PSDVEC" analogy small.safetensors man king woman --top 1 --tsv | rows | cut -f 4 >scores
    awk -v a="$a" -v b="$b" -v c="$c" '{ wanted = NR == 1 ? b - a + c : (b + 1) * (c + 1) / (a + 1.001)
        if (($1 - wanted) ^ 2 > 4e-11) { print $1, wanted; exit 1 } }' scores
}

# first_words N: of the answers in a TSV, whose words are in column C, those that are among the
# first N words.
first_words() { # N C
    "$PSDVEC" convert text.safetensors words.txt --to glove --dim 1 -q
    awk -F'\t' -v n="$1" -v c="$2" 'NR == FNR { split($0, part, " "); if (FNR <= n) known[part[1]]; next }
        $c in known' words.txt -
}

@test "--restrict: answers among the most frequent words, with the same scores" {
    trained
    for n in 3 7; do
        "$PSDVEC" similar text.safetensors king dog night --top 100 --tsv | rows | first_words $n 2 >wanted
        "$PSDVEC" similar text.safetensors king dog night --top 100 --restrict $n --tsv | rows | cmp - wanted
        [ -s wanted ]
        "$PSDVEC" analogy text.safetensors king queen dog --top 100 --tsv | rows | first_words $n 3 >wanted
        "$PSDVEC" analogy text.safetensors king queen dog --top 100 --restrict $n --tsv | rows | cmp - wanted
        [ -s wanted ]
    done
    "$PSDVEC" similar text.safetensors king --top 100 --tsv | rows >all
    "$PSDVEC" similar text.safetensors king --top 100 --tsv --restrict 0 | rows | cmp - all
    "$PSDVEC" similar text.safetensors king --top 100 --tsv --restrict all | rows | cmp - all
    "$PSDVEC" similar text.safetensors king --top 100 --tsv --restrict 1000000 | rows | cmp - all
    "$PSDVEC" similar text.safetensors the --restrict 1 | grep -qx '  no results among the first 1 words'
    "$PSDVEC" analogy text.safetensors the the the --restrict 1 | grep -qx '  no results among the first 1 words'
    refused 2 "--restrict" similar text.safetensors king --restrict some
}

@test "a batch of queries gives the same answers as single queries" {
    trained
    words=$("$PSDVEC" convert text.safetensors words.txt --to glove --dim 1 -q && cut -d ' ' -f 1 words.txt)
    many=$(for _ in $(seq 20); do echo "$words"; done)
    for word in $many; do echo "$word"; done | wc -l >count
    [ "$(cat count)" -gt 257 ] # more than the size of a batch
    # shellcheck disable=SC2086
    "$PSDVEC" similar text.safetensors $many --tsv | rows >together
    for word in $words; do "$PSDVEC" similar text.safetensors "$word" --tsv | rows; done >once
    for _ in $(seq 20); do cat once; done | cmp - together
}

@test "an analogy takes three words" {
    small_vectors
    refused 2 "three words" analogy small.safetensors man king
    refused 2 "unexpected argument 'paris'" analogy small.safetensors man king woman paris
    "$PSDVEC" analogy small.safetensors man zero woman | grep -q 'one of the vectors is zero'
}

# ---- odd-one-out -------------------------------------------------------------------------

@test "the odd one out has the lowest mean cosine" {
    small_vectors
    "$PSDVEC" odd-one-out small.safetensors king paris queen woman | golden odd-one-out
    "$PSDVEC" odd-one-out small.safetensors king paris queen woman --tsv | rows >printed
    [ "$(head -n 1 printed | cut -f 1)" = paris ]
    cut -f 2 printed | sort -g | cmp - <(cut -f 2 printed)
    mean=0
    for word in king queen woman; do
        "$PSDVEC" compare small.safetensors paris $word --json >json
        mean=$(awk -v m="$mean" -v c="$(number cosine)" 'BEGIN { printf "%.9f", m + c / 3 }')
    done
    [ "$(head -n 1 printed | cut -f 2)" = "$(printf %.6f "$mean")" ]
    "$PSDVEC" odd-one-out small.safetensors king paris queen --json |
        grep -q '^{"odd": "paris", "words": \[{"word": "paris", "mean_cosine": -'
    refused 2 "'king' is given twice" odd-one-out small.safetensors king paris KING
    refused 2 "at least three words" odd-one-out small.safetensors king paris
}

# ---- vector ---------------------------------------------------------------------------------

@test "vectors as text are those of the file, to the last bit" {
    small_vectors
    for word in king london café; do
        "$PSDVEC" vector small.safetensors $word >printed
        grep "^$word " small.vec | cmp - printed
        "$PSDVEC" vector small.safetensors $word --raw | cmp - printed
    done
    printf 'a 0.1 1e-30 -3.4028235e+38 16777217\n' >odd.txt
    "$PSDVEC" vector odd.txt a >printed
    { echo '1 4' && cat printed; } >again.vec
    "$PSDVEC" convert odd.txt odd.bin -q
    "$PSDVEC" convert again.vec again.bin -q
    cmp odd.bin again.bin
    "$PSDVEC" vector small.safetensors king --json | grep -qx '{"word": "king", "vector": \[1, 0, 0.5\], "spelled": \[\]}'
    [ "$("$PSDVEC" vector small.safetensors king --tsv | rows)" = "$(printf 'king\t1\t0\t0.5')" ]
}

# ---- Unknown words --------------------------------------------------------------------------

@test "every query about an unknown word gives the same error" {
    small_vectors
    for question in "similar small.safetensors quene" "similar small.safetensors king -quene" \
        "analogy small.safetensors man king quene" "odd-one-out small.safetensors man king quene" \
        "vector small.safetensors quene" "compare small.safetensors king quene"; do
        # shellcheck disable=SC2086
        refused 2 "the word 'quene' is not in the model; did you mean 'queen'?" $question
    done
    refused 2 "--json and --tsv cannot be combined" odd-one-out small.safetensors king man woman --json --tsv
}

@test "words that are not in the text get vectors from their spelling, with a note" {
    spelled
    model=text.safetensors
    for question in "similar $model jumping" "similar $model walking -jumping" "analogy $model walk walking jumping" \
        "odd-one-out $model walking jumping day"; do
        # shellcheck disable=SC2086
        "$PSDVEC" $question >screen 2>stderr
        grep -qx '  jumping: not in the model; vector from its spelling' screen
        [ ! -s stderr ]
        [ "$(wc -L <screen)" -le 80 ]
        # shellcheck disable=SC2086
        "$PSDVEC" $question --json | grep -q '"spelled": \["jumping"\]}$'
        # shellcheck disable=SC2086
        "$PSDVEC" $question --tsv 2>stderr >printed
        [ -s printed ]
        grep -q "warning: the word 'jumping' is not in the model; its vector comes from its spelling" stderr
    done
    "$PSDVEC" vector $model jumping 2>stderr >printed
    [ "$(wc -w <printed)" -eq 9 ]
    grep -q "warning: the word 'jumping' is not in the model; its vector comes from its spelling" stderr
    refused 2 "its spelling gives no generative vector; omit --raw" vector $model jumping --raw
    # The n-grams recognise the ending: the nearest words other than the word itself are not
    # adverbs.
    "$PSDVEC" odd-one-out $model walking talking jumping day --tsv 2>/dev/null | rows | head -n 1 | grep -q '^day'
}

@test "a word with unknown letters is unknown" {
    spelled
    for question in "similar text.safetensors qqqqq" "analogy text.safetensors walk walked qqqqq" \
        "odd-one-out text.safetensors walk walked qqqqq" "vector text.safetensors qqqqq" \
        "compare text.safetensors walk qqqqq"; do
        # shellcheck disable=SC2086
        refused 2 "the word 'qqqqq' is not in the model" $question
    done
    refused 2 "the word 'jumping' is not in the model; did you mean 'jumped'?" compare text.safetensors walk jumping
}

@test "eval --unknown spelling: more questions are known, others are skipped" {
    spelled
    printf 'walking jumping 9\nwalking talking 8\nday night 1\nwalk qqqqq 5\nwalk walked 3\n' >pairs.txt
    known() { "$PSDVEC" eval text.safetensors pairs.txt --resamples 0 --format tsv "$@" | awk -F'\t' 'NR == 2 { print $8 "/" $9 }'; }
    [ "$(known)" = 3/5 ]
    [ "$(known --unknown spelling)" = 4/5 ]
    "$PSDVEC" convert text.safetensors plain.vec -q
    [ "$("$PSDVEC" eval plain.vec pairs.txt --unknown spelling --resamples 0 --format tsv | awk -F'\t' 'NR == 2 { print $8 }')" = 3 ]
}

# ---- Several words ----------------------------------------------------------------------------------

@test "several words are one word of the model, or are combined, with a note" {
    printf '5 3\nnew 1 0 0\nyork 0 1 0\nnew_delhi 0 0.9 0.1\nboth 1 1 0\nother 0 0 1\n' >parts.vec
    "$PSDVEC" similar parts.vec 'New York' --top 1 >screen
    [ "$(sed -n 2p screen)" = '  New York: not one word in this model; combined from new, york' ]
    sed -n 3p screen | grep -q '^  both .* 1.0000$'
    "$PSDVEC" similar parts.vec new-york --json | grep -q '"combined": \["new", "york"\], "spelled": \[\]}$'
    [ "$("$PSDVEC" vector parts.vec 'new york' 2>/dev/null)" = 'new york 0.5 0.5 0' ]
    "$PSDVEC" similar parts.vec 'New York' --tsv 2>stderr >printed
    grep -q 'warning: New York: not one word in this model; combined from new, york' stderr
    # Neither part is an answer.
    run ! grep -P '\t(new|york)\t' printed
    "$PSDVEC" similar parts.vec 'New Delhi' --top 1 | head -n 1 | grep -qx new_delhi
    "$PSDVEC" similar parts.vec 'new paris' --top 1 | grep -qx '  new paris: not one word in this model; combined from new'
    refused 2 "the word 'old paris' is not in the model" similar parts.vec 'old paris'
    [ "$("$PSDVEC" similar parts.vec 'new york' -new --top 1 --tsv 2>/dev/null | rows | cut -f 2)" = new_delhi ]
}

@test "a misspelling gets suggestions as well as neighbours" {
    spelled
    "$PSDVEC" similar text.safetensors wlaking --top 2 >screen
    grep -qx '  wlaking: not in the model; vector from its spelling' screen
    grep -Eqx '  did you mean walking(, talking)?\?' screen
    "$PSDVEC" similar text.safetensors wlaking --json | grep -q '"did_you_mean": "walking'
}

@test "for a number, a note says that the text was read without digits" {
    spelled
    refused 2 "'1984' is not in the model, whose text was read without digits" similar text.safetensors 1984
    "$PSDVEC" similar text.safetensors walk7 --top 1 | grep -qx '  walk7: the text of this model was read without digits'
}

# ---- Several models, queries from a file, frequent answers -----------------------------------------

@test "several models are shown side by side, and common words are marked" {
    small_vectors
    printf 'king 1 0\nqueen 1 0.1\nman 0 1\nrex 1 0.2\n' >other.txt
    "$PSDVEC" similar small.safetensors other.txt king --top 2 >screen
    [ "$(wc -L <screen)" -le 80 ]
    sed -n 2p screen | grep -Eq '^  small +cosine  other +cosine$'
    sed -n 3p screen | grep -Eq '^  queen += +0\.[0-9]+  queen += +0\.[0-9]+$'
    sed -n 4p screen | grep -Eq '^  man +0\.[0-9]+  rex +0\.[0-9]+$'
    grep -qx '  = in the results of all models: 1 of 2' screen
    "$PSDVEC" similar small.safetensors other.txt king --top 2 --tsv | rows | cut -f 1-3,6 >printed
    printf 'king\tsmall\tqueen\t2\nking\tsmall\tman\t1\nking\tother\tqueen\t2\nking\tother\trex\t1\n' | cmp - printed
    # Each column has the answers of the model alone.
    for model in small.safetensors other.txt; do
        name=${model%.*}
        "$PSDVEC" similar $model king --top 3 --tsv | rows | cut -f 2,3 >alone
        "$PSDVEC" similar small.safetensors other.txt king --top 3 --tsv | rows |
            awk -F'\t' -v name="$name" '$2 == name { print $3 "\t" $4 }' | cmp - alone
    done
    "$PSDVEC" similar small.safetensors other.txt king --top 1 --json |
        grep -q '^{"words": \["king"\], "minus": \[\], "similar": \[{"model": "small", "word": "queen", "cosine": 0'
    "$PSDVEC" similar small.safetensors other.txt king --top 1 --format markdown | grep -qF '| small |  | cosine | other |  | cosine |'
    "$PSDVEC" similar small.safetensors other.txt king -man +woman --top 1 --tsv >printed 2>stderr || [ $? -eq 2 ]
    grep -q "the word 'woman' is not in the model" stderr
    [ "$(rows <printed | cut -f 1-3)" = "$(printf 'king - man + woman\tsmall\tqueen')" ]
    # A word is a word even if an unrelated file has its name.
    echo 'a note' >queen
    "$PSDVEC" similar small.safetensors queen king --top 1 --tsv | rows | cut -f 1 | paste -s - | grep -qx "$(printf 'queen\tking')"
}

@test "queries from a file and from standard input" {
    small_vectors
    printf 'king\n\n  paris \r\nking -man +woman\nking - man + woman\n' >queries
    "$PSDVEC" similar small.safetensors --from queries --top 1 --tsv | rows | cut -f 1 >printed
    printf 'king\nparis\nking - man + woman\nking - man + woman\n' | cmp - printed
    "$PSDVEC" similar small.safetensors --from - --top 1 --tsv <queries | rows | cut -f 1 | cmp - printed
    { "$PSDVEC" similar small.safetensors king --top 3 --tsv; "$PSDVEC" similar small.safetensors paris --top 3 --tsv | rows; } >alone
    head -n 3 queries | "$PSDVEC" similar small.safetensors --from - --top 3 --tsv | cmp - alone
    # Unknown words are reported, and the others are answered.
    status=0
    printf 'king\nabsent\nparis\n' | "$PSDVEC" similar small.safetensors --from - --top 1 --tsv >printed 2>stderr || status=$?
    [ $status -eq 2 ]
    [ "$(rows <printed | cut -f 1 | paste -s -)" = "$(printf 'king\tparis')" ]
    grep -q "the word 'absent' is not in the model" stderr
    refused 3 "cannot read absent: No such file" similar small.safetensors --from absent
    refused 2 "give a model and one or more words" similar small.safetensors
}

@test "--min-frequency: answers that occur often enough" {
    trained
    for n in 1 9 24; do
        for words in king "king dog night the cat sleeps"; do
            # shellcheck disable=SC2086
            "$PSDVEC" similar text.safetensors $words --top 100 --tsv | rows | awk -F'\t' -v n=$n '$4 >= n' >wanted
            # shellcheck disable=SC2086
            "$PSDVEC" similar text.safetensors $words --top 100 --min-frequency $n --tsv | rows | cmp - wanted
            [ -s wanted ]
        done
        "$PSDVEC" analogy text.safetensors king queen dog --top 100 --tsv | rows | awk -F'\t' -v n=$n '$5 >= n' >wanted
        "$PSDVEC" analogy text.safetensors king queen dog --top 100 --min-frequency $n --tsv | rows | cmp - wanted
    done
    small_vectors
    refused 2 "has no word frequencies" similar small.vec king --min-frequency 2
}

# ---- Forms, and the weight of spelling -----------------------------------------------------------

@test "inflected forms of the query words are excluded, and the answer names them" {
    spelled
    model=text.safetensors
    "$PSDVEC" similar $model walk --forms --top 100 --tsv | rows >all
    "$PSDVEC" similar $model walk --top 100 --tsv | rows >without
    grep -v "$(printf '\twalk[a-z]*\t')" all | cmp - without
    [ $(($(wc -l <all) - $(wc -l <without))) -eq 2 ]
    "$PSDVEC" similar $model walk --top 25 >screen
    tail -n 1 screen | grep -qx '  2 forms omitted: walked, walking (--forms shows them)'
    # Forms that would not be among the answers are not mentioned.
    "$PSDVEC" similar $model walk --top 4 >screen
    run ! grep forms screen
    "$PSDVEC" similar $model walk --top 100 --json | grep -Eq '"forms_left_out": \["walk(ed|ing)", "walk(ed|ing)"\]'
    "$PSDVEC" similar $model walk --top 100 --json --forms | grep -q '"forms_left_out": \[\]'
    # As many answers as without the exclusion.
    for top in 1 2 3 5; do
        [ "$("$PSDVEC" similar $model walk --top $top --tsv | rows | wc -l)" -eq $top ]
    done
    "$PSDVEC" similar $model walk talk walk --top 3 --tsv | rows >many
    { "$PSDVEC" similar $model walk --top 3 --tsv | rows
      "$PSDVEC" similar $model talk --top 3 --tsv | rows
      "$PSDVEC" similar $model walk --top 3 --tsv | rows; } | cmp - many
    # Forms of a word with a spelling vector.
    "$PSDVEC" similar $model jumping --top 100 --json | grep -Eq '"forms_left_out": \["jump(ed)?", "jump(ed)?"\]'
}

@test "a query for an inflected form keeps the forms" {
    spelled
    model=text.safetensors
    [ "$("$PSDVEC" analogy $model walk walked talk --top 1 --tsv | rows | cut -f 3 | uniq)" = talked ]
    [ "$("$PSDVEC" similar $model walked -walk +talk --top 1 --tsv | rows | cut -f 2)" = talked ]
    "$PSDVEC" analogy $model walk talk climb --top 100 --json | grep -q '"forms_left_out": \["'
    "$PSDVEC" analogy $model walk talk climb --top 100 --forms --json | grep -q '"forms_left_out": \[\]'
    "$PSDVEC" analogy $model walk talk climb --top 100 | grep -q ' forms omitted: '
}

@test "--spelling: another weight without training" {
    spelled
    "$PSDVEC" train text.counts --dim 8 --spelling off -o plain.safetensors -q
    "$PSDVEC" train text.counts --dim 8 --spelling 0.5 -o half.safetensors -q
    for weight in 0:plain 0.5:half; do
        model=${weight#*:}.safetensors weight=${weight%:*}
        "$PSDVEC" similar text.safetensors walk night --spelling $weight --top 100 --tsv | rows | sort -k 1,2 >printed
        "$PSDVEC" similar $model walk night --top 100 --tsv | rows | sort -k 1,2 | paste - printed |
            awk -F'\t' '$1 != $5 || $2 != $6 || ($3 - $7) ^ 2 > 1e-10 { print; bad = 1 } END { exit bad || NR < 40 }'
        "$PSDVEC" compare text.safetensors walk night --spelling $weight --json >json
        cosine=$(number cosine)
        "$PSDVEC" compare $model walk night --json >json
        awk -v a="$cosine" -v b="$(number cosine)" 'BEGIN { exit !((a - b) ^ 2 < 1e-10) }'
    done
    "$PSDVEC" vector text.safetensors walk --spelling 1 | cmp - <("$PSDVEC" vector text.safetensors walk)
    run ! cmp -s <("$PSDVEC" vector text.safetensors walk --spelling 0) <("$PSDVEC" vector text.safetensors walk)
    printf 'day night 1\nwalk walked 3\nwalk day 6\nwe he 5\n' >pairs.txt
    score() { "$PSDVEC" eval "$@" pairs.txt --resamples 0 --format tsv | rows | cut -f 5; }
    [ "$(score plain.safetensors)" = "$(score text.safetensors --spelling 0)" ]
    refused 2 "--spelling" similar text.safetensors walk --spelling 2
    "$PSDVEC" convert text.safetensors unit.safetensors --normalize -q
    refused 4 "normalised to length 1" similar unit.safetensors walk --spelling 0
    # Third-party vectors have no spelling vectors.
    small_vectors
    "$PSDVEC" similar small.vec king --spelling 0 --tsv | cmp - <("$PSDVEC" similar small.vec king --tsv)
}

# ---- The two sets of vectors -------------------------------------------------------------------

@test "vector and convert: the read-out, or with --raw the generative vectors" {
    spelled
    "$PSDVEC" convert text.safetensors readout.vec -q
    "$PSDVEC" convert text.safetensors raw.vec --raw -q
    run ! cmp -s readout.vec raw.vec
    for word in walk painting; do
        "$PSDVEC" vector text.safetensors $word | cmp - <(grep "^$word " readout.vec)
        "$PSDVEC" vector text.safetensors $word --raw | cmp - <(grep "^$word " raw.vec)
    done
    "$PSDVEC" similar text.safetensors walk --tsv | rows | cut -f 2,3 >wanted
    "$PSDVEC" similar readout.vec walk --tsv | rows | cut -f 2,3 | cmp - wanted
    refused 2 "a model file contains both the generative vectors and the read-out" convert text.safetensors other.safetensors --raw
    [ ! -e other.safetensors ]
}

@test "info shows the read-out and the n-grams" {
    spelled
    "$PSDVEC" info text.safetensors --verify >screen
    grep -qx '  read-out           vectors for comparing words, 864 B' screen
    grep -Eqx '  spelling           [0-9]+ character n-grams, [0-9]+ B' screen
    "$PSDVEC" info text.safetensors --json >json
    [ "$(number has_readout) $(number readout_bytes) $(number has_spelling)" = "true 864 true" ]
    [ "$(number ngrams)" -gt 0 ] && [ "$(number spelling_bytes)" -gt 0 ]
    "$PSDVEC" convert text.safetensors bytes.safetensors --int8 -q
    "$PSDVEC" info bytes.safetensors | grep -qx '  read-out           vectors for comparing words, 324 B'
    "$PSDVEC" train text.counts --dim 8 --spelling off --order off --centre no -o plain.safetensors -q
    "$PSDVEC" info plain.safetensors >screen
    grep -qx '  read-out           the same as the vectors' screen
    grep -qx '  spelling           unknown words have no vector' screen
}

@test "queries to a model with a read-out, also after rounding or truncation" {
    spelled
    cp text.safetensors float32.safetensors
    for precision in float16 int8; do
        "$PSDVEC" convert text.safetensors --$precision $precision.safetensors -q
    done
    "$PSDVEC" convert text.safetensors cut.safetensors --dim 5 -q
    for model in float32 float16 int8 cut; do
        "$PSDVEC" info $model.safetensors --verify >/dev/null
        "$PSDVEC" compare $model.safetensors walk talk --counts text.counts >/dev/null
        [ "$("$PSDVEC" odd-one-out $model.safetensors walking talking painting day --tsv | rows | cut -f 1 | head -n 1)" = day ]
        "$PSDVEC" analogy $model.safetensors walk walking jumping >screen
        grep -q 'jumping: not in the model; vector from its spelling' screen
    done
    "$PSDVEC" compare text.safetensors walk talk --json >json
    close_to "$(number cosine)" "$("$PSDVEC" similar text.safetensors walk --top 100 --tsv | rows | awk '$2 == "talk" { print $3 }')"
}

# ---- compare ---------------------------------------------------------------------------------

@test "compare on a terminal of 80 columns" {
    trained
    "$PSDVEC" compare text.safetensors king queen --counts text.counts >screen
    [ "$(wc -L <screen)" -le 80 ]
    for line in cosine product 'king \.\.\. queen' 'queen \.\.\. king' target residual weight background; do
        grep -qE "^  $line  +-?[0-9]" screen
    done
    grep -q '^  Words near both  *king *queen *king *queen$' screen
    grep -q '^  Direction  contribution' screen
    run ! grep -q 'not the counts' screen
    "$PSDVEC" compare text.safetensors king queen >screen
    run ! grep -q target screen
}

@test "compare agrees with the counts" {
    trained
    "$PSDVEC" compare text.safetensors king queen --counts text.counts --json >json
    close_to "$(number count_ab)" "$("$PSDVEC" counts dump text.counts | rows | awk '$1 == "king" && $2 == "queen" { print $3 }')"
    [ "$(number count_ba)" = 0 ]
    [ "$(number same_counts)" = true ]
    close_to "$(number residual)" "$(awk -v t="$(number target)" -v p="$(number product)" 'BEGIN { printf "%.9f", t - p }')"
    # Kings and queens both rule.
    grep -q '"contexts": \[.*"word": "rules"' json
    # Never seen together: there is no target from the counts, but one from the background.
    "$PSDVEC" compare text.safetensors queen barks --counts text.counts --json >json
    [ "$(number target)" = null ]
    [ "$(number residual)" = null ]
    [ "$(number background_target)" = -2 ]
    "$PSDVEC" compare text.safetensors queen barks --counts text.counts | grep -qE '^  target +- '
}

@test "compare with subsampled counts, and with other counts" {
    trained --subsample 1e-2
    "$PSDVEC" compare text.safetensors the king --counts text.counts --json >json
    [ "$(number same_counts)" = true ]
    "$PSDVEC" count text.txt --min-count 1 -o other.counts -q
    "$PSDVEC" compare text.safetensors the king --counts other.counts | grep -q 'not the counts that the model was trained on'
    printf 'a few other words\n' >few.txt
    "$PSDVEC" count few.txt --min-count 1 -o few.counts -q
    refused 4 "few.counts: does not have the word 'the'" compare text.safetensors the king --counts few.counts
    small_vectors
    refused 4 "does not record how it was trained" compare small.safetensors king queen --counts text.counts
    refused 2 "'king' and 'KING' are the same word" compare small.safetensors king KING
}

@test "with few dimensions, all parts of the cosine add up to it" {
    small_vectors
    "$PSDVEC" compare small.safetensors king queen --json >json
    close_to "$(grep -o '"part": [^,]*' json | awk '{ sum += $2 } END { printf "%.9f", sum }')" "$(number cosine)"
}

@test "queries to a rounded model" {
    trained
    for precision in float16 int8; do
        "$PSDVEC" convert text.safetensors --$precision $precision.safetensors -q
        "$PSDVEC" compare $precision.safetensors king queen --counts text.counts >/dev/null
        "$PSDVEC" analogy $precision.safetensors king queen dog >/dev/null
        [ "$("$PSDVEC" odd-one-out $precision.safetensors king queen barks --tsv | rows | cut -f 1)" = \
            "$("$PSDVEC" odd-one-out text.safetensors king queen barks --tsv | rows | cut -f 1)" ]
    done
}
