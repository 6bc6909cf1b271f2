# Files from others: content that is impossible although all checksums are right, names that would
# control the terminal, pipes in the place of files, and files that shrink while they are read.
bats_require_minimum_version 1.5.0
load common
load changed_files

setup() {
    common_setup
    changed_files_setup
    COUNTS=$GOLDEN/0.1.0/counts/default.counts.safetensors
    MODEL=$GOLDEN/0.1.0/models/default.safetensors
}

# element FILE TENSOR I: an element of a tensor.
element() {
    "$EDIT" print "$1" "$2" | cut -d ' ' -f "$(($3 + 2))"
}

# word_twice FILE: the changes of st_edit that make two words of the same length equal.
word_twice() {
    "$EDIT" print "$1" offsets words | awk '
        NR == 1 { for (i = 2; i <= NF; i++) offset[i - 2] = $i; words = NF - 2; next }
        {
            for (j = 1; j < words; j++)
                for (i = 0; i < j; i++) {
                    length_ = offset[j + 1] - offset[j]
                    if (length_ != offset[i + 1] - offset[i]) continue
                    for (k = 0; k < length_; k++) printf "@words[%d]=%d\n", offset[j] + k, $(offset[i] + k + 2)
                    exit
                }
        }'
}

# ---- Names that control the terminal ------------------------------------------------------------------

# A title, an override of the direction of text, C1, an invalid byte.
EVIL=$'ev\033]0;x\007il\u202etxt\u009b2J\377'

# clean FILE...: no control characters but line ends and tabs.
clean() {
    python3 - "$@" <<'END'
import sys
for path in sys.argv[1:]:
    text = open(path, "rb").read().decode("utf-8")
    bad = [c for c in text if c not in "\n\t" and (ord(c) < 32 or 127 <= ord(c) < 160 or
           0x2028 <= ord(c) <= 0x202e or 0x2066 <= ord(c) <= 0x2069)]
    assert not bad, (path, bad)
END
}

# cleanly ARGUMENT...: whatever the status, both outputs are clean.
cleanly() {
    "$PSDVEC" "$@" >stdout 2>stderr </dev/null || true
    [ -s stdout ] || [ -s stderr ]
    clean stdout stderr
}

@test "names of files, folders and members of archives are masked in messages" {
    printf 'the cat sat\n' >"$EVIL"
    head -c 500 /dev/zero >"$EVIL.zero"
    mkdir "$EVIL.d"
    cp "$EVIL.zero" "$EVIL.d"
    cleanly count "$EVIL.none" -o out
    cleanly count "$EVIL.zero" -o out
    cleanly count "$EVIL.d" -o out
    cleanly count "$EVIL" -o out
    cleanly count "$EVIL" --min-count 1 -v -o "$EVIL.out"
    cleanly count -o out --window "$EVIL"
    cleanly "$EVIL"
    tar cf names.tar "$EVIL" "$EVIL.zero"
    cleanly count names.tar -v -o out
    cleanly counts import "$EVIL" --from top2grams -o out
    printf 'k%s 1 2\nl x%s 3\n' "$EVIL" "$EVIL" >bad.vec
    cleanly convert bad.vec out.safetensors
}

@test "metadata of files is masked" {
    evil=$(printf '%s' "$EVIL" | head -c -1) # metadata is UTF-8
    # shellcheck disable=SC1003 # JSON
    json='ev\u001b]0;x\u0007il\u202e\u009b\u00019'
    for format in table markdown; do
        "$EDIT" set "$COUNTS" bad.st "format=$evil"
        cleanly counts info bad.st
        cleanly info bad.st
        for key in settings vocabulary; do
            "$EDIT" set "$COUNTS" bad.st "$key={\"$json\": \"$json\", \"x\": {\"$json\": 1}}" "written_by=$evil"
            cleanly counts info bad.st --format $format
        done
        "$EDIT" set "$COUNTS" bad.st "inputs=[{\"$json\": \"$json\", \"name\": \"$json\"}]"
        cleanly counts info bad.st --format $format
        "$EDIT" set "$MODEL" bad.st "settings={\"$json\": \"$json\"}" \
            "counts={\"$json\": {\"$json\": 1}, \"settings\": {\"$json\": \"$json\"}, \"a$json\": \"$json\"}"
        cleanly info bad.st --format $format
        "$EDIT" set "$MODEL" bad.st "$evil=x"
        cleanly convert bad.st out.safetensors
    done
}

@test "on a terminal, data formats are masked too; in a file, they are not changed" {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal to be had"
    printf 'x\033]0;t\007y 1 2\nz\302\233\342\200\256w 2 1\n' >odd.vec
    for format in tsv json; do
        "$PSDVEC" vector odd.vec $'x\033]0;t\007y' --format $format >data
        script -qec "TERM=dumb '$PSDVEC' vector odd.vec \$'x\033]0;t\007y' --format $format" /dev/null </dev/null |
            tr -d '\r' >stdout
        clean stdout
    done
    "$PSDVEC" similar odd.vec $'x\033]0;t\007y' --tsv >data
    grep -qF $'z\302\233\342\200\256w' data
}

# ---- Pipes, and files that shrink ---------------------------------------------------------------------

@test "a pipe in the place of a model or counts file is refused at once" {
    mkfifo pipe
    for command in 'info pipe' 'similar pipe x' 'counts info pipe' \
        'convert pipe out.safetensors' 'counts export pipe --format glove --vocab-output out.words -o out.bin' 'counts merge pipe pipe -o out' \
        "count $TEXT/text.txt --vocab pipe -o out" "score pipe $TEXT/held.txt"; do
        # shellcheck disable=SC2086
        run --separate-stderr timeout -s KILL 10 "$PSDVEC" $command
        [ "$status" -eq 3 ] || { echo "$command: $status $stderr"; return 1; }
    done
    refused 3 "pipe: is not a regular file, so it cannot be mapped into memory; save its content to a file first" info pipe
}

@test "text may come from a pipe" {
    "$PSDVEC" count <(cat "$TEXT/text.txt") -o a.st -q
    "$PSDVEC" count "$TEXT/text.txt" -o b.st -q
    [ "$("$PSDVEC" counts dump a.st | cksum)" = "$("$PSDVEC" counts dump b.st | cksum)" ]
}

@test "a model that is truncated while it is in use: a message, status 4, no temporary files" {
    [ -r /proc/self/maps ] || skip "no /proc"
    mkdir here
    cp "$MODEL" here/model.st
    mkfifo questions
    : >answers
    (cd here && exec "$PSDVEC" ask model.st <../questions >../answers 2>../stderr) &
    program=$!
    exec 7>questions
    echo info >&7
    for ((k = 0; k < 600 && ! $(wc -c <answers); k++)); do
        sleep 0.05
    done
    [ -s answers ]
    truncate -s 0 here/model.st
    echo "similar music" >&7
    exec 7>&-
    status=0
    wait "$program" || status=$?
    cat stderr
    [ "$status" -eq 4 ]
    grep -q 'here/model.st: cannot be read any more: it was truncated while it was in use' stderr
    [ "$(ls -A here)" = model.st ]
}
