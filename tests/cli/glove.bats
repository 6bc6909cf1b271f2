# psdvec baseline glove: its arguments, its output, and that its bits depend only on its inputs.
bats_require_minimum_version 1.5.0
load common

setup() { common_setup; }

# Each line is about one of 20 subjects, with 30 words per subject and 300 common words.
some_text() { # FILE LINES
    awk -v lines="$2" 'BEGIN {
        srand(1)
        for (line = 0; line < lines; line++) {
            subject = int(rand() * 20)
            for (i = 0; i < 20; i++)
                if (rand() < 0.5) printf "s%da%d ", subject, int(30 * rand() * rand())
                else printf "c%d ", int(300 * rand() * rand())
            print ""
        }
    }' | sed 's/[0-9]/&x/g; y/0123456789/bdefghijkl/' >"$1"
}

some_counts() {
    some_text text.txt 2000
    "$PSDVEC" count -q text.txt --window 15 --distance harmonic --oov drop -o counts.st
}

glove() { "$PSDVEC" baseline glove -q --dim 20 --epochs 5 --x-max 10 "$@"; }

@test "operands and options are strict" {
    refused 2 "give an input: text" baseline glove
    refused 2 "give an output, for example -o glove.safetensors" baseline glove x
    refused 2 "--dim must be a whole number from 1 to 10000, not '0'" baseline glove x -o y --dim 0
    refused 2 "--x-max" baseline glove x -o y --x-max x
    refused 2 "--alpha" baseline glove x -o y --alpha -1
    refused 2 "--rate" baseline glove x -o y --rate 11
    refused 2 "--epochs" baseline glove x -o y --epochs 0
    refused 2 "--add-contexts" baseline glove x -o y --add-contexts maybe
    some_text text.txt 20
    refused 2 "--rate must be a number above 0" baseline glove text.txt -o y --rate 0
    refused 2 "--x-max must be a number above 0" baseline glove text.txt -o y --x-max 0
    refused 3 "nosuch" baseline glove nosuch -o y
    [ ! -e y ] && [ ! -e y.partial ]
}

@test "counting options are refused with a counts file" {
    some_counts
    refused 2 "--window applies to text" baseline glove counts.st -o y --window 5
}

@test "text and its counts give the same vectors, for any number of threads" {
    some_counts
    glove counts.st --threads 1 -o one.st
    glove counts.st --threads 3 -o three.st
    cmp one.st three.st
    glove text.txt -o two.st
    for model in one two; do
        "$PSDVEC" convert $model.st --to glove -q -o $model.txt
    done
    cmp one.txt two.txt
}

@test "another seed, another alpha and words alone give other vectors" {
    some_counts
    glove counts.st -o a.st
    glove counts.st --seed 1 -o b.st
    glove counts.st --alpha 1 -o c.st
    glove counts.st --add-contexts no -o d.st
    for other in b c d; do
        ! cmp -s a.st $other.st
    done
}

@test "the summary and the model show how it was made" {
    some_counts
    "$PSDVEC" baseline glove counts.st --dim 20 --epochs 3 -o m.st 2>talk
    grep -qE '^epoch 3 of 3: loss 0\.[0-9]+$' talk
    grep -qE '^  model +[0-9,]+ words, 20 dimensions$' talk
    grep -qE '^  pairs +[0-9,]+ an epoch$' talk
    grep -qE '^  loss +0\.[0-9]+ after 3 epochs$' talk
    "$PSDVEC" info m.st >info
    grep -qi glove info
}

@test "the loss falls, and words of a subject become neighbours" {
    some_text text.txt 4000
    "$PSDVEC" baseline glove text.txt --dim 20 --epochs 20 --x-max 10 -o m.st 2>talk
    sed -n 's/^epoch.*loss //p' talk >losses
    sort -rg losses | cmp - losses
    "$PSDVEC" similar m.st sdxabx --forms >near
    [ "$(grep -cE '^ +sdxa' near)" -ge 4 ] # by chance, one in thirty
}

@test "a killed run is resumed and ends with the same bits" {
    some_counts
    "$PSDVEC" baseline glove counts.st -q --dim 100 --epochs 60 -o whole.st
    "$PSDVEC" baseline glove counts.st --dim 100 --epochs 60 -o killed.st 2>talk &
    pid=$!
    until grep -q '^epoch 3 of 60' talk || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
    kill -9 $pid
    wait $pid || true
    [ ! -e killed.st ] && [ -d killed.st.partial ]
    "$PSDVEC" baseline glove counts.st --dim 100 --epochs 60 -o killed.st 2>talk
    grep -q 'resuming after epoch' talk
    cmp whole.st killed.st
    [ ! -e killed.st.partial ]
}

@test "too little memory: the error says how much is enough" {
    [ -z "${SANITIZE:-}" ] || skip "memory is limited"
    some_counts
    refused 6 "fewer dimensions (--dim) or fewer words (--min-count)" \
        baseline glove counts.st --memory 8M --threads 1 --dim 2000 -o y
    least=$(sed -n 's/.*set --memory \([0-9]*M\).*/\1/p' stderr)
    glove counts.st --memory "$least" --threads 1 --dim 2000 --epochs 1 -o y
}
