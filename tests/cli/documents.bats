# The probability of documents: score, next, explain, generate, fit-temperature.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    command -v jq >/dev/null || skip "no jq"
}

# Two small corpora with their counts: at court kings rule, on the farm dogs run. "other" is text
# that neither was trained on, and "held" is similar to the court, with unseen pairs.
worlds() {
    awk 'BEGIN {
        split("king queen prince duke", ruler); split("land castle crown people", realm)
        split("dog cat cow horse", beast); split("field barn night farmer", place)
        for (i = 0; i < 240; i++) {
            a = ruler[i % 4 + 1]; b = realm[int(i / 4) % 4 + 1]; c = ruler[int(i / 16) % 4 + 1]
            print "the", a, "rules the", b, "and the", c, "sleeps in the castle" >"court.txt"
            a = beast[i % 4 + 1]; b = place[int(i / 4) % 4 + 1]; c = beast[int(i / 16) % 4 + 1]
            print "a", a, "runs to the", b, "and the", c, "sleeps in the barn" >"farm.txt"
            print "the", realm[i % 4 + 1], "and the", ruler[int(i / 3) % 4 + 1], "rules in the land and",
                ruler[int(i / 5) % 4 + 1], "rules the castle" >"held.txt"
        }
    }'
    printf '%s\n' 'the king sleeps in the castle' 'the dog runs to the field and the cow sleeps' '' \
        'xyzzy' 'The queen rules the people, and a dog sleeps!' >other.txt
    for world in court farm; do
        "$PSDVEC" count $world.txt --min-count 1 --window 4 --distance linear -o $world.counts -q
        "$PSDVEC" train $world.counts --dim 8 --context-power 0.75 --spelling off --order off \
            -o $world.safetensors -q
    done
}

# repeated N: the court N times in large.txt.
repeated() { awk -v n="$1" '{ text = text $0 "\n" } END { while (n-- > 0) printf "%s", text }' court.txt >large.txt; }

# same A B: two files of numbers, one per line, differ by less than one part in a million.
same() {
    paste "$1" "$2" | awk 'NF != 2 || ($1 - $2) ^ 2 > 1e-12 * (1 + $1 ^ 2) { print; bad = 1 } END { exit bad || !NR }'
}

# holds FILTER FILE: the jq expression is true of every object in the file.
holds() { jq -es "map($1) | length > 0 and all" "$2" >/dev/null || { echo "not so: $1"; jq -c . "$2"; return 1; }; }

close='def close(a; b): (a - b | fabs) < 1e-6 * (1 + (a | fabs));'

# ---- score ---------------------------------------------------------------------------------

@test "score: perplexity is exp(-log-likelihood / words), and totals are sums" {
    worlds
    "$PSDVEC" score court.safetensors other.txt --counts court.counts --format jsonl >scores
    grep -v '"total"' scores >documents
    grep '"total": true' scores >total
    [ "$(wc -l <documents)" -eq 5 ]
    [ "$(tail -n 1 scores)" = "$(cat total)" ]
    for kind in "log_likelihood perplexity" "log_unigram perplexity_unigram" "log_bigram perplexity_bigram"; do
        # shellcheck disable=SC2086
        set -- $kind
        holds "$close if .known > 0 then close(.$2; (-.$1 / .known | exp)) else .$2 == null end" scores
    done
    for member in words known log_likelihood log_paper log_unigram log_bigram; do
        jq -s "map(.$member) | add" documents >sum
        jq ".$member" total >told
        same sum told
    done
    holds '.documents == 5 and .known < .words' total
    holds "$close close(.coverage; .known / .words)" total
    run ! grep -qi nan scores
}

@test "score: documents without a known word count as documents but have no perplexity" {
    worlds
    "$PSDVEC" score court.safetensors other.txt --format jsonl >scores
    sed -n 3p scores >empty
    sed -n 4p scores >unknown
    holds '.words == 0 and .known == 0 and .perplexity == null and .beginning == ""' empty
    holds '.words == 1 and .known == 0 and .perplexity == null and .log_likelihood == 0' unknown
    "$PSDVEC" score court.safetensors other.txt | sed -n '4,5p' >lines
    [ "$(tr -s ' ' <lines)" = "$(printf ' 3 0 0 - - - -\n 4 xyzzy 1 1 - - - -')" ]
}

@test "score: the words of a document sum to its log-likelihood" {
    worlds
    "$PSDVEC" score court.safetensors other.txt --per-word --format jsonl >scores
    for pair in "log_likelihood log_probability" "log_unigram log_unigram" "log_paper log_paper"; do
        # shellcheck disable=SC2086
        set -- $pair
        holds "$close .total or close(.$1; [.per_word[] | select(.known).$2] | add // 0)" scores
    done
    holds '.total or (.words == (.per_word | length) and .known == (.per_word | map(select(.known)) | length))' scores
    # Without --per-word the output is the same except for the words.
    "$PSDVEC" score court.safetensors other.txt --format jsonl | jq -c . >plain
    jq -c 'del(.per_word)' scores | cmp - plain
}

