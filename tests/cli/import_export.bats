# Importing and exporting counts of other programs: round trips, and every error.
load common
bats_require_minimum_version 1.5.0

setup() {
    common_setup
    printf 'the cat sat on the mat\nthe dog sat on the cat\nthe the dog\n' >text
}

count() {
    "$PSDVEC" count text --tokenizer whitespace --min-count 1 -q -o native "$@"
}

# The contents of a file, without its provenance.
contents() {
    "$PSDVEC" counts dump "$1" --raw | rows
    "$PSDVEC" counts info "$1" --json --no-verify |
        grep -oE '"(words|bigrams|scale|total|window|wide)": [^,]*|"most_frequent".*'
}

same() {
    diff <(contents "$1") <(contents "$2")
}

@test "GloVe and Matrix Market restore native counts, weighted or not" {
    for distance in uniform harmonic linear; do
        for window in 1 3 5; do
            count --window $window --distance $distance
            scale=$("$PSDVEC" counts info native --json | grep -o '"scale": [0-9]*' | cut -d ' ' -f 2)
            "$PSDVEC" counts export native --format glove --vocab-output vocab -q -o bin
            "$PSDVEC" counts import bin --format glove --vocab vocab --window $window \
                --scale "$scale" -q -o again
            same native again
            "$PSDVEC" counts export native --format matrix-market --vocab-output words -q -o mtx
            "$PSDVEC" counts import mtx --format matrix-market --vocab words -q -o again
            same native again
        done
    done
}

@test "top2grams restores the pairs; frequencies become numbers of pairs" {
    count --window 3
    "$PSDVEC" counts export native --format top2grams -q -o grams
    "$PSDVEC" counts import grams --format top2grams -q -o again
    diff <("$PSDVEC" counts dump native | rows) <("$PSDVEC" counts dump again | rows)
    "$PSDVEC" counts info again | grep -qE '^  window +3$'
    "$PSDVEC" counts export again --format top2grams -q -o twice
    diff <(sed 1d grams) <(sed 1d twice)
}

@test "top1grams keeps the frequencies that top2grams lacks" {
    count --window 3
    "$PSDVEC" counts export native --format top2grams -q -o alone
    "$PSDVEC" counts export native --format top2grams --vocab-output list -q -o grams
    cmp alone grams
    # 15 words of text, all in the vocabulary
    diff list - <<END
# 6 words, 15 occurrences
# input=psdvec-$("$PSDVEC" --version | awk 'NR == 1 { print $2 }'), window=3
$(printf 'the\t6\t-0.916\ncat\t2\t-2.015\ndog\t2\t-2.015\non\t2\t-2.015\nsat\t2\t-2.015\nmat\t1\t-2.708')
END
    "$PSDVEC" counts import grams --format top2grams --vocab list -q -o again
    same native again
    # a plain list with frequencies and a counts file work as well, in any order and with more words
    { echo 'other 3'; sed '/^# /d' list | cut -f 1,2 | tr '\t' ' ' | tac; } >plain
    "$PSDVEC" counts import grams --format top2grams --vocab plain -q -o again
    same native again
    "$PSDVEC" counts import grams --format top2grams --vocab native -q -o again
    same native again
    # the list can be a vocabulary for counting
    "$PSDVEC" count text --tokenizer whitespace --window 3 --vocab list -q -o listed
    same native listed
}

@test "top1grams gives relative frequencies in the text" {
    "$PSDVEC" count text --tokenizer whitespace --min-count 2 --window 3 -q -o native
    "$PSDVEC" counts export native --format top2grams --vocab-output list -q -o grams
    [ "$(head -n 1 list)" = '# 5 words, 15 occurrences' ]
    [ "$(head -n 1 grams)" = '# 5 words, 14 occurrences' ]
    [ "$(sed -n 3p list)" = $'the\t6\t-0.916' ]
}

@test "top1grams restores words that begin with # or contain spaces" {
    printf '# #b # x\n' >text
    count --window 1
    "$PSDVEC" counts export native --format top2grams --vocab-output list -q -o grams
    "$PSDVEC" counts import grams --format top2grams --vocab list -q -o again
    same native again
    sed 's/x/x y/' list >spaced
    sed 's/x/x y/' grams >grams2
    "$PSDVEC" counts import grams2 --format top2grams --vocab spaced -q -o again
    "$PSDVEC" counts dump again | grep -q 'x y'
}

