# A document of ten million words is scored as a stream, in little memory.
load ../cli/common

setup() { common_setup; }

@test "a line of ten million words is one document, and needs no more memory than a short one" {
    awk 'BEGIN { srand(1); for (k = 0; k < 20000; k++) printf "w%c%s", 97 + int(26 * rand() * rand()), k % 10 == 9 ? "\n" : " " }' >text
    "$PSDVEC" train text --min-count 1 --dim 5 -q -o model
    # Read from a pipe, under a budget far below the 30 MB of the text.
    awk 'BEGIN { srand(2); for (k = 0; k < 10000000; k++) printf "w%c ", 97 + int(26 * rand() * rand()) }' |
        "$PSDVEC" score model - --memory 16M --format tsv -q >scores
    [ "$(awk -F'\t' 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k } NR == 2 { print $(at["document"]), $(at["words"]), $(at["known"]) }' scores)" = "1 10000000 10000000" ]
    [ "$(wc -l <scores)" = 3 ]
}
