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

# ---- Impossible content ----------------------------------------------------------------------------

# damaged_counts SENTENCE CHANGE...: every reader of counts refuses the changed file. What the rows
# have is seen by those that read them.
damaged_counts() {
    local sentence=$1
    shift
    "$EDIT" set "$COUNTS" bad.st "$@"
    "$EDIT" check bad.st
    refused 4 "bad.st: the counts are damaged: $sentence" counts info bad.st
    refused 4 "bad.st: the counts are damaged: $sentence" train bad.st --dim 3 -o out
    refused 4 "bad.st: the counts are damaged: $sentence" counts merge bad.st "$COUNTS" -o out
    refused 4 "bad.st: the counts are damaged: $sentence" counts export bad.st --format matrix-market --vocab-output out.words -o out.mtx
    refused 4 "bad.st: the counts are damaged: $sentence" extend "$MODEL" bad.st -o out
    refused 4 "bad.st: the counts are damaged: $sentence" baseline ppmi bad.st -o out
    refused 4 "bad.st: the counts are damaged: $sentence" counts dump bad.st
    [ ! -e out ] && [ ! -e out.mtx ]
}

@test "counts with a word twice or an empty word are refused by every reader" {
    mapfile -t changes < <(word_twice "$COUNTS")
    damaged_counts "the words " "${changes[@]}"
    grep -q "the words [0-9]* and [0-9]* are both '[a-z]*'; create the file again" stderr
    damaged_counts "word 2 of " "@offsets[2]=$(element "$COUNTS" offsets 1)"
    grep -q 'word 2 of [0-9]* is empty; create the file again' stderr
    refused 4 "is empty" counts info --no-verify bad.st
}

@test "counts with impossible totals are refused by every reader" {
    damaged_counts "a row does not add up to its total (word 1, '" \
        "@context_totals[0]=$(($(element "$COUNTS" context_totals 0) + 1))" \
        "@context_totals[1]=$(($(element "$COUNTS" context_totals 1) - 1))"
    damaged_counts "a column does not add up to its total (word 3, '" \
        "@focus_totals[2]=$(($(element "$COUNTS" focus_totals 2) + 1))" \
        "@focus_totals[5]=$(($(element "$COUNTS" focus_totals 5) - 1))"
    damaged_counts "the totals of rows and columns differ" "@focus_totals[2]=1"
    damaged_counts "the totals do not fit into 64 bits (word 2, '" "@context_totals[1]=18446744073709551615"
    damaged_counts "the frequencies add up to more than the words of the text (word 1, '" "@counts[0]=1000000000000"
    damaged_counts "a row has a pair with the count 0 (word 1, '" "@values[0]=0"
}

@test "a row whose sum wraps around is refused" {
    # Two pairs of 2^63 and a total of 0.
    cat >wide.mtx <<END
%%MatrixMarket matrix coordinate integer general
2 2 2
1 1 9223372036854775807
1 2 9223372036854775807
END
    printf 'a 9\nb 9\n' >wide.words.txt
    "$PSDVEC" counts import wide.mtx --format matrix-market --vocab wide.words.txt -o wide.st -q
    "$EDIT" set wide.st bad.st "@values[0]=9223372036854775808" "@values[1]=9223372036854775808" \
        "@context_totals[0]=0" "@focus_totals[0]=0" "@focus_totals[1]=0"
    refused 4 "the sum of a row does not fit into 64 bits (word 1, 'a')" counts info bad.st
}

@test "models with impossible words and numbers are refused" {
    mapfile -t changes < <(word_twice "$MODEL")
    "$EDIT" set "$MODEL" bad.st "${changes[@]}"
    refused 4 "bad.st: the model is damaged: the words " info bad.st
    grep -q "the words [0-9]* and [0-9]* are both '[a-z]*'; create the file again" stderr
    refused 4 "are both '" similar bad.st music
    refused 4 "are both '" extend bad.st "$TEXT/new.txt" -o out
    for change in 'counts[3]=18446744073709551615:the frequencies do not fit into 64 bits (word 4, ' \
        'unigram[1]=nan:a probability is not between 0 and 1 (word 2, ' \
        'unigram[1]=-1:a probability is not between 0 and 1 (word 2, '; do
        "$EDIT" set "$MODEL" bad.st "@${change%%:*}"
        refused 4 "bad.st: the model is damaged: ${change#*:}" info bad.st
    done
}

