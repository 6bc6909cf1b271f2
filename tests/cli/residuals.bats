# psdvec residuals, end to end.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    ROOT=$(realpath "$HERE/../..")
}

# Two kinds of sentences; "of course" occurs in both.
text_and_model() {
    awk 'BEGIN {
        split("red green blue colour paint wall", a, " ")
        split("bread butter cheese knife plate table", b, " ")
        for (s = 1; s <= 400; s++) {
            line = "of course"
            for (k = 0; k < 6; k++) {
                n = (s * 7 + k * k * 3 + k * s) % 6 + 1
                line = line " " (s % 2 ? a[n] : b[n])
            }
            print line
        }
    }' >text.txt
    "$PSDVEC" count text.txt --window 3 --min-count 1 -o text.counts -q
    "$PSDVEC" train text.counts --preset "${1:-default}" --dim 4 -o text.model -q
}

@test "the figures and the pairs with the largest residuals" {
    text_and_model
    "$PSDVEC" residuals text.model text.counts --top 3 >out
    grep -q '^  seen  *[0-9,]* pairs$' out
    grep -q '^  correlation  *[0-9.-]* between targets and products, weighted$' out
    grep -q 'word  *word  *count  *target  *product  *residual  *weight' out
    [ "$(sed '1,/residual  *weight/d' out | wc -l)" -eq 3 ]
    [ "$(wc -L <out)" -le 80 ]
}

@test "a pair in TSV has the values that compare prints" {
    text_and_model paper
    "$PSDVEC" residuals text.model text.counts --tsv --top 1000 --min-count 0 | rows >out
    [ "$(awk -F'\t' 'NF != 7' out | wc -l)" -eq 0 ]
    grep -P '^of\tcourse\t' out >pair
    [ "$(wc -l <pair)" -eq 1 ]
    read -r _ _ count target product residual weight <pair
    "$PSDVEC" compare text.model of course --counts text.counts --json >compared
    awk -v c="$count" -v t="$target" -v p="$product" -v r="$residual" -v w="$weight" '
        function member(name) { match($0, "\"" name "\": [^,}]*"); return substr($0, RSTART + length(name) + 4, RLENGTH) + 0 }
        function near(a, b) { return a - b < 1e-4 && b - a < 1e-4 }
        { exit !(near(c, member("count_ab")) && near(t, member("target_ab")) && near(w, member("weight_ab")) &&
                 near(p, member("product")) && near(r, t - p)) }' compared
}

@test "--order reverses the list, --min-count shortens it, and no pair has a word twice" {
    text_and_model paper
    "$PSDVEC" residuals text.model text.counts --tsv --order more --top 1000 --min-count 0 | rows >more
    "$PSDVEC" residuals text.model text.counts --tsv --order less --top 1000 --min-count 0 | rows >less
    tac less | cut -f6 | cmp - <(cut -f6 more)
    cut -f6 more | sort -gr | cmp - <(cut -f6 more)
    "$PSDVEC" residuals text.model text.counts --tsv --top 1000 --min-count 100 | rows >frequent
    [ "$(wc -l <frequent)" -lt "$(wc -l <more)" ]
    [ "$(awk -F'\t' '$3 < 100 || $1 == $2' frequent | wc -l)" -eq 0 ]
    [ "$("$PSDVEC" residuals text.model text.counts --tsv --top 0 | rows | wc -c)" -eq 0 ]
}

@test "--top has no limit" {
    text_and_model paper
    "$PSDVEC" residuals text.model text.counts --tsv --top 20 --min-count 0 | rows >some
    "$PSDVEC" residuals text.model text.counts --tsv --top 9000000000 --min-count 0 | rows >all
    head -n 20 all | cmp - some
    # Every pair of two words in the counts.
    "$PSDVEC" counts dump text.counts | rows | awk -F'\t' '$1 != $2 { n++ } END { print n }' >pairs
    [ "$(wc -l <all)" -eq "$(cat pairs)" ]
}

