# Counting and counts files through the program, on texts counted by hand.
load common
bats_require_minimum_version 1.5.0

setup() {
    common_setup
    small_text
}

count_small() {
    "$PSDVEC" count small.txt --min-count 1 --window 2 -q -o small.counts "$@"
}

# The pairs of small.txt in a window of 2. Words by frequency, ties in byte
# order: the 3, sat 2, cat, dog, mat, on 1 each.
expected_pairs() {
    printf '%s\t%s\t%s\n' the sat 2 the cat 1 the dog 1 the mat 1 sat the 1 sat on 1 \
        cat sat 1 cat on 1 dog sat 1 on the 1 on mat 1
}

@test "count, then dump: the pairs counted by hand" {
    count_small
    "$PSDVEC" counts dump small.counts | rows >dump
    expected_pairs | diff - dump
}

@test "count reads standard input" {
    "$PSDVEC" count - --min-count 1 --window 2 -q -o small.counts <small.txt
    "$PSDVEC" counts dump small.counts | rows >dump
    expected_pairs | diff - dump
}

@test "count prints a summary on stderr at the end, but not with --quiet" {
    run --separate-stderr "$PSDVEC" count small.txt --min-count 1 -o small.counts
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [[ $stderr == *"read        9 words in 2 documents (37 B of text)"* ]]
    [[ $stderr == *"vocabulary  6 words of 6 distinct words, covering 100.0% of the text"* ]]
    [[ $stderr == *"written     small.counts ("* ]]
    run --separate-stderr "$PSDVEC" count small.txt --min-count 1 -q -o small.counts
    [ -z "$output$stderr" ]
}

@test "the log has the result" {
    count_small --log log.jsonl
    grep '"event": "result"' log.jsonl >result
    grep -q '"output": "small.counts"' result
    grep -q '"tokens": 9, "known_tokens": 9, "distinct_words": 6, "words": 6, "bigrams": 11' result
}

@test "--top: largest first, ties by context, then focus" {
    count_small
    "$PSDVEC" counts dump small.counts --top 3 | rows >dump
    printf '%s\t%s\t%s\n' the sat 2 the cat 1 the dog 1 | diff - dump
    "$PSDVEC" counts dump small.counts --top 1000 | rows | sort >all
    expected_pairs | sort | diff - all
}

@test "--word: pairs with the word on either side; several words, each pair once" {
    count_small
    "$PSDVEC" counts dump small.counts --word on | rows >dump
    printf '%s\t%s\t%s\n' sat on 1 cat on 1 on the 1 on mat 1 | diff - dump
    "$PSDVEC" counts dump small.counts --word on --word mat --word on | rows >dump
    printf '%s\t%s\t%s\n' the mat 1 sat on 1 cat on 1 on the 1 on mat 1 | diff - dump
    "$PSDVEC" counts dump small.counts --word on --top 2 | rows >dump
    printf '%s\t%s\t%s\n' sat on 1 cat on 1 | diff - dump
}

@test "an unknown word: status 2 and similar spellings" {
    count_small
    refused 2 "the word 'catt' is not in the vocabulary; did you mean 'cat'" \
        counts dump small.counts --word catt
    refused 2 "the word 'zebra' is not in the vocabulary" counts show small.counts zebra
}

@test "--format jsonl, and escapes in both formats" {
    printf 'a\\b "q" c\n' >odd.txt
    "$PSDVEC" count odd.txt --tokenizer whitespace --min-count 1 --window 1 -q -o odd.counts
    "$PSDVEC" counts dump odd.counts | rows >dump
    printf '%s\t%s\t%s\n' '"q"' c 1 'a\\b' '"q"' 1 | diff - dump
    "$PSDVEC" counts dump odd.counts --format jsonl >dump
    printf '%s\n' '{"context": "\"q\"", "focus": "c", "count": 1}' \
        '{"context": "a\\b", "focus": "\"q\"", "count": 1}' | diff - dump
}