@test "lists that do not fit top2grams are refused" {
    count --window 3
    "$PSDVEC" counts export native --format top2grams --vocab-output list -q -o grams
    import() { # STATUS SENTENCE LIST
        refused "$1" "$2" counts import grams --format top2grams --vocab "$3" -o x
        [ ! -e x ]
    }
    sed '$d' list >cut
    import 3 'cut: has 5 words, but its first line declares 6; the file is damaged or truncated' cut
    sed -e '/^# /d' -e '/^dog/d' list | cut -f 1,2 >lacks
    import 4 'lacks: does not have the word "dog" of grams' lacks
    cut -f 1 list | sed '/^# /d' >bare
    import 3 'bare: line 1: a word without a count' bare
    sed 's/^dog\t2/dog\t2x/' list >wrong
    import 3 'wrong: line 5: expected a word' wrong
    import 3 'nosuch' nosuch
    refused 5 'is both input and output' counts import grams --format top2grams \
        --vocab list -o list
    refused 5 '--vocab-output and -o name the same file' counts export native --format top2grams \
        --vocab-output w -o w
    "$PSDVEC" count text --tokenizer whitespace --min-count 1 --distance harmonic -q -o native
    refused 2 'its counts have fractions' counts export native --format top2grams \
        --vocab-output w -o x
    [ ! -e w ] && [ ! -e x ]
}

@test "a symmetric export, imported as symmetric, has every pair once" {
    count --window 3 --distance harmonic
    "$PSDVEC" counts export native --format glove --symmetric --vocab-output vocab -q -o bin
    "$PSDVEC" counts import bin --format glove --vocab vocab --window 3 --symmetric -q -o one
    "$PSDVEC" counts export native --format matrix-market --symmetric --vocab-output vocab -q -o mtx
    "$PSDVEC" counts import mtx --format matrix-market --vocab vocab --symmetric -q -o two
    same one two
    "$PSDVEC" counts info one | grep -qE '^  pairs +unordered$'
    "$PSDVEC" counts export one --format glove --symmetric --vocab-output vocab -q -o bin2
    cmp bin bin2
    "$PSDVEC" counts import bin --format glove --vocab vocab --window 3 -o both 2>talk
    grep -q 'has every pair in both directions' talk
    refused 4 'not every pair is in both directions' counts import \
        <("$PSDVEC" counts export native --format glove --vocab-output vocab -q -o bin; cat bin) \
        --format glove --vocab vocab --symmetric -o x
}

@test "info shows the sources of a file" {
    count --window 3
    "$PSDVEC" counts export native --format glove --vocab-output vocab -q -o bin
    "$PSDVEC" counts import bin --format glove --vocab vocab -q -o again
    "$PSDVEC" counts info again >info
    grep -qE '^  imported +glove$' info
    grep -qE '^  window +unknown$' info
    grep -qE '^  bin +files 1, bytes ' info
    "$PSDVEC" counts info again --json | grep -q '"tokens": 15, '
}