# So many different pairs that the list needs more than the smallest memory.
large_model() {
    awk 'BEGIN {
        seed = 7
        for (s = 0; s < 6000; s++) {
            line = ""
            for (k = 0; k < 12; k++) {
                seed = seed * 16807 % 2147483647
                n = int(seed / 1024) % 1200
                line = line " w" sprintf("%c%c%c", 97 + n % 26, 97 + int(n / 26) % 26, 97 + int(n / 676))
            }
            print line
        }
    }' >large.txt
    "$PSDVEC" count large.txt --window 3 --min-count 1 -o large.counts -q
    "$PSDVEC" train large.counts --dim 4 -o large.model -q
}

@test "--top all is the sorted complete list, for any memory" {
    large_model
    "$PSDVEC" residuals large.model large.counts --tsv --top 9000000000 --min-count 0 >memory
    rows <memory | awk -F'\t' '{ print $1 < $2 ? $1 " " $2 : $2 " " $1 }' | LC_ALL=C sort -u >listed
    "$PSDVEC" counts dump large.counts | rows | awk -F'\t' '$1 != $2 { print $1 < $2 ? $1 " " $2 : $2 " " $1 }' |
        LC_ALL=C sort -u | cmp - listed
    [ "$(wc -l <listed)" -gt 100000 ]
    for memory in 4M 6M 64M; do
        "$PSDVEC" residuals large.model large.counts --tsv --top all --min-count 0 --memory $memory | cmp - memory
    done
    "$PSDVEC" residuals large.model large.counts --tsv --top 90000 --min-count 0 --memory 6M >some
    head -n 90001 memory | cmp - some
    "$PSDVEC" residuals large.model large.counts --tsv --top all --min-count 0 --memory 6M --order more | rows |
        cut -f6 >residuals
    sort -gr residuals | cmp - residuals
    [ "$(ls -A | grep -c -v -e '^large' -e '^memory$' -e '^listed$' -e '^some$' -e '^residuals$')" -eq 0 ]
}

@test "the memory does not grow with the list" {
    [ -z "${SANITIZE:-}" ] || skip "sanitizers need memory, too"
    [ -x /usr/bin/time ] || skip "no /usr/bin/time"
    large_model
    for top in 10 all; do
        /usr/bin/time -f %M -o peak-$top "$PSDVEC" residuals large.model large.counts --tsv --top $top --min-count 0 --memory 6M >out
    done
    [ "$(wc -l <out)" -gt 100000 ]
    [ "$(cat peak-all)" -lt "$(($(cat peak-10) + 6144))" ] || {
        echo "10 pairs: $(cat peak-10) KB; all: $(cat peak-all) KB"
        return 1
    }
}

@test "every format has the complete list" {
    text_and_model paper
    for format in table markdown tsv json; do
        "$PSDVEC" residuals text.model text.counts --format $format --top all --min-count 0 >$format
    done
    n=$(rows <tsv | wc -l)
    [ "$n" -gt 0 ]
    [ "$(sed '1,/residual  *weight/d' table | wc -l)" -eq "$n" ]
    [ "$(grep -c '^| [a-z]* | [a-z]* | *[0-9]' markdown)" -eq "$n" ]
    command -v jq >/dev/null || skip "no jq"
    jq -e --argjson n "$n" '.top | length == $n' json
}

@test "a list that is too large for the disk is an error" {
    large_model
    mkdir temporary
    run --separate-stderr bash -c "ulimit -f 500; exec \"$PSDVEC\" residuals large.model large.counts --top all --min-count 0 --memory 6M --temp-dir temporary"
    [ "$status" -eq 5 ]
    [ -z "$output" ]
    [[ $stderr == *"temporary: temporary file: "*"raise the file size limit (ulimit -f)"* ]]
    [ -z "$(ls -A temporary)" ]
    run --separate-stderr "$PSDVEC" residuals large.model large.counts --top all --min-count 0 --memory 6M --temp-dir nowhere
    [ "$status" -eq 5 ]
    [[ $stderr == *"nowhere: cannot create a temporary file"* ]]
}