@test "weights by distance are printed as short decimals" {
    count_small --distance harmonic
    "$PSDVEC" counts dump small.counts --word mat | rows >dump
    printf '%s\t%s\t%s\n' the mat 1 on mat 0.5 | diff - dump
}

@test "--raw is the count times the scale" {
    count_small
    scale=$("$PSDVEC" counts info small.counts --json | grep -o '"scale": [0-9]*' | head -n 1 | cut -d ' ' -f 2)
    "$PSDVEC" counts dump small.counts --raw --top 1 | rows >dump
    printf 'the\tsat\t%s\n' $((2 * scale)) | diff - dump
}

@test "info shows contents, settings, inputs and words within 80 columns" {
    count_small
    "$PSDVEC" counts info small.counts >info
    grep -q '^  words  *6$' info
    grep -q '^  bigrams  *11 distinct pairs' info
    grep -q '^  text  *9 words in 2 documents$' info
    grep -q '^  checksums  *verified$' info
    grep -q '^Settings$' info
    grep -q 'small.txt' info
    grep -q '^  the  *3' info
    [ "$(wc -L <info)" -le 80 ]
    "$PSDVEC" counts info small.counts --no-verify | grep -q '^  checksums  *not verified$'
}

@test "info --json is one JSON object" {
    command -v python3 >/dev/null || skip "no python3"
    count_small
    "$PSDVEC" counts info small.counts --json >info.json
    python3 - <<'PYTHON'
import json
info = json.load(open("info.json"))
assert info["words"] == 6 and info["bigrams"] == 11 and info["verified"] is True
assert info["tokens"] == 9 and info["documents"] == 2 and info["window"] == 2
assert isinstance(info["settings"], dict) and isinstance(info["inputs"], list)
assert info["most_frequent"][0] == {"word": "the", "count": 3}
PYTHON
}

@test "show draws two columns within 80, by association and by count" {
    yes 'the cat sat on the mat' | head -n 50 >long.txt
    yes 'a dog ran to a house' | head -n 50 >>long.txt
    "$PSDVEC" count long.txt --window 2 -q -o long.counts
    "$PSDVEC" counts show long.counts sat dog | golden show
    "$PSDVEC" counts show long.counts sat --by count --top 1 | golden show-by-count
    "$PSDVEC" counts show long.counts sat dog >screen
    [ "$(wc -L <screen)" -le 80 ]
}

@test "show keeps its columns with wide and combining characters" {
    yes $'北京 caf\u00e9 e\u0301te\u0301 東京' | head -n 20 >wide.txt
    "$PSDVEC" count wide.txt --tokenizer whitespace --window 1 -q -o wide.counts
    "$PSDVEC" counts show wide.counts $'caf\u00e9' --by count | golden show-wide
}

@test "merging a file with itself doubles the counts" {
    count_small
    "$PSDVEC" counts merge small.counts small.counts -q -o twice.counts
    "$PSDVEC" counts dump twice.counts | rows >dump
    expected_pairs | awk -F '\t' -v OFS='\t' '{ $3 *= 2; print }' | diff - dump
}

@test "export and import restore the same counts" {
    count_small
    "$PSDVEC" counts export small.counts --format matrix-market --vocab-output words -q -o small.mtx
    "$PSDVEC" counts import small.mtx --format matrix-market --vocab words -q -o again.counts
    "$PSDVEC" counts dump again.counts | rows >dump
    expected_pairs | diff - dump
    "$PSDVEC" counts export small.counts --format glove --vocab-output vocab.txt -q -o small.bin
    "$PSDVEC" counts import small.bin --format glove --vocab vocab.txt -q -o again.counts
    "$PSDVEC" counts dump again.counts | rows >dump
    expected_pairs | diff - dump
    "$PSDVEC" counts export small.counts --format top2grams -q -o small.top2grams
    "$PSDVEC" counts import small.top2grams --format top2grams -q -o again.counts
    "$PSDVEC" counts dump again.counts | rows >dump
    expected_pairs | diff - dump
}

