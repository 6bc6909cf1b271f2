# Bad input gives a clear error message and a documented exit status, and no data is lost.
load common
bats_require_minimum_version 1.5.0

setup() {
    common_setup
    small_text
}

teardown() {
    if [ -n "${MOUNTED:-}" ]; then umount "$MOUNTED"; fi
}

# fails STATUS SENTENCE ARGUMENT...: like refused, and checks that no files are left in the folder,
# including hidden ones.
fails() {
    local before after
    before=$(ls -A)
    refused "$@" || return 1
    after=$(ls -A | grep -vx -e stdout -e stderr)
    before=$(printf '%s\n' "$before" | grep -vx -e stdout -e stderr)
    [ "$before" = "$after" ] || {
        echo "left behind: $after"
        return 1
    }
}

# small_disk SIZE: a file system of that size at ./disk, or the test is skipped.
small_disk() {
    mkdir disk
    mount -t tmpfs -o "size=$1" tmpfs disk 2>/dev/null || skip "mounting needs root"
    MOUNTED=$PWD/disk
}

# within KILOBYTES COMMAND...: fails if the program ever uses more memory.
within() {
    [ -z "${SANITIZE:-}" ] || skip "sanitizers take memory of their own"
    [ -x /usr/bin/time ] || skip "no /usr/bin/time"
    local most=$1 status=0 peak
    shift
    /usr/bin/time -f %M -o peak "$@" >stdout 2>stderr </dev/null || status=$?
    peak=$(tail -n 1 peak)
    echo "peak $peak KB, status $status: $(cat stderr)"
    [ "$peak" -le "$most" ] || return 99
    return "$status"
}

words() { # words N: N different words, twenty per line
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++) {
            w = ""
            for (k = i + 1; k > 0; k = int(k / 26)) w = w sprintf("%c", 97 + k % 26)
            printf "%s%s", w, i % 20 == 19 ? "\n" : " "
        }
    }'
}

# ---- Inputs -------------------------------------------------------------------

@test "no file" {
    fails 3 "nosuch.txt: cannot read the input: No such file or directory" \
        count small.txt nosuch.txt -o y
}

@test "no input at all" {
    refused 2 "" count -o y
}

@test "a folder without text" {
    mkdir hollow hollow/deeper
    fails 3 "hollow: the folder contains no files" count hollow -o y
    head -c 1000 /dev/zero >hollow/zeros
    fails 3 "hollow" count hollow -o y
    grep -q "hollow/zeros: skipped" stderr
}

@test "a cycle of symbolic links ends" {
    mkdir circle
    cp small.txt circle
    ln -s . circle/a
    ln -s . circle/b
    run timeout -s KILL 10 "$PSDVEC" count circle --min-count 1 -q -o y
    [ "$status" -ne 137 ]
}

@test "a cycle of symbolic links does not repeat the text" {
    mkdir circle
    cp small.txt circle
    ln -s . circle/self
    timeout -s KILL 10 "$PSDVEC" count circle --min-count 1 -q -o y || true
    if [ -e y ]; then
        "$PSDVEC" counts info y | grep -q '^  text  *9 words in 2 documents$'
    fi
}

@test "an empty file" {
    : >empty
    fails 3 "empty: the input is empty; give a file that contains text" count empty -o y
    fails 3 "the input is empty; give a file that contains text" count - -o y
}

@test "only punctuation" {
    printf '... !!! --- 1 2 3\n' >signs
    fails 3 "signs: no words in 18 bytes" count signs -o y
}

@test "all words are too rare" {
    fails 3 "lower --min-count" count small.txt --min-count 100 -o y
}

@test "binary data" {
    head -c 5000 "$(command -v "$PSDVEC")" >rubbish
    fails 3 "rubbish: is not text (program)" count rubbish -o y
    head -c 5000 /dev/urandom >rubbish
    fails 3 "rubbish: does not look like text" count rubbish -o y
}

@test "a device and an unreadable folder" {
    fails 3 "/dev/zero: does not look like text" count /dev/zero -o y
    refused 3 "/dev/null: the input is empty" count /dev/null -o y
}

@test "invalid UTF-8 is reported once with file and offset; --strict stops" {
    printf 'some words and a bad \377 byte and more words \376\n' >bad
    "$PSDVEC" count bad --min-count 1 -o y 2>talk
    [ "$(grep -c 'bad: byte 21 is not valid UTF-8 (2 such bytes' talk)" -eq 1 ]
    rm y talk
    fails 3 "bad: byte 21 is not valid UTF-8" count bad --strict --min-count 1 -o y
}