@test "compressed files and standard input" {
    count --window 3
    "$PSDVEC" counts export native --format matrix-market --vocab-output words -q -o mtx
    "$PSDVEC" counts export native --format glove --vocab-output vocab -q -o bin
    "$PSDVEC" counts export native --format top2grams -q -o grams
    gzip -k mtx bin grams
    for format in matrix-market:mtx glove:bin top2grams:grams; do
        file=${format#*:} format=${format%:*}
        words=(--vocab vocab)
        [ $format != top2grams ] || words=()
        "$PSDVEC" counts import $file --format $format "${words[@]}" -q -o plain
        "$PSDVEC" counts import $file.gz --format $format "${words[@]}" -q -o packed
        same plain packed
        "$PSDVEC" counts import - --format $format "${words[@]}" -q -o piped <$file
        same plain piped
        "$PSDVEC" counts import - --format $format "${words[@]}" -q -o piped <$file.gz
        same plain piped
        head -c 60 $file.gz >cut.gz
        refused 3 'cut.gz: decompression failed' counts import cut.gz --format $format \
            "${words[@]}" -o x
    done
    tar cf two.tar mtx mtx.gz
    refused 3 'more than one file' counts import two.tar --format matrix-market --vocab words -o x
    [ ! -e x ]
}

@test "rounding is reported" {
    printf 'a 1\nb 1\n' >words
    printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 0.123\n2 1 4.5\n' >mtx
    run --separate-stderr "$PSDVEC" counts import mtx --format matrix-market --vocab words \
        --scale 10 -o x
    [ "$status" -eq 0 ]
    [[ $stderr == *"1 numbers are not multiples of 1/10 and were rounded, by up to 0.023"* ]]
}

@test "damaged files and files of other formats" {
    count --window 3
    "$PSDVEC" counts export native --format glove --vocab-output vocab -q -o bin
    "$PSDVEC" counts export native --format matrix-market --vocab-output words -q -o mtx
    "$PSDVEC" counts export native --format top2grams -q -o grams
    import() { # STATUS SENTENCE FORMAT FILE [OPTION]...
        refused "$1" "$2" counts import "$4" --format "$3" -o x "${@:5}"
        [ ! -e x ]
    }
    import 3 'nosuch' glove nosuch --vocab vocab
    import 3 'nosuch' glove bin --vocab nosuch
    head -c 41 bin >cut
    import 3 'cut: ends within a record, 9 bytes after record 2' glove cut --vocab vocab
    head -n 2 vocab >few
    import 3 'but few has only the words 1 to 2' glove bin --vocab few
    cut -d ' ' -f 1 vocab >bare
    import 3 'bare: line 1: a word without a count' glove bin --vocab bare
    cat vocab vocab >twice
    import 3 'is in the list twice' glove bin --vocab twice
    import 3 'record 1: word number' glove mtx --vocab vocab
    import 4 'is not a Matrix Market file' matrix-market bin --vocab vocab
    import 4 'but few has 2 words' matrix-market mtx --vocab few
    head -n 9 mtx >cut
    import 3 'cut: has 4 of the ' matrix-market cut --vocab vocab
    import 4 'is not a list of bigrams' top2grams mtx
    head -n 9 grams >cut
    import 3 'cut: line 8: the row that begins here lacks' top2grams cut
    sed '$d' grams >cut
    import 3 'the last line, "# Total kept bigram occurrences", is missing' top2grams cut
}

@test "outputs that would overwrite an input, and missing folders" {
    count --window 3
    "$PSDVEC" counts export native --format glove --vocab-output vocab -q -o bin
    cp bin bin.before
    refused 5 'is both input and output' counts import bin --format glove --vocab vocab -o bin
    refused 5 'is both input and output' counts import bin --format glove --vocab vocab -o vocab
    refused 5 'is both input and output' counts export native --format glove \
        --vocab-output w -o native
    refused 5 'is both input and output' counts export native --format glove \
        --vocab-output native -o w
    refused 5 '--vocab-output and -o name the same file' counts export native --format glove \
        --vocab-output w -o w
    refused 5 'nosuch/x' counts import bin --format glove --vocab vocab -o nosuch/x
    refused 5 'nosuch/x' counts export native --format glove --vocab-output v -o nosuch/x
    cmp bin bin.before
    [ ! -e w ] && [ ! -e v ]
}

@test "values that a format cannot represent" {
    count --window 3 --distance harmonic
    refused 2 'its counts have fractions' counts export native --format top2grams -o x
    printf '1,000 cats\n' >text
    count --window 1
    refused 2 'the word "1,000" contains a character that separates words in the format top2grams' \
        counts export native --format top2grams -o x
    refused 2 'omit --symmetric' counts import native --format top2grams --symmetric -o x
    [ ! -e x ]
}

@test "imports of the same kind can be merged" {
    count --window 3
    "$PSDVEC" counts export native --format glove --vocab-output vocab -q -o bin
    "$PSDVEC" counts import bin --format glove --vocab vocab --window 3 -q -o again
    "$PSDVEC" counts merge again again -q -o twice
    diff <("$PSDVEC" counts dump native | rows | awk -F '\t' -v OFS='\t' '{ $3 *= 2; print }') \
        <("$PSDVEC" counts dump twice | rows)
    refused 4 'cannot be added up' counts merge again native -o x
}