@test "score: TSV has the same values as JSON" {
    worlds
    for options in "court.safetensors --counts court.counts" "court.safetensors" "court.safetensors farm.safetensors"; do
        # shellcheck disable=SC2086
        "$PSDVEC" score $options other.txt --format tsv >lines
        # shellcheck disable=SC2086
        "$PSDVEC" score $options other.txt --format jsonl >objects
        jq -r 'def cell: if . == null then "" else tostring end;
               . as $d | (.models // [. + {model: "court", posterior: 1}])[] |
               [($d.document // "total"), $d.source, .model, $d.words, $d.known] +
               [.log_likelihood, .error, .perplexity, .log_paper, .log_unigram, .perplexity_unigram, .log_bigram,
                .perplexity_bigram, .posterior] + [$d.beginning] | map(cell) | join("\t")' objects >wanted
        tail -n +2 lines | awk -F'\t' -v OFS='\t' '{ for (k = 6; k <= 14; k++) if ($k != "") $k = sprintf("%.9g", $k) } 1' >a
        awk -F'\t' -v OFS='\t' '{ for (k = 6; k <= 14; k++) if ($k != "") $k = sprintf("%.9g", $k) } 1' wanted >b
        diff -u a b
        [ "$(head -n 1 lines | tr '\t' '\n' | wc -l)" -eq 15 ]
    done
    "$PSDVEC" score court.safetensors other.txt --per-word --format tsv >words
    "$PSDVEC" score court.safetensors other.txt --per-word --format jsonl >objects
    [ "$(tail -n +2 words | cut -f 3 | tr '\n' ' ')" = "$(jq -r '.per_word // [] | .[].word' objects | tr '\n' ' ')" ]
    tail -n +2 words | awk -F'\t' '$5 != "" { print $5 }' >a
    jq '.per_word // [] | .[] | select(.known).log_probability' objects >b
    same a b
}

@test "score: with several models each document has posteriors that sum to 1, and a best model" {
    worlds
    "$PSDVEC" score court.safetensors farm.safetensors other.txt --format jsonl >scores
    holds "$close close(1; .models | map(.posterior) | add)" scores
    [ "$(jq -r 'select(.total | not).best' scores | tr '\n' ' ')" = "court farm null null court " ]
    holds '.total or .known == 0 or (.best == (.models | max_by(.posterior).model))' scores
    # Bayes' rule with equal prior probabilities of the models.
    holds "$close close(.models[0].posterior / .models[1].posterior; .models[0].log_likelihood - .models[1].log_likelihood | exp)" scores
    [ "$(jq -c 'select(.total).models | map(.won)' scores)" = "[2,1]" ]
    "$PSDVEC" score court.safetensors farm.safetensors other.txt >table
    [ "$(awk '$1 == "court" || $1 == "farm" { print $1, $2 }' table | tr '\n' ' ')" = "court 2 farm 1 " ]
    # Two files of the same name are distinguished.
    mkdir again
    cp court.safetensors again
    "$PSDVEC" score court.safetensors again/court.safetensors other.txt --format jsonl >twins
    [ "$(jq -c 'select(.total).models | map(.model)' twins)" = '["court.safetensors","again/court.safetensors"]' ]
    holds '.best == null' twins
}

@test "score: the table fits 80 columns, with everything in it" {
    worlds
    yes 'the extraordinarily longwinded king sleeps in the castle and the queen rules the people' | head -n 30 >long.txt
    for options in "--counts court.counts --per-word" "--sampled 64" "--counts court.counts --sampled 64" "--sort --document file"; do
        # shellcheck disable=SC2086
        "$PSDVEC" score court.safetensors other.txt long.txt $options >table
        [ "$(wc -L <table)" -le 80 ] || { cat table; return 1; }
    done
    cp court.safetensors a-model-with-a-name-that-is-too-long.safetensors
    "$PSDVEC" score a-model-with-a-name-that-is-too-long.safetensors farm.safetensors other.txt long.txt >table
    [ "$(wc -L <table)" -le 80 ]
    "$PSDVEC" score court.safetensors other.txt --counts court.counts | grep -q 'does not sum to one'
}

@test "score: a warning if the texts of the models were tokenised differently" {
    worlds
    "$PSDVEC" train farm.txt --min-count 1 --dim 4 --tokenizer whitespace -o split.safetensors -q
    run --separate-stderr "$PSDVEC" score court.safetensors farm.safetensors other.txt -q
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    run --separate-stderr "$PSDVEC" score court.safetensors split.safetensors other.txt
    [ "$status" -eq 0 ]
    [[ "$stderr" == *"split.safetensors: its text was tokenised in another way"* ]]
}

@test "score: each file is named if there are several" {
    worlds
    mkdir texts
    cp other.txt texts/a.txt
    echo 'the king' >texts/b.txt
    "$PSDVEC" score court.safetensors texts | grep -x 'texts/.*' >named
    [ "$(tr '\n' ' ' <named)" = "texts/a.txt texts/b.txt " ]
    "$PSDVEC" score court.safetensors other.txt | grep -c -x 'other.txt' | grep -qx 0
    "$PSDVEC" score court.safetensors texts --document file --format jsonl >scores
    [ "$(jq -r 'select(.total | not).source' scores | tr '\n' ' ')" = "texts/a.txt texts/b.txt " ]
    "$PSDVEC" score court.safetensors texts --document file | grep -q '^ *2 texts/b.txt '
}

@test "score --sort: by decreasing perplexity, documents without a known word last" {
    worlds
    "$PSDVEC" score court.safetensors other.txt --sort --format jsonl >sorted
    "$PSDVEC" score court.safetensors other.txt --format jsonl >plain
    jq -s 'map(select(.total | not) | .perplexity // -1)' sorted >order
    jq -e '. == (sort | reverse) and (map(select(. < 0)) | length) == 2' order
    sort sorted | cmp - <(sort plain)
    "$PSDVEC" score court.safetensors other.txt --sort --top 2 --format jsonl >two
    { head -n 2 sorted && tail -n 1 sorted; } | cmp - two
    # More documents than are processed at a time.
    awk 'BEGIN { for (i = 1; i <= 300; i++) {
        line = "the king"
        for (k = 0; k < i % 17; k++) line = line " rules"
        print line " the land" } }' >many.txt
    "$PSDVEC" score court.safetensors many.txt --sort --format tsv | tail -n +2 | head -n -1 >all
    "$PSDVEC" score court.safetensors many.txt --sort --top 7 --format tsv | tail -n +2 | head -n -1 >seven
    [ "$(wc -l <all)" -eq 300 ]
    head -n 7 all | cmp - seven
    refused 2 "--top needs --sort" score court.safetensors other.txt --top 3
}

@test "score --per-word: words less likely than a random guess are marked" {
    worlds
    words=$("$PSDVEC" info court.safetensors --json | jq .words)
    "$PSDVEC" score court.safetensors other.txt --per-word --format jsonl >scores
    holds ".total or (.per_word | map(select(.known)) | all(.surprising == (.log_probability <= -($words | log))))" scores
    holds '.total or true' scores
    "$PSDVEC" score court.safetensors other.txt --per-word --surprising 0 >table
    grep -q '  *king [0-9.]*!' table
    grep -q '(xyzzy)' table
    "$PSDVEC" score court.safetensors other.txt --per-word --surprising 1000 | grep -c '[0-9]!' | grep -qx 0
    "$PSDVEC" score court.safetensors other.txt --per-word --surprising 0 --color always | grep -q $'\033\\[33mking'
    refused 2 "--surprising needs --per-word" score court.safetensors other.txt --surprising 3
}

@test "score: the temperature weights the context; at 0 words are independent" {
    worlds
    "$PSDVEC" score court.safetensors court.txt --temperature 0 --format jsonl | tail -n 1 >zero
    holds "$close close(.log_likelihood; .log_unigram)" zero
    "$PSDVEC" score court.safetensors court.txt --temperature 0.5 --format jsonl | tail -n 1 >half
    "$PSDVEC" score court.safetensors court.txt --format jsonl | tail -n 1 >one
    [ "$(jq .temperature half one | tr '\n' ' ')" = "0.5 1 " ]
    [ "$(jq .log_likelihood half)" != "$(jq .log_likelihood one)" ]
    refused 2 "--temperature must be a number from 0 to 100" score court.safetensors court.txt --temperature -1
    refused 2 "--self must be a number" score court.safetensors court.txt --self much
    refused 2 "--self and --counts cannot be combined" score court.safetensors court.txt --self 1 --counts court.counts
    # The value of the paper has no temperature.
    [ "$(jq .log_paper half)" = "$(jq .log_paper one)" ]
}

@test "score: the interpolation weight of the bigrams; at 1 they are unigrams" {
    worlds
    "$PSDVEC" score court.safetensors court.txt --counts court.counts --bigram-weight 1 --format jsonl | tail -n 1 >one
    holds "$close close(.log_bigram; .log_unigram) and .bigram_weight == 1" one
    "$PSDVEC" score court.safetensors court.txt --counts court.counts --bigram-weight 0.1 --format jsonl | tail -n 1 >tenth
    holds '.perplexity_bigram < .perplexity_unigram' tenth
    refused 2 "--bigram-weight must be a number from" score court.safetensors court.txt --bigram-weight 0
}

@test "score --sampled reports the sampling error" {
    worlds
    "$PSDVEC" score court.safetensors court.txt --format jsonl | tail -n 1 >exact
    "$PSDVEC" score court.safetensors court.txt --sampled 64 --format jsonl | tail -n 1 >sampled
    holds '.error == 0' exact
    jq -es '(.[0].log_likelihood - .[1].log_likelihood | fabs) <= 5 * .[1].error + 1e-6' exact sampled
    "$PSDVEC" score court.safetensors court.txt --sampled 64 | head -n 1 | grep -q '±'
    refused 2 "fewer than 64 words" score court.safetensors court.txt --sampled 3
}

@test "score: the same for any number of threads, from a file, a pipe and a compressed file" {
    worlds
    "$PSDVEC" score court.safetensors court.txt --counts court.counts --format tsv | cut -f 1,3- >one
    "$PSDVEC" score court.safetensors court.txt --counts court.counts --format tsv --threads 1 | cut -f 1,3- | cmp - one
    "$PSDVEC" score court.safetensors court.txt --counts court.counts --format tsv --threads 5 | cut -f 1,3- | cmp - one
    "$PSDVEC" score court.safetensors --counts court.counts --format tsv <court.txt | cut -f 1,3- | cmp - one
    "$PSDVEC" score court.safetensors - --counts court.counts --format tsv <court.txt | cut -f 1,3- | cmp - one
    gzip -k court.txt
    "$PSDVEC" score court.safetensors court.txt.gz --counts court.counts --format tsv | cut -f 1,3- | cmp - one
    "$PSDVEC" score court.safetensors court.txt --counts court.counts --format tsv -o file
    cut -f 1,3- file | cmp - one
}

@test "score: documents and words follow the options, by default those of the model's text" {
    worlds
    "$PSDVEC" score court.safetensors other.txt --document file --format jsonl >scores
    [ "$(wc -l <scores)" -eq 2 ]
    "$PSDVEC" score court.safetensors other.txt --tokenizer whitespace --case keep --format jsonl --per-word >scores
    holds '.total or .document != 5 or (.per_word[0].word == "The" and (.per_word[0].known | not))' scores
    "$PSDVEC" train court.txt --document file --tokenizer whitespace --min-count 1 --dim 4 -o whole.safetensors -q
    "$PSDVEC" score whole.safetensors other.txt --format jsonl --per-word >scores
    [ "$(wc -l <scores)" -eq 2 ]
    head -n 1 scores >first
    holds '.per_word | map(.word) | index("The") != null' first
    printf '{"id": 1, "body": "the king sleeps"}\n{"id": 2, "body": "the queen"}\n' >posts.jsonl
    "$PSDVEC" score court.safetensors posts.jsonl --json-field body --format jsonl >scores
    [ "$(jq -c 'select(.total | not).words' scores | tr '\n' ' ')" = "3 2 " ]
}

@test "score: text that cannot be scored gives an error message" {
    worlds
    small_vectors
    : >empty.txt
    head -c 4000 /dev/zero | tr '\0' '\1' >binary
    refused 3 "nosuch.txt: cannot read the input: No such file" score court.safetensors nosuch.txt
    refused 3 "nosuch.safetensors" score nosuch.safetensors other.txt
    refused 3 "binary: does not look like text" score court.safetensors binary
    refused 4 "small.safetensors: does not record how its text was tokenised" score small.safetensors other.txt
    refused 4 "small.vec: does not record how its text was tokenised" score small.vec other.txt
    refused 4 "court.counts: contains counts, not vectors" score court.counts other.txt
    refused 4 "court.counts: contains counts, not vectors" score court.safetensors court.counts other.txt
    refused 4 "other.txt" score court.safetensors other.txt --counts other.txt
    refused 2 "2 models and 1 counts files" score court.safetensors farm.safetensors other.txt --counts court.counts
    refused 2 "give a model and a text" score
    refused 5 "other.txt: is both input and output" score court.safetensors other.txt -o other.txt
    "$PSDVEC" score court.safetensors empty.txt --format jsonl >scores
    holds '.total and .documents == 0 and .perplexity == null and .coverage == null' scores
    "$PSDVEC" score court.safetensors empty.txt | grep -q '^0 documents, 0 words'
}

@test "score: a long document of random bytes, and a single word" {
    worlds
    { yes 'the king rules' | head -n 20000 | tr '\n' ' '; printf '\377\376 the \303 queen\n'; } >odd.txt
    "$PSDVEC" score court.safetensors odd.txt --format jsonl -q >scores 2>stderr
    [ "$(jq -c 'select(.total | not) | .known' scores)" -eq 60002 ]
    echo king | "$PSDVEC" score court.safetensors --format jsonl | head -n 1 >alone
    holds "$close close(.log_likelihood; .log_unigram) and .known == 1" alone
    echo king | "$PSDVEC" next court.safetensors --top all --tsv | rows | awk -F'\t' '$1 == "king" { printf "%.9f\n", log($3) }' >a
    jq .log_unigram alone >b
    same a b
}

@test "score: a closed pipe ends it quietly and soon, a full disk with an error message" {
    worlds
    repeated 400
    run --separate-stderr bash -c '"$PSDVEC" score court.safetensors large.txt --format jsonl | head -n 1 >first; echo "${PIPESTATUS[0]}"'
    [ "$output" = 0 ]
    [ -z "$stderr" ]
    holds '.document == 1' first
    run --separate-stderr bash -c '"$PSDVEC" explain court.safetensors --file court.txt -q | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}"'
    [ "$output" = 0 ]
    [ -z "$stderr" ]
    run --separate-stderr bash -c '"$PSDVEC" generate court.safetensors --length 100000 -q | head -c 100 >/dev/null; echo "${PIPESTATUS[0]}"'
    [ "$output" = 0 ]
    [ -z "$stderr" ]
    [ -e /dev/full ] || skip "no /dev/full"
    for command in "score court.safetensors large.txt" "score court.safetensors other.txt" "generate court.safetensors" \
        "next court.safetensors the" "explain court.safetensors the king" "fit-temperature court.safetensors farm.txt"; do
        # shellcheck disable=SC2086
        run --separate-stderr bash -c "\"\$PSDVEC\" $command >/dev/full"
        [ "$status" -eq 5 ]
        [[ $stderr == *"No space left on device; free some space"* ]]
    done
    status=0
    "$PSDVEC" explain court.safetensors the king --html /dev/full 2>stderr || status=$?
    [ "$status" -eq 5 ]
    grep -q 'cannot write /dev/full: No space left' stderr
}

@test "Ctrl-C stops score, generate and fit-temperature with status 130" {
    worlds
    repeated 3000
    for command in "score court.safetensors large.txt" "generate court.safetensors --length 100000000" \
        "fit-temperature court.safetensors large.txt --in-place"; do
        cp court.safetensors before
        status=0
        # shellcheck disable=SC2086
        timeout --foreground --preserve-status -k 30 -s INT 0.5 "$PSDVEC" $command >stdout 2>stderr || status=$?
        [ "$status" -eq 130 ] || { echo "$command: $status"; cat stderr; return 1; }
        cmp before court.safetensors
    done
}

# ---- next ----------------------------------------------------------------------------------

@test "next: the probabilities of all words sum to one, and the first are the largest" {
    worlds
    for options in "" "--counts court.counts" "--temperature 0.3"; do
        # shellcheck disable=SC2086
        "$PSDVEC" next court.safetensors the king rules the --top all --tsv $options | rows >all
        awk -F'\t' '{ p += $2; u += $3 } END { exit !((p - 1) ^ 2 < 1e-10 && (u - 1) ^ 2 < 1e-10) }' all
        sort -t$'\t' -k2,2gr -s all | cmp - all
        awk -F'\t' '($4 - $2 / $3) ^ 2 > 1e-8 * $4 ^ 2 { exit 1 }' all
        # shellcheck disable=SC2086
        "$PSDVEC" next court.safetensors the king rules the --top 3 --tsv $options | rows >three
        head -n 3 all | cmp - three
        # shellcheck disable=SC2086
        "$PSDVEC" next court.safetensors "The king rules, the" --top 3 --json $options >json
        holds '(.next | length) == 3 and .context == ["the", "king", "rules", "the"] and .unknown == []' json
        jq -r '.next[] | [.word, .probability, .unigram] | @tsv' json | cut -f 1 | cmp - <(cut -f 1 three)
    done
    [ "$("$PSDVEC" next court.safetensors the king rules the --top 0 --tsv | rows | wc -l)" -eq "$("$PSDVEC" info court.safetensors --json | jq .words)" ]
}

@test "next: the probability of a word agrees with score" {
    worlds
    "$PSDVEC" next court.safetensors the king rules --counts court.counts --top all --tsv | rows |
        awk -F'\t' '$1 == "the" { printf "%.9f\n", log($2) }' >a
    echo 'the king rules the' | "$PSDVEC" score court.safetensors --counts court.counts --per-word --format jsonl |
        jq '.per_word // [] | .[3].log_probability // empty' >b
    same a b
}

@test "next, generate: command-line text is plain text, also for a model trained on JSON lines" {
    worlds
    sed 's/.*/{"body": "&"}/' court.txt >court.jsonl
    local options=(--min-count 1 --dim 4 -q)
    "$PSDVEC" train court.txt "${options[@]}" -o text.safetensors
    "$PSDVEC" train court.jsonl --json-field body "${options[@]}" -o json.safetensors
    "$PSDVEC" next text.safetensors "the king rules" --tsv 2>stderr | rows >wanted
    "$PSDVEC" next json.safetensors "the king rules" --tsv 2>stderr | rows | cmp wanted -
    [ ! -s stderr ]
    "$PSDVEC" generate text.safetensors --prompt "the king rules" --length 9 -q >wanted 2>stderr
    "$PSDVEC" generate json.safetensors --prompt "the king rules" --length 9 -q 2>stderr | cmp wanted -
    [ ! -s stderr ]
}

@test "next: unknown words are reported; without a text words are independent" {
    worlds
    "$PSDVEC" next court.safetensors the xyzzy king 2>stderr | head -n 1 >first
    [ "$(cat first)" = "the (xyzzy) king ..." ]
    grep -q 'warning: not in the model and skipped: xyzzy' stderr
    "$PSDVEC" next court.safetensors the xyzzy king --json 2>stderr >json
    [ ! -s stderr ]
    holds '.unknown == ["xyzzy"]' json
    "$PSDVEC" next court.safetensors --tsv --top all | rows | awk -F'\t' '($4 - 1) ^ 2 > 1e-8 { exit 1 }'
    "$PSDVEC" next court.safetensors the king >screen
    [ "$(wc -L <screen)" -le 80 ]
    refused 2 "--json and --tsv cannot be combined" next court.safetensors the --json --tsv
    small_vectors
    refused 4 "does not record how its text was tokenised" next small.safetensors king
}

# ---- explain -------------------------------------------------------------------------------

@test "explain: the parts add up to the words, and the words to the document" {
    worlds
    for options in "" "--counts court.counts" "--counts court.counts --temperature 0.4"; do
        # shellcheck disable=SC2086
        "$PSDVEC" explain court.safetensors "the king rules the xyzzy land and the queen sleeps" --json $options >json
        holds "$close .temperature as \$T | .per_word | map(select(.known)) |
            all(close(.log_probability; .log_unigram + ([.influences[].added] | add // 0) - .log_normaliser))" json
        holds "$close .temperature as \$T | [.per_word[].influences // [] | .[]] |
            all(close(.added; \$T * .weight * (.product + .residual + .shift)))" json
        holds "$close .temperature as \$T | .per_word | map(select(.known)) |
            all(close(.log_paper; .log_unigram + ([.influences[].added] | add // 0) / \$T))" json
        holds "$close close(.log_likelihood; [.per_word[].log_probability // 0] | add) and .known == 9 and .words == 10" json
        # The same as score.
        # shellcheck disable=SC2086
        echo "the king rules the xyzzy land and the queen sleeps" |
            "$PSDVEC" score court.safetensors --format jsonl $options | head -n 1 | jq .log_likelihood >a
        jq .log_likelihood json >b
        same a b
    done
    holds '.residuals and ([.per_word[].influences // [] | .[].residual] | any(. != 0))' json
    "$PSDVEC" explain court.safetensors "the king rules" --json >json
    holds '(.residuals | not) and ([.per_word[].influences[].residual] | all(. == 0))' json
    # The preceding words of a word, nearest first.
    holds '.per_word[2].influences | map(.place) == [1, 0]' json
}

@test "explain on a terminal: surprise = alone - pull + norm, within 80 columns" {
    worlds
    "$PSDVEC" explain court.safetensors "the king rules the xyzzy land and the queen sleeps" --influences 2 >screen
    [ "$(wc -L <screen)" -le 80 ]
    grep -q '^xyzzy  *not in the model$' screen
    awk 'NR > 1 && $2 ~ /^[0-9.]+$/ { if (($2 - $3 + $4 - $5) ^ 2 > 0.0005) { print; bad = 1 } rows++ } END { exit bad || rows != 9 }' screen
    "$PSDVEC" explain court.safetensors "the king rules the land" --counts court.counts >screen
    [ "$(wc -L <screen)" -le 80 ]
    # At most three for each word, each with its parts, which sum to it.
    [ "$(grep -c '  vectors ' screen)" -eq 9 ]
    awk '/  vectors / { if (($2 - $4 - $6 - $8) ^ 2 > 0.0005) { print; bad = 1 } } END { exit bad }' screen
    [ "$("$PSDVEC" explain court.safetensors "the king rules the land" --counts court.counts --influences 0 | grep -c vectors)" -eq 0 ]
    "$PSDVEC" explain court.safetensors "the king rules" --counts court.counts --color always | grep -q $'\033\\[32m *+'
}

@test "explain: text from the command line, from a file, and from standard input" {
    worlds
    "$PSDVEC" explain court.safetensors the king rules --json >a
    echo "The king rules." >text
    "$PSDVEC" explain court.safetensors --file text --json | cmp - a
    "$PSDVEC" explain court.safetensors - --json <text | cmp - a
    "$PSDVEC" explain court.safetensors --file - --json <text | cmp - a
    : >empty
    "$PSDVEC" explain court.safetensors --file empty --json >json
    holds '.per_word == [] and .words == 0 and .perplexity == null' json
    "$PSDVEC" explain court.safetensors --file empty | grep -q '^0 of 0 words known$'
    refused 2 "give a text, or a file with --file" explain court.safetensors
    refused 2 "given both as TEXT and with --file" explain court.safetensors the --file text
    refused 3 "cannot read nosuch" explain court.safetensors --file nosuch
}

@test "explain --html: a self-contained, well-formed page with every word and its influences" {
    worlds
    printf 'the king rules the land & <b>castle</b> "crown"\n' >text
    "$PSDVEC" explain court.safetensors --file text --counts court.counts --html page.html >stdout
    [ ! -s stdout ]
    refused 2 "--html and --json cannot be combined" explain court.safetensors the --html x --json
    refused 5 "text: is both input and output" explain court.safetensors --file text --html text
    refused 5 "cannot write nosuch/page.html" explain court.safetensors the --html nosuch/page.html
    command -v python3 >/dev/null || skip "no python3"
    rendered page.html >shown.html
    python3 - <<'PYTHON'
from html.parser import HTMLParser
class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.words, self.stops, self.unknown, self.rows = [], set(), [], [], 0, 0
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "meta": return
        assert tag != "p" or "p" not in self.open
        self.open.append(tag)
        self.rows += tag == "tr"
        if "id" in attrs:
            assert attrs["id"] not in self.ids
            self.ids.add(attrs["id"])
        kinds = attrs.get("class", "").split()
        if kinds[:1] == ["word"]:
            assert attrs["role"] == "button" and attrs["aria-label"]
            self.words.append("")
            self.stops.append(attrs["tabindex"])
            self.unknown += "unknown" in kinds
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())
    def handle_data(self, data):
        if self.words and not self.words[-1]: self.words[-1] = data
page = Page()
page.feed(open("shown.html", encoding="utf-8").read())
page.close()
assert not page.open, page.open
assert page.words == "the king rules the land b castle b crown".split(), page.words
assert page.stops == ["0"] + ["-1"] * 8         # one stop for Tab; arrows move from there
assert page.unknown == 2                        # "b" is no word of the model
assert page.rows == 1 + 9, page.rows
PYTHON
}

# ---- generate ------------------------------------------------------------------------------

@test "generate: the same words for the same seed and any number of threads" {
    worlds
    "$PSDVEC" generate court.safetensors --length 40 --seed 1 >one
    "$PSDVEC" generate court.safetensors --length 40 --seed 1 --threads 1 | cmp - one
    "$PSDVEC" generate court.safetensors --length 40 --seed 1 --threads 4 | cmp - one
    "$PSDVEC" generate court.safetensors --length 40 --seed 2 >two
    run ! cmp -s one two
    [ "$(wc -w <one)" -eq 40 ]
    [ "$(wc -L <one)" -le 80 ]
    "$PSDVEC" generate court.safetensors --length 40 --seed 1 --json >json
    jq -r '.words[]' json | cmp - <(tr ' ' '\n' <one)
    holds '.seed == 1 and .prompt == [] and .temperature == 1' json
}

@test "generate: a prompt is continued, --top 1 takes the most likely word, lines are wrapped" {
    worlds
    "$PSDVEC" generate court.safetensors --prompt "The king xyzzy" --length 3 --counts court.counts --top 1 --no-repeat 0 >text 2>stderr
    grep -q 'skipped: xyzzy' stderr
    [ "$(wc -w <text)" -eq 6 ]
    [ "$(cut -d' ' -f 1-3 text)" = "the king xyzzy" ]
    context="the king xyzzy"
    for k in 4 5 6; do
        # shellcheck disable=SC2086
        next=$("$PSDVEC" next court.safetensors $context --counts court.counts --top 1 --tsv 2>/dev/null | rows | cut -f 1)
        [ "$(cut -d' ' -f $k text)" = "$next" ]
        context="$context $next"
    done
    COLUMNS=40 "$PSDVEC" generate court.safetensors --length 60 >narrow
    [ "$(wc -L <narrow)" -le 40 ]
    "$PSDVEC" generate court.safetensors --length 60 | tr '\n' ' ' | cmp - <(tr '\n' ' ' <narrow)
    refused 2 "--length must be a whole number" generate court.safetensors --length 0
    small_vectors
    refused 4 "does not record how its text was tokenised" generate small.safetensors
}

# ---- fit-temperature -----------------------------------------------------------------------

@test "fit-temperature: no other temperature is better, and score agrees" {
    worlds
    "$PSDVEC" fit-temperature court.safetensors held.txt --counts court.counts --json >fit
    holds '.perplexity <= .perplexity_alone and .perplexity_alone <= .perplexity_before and .written == null' fit
    holds '.perplexity_counts <= .perplexity_counts_before and .perplexity_bigram <= .perplexity_bigram_before' fit
    figure() { jq ".$1" fit; }
    # perplexity OPTION...: of the complete text.
    perplexity() { "$PSDVEC" score court.safetensors held.txt --format jsonl "$@" | tail -n 1 | jq .perplexity; }
    # agrees MEMBER OPTION...: score gives the reported perplexity.
    agrees() { local member=$1; shift; perplexity "$@" >a && figure "$member" >b && same a b; }
    T=$(figure temperature) E=$(figure self) C=$(figure temperature_counts)
    agrees perplexity --temperature "$T" --self "$E"
    agrees perplexity_alone --temperature "$(figure temperature_alone)" --self product
    agrees perplexity_before --temperature 1
    agrees perplexity_counts --temperature "$C" --counts court.counts
    agrees perplexity_counts_before --counts court.counts
    for factor in 0.9 1.1; do
        perplexity --temperature "$(awk -v t="$T" -v f=$factor 'BEGIN { print t * f }')" --self "$E"
        perplexity --temperature "$T" --self "$(awk -v e="$E" -v f=$factor 'BEGIN { print e + f - 1 }')"
    done | awk -v fitted="$(figure perplexity)" '$1 < fitted * (1 - 1e-7) { print; exit 1 }'
    for factor in 0.9 1.1; do
        perplexity --temperature "$(awk -v t="$C" -v f=$factor 'BEGIN { print t * f }')" --counts court.counts
    done | awk -v fitted="$(figure perplexity_counts)" '$1 < fitted * (1 - 1e-7) { print; exit 1 }'
    "$PSDVEC" score court.safetensors held.txt --counts court.counts --bigram-weight "$(figure interpolation)" --format jsonl |
        tail -n 1 | jq .perplexity_bigram >a
    figure perplexity_bigram >b
    same a b
}

@test "fit-temperature: the fit is saved with -o or --in-place, and used afterwards" {
    worlds
    cp court.safetensors before
    "$PSDVEC" fit-temperature court.safetensors held.txt >screen
    grep -q 'Nothing was written' screen
    cmp before court.safetensors
    "$PSDVEC" fit-temperature court.safetensors held.txt --counts court.counts -o fitted.safetensors --json >fit
    holds '.written == "fitted.safetensors"' fit
    cmp before court.safetensors
    "$PSDVEC" info fitted.safetensors --verify --json >info
    rounded='[.temperature, .self, .temperature_counts, .interpolation] | map(. * 1e8 | round)'
    [ "$(jq "$rounded" info)" = "$(jq "$rounded" fit)" ]
    "$PSDVEC" info fitted.safetensors | grep -q '^Perplexities of the text used to fit T'
    "$PSDVEC" score fitted.safetensors held.txt --format jsonl | tail -n 1 | jq .perplexity >a
    jq .perplexity fit >b
    same a b
    "$PSDVEC" score fitted.safetensors held.txt --counts court.counts --format jsonl | tail -n 1 |
        jq '.perplexity, .perplexity_bigram' >a
    jq '.perplexity_counts, .perplexity_bigram' fit >b
    same a b
    "$PSDVEC" fit-temperature court.safetensors held.txt --counts court.counts --in-place -q
    "$PSDVEC" info court.safetensors --json | jq .temperature | cmp - <(jq .temperature info)
    # The vectors are unchanged.
    "$PSDVEC" convert court.safetensors a.vec --raw -q
    cp before before.safetensors
    "$PSDVEC" convert before.safetensors b.vec --raw -q
    cmp a.vec b.vec
}

@test "fit-temperature: a sample of a long text is scored, unless --all is given" {
    worlds
    for _ in 1 2 3 4 5 6; do cat held.txt; done >long.txt
    "$PSDVEC" fit-temperature court.safetensors long.txt >screen
    head -n 1 screen | grep -q ', of which 10,000 were scored$'
    "$PSDVEC" fit-temperature court.safetensors long.txt --all >screen
    ! grep -q 'were scored' screen
    "$PSDVEC" fit-temperature court.safetensors long.txt --most-words all >exact
    cmp screen exact
    "$PSDVEC" fit-temperature court.safetensors long.txt --json >some
    "$PSDVEC" fit-temperature court.safetensors long.txt --all --json >all
    jq -es '(.[0].temperature / .[1].temperature - 1 | fabs) < 0.05 and .[0].known == .[1].known' some all
    for threads in 1 2; do
        "$PSDVEC" fit-temperature court.safetensors long.txt --most-words 700 --threads $threads --json |
            jq -c 'del(.seconds)' >fit.$threads
    done
    cmp fit.1 fit.2
    refused 2 "cannot be combined" fit-temperature court.safetensors long.txt --all --most-words 5
}

# ---- Bigrams of adjacent words -------------------------------------------------------------

# court_pairs: the counts of adjacent words of the court.
court_pairs() { "$PSDVEC" count court.txt --min-count 1 --window 1 -o court.pairs -q; }

@test "bigrams: the fitted mixture is stored, score agrees, and perplexity falls" {
    worlds
    court_pairs
    "$PSDVEC" fit-temperature court.safetensors held.txt --bigrams court.pairs -o fitted.safetensors --json >fit
    holds '.perplexity_mixed <= .perplexity_mixed_before and .perplexity_mixed < .perplexity' fit
    holds '0 < .discount_once and .discount_once < 1 and .discount_twice < 2 and .discount_more < 3' fit
    total() { "$PSDVEC" score "$1" held.txt --format jsonl "${@:2}" | tail -n 1; }
    total fitted.safetensors --bigrams court.pairs >mixed
    jq '.perplexity, .discount_once, .discount_twice, .discount_more' mixed >a
    jq '.perplexity_mixed, .discount_once, .discount_twice, .discount_more' fit >b
    same a b
    total fitted.safetensors | jq .perplexity >a
    jq .perplexity fit >b
    same a b
    # Without --bigrams, discounts are estimated, and other figures do not change.
    "$PSDVEC" fit-temperature court.safetensors held.txt -o without.safetensors --json >plain
    holds '.perplexity_mixed == null and .discount_once == null' plain
    jq .perplexity plain >a
    same a b
    total without.safetensors --bigrams court.pairs | jq .perplexity >a
    jq .perplexity_mixed_before fit >b
    same a b
    "$PSDVEC" info fitted.safetensors --verify --json >info
    rounded='[.discount_once, .discount_twice, .discount_more] | map(. * 1e8 | round)'
    [ "$(jq "$rounded" info)" = "$(jq "$rounded" fit)" ]
    "$PSDVEC" info fitted.safetensors | grep -q '^  with bigrams '
    total fitted.safetensors --bigrams court.pairs --counts court.counts >both
    holds '.perplexity > 0' both
    for threads in 1 2; do
        "$PSDVEC" score fitted.safetensors held.txt --bigrams court.pairs --threads $threads >score.$threads
    done
    cmp score.1 score.2
    grep -q 'the model, T = .*, with bigrams' score.1
}

@test "bigrams: next and generate use them, and probabilities sum to one" {
    worlds
    court_pairs
    "$PSDVEC" next court.safetensors "the king" --bigrams court.pairs --top all --tsv 2>/dev/null | rows |
        awk -F '\t' '{ sum += $2 } END { exit (sum - 1) ^ 2 > 1e-10 }'
    # Only "rules" and "sleeps" follow "king" in the text.
    [ "$("$PSDVEC" next court.safetensors "the king" --bigrams court.pairs --top 2 --tsv 2>/dev/null |
        rows | cut -f 1 | sort | paste -sd' ')" = "rules sleeps" ]
    "$PSDVEC" generate court.safetensors --bigrams court.pairs --seed 3 --length 20 >a 2>/dev/null
    "$PSDVEC" generate court.safetensors --bigrams court.pairs --seed 3 --length 20 --threads 1 >b 2>/dev/null
    "$PSDVEC" generate court.safetensors --seed 3 --length 20 >c 2>/dev/null
    cmp a b
    ! cmp -s a c
}

@test "bigrams: other counts are refused" {
    worlds
    court_pairs
    refused 4 "court.counts: was counted with --window 4, but bigrams need counts of adjacent words; count the text with --window 1" \
        score court.safetensors held.txt --bigrams court.counts
    "$PSDVEC" count court.txt --min-count 1 --window 1 --subsample 0.1 -o some.pairs -q
    refused 4 "some.pairs: frequent words were subsampled" next court.safetensors the --bigrams some.pairs
    echo "xyzzy plugh xyzzy" | "$PSDVEC" count - --min-count 1 --window 1 -o other.pairs -q
    refused 4 "other.pairs: has none of the words of the model" fit-temperature court.safetensors held.txt --bigrams other.pairs
    refused 2 "give --bigrams once for each model" score court.safetensors farm.safetensors held.txt --bigrams court.pairs
    head -c 3000 court.pairs >cut.pairs
    refused 4 "cut.pairs" score court.safetensors held.txt --bigrams cut.pairs
    "$PSDVEC" count farm.txt --min-count 1 --window 1 -o farm.pairs -q
    "$PSDVEC" score court.safetensors farm.safetensors other.txt --bigrams court.pairs --bigrams farm.pairs --format jsonl >two
    tail -n 1 two >last
    holds '.models | length == 2' last
}

@test "fit-temperature: errors do not change the model" {
    worlds
    cp court.safetensors before
    refused 2 "cannot be combined" fit-temperature court.safetensors farm.txt -o x --in-place
    refused 5 "farm.txt: is both input and output" fit-temperature court.safetensors farm.txt -o farm.txt
    refused 5 "court.counts: is both input and output" fit-temperature court.safetensors farm.txt --counts court.counts -o court.counts
    refused 5 "nosuch/x" fit-temperature court.safetensors farm.txt -o nosuch/x
    echo xyzzy >unknown.txt
    refused 3 "none of the words of the text is in the model" fit-temperature court.safetensors unknown.txt --in-place
    : >empty.txt
    refused 3 "none of the words of the text is in the model" fit-temperature court.safetensors empty.txt --in-place
    refused 3 "nosuch" fit-temperature court.safetensors nosuch --in-place
    small_vectors
    refused 4 "does not record how its text was tokenised" fit-temperature small.safetensors farm.txt
    refused 2 "give a model and a text" fit-temperature court.safetensors
    cmp before court.safetensors
}