@test "truncated archives of every kind" {
    yes 'the cat sat on the mat' | head -n 5000 | awk '{ print $0, NR * 7919 % 1009 }' >text
    gzip -k text
    bzip2 -k text
    xz -k text
    zstd -qk text
    lz4 -q text text.lz4
    zip -q text.zip text
    tar czf text.tgz text
    for packed in text.gz text.bz2 text.xz text.zst text.lz4 text.zip text.tgz; do
        size=$(stat -c %s $packed)
        head -c $((size / 2)) $packed >"cut.$packed"
        fails 3 "cut.$packed" count "cut.$packed" -o y
        grep -q "decompression failed after" stderr
    done
}

@test "a damaged gz: its checksum does not match" {
    yes 'the cat sat on the mat' | head -n 2000 | awk '{ print $0, NR * 7919 % 1009 }' | gzip >good.gz
    size=$(stat -c %s good.gz)
    cp good.gz bad.gz
    printf '\1\2\3\4' | dd of=bad.gz bs=1 seek=$((size - 8)) conv=notrunc status=none
    run ! gzip -tq bad.gz
    fails 3 "bad.gz" count bad.gz -o y
}

@test "a damaged zip: its checksum does not match" {
    command -v zip >/dev/null || skip "no zip"
    zip -q -0 good.zip small.txt
    sed 's/cat sat/cat bat/' good.zip >bad.zip
    fails 3 "bad.zip" count bad.zip --min-count 1 -o y
}

@test "an encrypted zip" {
    command -v zip >/dev/null || skip "no zip"
    zip -q -P secret locked.zip small.txt
    fails 3 "locked.zip: small.txt: is encrypted; decrypt it first" \
        count locked.zip -o y
}

@test "an archive without text" {
    : >nothing
    tar cf nothing.tar nothing
    fails 3 "nothing.tar" count nothing.tar -o y
    printf 'PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >empty.zip
    fails 3 "empty.zip" count empty.zip -o y
}

@test "a zip bomb stays within the memory limit" {
    command -v zip >/dev/null || skip "no zip"
    head -c 300000000 /dev/zero | tr '\0' 'a' | zip -q bomb.zip -
    local status=0
    within 98304 "$PSDVEC" count bomb.zip --memory 64M --min-count 1 -q -o y || status=$?
    [ "$status" -eq 3 ] || [ "$status" -eq 6 ]
    [ -s stderr ]
    [ ! -e y ]
    (printf 'one two three\n' && head -c 300000000 /dev/zero | tr '\0' ' ') | gzip >bomb.gz
    within 98304 "$PSDVEC" count bomb.gz --memory 64M --min-count 1 -q -o y
    [ "$("$PSDVEC" counts dump y | rows | wc -l)" -eq 3 ]
}

@test "a line of 100 MB within 64 MB of memory" {
    yes 'the cat sat on the mat and so on' | head -c 100000000 | tr '\n' ' ' >line
    within 98304 "$PSDVEC" count line --memory 64M --min-count 1 -q -o y
    "$PSDVEC" counts info y --no-verify | grep -q 'in 1 document'
}

@test "a word of 10 MB is dropped, its neighbours are counted" {
    (echo one two && head -c 10000000 /dev/zero | tr '\0' 'x' && echo && echo three four) >word
    within 98304 "$PSDVEC" count word --memory 64M --min-count 1 -q -o y
    "$PSDVEC" counts dump y | rows >dump
    printf '%s\t%s\t1\n' one two three four | sort | diff - <(sort dump)
}

@test "two million distinct words: within the memory limit, or an error" {
    words 2000000 >distinct
    within 98304 "$PSDVEC" count distinct --memory 64M --min-count 2 -q -o y || [ $? -eq 3 ]
    grep -q 'none of 2000000 distinct words occurs 2 times' stderr
    local status=0
    within 98304 "$PSDVEC" count distinct --memory 64M --min-count 1 -q -o y || status=$?
    [ "$status" -eq 6 ]
    grep -q 'raise the limit (--memory)' stderr
    [ ! -e y ]
    within 700000 "$PSDVEC" count distinct --memory 512M --min-count 1 -q -o y
    "$PSDVEC" counts info y --no-verify | grep -q '^  words  *2,000,000$'
}

