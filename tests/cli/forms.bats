# Words are counted in normalised form and shown in the most frequent spelling of the text.
load common

setup() {
    BUILD=$(realpath "${BUILD:-build}")
    common_setup
    # 40 sentences; "however" occurs only at the beginning of sentences, "Größe" is always a noun.
    for i in $(seq 40); do
        echo "However, die Größe der Straße in Berlin ist groß. However, NASA und der Fluss in Berlin sind groß."
        echo "Der Fluss und die Straße haben eine Größe, der café heißt Berlin."
    done >text.txt
    printf 'The Straße wo das iPhone liegt ist in Berlin. Das iPhone und die Größe der Straße.\n%.0s' $(seq 20) >new.txt
}

train() { "$PSDVEC" train text.txt --dim 5 --min-count 2 --restart -q "$@" -o m.safetensors; }
# The words that `similar` shows, on one line.
shown() { "$PSDVEC" similar "${1:-m.safetensors}" berlin --top 50 | awk 'NR > 1 { printf "%s ", $1 }'; }

@test "neighbours are shown in their usual spelling; JSON and TSV have the words" {
    train
    words=$(shown)
    for form in Größe Straße NASA Fluss groß café; do [[ " $words" == *" $form "* ]]; done
    "$PSDVEC" similar m.safetensors berlin --top 50 --format tsv >tsv
    "$PSDVEC" similar m.safetensors berlin --top 50 --format json >json
    for word in grösse strasse nasa fluss; do
        cut -f2 tsv | grep -qx "$word"
        grep -q "\"$word\"" json
    done
    "$PSDVEC" similar m.safetensors berlin --top 50 --format markdown | grep -q Größe
}

@test "the first words of sentences are not counted" {
    train
    [[ " $(shown)" == *" however "* ]]
}

@test "stripped accents are restored" {
    train --accents strip
    [[ " $(shown)" == *" café "* ]]
    "$PSDVEC" similar m.safetensors berlin --top 50 --format tsv | cut -f2 | grep -qx cafe
}

@test "words that are counted without folding have no other form" {
    train --case keep
    ! grep -q 'forms' <(head -c 20000 m.safetensors)
}

@test "a model from standard input shows the words as they were counted" {
    "$PSDVEC" train - --dim 5 --min-count 2 -q -o m.safetensors <text.txt
    [[ " $(shown)" == *" grösse "* ]]
}

@test "the forms do not depend on the number of threads or the memory" {
    train --threads 1
    cp m.safetensors one.safetensors
    train --threads 4 --memory 256M
    cmp m.safetensors one.safetensors
}

@test "extend, convert and fit-temperature keep the forms, and new words have forms" {
    train
    "$PSDVEC" extend m.safetensors new.txt --min-count 2 -q -o more.safetensors
    words=$(shown more.safetensors)
    for form in Größe NASA iPhone; do [[ " $words" == *" $form "* ]]; done
    "$PSDVEC" convert more.safetensors small.safetensors --dim 3 --int8 -q
    [[ " $(shown small.safetensors)" == *" Größe "* ]]
    "$PSDVEC" info --verify small.safetensors -q
}

@test "offsets of forms without the forms are refused" {
    train
    "$BUILD/tests/tools/st_edit" set m.safetensors bad.safetensors ~forms
    refused 4 forms similar bad.safetensors berlin
}
