# Merging, and resuming stopped runs: always the same bits.

load common

setup() {
    common_setup
    for part in 1 2 3 4; do
        awk -v seed=$part 'BEGIN {
            srand(seed)
            for (line = 0; line < 3000; line++) {
                for (i = 0; i < 20; i++) printf "w%d ", int(exp(rand() * 8))
                print ""
            }
        }' | sed 's/[0-9]/&x/g; y/0123456789/abcdefghij/' >part$part.txt
    done
}

count() { "$PSDVEC" count -q --min-count 3 "$@"; }

@test "merge(count(A), count(B)) is count(A + B), bit for bit, with a fixed vocabulary" {
    count part1.txt part2.txt -o all.st
    "$PSDVEC" counts dump -q all.st | rows | cut -f1 | sort -u | head -500 >list
    count part1.txt part2.txt --vocab list -o both.st
    count part1.txt --vocab list -o a.st
    count part2.txt --vocab list -o b.st
    "$PSDVEC" counts merge -q a.st b.st -o ab.st
    "$PSDVEC" counts merge -q b.st a.st -o ba.st
    cmp both.st ab.st
    cmp both.st ba.st
}

@test "the same with subsampling, if the list has the frequencies" {
    count part1.txt part2.txt -o all.st
    local options=(--vocab all.st --subsample 1e-3 --distance linear)
    count part1.txt part2.txt "${options[@]}" -o both.st
    count part1.txt "${options[@]}" -o a.st
    count part2.txt "${options[@]}" -o b.st
    "$PSDVEC" counts merge -q a.st b.st -o ab.st
    cmp both.st ab.st
}

@test "merging is associative" {
    for part in 1 2 3 4; do count part$part.txt -o $part.st; done
    "$PSDVEC" counts merge -q 1.st 2.st 3.st 4.st -o flat.st
    "$PSDVEC" counts merge -q 1.st 2.st -o left.st
    "$PSDVEC" counts merge -q 3.st 4.st -o right.st
    "$PSDVEC" counts merge -q left.st right.st -o tree.st
    cmp flat.st tree.st
}

@test "files that do not match are refused with the reason" {
    count part1.txt -o a.st
    count part2.txt --window 3 -o b.st
    refused 4 "their windows differ" counts merge a.st b.st -o c.st
    count part2.txt --case keep -o b.st
    refused 4 "their settings differ" counts merge a.st b.st -o c.st
    count part1.txt --subsample 1e-3 -o a.st
    count part2.txt --subsample 1e-3 -o b.st
    refused 4 "--vocab" counts merge a.st b.st -o c.st
    [ ! -e c.st ]
}

@test "--resume gives the same bits as a run without it" {
    for options in "" "--subsample 1e-3 --distance linear" "--document none" "--max-vocab 100" "--min-count 50 --keep wa"; do
        # shellcheck disable=SC2086
        count part*.txt $options -o direct.st
        # shellcheck disable=SC2086
        count part*.txt $options --resume folder -o resumed.st
        cmp direct.st resumed.st
    done
}

@test "--resume with a word list gives the same bits too" {
    count part1.txt -o one.st
    "$PSDVEC" counts dump -q one.st | rows | cut -f1 | sort -u >list
    for options in "--vocab list" "--vocab one.st --subsample 1e-3" "--vocab list --subsample 1e-3"; do
        # shellcheck disable=SC2086
        count part*.txt $options -o direct.st
        # shellcheck disable=SC2086
        count part*.txt $options --resume folder -o resumed.st
        cmp direct.st resumed.st
    done
}

@test "a run killed at any time is resumed and ends with the same bits" {
    count part*.txt --threads 1 -o direct.st
    for delay in 0.01 0.03 0.05 0.08 0.12 0.2; do
        "$PSDVEC" count -q --min-count 3 --threads 1 part*.txt --resume folder -o resumed.st &
        sleep $delay
        kill -9 $! 2>/dev/null || true
        wait $! 2>/dev/null || true
        [ -z "$(find . -name '.*psdvec*')" ]
    done
    count part*.txt --resume folder -o resumed.st
    cmp direct.st resumed.st
}

@test "finished parts are not counted again, changed inputs are" {
    count part*.txt --resume folder -o first.st
    run "$PSDVEC" count -v --min-count 3 part*.txt --resume folder -o second.st
    [[ "$output" == *"counts: 4 of 4 units were already finished"* ]]
    cmp first.st second.st
    echo "entirely new words here" >>part2.txt
    run "$PSDVEC" count -v --min-count 3 part*.txt --resume folder -o third.st
    [[ "$output" == *"words: 3 of 4 units were already finished"* ]]
    count part*.txt -o direct.st
    cmp direct.st third.st
}

@test "a damaged partial result is detected and made again" {
    count part*.txt --resume folder -o first.st
    for file in folder/unit-*; do
        printf 'X' | dd of="$file" bs=1 seek=3000 conv=notrunc status=none
    done
    run "$PSDVEC" count --min-count 3 part*.txt --resume folder -o second.st
    [ "$status" -eq 0 ]
    [[ "$output" == *"counted again:"* ]]
    cmp first.st second.st
}

@test "standard input and pipes cannot be resumed" {
    refused 2 "standard input cannot be read twice, so it cannot be counted with --resume" \
        count - part1.txt --resume folder -o x.st
    mkfifo pipe
    refused 2 "pipe cannot be read twice" count part1.txt pipe --resume folder -o x.st
}

@test "--strict does not use what was counted without it" {
    { cat part1.txt; printf 'damaged \377\376 bytes\n'; } >bad.txt
    count part2.txt bad.txt --resume units -o x.st
    refused 3 "bad.txt: byte" count part2.txt bad.txt --min-count 3 --strict --resume units -o y.st
    [ ! -e y.st ]
    # what was counted with it is used again
    count part1.txt part2.txt --strict --resume strict -o x.st
    "$PSDVEC" count part1.txt part2.txt --min-count 3 --strict --resume strict -v -o y.st 2>told
    grep -q 'counts: 1 of 1 units were already finished\|counts: 2 of 2 units were already finished' told
    cmp x.st y.st
}