# ---- Files of psdvec -------------------------------------------------------------

@test "a counts file truncated at any position" {
    "$PSDVEC" count small.txt --min-count 1 -q -o good
    size=$(stat -c %s good)
    for length in 0 1 7 8 9 100 $((size / 2)) $((size - 1)); do
        head -c "$length" good >cut
        refused 4 "cut: " counts info cut
        refused 4 "cut: " counts dump cut
    done
    { cat good && echo more; } >long
    refused 4 "long: " counts info long
}

@test "a counts file with a flipped bit at any position" {
    "$PSDVEC" count small.txt --min-count 1 -q -o good
    size=$(stat -c %s good)
    for place in $(seq 8 97 $((size - 1))); do
        cp good bad
        byte=$(od -An -tu1 -j "$place" -N 1 good)
        # shellcheck disable=SC2059
        printf "\\$(printf %o $((byte ^ 4)))" | dd of=bad bs=1 seek="$place" conv=notrunc status=none
        local status=0
        "$PSDVEC" counts info bad >stdout 2>stderr || status=$?
        if [ "$status" -ne 4 ] || ! grep -q '^psdvec counts info: bad: ' stderr; then
            echo "byte $place: status $status, $(cat stderr)"
            false
        fi
    done
}

@test "a counts file of a newer version" {
    "$PSDVEC" count small.txt --min-count 1 -q -o good
    sed 's/"version":"1"/"version":"9"/' good >newer
    cmp -s good newer && false
    refused 4 "newer: was written in version 9 of the counts format" counts info newer
    grep -q "use a newer psdvec" stderr
}

@test "a file that is not a counts file" {
    refused 4 "small.txt: " counts info small.txt
    refused 3 "nosuch" counts info nosuch
    head -c 100 /dev/zero >zeros
    refused 4 "zeros: " counts dump zeros
    mkdir folder
    refused 3 "folder: " counts info folder
}

@test "Chinese without spaces: memory does not grow with the text, and the words stay the same" {
    echo x | "$PSDVEC" tokenize --tokenizer icu >/dev/null 2>&1 || skip "no ICU"
    clause=我们研究生命的起源和计算机科学今天天气很好北京大学
    awk -v clause=$clause 'BEGIN { for (i = 0; i < 50000; i++) printf "%s", clause }' >run
    # The text itself takes 4 MB; ICU's memory for all of it at once would be 40 MB.
    within 24000 "$PSDVEC" tokenize run --tokenizer icu --threads 1 --memory 16M
    mv stdout words
    "$PSDVEC" tokenize --tokenizer icu <<<"$clause" | awk '
        { for (i = 0; i < 50000; i++) printf "%s%s", i ? " " : "", $0; print "" }' | cmp words -
    # Each word is as long as several pieces.
    awk 'BEGIN { for (k = 0; k < 3; k++) {
        for (i = 0; i < 300000; i++) printf "%c", 97 + i % 26; printf "。" } }' >long
    [ "$("$PSDVEC" tokenize long --tokenizer icu --max-length 300000 | wc -cw | xargs)" = "3 900003" ]
}

# ---- The output ---------------------------------------------------------------------

@test "the output's folder is missing, or is a file" {
    fails 5 "nosuch/y: cannot write here, the folder does not exist" count small.txt -o nosuch/y
    fails 5 "small.txt/y: cannot write here" count small.txt -o small.txt/y
    mkdir folder
    fails 5 "folder: is a folder" count small.txt -o folder
    fails 5 "/dev/null: is not a regular file" count small.txt -o /dev/null
}

@test "the output's folder is read-only" {
    mkdir locked
    if [ "$(id -u)" -eq 0 ]; then
        mount --bind locked locked 2>/dev/null || skip "cannot mount"
        MOUNTED=$PWD/locked
        mount -o remount,ro,bind locked || skip "cannot remount"
    else
        chmod a-w locked
    fi
    fails 5 "locked/y: cannot write here" count small.txt --min-count 1 -o locked/y
    grep -q "choose a folder you may write to" stderr
}

@test "a full disk: an error message, no partial file, the old output kept" {
    small_disk 1m
    "$PSDVEC" count small.txt --min-count 1 -q -o disk/y
    cp disk/y old
    words 300000 >distinct
    refused 5 "No space left on device; free some space" count distinct --min-count 1 -o disk/y
    cmp old disk/y
    [ "$(ls -A disk)" = y ]
}