@test "--keep: a list, @FILE, and both" {
    printf 'mat\n' >list
    "$PSDVEC" count small.txt --min-count 2 --window 2 --keep cat,dog --keep @list -q -o kept.counts
    "$PSDVEC" counts dump kept.counts --word mat | rows >dump
    printf '%s\t%s\t%s\n' the mat 1 | diff - dump
    refused 3 "cannot read the list of words nosuch" count small.txt -o y --keep @nosuch
}

@test "tokenize prints the tokens that are counted, one document per line" {
    printf "It's a well-known Caf\u00e9.\n\nTwo lines, 3 words!\n" >text
    "$PSDVEC" tokenize text >tokens
    printf "it's a well known caf\u00e9\ntwo lines words\n" | diff - tokens
    "$PSDVEC" tokenize --hyphens join --accents strip --digits keep <text >tokens
    printf "it's a well-known cafe\ntwo lines 3 words\n" | diff - tokens
    "$PSDVEC" tokenize - --tokenizer whitespace <text >tokens
    printf "It's a well-known Caf\u00e9.\nTwo lines, 3 words!\n" | diff - tokens
}

@test "many words with underscores give one warning, unless they are joined" {
    yes 'we flew from new_york to san_francisco' | head -n 3000 >joined.txt
    for threads in 1 3; do
        "$PSDVEC" count joined.txt --threads $threads -o x.counts 2>talk
        grep -c -- 'words with underscores (6000 in the first 115 KiB).*use --underscores join' talk |
            grep -qx 1
    done
    "$PSDVEC" count joined.txt --resume units -o x.counts 2>talk
    grep -c 'with underscores' talk | grep -qx 1
    "$PSDVEC" count joined.txt --underscores join -o x.counts 2>talk
    ! grep 'with underscores' talk
    "$PSDVEC" counts dump x.counts --word new_york | rows | grep -q '^new_york'
    # A few in a long text are not phrases.
    { yes 'we flew from here to there' | head -n 3000; echo 'snake_case snake_case other_case a_b c_d'; } >few.txt
    "$PSDVEC" count few.txt -o x.counts 2>talk
    ! grep 'with underscores' talk
}

@test "exit status: the input cannot be used (3)" {
    refused 3 nosuch count nosuch -o y
    refused 3 nosuch tokenize nosuch
    : >empty
    refused 3 empty count empty -o y
    echo '... !!! ---' >signs
    refused 3 signs count signs -o y
    [ ! -e y ]
}

@test "exit status: a psdvec file cannot be used (4)" {
    refused 4 small.txt counts info small.txt
    count_small
    head -c 100 small.counts >cut.counts
    refused 4 cut.counts counts info cut.counts
    size=$(stat -c %s small.counts)
    cp small.counts bad.counts
    # The last byte belongs to a tensor; only the checksums detect the change.
    printf '\377' | dd of=bad.counts bs=1 seek=$((size - 1)) conv=notrunc status=none
    refused 4 bad.counts counts info bad.counts
}

@test "exit status: the result cannot be written (5)" {
    refused 5 nosuch count small.txt --min-count 1 -o nosuch/y
}

@test "exit status: Ctrl-C 130, SIGTERM 143, SIGHUP 129; no files are left" {
    for pair in INT:130 TERM:143 HUP:129; do
        run bash -c "yes 'some words without an end' |
            timeout --foreground --preserve-status -k 10 -s ${pair%:*} 1 '$PSDVEC' count - --min-count 1 -o y"
        [ "$status" -eq "${pair#*:}" ]
    done
    [ "$(ls)" = small.txt ]
}

@test "Ctrl-C also stops a program that waits for input" {
    mkfifo waiting
    sleep 8 >waiting &
    run timeout --foreground --preserve-status -k 5 -s INT 1 "$PSDVEC" count - -o y <waiting
    kill $! 2>/dev/null || true
    [ "$status" -eq 130 ]
}
