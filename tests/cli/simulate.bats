# psdvec simulate, end to end.
load common

setup() {
    common_setup
    small="--vocab 120 --dim 6 --tokens 20k --seed 1"
}

@test "a folder with text and truth is created" {
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small -o sim/ 2>told
    [ "$(ls sim | tr '\n' ' ')" = "text.txt truth-residuals.safetensors truth.json truth.safetensors " ]
    grep -q '^  text        20,000 words in 100 documents' told
    grep -q '^  perplexity  .* under the true model, .* under its unigrams$' told
    [ "$(wc -l <sim/text.txt)" -eq 100 ]
    [ "$(wc -w <sim/text.txt)" -eq 20000 ]
    grep -q '"format":"psdvec.simulation".*"vocab":120.*"seed":1.*"entropy_rate":' sim/truth.json
    [ "$(wc -l <sim/truth.json)" -eq 1 ]
}

@test "the truth is a model like any other" {
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small -q -o sim
    "$PSDVEC" info --verify sim/truth.safetensors >info
    grep -q '6, 3 with a positive and 3 with a negative eigenvalue' info
    "$PSDVEC" similar sim/truth.safetensors baba --top 3 --tsv | rows >similar
    [ "$(wc -l <similar)" -eq 3 ]
}

@test "counting finds the words that were drawn" {
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small -q -o sim
    "$PSDVEC" count sim/text.txt --window 1 --min-count 1 -q -o counts
    "$PSDVEC" counts info counts >info
    grep -q '^  words  *120$' info
    tr ' ' '\n' <sim/text.txt | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }' >first
    [ "$(cat first)" = baba ]
}

@test "the same seed gives the same bytes for any number of threads; another seed gives others" {
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small --window 2 --threads 1 -q -o a
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small --window 2 --threads 3 -q -o b
    diff -r a b
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small --window 2 --seed 2 -q -o c
    ! cmp -s a/text.txt c/text.txt
    ! cmp -s a/truth.safetensors c/truth.safetensors
}

@test "residuals by the frequency of the pair, vectors by that of the word" {
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small -q -o plain
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small --residual-cut 1 --mu-power 0 -q -o same
    diff -r plain same
    ! grep -q 'residual_cut\|mu_power' plain/truth.json
    for form in symmetric psd; do
        # shellcheck disable=SC2086
        "$PSDVEC" simulate $small --form $form --residual-cut 0.01 --mu-power 0.3 --threads 1 -q -o one
        # shellcheck disable=SC2086
        "$PSDVEC" simulate $small --form $form --residual-cut 0.01 --mu-power 0.3 --threads 3 -q -o three
        diff -r one three
        grep -q '"residual_cut":0.01,"mu_power":0.3,' one/truth.json
        ! cmp -s plain/truth.safetensors one/truth.safetensors
    done
    # the paper's variances and share
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small --form psd --residual 0.70711 --residual-cut 0.0002 --mu-power 0.2 -q -o paper
    refused 2 "--residual-cut" simulate --residual-cut 0 -o x
    refused 2 "--mu-power" simulate --mu-power=-1 -o x
    refused 2 "raise --residual-cut" simulate --residual 10 --residual-cut 0.0002 --vocab 500 -o x
    [ ! -e x ]
}

@test "numbers may be abbreviated" {
    "$PSDVEC" simulate --vocab 0.1k --dim 4 --tokens 1.5k --document-words 1k -q -o sim
    [ "$(wc -w <sim/text.txt)" -eq 1500 ]
    [ "$(wc -l <sim/text.txt)" -eq 2 ]
    refused 2 "--tokens must be a whole number from 1 to 1000000000000, such as 300, 200k or 5M, not '5X'" \
        simulate --tokens 5X -o sim
    refused 2 "not '0.0001k'" simulate --tokens 0.0001k -o sim
    refused 2 "not '-5'" simulate --tokens=-5 -o sim
}

@test "a simulation replaces an earlier one, and nothing else" {
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small -q -o sim
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small --tokens 1k -q -o sim
    [ "$(wc -w <sim/text.txt)" -eq 1000 ]
    mkdir mine
    echo precious >mine/text.txt
    # shellcheck disable=SC2086
    refused 5 "mine/text.txt: already exists" simulate $small -o mine
    [ "$(cat mine/text.txt)" = precious ]
    touch file
    # shellcheck disable=SC2086
    refused 5 "file: is not a folder" simulate $small -o file
    # shellcheck disable=SC2086
    refused 5 "cannot create the folder" simulate $small -o no/such
}

@test "invalid arguments are reported" {
    refused 2 "give an output, for example -o sim/" simulate
    refused 2 "--form symmetric needs at least 3" simulate --dim 2 -o sim
    refused 2 "not be more than --vocab, 50" simulate --vocab 50 --dim 60 -o sim
    refused 2 "lower --strength" simulate --form psd --vocab 100 --dim 100 --strength 10 -o sim
    [ ! -e sim ]
}

@test "too little memory: an error message, and no files are left" {
    [ -z "${SANITIZE:-}" ] || skip "sanitizers need memory of their own"
    refused 6 "the table of all pairs of words" simulate --vocab 20k --memory 64M -o sim
    [ ! -e sim ]
}

@test "Ctrl-C ends it soon, and no files are left" {
    local status=0
    timeout --foreground --preserve-status -s INT 2 \
        "$PSDVEC" simulate --vocab 5000 --tokens 1G --window 20 -q -o sim 2>told || status=$?
    [ "$status" -eq 130 ]
    [ ! -e sim ]
}

@test "a full disk is reported, and no files are left" {
    # shellcheck disable=SC2086
    run bash -c "ulimit -f 40; trap '' XFSZ; exec \"$PSDVEC\" simulate $small -o sim"
    [ "$status" -eq 5 ]
    [ ! -e sim ]
}

@test "the log has the figures" {
    # shellcheck disable=SC2086
    "$PSDVEC" simulate $small --log log -q -o sim
    grep -q '"event": "result".*"log_likelihood": -.*"seconds":' log
    grep -q '"tokens": 20000' log
}