@test "a reader that stops ends the list, and the file is complete" {
    large_model
    "$PSDVEC" residuals large.model large.counts --tsv --top all --min-count 0 --memory 6M -o all.residuals 2>err | head -n 3 >out
    [ "${PIPESTATUS[0]}" -eq 0 ]
    [ "$(wc -l <out)" -eq 3 ]
    grep -q 'written     all.residuals' err
    [ -s all.residuals ]
}

@test "a signal ends the list and leaves no temporary file" {
    large_model
    mkdir temporary
    mkfifo pipe
    "$PSDVEC" residuals large.model large.counts --tsv --top all --min-count 0 --memory 6M --temp-dir temporary >pipe 2>err 3>&- &
    pid=$!
    exec 9<pipe
    read -r _ <&9 # the list has begun, and the pipe will soon be full
    kill -TERM "$pid"
    cat <&9 >/dev/null
    status=0
    wait "$pid" || status=$?
    exec 9<&-
    [ "$status" -eq 143 ]
    grep -q 'stopped on request; the list of pairs is incomplete' err
    [ -z "$(ls -A temporary)" ]
}

@test "with PMI a pair is listed once, with the counts of both directions" {
    text_and_model
    "$PSDVEC" residuals text.model text.counts --tsv --top 1000 --min-count 0 | rows >out
    [ "$(awk -F'\t' '{ print $1 < $2 ? $1 " " $2 : $2 " " $1 }' out | sort | uniq -d | wc -l)" -eq 0 ]
}

@test "one JSON object" {
    command -v jq >/dev/null || skip "no jq"
    text_and_model
    "$PSDVEC" residuals text.model text.counts --json --top 2 >out
    [ "$(wc -l <out)" -eq 1 ]
    jq -e '.pairs > 0 and .deviation > 0 and (.top | length == 2) and
           (.top[0] | (.target - .product - .residual | fabs) < 1e-6)' out
}

@test "the file is written, and numpy reads it by the program in docs/explanation/residuals.md" {
    text_and_model paper
    "$PSDVEC" residuals text.model text.counts --top 0 -o all.residuals >out 2>err
    grep -q 'written     all.residuals' err
    grep -q '^  seen' out
    python=
    for candidate in python3 /usr/bin/python3; do
        "$candidate" -c 'import numpy' 2>/dev/null && python=$candidate && break
    done
    [ -n "$python" ] || skip "no python3 with numpy"
    sed -n '/^```python$/,/^```$/p' "$ROOT/docs/explanation/residuals.md" | sed '1d;$d' >reader.py
    "$python" reader.py all.residuals of >read
    "$PSDVEC" residuals text.model text.counts --tsv --order more --top 1000 --min-count 0 | rows |
        awk -F'\t' '$1 == "of" { printf "%s\t%.4f\n", $2, $6 }' | sort >listed
    # The file also has the pair of a word with itself.
    grep -v -P '^of\t' read | sort >ten
    [ -s ten ]
    [ -z "$(comm -23 ten listed)" ]
}

@test "the same bytes with one thread and with four" {
    text_and_model
    "$PSDVEC" residuals text.model text.counts --threads 1 -o one >a 2>/dev/null
    "$PSDVEC" residuals text.model text.counts --threads 4 -o four >b 2>/dev/null
    cmp one four
    cmp a b
}

@test "other counts give a warning, and invalid combinations are refused" {
    text_and_model
    "$PSDVEC" count text.txt --window 2 --min-count 1 -o other.counts -q
    "$PSDVEC" residuals text.model other.counts >out 2>err
    grep -q 'not the counts that the model was trained on' err
    refused 2 "cannot be combined" residuals text.model text.counts --tsv --json
    refused 2 "give a model and the counts" residuals text.model
    small_vectors
    refused 4 "does not record how it was trained" residuals small.vec text.counts
    cp text.counts kept
    "$PSDVEC" residuals text.model text.counts -o text.counts 2>err && return 1
    grep -q 'choose another output' err
    cmp kept text.counts
}