@test "the disk for temporary files is full" {
    small_disk 1m
    yes 'the cat sat on the mat and so on' | head -c 30000000 >text
    refused 5 "free" count text --memory 24M --threads 1 -o disk/y
    [ -z "$(ls -A disk)" ]
}

@test "the disk for the columns of large counts is full" {
    small_disk 1m
    awk 'BEGIN {
        srand(1)
        for (n = 0; n < 200000; n++) {
            x = int(3000 * rand())
            printf "%c%c%c%s", 97 + x % 26, 97 + int(x / 26) % 26, 97 + int(x / 676), n % 50 ? " " : "\n"
        }
    }' >text
    "$PSDVEC" count text --min-count 1 -q -o counts
    options=(counts --dim 10 --core 100 --iterations 1 --memory 12M --threads 1)
    refused 5 "MiB are free there" train "${options[@]}" -o disk/y
    refused 5 "the columns of the counts need a temporary file of" \
        train "${options[@]}" --temp-dir disk -o y
    [ -z "$(ls -A disk)" ] && [ ! -e y ]
    "$PSDVEC" train "${options[@]}" --dry-run -o y | grep -q 'disk .* for temporary files'
}

@test "the output is one of the inputs" {
    cp small.txt copy.txt
    fails 5 "copy.txt: is both input and output" count copy.txt -o copy.txt
    ln copy.txt hard
    fails 5 "hard: is both input and output" count copy.txt -o hard
    ln -s copy.txt soft
    fails 5 "soft: is both input and output" count copy.txt -o soft
    mkdir folder
    mv copy.txt folder/copy
    fails 5 "is both input and output" count folder -o folder/copy
    cmp small.txt folder/copy
}

@test "the word list must not be the output either" {
    printf 'cat\nmat\n' >list
    refused 5 "list" count small.txt --vocab list -o list
    printf 'cat\nmat\n' | cmp - list
}

@test "an existing output is kept when the new run fails" {
    "$PSDVEC" count small.txt --min-count 1 -q -o y
    cp y old
    refused 3 "" count nosuch -o y
    : >empty
    refused 3 "" count empty -o y
    yes 'the cat sat' | head -n 1000 | gzip | head -c 60 >cut.gz
    refused 3 "" count cut.gz -o y
    refused 6 "" count small.txt --min-count 1 --memory 100K -o y
    cmp old y
}

@test "two concurrent runs with the same output: the result is one complete file" {
    words 100000 >a
    words 100000 | tac >b
    for _ in 1 2 3; do
        "$PSDVEC" count a --min-count 1 -q -o y &
        first=$!
        "$PSDVEC" count b --min-count 1 -q -o y &
        wait $first
        wait $!
        "$PSDVEC" counts info y | grep -q '^  checksums  *verified$'
        [ "$(ls -A)" = "$(printf 'a\nb\nsmall.txt\ny')" ]
    done
}

# ---- Impossible options ---------------------------------------------------------------

@test "numbers out of range" {
    for value in 0 -1 1001 1000000000 99999999999999999999 nan NaN inf 5x 1.5 1e3 0x10 ' 5' ''; do
        fails 2 "--window must be a whole number from 1 to 1000" count small.txt --window "$value" -o y
    done
    for value in -1 nan inf 1.1 x ''; do
        fails 2 "--subsample must be a number from 0 to 1" count small.txt --subsample "$value" -o y
    done
    for value in 0 -1 5x nan 18446744073709551616; do
        fails 2 "--min-count must be" count small.txt --min-count "$value" -o y
    done
    for value in 0 -1 nan 200% 5Q -1G ''; do
        fails 2 "--memory must be" count small.txt --memory "$value" -o y
    done
    for value in 0 -1 nan 1000000; do
        fails 2 "--threads must be" count small.txt --threads "$value" -o y
    done
}

@test "options that contradict each other" {
    printf 'cat\n' >list
    fails 2 "cannot be combined" count small.txt --vocab list --keep cat -o y
    fails 2 "--min-length is 5 and --max-length is 4" count small.txt --min-length 5 --max-length 4 -o y
}

