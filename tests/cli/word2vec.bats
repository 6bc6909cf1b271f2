# psdvec baseline sgns: its arguments, its results, and that its bits are reproducible.
bats_require_minimum_version 1.5.0
load common

setup() { common_setup; }

# Each line is about one of 10 subjects, with 20 words per subject and 200 common words.
some_text() { # LINES
    awk -v lines="$1" 'BEGIN {
        srand(1)
        for (line = 0; line < lines; line++) {
            subject = int(rand() * 10)
            for (i = 0; i < 20; i++)
                if (rand() < 0.5) printf "s%da%d ", subject, int(20 * rand() * rand())
                else printf "c%d ", int(200 * rand() * rand())
            print ""
        }
    }' | sed 's/[0-9]/&x/g; y/0123456789/bdefghijkl/' >text.txt
}

sgns() { "$PSDVEC" baseline sgns -q "$@"; }

small=(text.txt --dim 30 --subsample 0.01 --epochs 3)

@test "operands and -o are required, and numbers are strict" {
    refused 2 "give a text: files" baseline sgns
    refused 2 "give an output, for example -o sgns.safetensors" baseline sgns x
    refused 3 "nosuch" baseline sgns nosuch -o m.st
    refused 2 "--negative must be a whole number from 1 to 1000, not '0'" baseline sgns x -o y --negative 0
    refused 2 "--epochs must be a whole number" baseline sgns x -o y --epochs 1.5
    refused 2 "--subsample must be a number from 0 to 1, not '2'" baseline sgns x -o y --subsample 2
    refused 2 "--rate must be a number" baseline sgns x -o y --rate fast
    refused 2 "there is no option --distance" baseline sgns x -o y --distance linear
    [ ! -e m.st ] && [ ! -e m.st.partial ] && [ ! -e y.partial ]
}

@test "counts are refused: the text is needed" {
    some_text 100
    "$PSDVEC" count -q text.txt -o counts.st
    refused 2 "counts.st contains counts or vectors, and sgns trains on text only" \
        baseline sgns counts.st -o m.st
    refused 2 "cbow trains on text only" baseline sgns --cbow counts.st -o m.st
}

@test "text without words, or only with rare ones, is refused" {
    : >empty
    refused 3 "empty: the input is empty; give a file that contains text" baseline sgns empty -o m.st
    echo "once upon a time" >short
    refused 3 "none of 4 distinct words occurs 5 times; lower --min-count" \
        baseline sgns short -o m.st
    [ ! -e m.st ] && [ ! -e m.st.partial ]
}

@test "text without word pairs is refused" {
    yes word | head -n 100 >alone
    some_text 100
    for model in "" --cbow; do
        # shellcheck disable=SC2086
        refused 3 "no two words co-occur in the text, so there is nothing to train on" \
            baseline sgns alone $model -o m.st
        # shellcheck disable=SC2086
        refused 3 "subsample less (higher --subsample)" baseline sgns text.txt --subsample 1e-12 $model -o m.st
    done
    [ ! -e m.st ] && [ ! -e m.st.partial ]
}

@test "words of one subject become similar" {
    some_text 3000
    for model in "" --cbow; do
        # shellcheck disable=SC2086
        sgns "${small[@]}" $model -o m.st
        # words of subject 0 begin with sbxa
        "$PSDVEC" similar m.st sbxabx --forms --top 8 >near
        [ "$(grep -c ' sbxa[a-z]*x' near)" -ge 7 ]
    done
}

@test "CBOW learns with very wide windows, too" {
    some_text 1000
    tr '\n' ' ' <text.txt >long.txt
    "$PSDVEC" baseline sgns --cbow long.txt --dim 20 --window 500 --epochs 2 -o m.st 2>said
    # 6 log 2 is the loss of an untrained model
    sed -n 's/^epoch.*: loss \([^,]*\),.*/\1/p' said | awk '{ lines++ } !($1 > 0 && $1 < 4.159) { bad = 1 } END { exit bad || lines != 2 }'
}

