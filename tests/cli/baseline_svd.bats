# psdvec baseline svd and cca, end to end.
bats_require_minimum_version 1.5.0
load common

setup() { common_setup; }

# themes: a text in which words with the same letter co-occur.
themes() {
    awk 'BEGIN {
        srand(5)
        for (line = 0; line < 3000; line++) {
            theme = substr("abcde", int(5 * rand()) + 1, 1)
            for (k = 0; k < 8; k++)
                printf "%s ", rand() < 0.3 ? "the" : theme theme substr("klmnop", int(6 * rand()) + 1, 1)
            print ""
        }
    }' >themes.txt
}

# nearest_have_the_theme MODEL: the five nearest words of each word begin with the same letter.
nearest_have_the_theme() {
    for word in aak bbl ccm ddn eeo; do
        "$PSDVEC" similar "$1" $word --top 5 --tsv -q | rows | cut -f 2 >near
        [ "$(wc -l <near)" -eq 5 ]
        [ "$(grep -c "^${word:0:2}" near)" -eq 5 ]
    done
}

# differ MODEL MODEL: the vectors of the models differ.
differ() {
    for model in "$1" "$2"; do
        "$PSDVEC" convert "$model" "$model.txt" -q
    done
    run -1 cmp "$1.txt" "$2.txt"
}

@test "words that co-occur are similar" {
    themes
    for system in svd cca; do
        "$PSDVEC" baseline $system themes.txt --dim 6 -o model -q
        nearest_have_the_theme model
    done
}

@test "text and counts give the same vectors, for any number of threads" {
    themes
    "$PSDVEC" count themes.txt -o counts -q
    for system in svd cca; do
        "$PSDVEC" baseline $system themes.txt --dim 8 --threads 1 -o one -q
        "$PSDVEC" baseline $system counts --dim 8 --threads 3 -o three -q
        "$PSDVEC" convert one one.txt -q
        "$PSDVEC" convert three three.txt -q
        cmp one.txt three.txt
    done
}

@test "every option changes the vectors" {
    themes
    "$PSDVEC" count themes.txt -o counts -q
    "$PSDVEC" baseline svd counts --dim 8 -o svd -q
    for option in --eigenvalue-power=0 --eigenvalue-power=1 --add-contexts=yes --context-power=1 --shift=2; do
        "$PSDVEC" baseline svd counts --dim 8 $option -o other -q
        differ svd other
    done
    "$PSDVEC" baseline cca counts --dim 8 -o cca -q
    for option in --eigenvalue-power=1 --count-power=1 --context-power=1; do
        "$PSDVEC" baseline cca counts --dim 8 $option -o other -q
        differ cca other
    done
}

@test "the vectors of cca have length 1" {
    themes
    "$PSDVEC" baseline cca themes.txt --dim 8 -o model -q
    "$PSDVEC" convert model model.glove -q
    [ "$(wc -l <model.glove)" -eq 31 ]
    awk '{ s = 0; for (k = 2; k <= NF; k++) s += $k * $k; if (s < 0.9999 || s > 1.0001) exit 1 }' model.glove
}

@test "values out of range are refused" {
    themes
    refused 2 "eigenvalue-power" baseline svd themes.txt --eigenvalue-power 1.5 -o model
    refused 2 "add-contexts" baseline svd themes.txt --add-contexts perhaps -o model
    refused 2 "count-power" baseline cca themes.txt --count-power 0 -o model
    [ ! -e model ]
}

@test "a shift that leaves no entries is an error" {
    themes
    refused 3 "shift" baseline svd themes.txt --shift 1e6 -o model -q
    [ ! -e model ]
}

@test "more dimensions than the rank of the matrix give a warning" {
    themes
    run "$PSDVEC" baseline svd themes.txt --dim 50 -o model
    [ "$status" -eq 0 ]
    [[ $output == *"of the 50 components of every vector are 0"*"--dim"* ]]
    run "$PSDVEC" baseline svd themes.txt --dim 5 -o model
    [ "$status" -eq 0 ]
    [[ $output != *"warning"* ]]
}