@test "vectors that are not finite: no command prints an answer" {
    read -r word other third < <("$PSDVEC" counts dump "$COUNTS" | tail -n +2 | cut -f 1 | uniq | head -n 3 | paste -sd ' ')
    for set in vectors readout; do
        "$EDIT" set "$MODEL" bad.st "@${set}[0]=nan"
        damage="bad.st: the model is damaged: a vector has a component that is not finite (word 1, '"
        refused 4 "$damage" info --verify bad.st
        refused 4 "$damage" odd-one-out bad.st "$word" "$other" "$third"
        refused 4 "$damage" compare bad.st "$word" "$other"
        refused 4 "$damage" similar bad.st "$word"
        refused 4 "$damage" analogy bad.st "$word" "$other" "$third"
        refused 4 "$damage" vector bad.st "$word"
        refused 4 "$damage" convert bad.st out.safetensors
        refused 4 "$damage" score bad.st "$TEXT/held.txt"
        refused 4 "$damage" next bad.st "$other"
        refused 4 "$damage" generate bad.st
        refused 4 "$damage" eval bad.st --builtin
        refused 4 "$damage" extend bad.st "$TEXT/new.txt" -o out
        refused 4 "$damage" residuals bad.st "$COUNTS"
    done
    # A search reads the vectors of all words.
    refused 4 "$damage" similar bad.st "$third"
}

@test "what psdvec writes, psdvec verifies" {
    text=$TEXT/text.txt
    "$PSDVEC" count "$text" -o a.st -q
    "$PSDVEC" count "$text" --subsample 1e-3 --hold-out 100 -o b.st -q
    "$PSDVEC" count "$text" --distance harmonic -o c.st -q
    "$PSDVEC" counts merge a.st "$COUNTS" -o merged.st -q || "$PSDVEC" counts merge a.st a.st -o merged.st -q
    for counts in a.st b.st c.st merged.st; do
        "$PSDVEC" counts info "$counts" | grep -q 'checksums *verified'
    done
    "$PSDVEC" train a.st --dim 5 -o default.st -q
    "$PSDVEC" train a.st --preset paper --dim 5 -o paper.st -q
    "$PSDVEC" train merged.st --core 20 --dim 5 -o core.st -q
    "$PSDVEC" train b.st --dim 5 -o subsampled.st -q
    "$PSDVEC" convert default.st compact.safetensors --only-readout --int8 --no-spelling -q
    "$PSDVEC" convert default.st half.safetensors --float16 -q
    "$PSDVEC" extend default.st "$TEXT/new.txt" --min-count 1 -o extended.st -q
    "$PSDVEC" baseline ppmi a.st -o ppmi.st -q
    "$PSDVEC" baseline svd a.st --dim 5 -o svd.st -q
    "$PSDVEC" baseline glove a.st --dim 5 --epochs 1 -o glove.st -q
    "$PSDVEC" baseline sgns "$text" --dim 5 --epochs 1 -o sgns.st -q
    "$PSDVEC" simulate --vocab 20 --tokens 2000 --dim 3 -o simulated -q
    "$PSDVEC" count simulated/text.txt -o simulated.st --min-count 1 -q
    "$PSDVEC" counts info simulated.st | grep -q 'checksums *verified'
    for model in default.st paper.st core.st subsampled.st compact.safetensors half.safetensors extended.st \
        ppmi.st svd.st glove.st sgns.st simulated/truth.safetensors; do
        "$PSDVEC" info --verify "$model" >stdout || { echo "$model"; return 1; }
        grep -q 'checksums *verified' stdout
    done
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