@test "values that are not finite are reported, with advice" {
    some_text 500
    for model in "" --cbow; do
        # shellcheck disable=SC2086
        refused 6 "diverges; a learning rate below 10 (--rate) may help" \
            baseline sgns text.txt $model --rate 10 -o m.st
    done
    [ ! -e m.st ]
}

@test "the same bits for any number of threads, other bits for another seed" {
    some_text 2000
    for model in "" --cbow; do
        # shellcheck disable=SC2086
        sgns "${small[@]}" $model --threads 1 -o one.st
        for threads in 2 3 7; do
            # shellcheck disable=SC2086
            sgns "${small[@]}" $model --threads $threads -o many.st
            cmp one.st many.st
        done
        # shellcheck disable=SC2086
        sgns "${small[@]}" $model --seed 1 -o other.st
        ! cmp -s one.st other.st
    done
}

@test "a run killed after an epoch is resumed and ends with the same bits" {
    some_text 4000
    options=(text.txt --dim 100 --window 8 --epochs 12)
    for model in "" --cbow; do
        # shellcheck disable=SC2086
        sgns "${options[@]}" $model -o direct.st
        # shellcheck disable=SC2086
        "$PSDVEC" baseline sgns "${options[@]}" $model -o resumed.st 3>&- 2>stderr &
        process=$!
        while ! grep -q '^epoch 2 ' stderr && kill -0 $process 2>/dev/null; do sleep 0.02; done
        kill -9 $process 2>/dev/null || true
        wait $process || true
        # shellcheck disable=SC2086
        "$PSDVEC" baseline sgns "${options[@]}" $model -o resumed.st 2>stderr
        if ! grep -q '^resuming after epoch' stderr; then
            cat stderr
            return 1
        fi
        cmp direct.st resumed.st
        [ ! -e resumed.st.partial ]
        rm resumed.st
    done
}

@test "an output in the input folder: neither its state nor an old output is read as text" {
    some_text 500
    mkdir texts
    mv text.txt texts
    sgns texts --dim 5 --epochs 1 -o apart.st
    sgns texts --dim 5 --epochs 1 -o texts/m.st
    cmp apart.st texts/m.st
    refused 5 "texts/m.st: is both input and output" baseline sgns texts -o texts/m.st
    refused 5 "texts/m.st: is both input and output" train texts -o texts/m.st
}

# interrupt INPUT: leaves the state of a run stopped by Ctrl-C, its messages in stderr.
interrupt() {
    "$PSDVEC" baseline sgns "$1" --epochs 10000 -o m.st 3>&- 2>stderr &
    local process=$! tries=0 status=0
    while ! grep -q '^epoch 2 ' stderr; do
        sleep 0.05
        tries=$((tries + 1))
        [ $tries -lt 400 ]
    done
    kill -INT $process
    wait $process || status=$?
    [ "$status" -eq 130 ]
}

@test "Ctrl-C: status 130, and the message says whether the run can be resumed" {
    some_text 500
    # A background job ignores SIGINT unless job control is on.
    set -m
    interrupt text.txt
    grep -q 'stopped; finished work is kept (1 file .* in m.st.partial), and the same command resumes from it' stderr
    interrupt - <text.txt
    grep -q 'stopped; standard input and pipes cannot be read again' stderr
    [ ! -e m.st ]
}

@test "the model records how it was made, and the summary shows what was learnt" {
    some_text 500
    "$PSDVEC" baseline sgns text.txt --cbow --dim 7 --threads 1 -o m.st 2>said
    grep -q '7 dimensions' said
    grep -q 'after 5 epochs' said
    "$PSDVEC" info m.st >told
    grep -q 'cbow' told
    grep -Eq 'rate +0\.05' told
    grep -Eq 'negative +5' told
}

@test "too little memory gives an error message" {
    [ -z "${SANITIZE:-}" ] || skip "sanitizers need memory of their own"
    some_text 500
    refused 6 "memory" baseline sgns text.txt --dim 10000 --memory 10M --threads 1 -o m.st
    [ ! -e m.st ]
}