@test "a word list that is not one" {
    printf 'cat\ndog\ncat\n' >twice
    fails 3 'twice: line 3: the word "cat" is in the list twice' \
        count small.txt --vocab twice -o y
    : >empty
    fails 3 "empty: the list has no words" count small.txt --vocab empty -o y
    printf 'cat many\n' >odd
    fails 3 "odd: line 1: expected a word" count small.txt --vocab odd -o y
    printf 'c\377t\n' >bad
    fails 3 "bad: line 1: not valid UTF-8" count small.txt --vocab bad -o y
    fails 3 "nosuch" count small.txt --vocab nosuch -o y
    mkdir folder
    fails 3 "folder" count small.txt --vocab folder -o y
}

# ---- Signals ------------------------------------------------------------------------------

# stopped SIGNAL SECONDS ARGUMENT...: sends the signal to a running command. Sets $ended to its
# status and $lasted to the milliseconds until it ended.
stopped() {
    local began
    ended=0
    began=$(date +%s%N)
    timeout --foreground --preserve-status -k 20 -s "$1" "$2" "$PSDVEC" count "${@:3}" -q -o y 2>/dev/null || ended=$?
    lasted=$((($(date +%s%N) - began) / 1000000 - $(awk -v s="$2" 'BEGIN { print int(1000 * s) }')))
    echo "SIG$1 after $2 s: status $ended, $lasted ms later"
}

@test "Ctrl-C stops within a second at every stage and leaves no files" {
    yes 'the cat sat on the mat and so on' | head -c 200000000 >text
    for delay in 0.1 0.5 1.0 1.5; do
        stopped INT "$delay" text --memory 40M --threads 1
        [ "$ended" -eq 130 ] || [ "$ended" -eq 0 ]
        [ "$lasted" -lt 1000 ] || [ -n "${SANITIZE:-}" ]
        rm -f y
        [ "$(ls -A)" = "$(printf 'small.txt\ntext')" ]
    done
}

@test "Ctrl-C keeps the old output" {
    yes 'the cat sat on the mat and so on' | head -c 200000000 >text
    echo old >y
    stopped INT 0.3 text --memory 40M --threads 1
    [ "$ended" -eq 130 ]
    [ "$(cat y)" = old ]
}

@test "kill -9 leaves no files in the folder" {
    yes 'the cat sat on the mat and so on' | head -c 200000000 >text
    for delay in 0.2 0.6 1.2; do
        stopped KILL "$delay" text --memory 40M --threads 1
        [ "$ended" -eq 137 ] || [ "$ended" -eq 0 ]
        rm -f y
        [ "$(ls -A)" = "$(printf 'small.txt\ntext')" ]
    done
}

# ---- The same text in any packaging ----------------------------------------------------------

@test "plain, compressed, piped and split text gives the same pairs" {
    yes 'The cat sat on the mat. And so on; it goes on' | head -n 40000 |
        awk '{ print $0, "word" substr("abcdefghij", NR % 10 + 1, 1) }' >text
    pairs() { "$PSDVEC" count "$@" --document file --sentences -q -o y && "$PSDVEC" counts dump y | rows; }
    pairs text >plain
    gzip -k text && pairs text.gz | cmp - plain
    bzip2 -k text && pairs text.bz2 | cmp - plain
    xz -k text && pairs text.xz | cmp - plain
    zstd -qk text && pairs text.zst | cmp - plain
    tar czf text.tgz text && pairs text.tgz | cmp - plain
    cat text | pairs - | cmp - plain
    pairs - <text | cmp - plain
    pairs - <text.gz | cmp - plain
    (head -c 777777 text && sleep 0.3 && tail -c +777778 text) | pairs - | cmp - plain
    if command -v zip >/dev/null; then
        zip -q text.zip text && pairs text.zip | cmp - plain
        cat text.zip | pairs - | cmp - plain
    fi
}

@test "column numbers beyond the vocabulary are refused by the commands that use them" {
    for option in '--subsample 0' '--subsample 1e-2'; do
        printf 'a b c a b d\na c d b a c\n' >text.txt
        # shellcheck disable=SC2086  # two words
        "$PSDVEC" count text.txt --min-count 1 $option -o bad.counts -q
        header=$(od -An -tu8 -N8 bad.counts)
        # The columns are the first tensor after the header.
        printf '\377\377\377\177' | dd of=bad.counts bs=1 seek=$((8 + header)) conv=notrunc status=none
        for command in 'show bad.counts a' 'dump bad.counts'; do
            # shellcheck disable=SC2086
            run --separate-stderr "$PSDVEC" counts $command
            [ "$status" -ne 0 ] && [ "$status" -lt 128 ]
            [[ "$stderr" == *"the columns of a row are not in ascending order"* ]]
        done
    done
}
