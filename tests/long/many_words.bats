# Inputs that take minutes.
load ../cli/common

setup() {
    common_setup
}

words() {
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++) {
            w = ""
            for (k = i + 1; k > 0; k = int(k / 26)) w = w sprintf("%c", 97 + k % 26)
            printf "%s%s", w, i % 20 == 19 ? "\n" : " "
        }
    }'
}

@test "ten million distinct words" {
    words 10000000 >distinct
    "$PSDVEC" count distinct --min-count 1 --memory 3G -q -o y
    "$PSDVEC" counts info y | grep -q '^  words  *10,000,000$'
}

@test "ten million distinct words in 256 MB: all rare, or an error" {
    words 10000000 >distinct
    local status=0
    "$PSDVEC" count distinct --min-count 2 --memory 256M -q -o y 2>stderr || status=$?
    [ "$status" -eq 3 ]
    grep -q 'none of 10000000 distinct words' stderr
    status=0
    "$PSDVEC" count distinct --min-count 1 --memory 256M -q -o y 2>stderr || status=$?
    [ "$status" -eq 6 ]
    grep -q 'raise the limit (--memory)' stderr
    [ ! -e y ]
}

@test "Ctrl-C within a second while ten million words are sorted" {
    words 10000000 >distinct
    for delay in 2 3 4 5 6 8 10; do
        began=$(date +%s%N) ended=0
        timeout --foreground --preserve-status -k 60 -s INT $delay \
            "$PSDVEC" count distinct --min-count 1 --memory 3G -q -o y 2>/dev/null || ended=$?
        lasted=$((($(date +%s%N) - began) / 1000000 - 1000 * delay))
        echo "after $delay s: status $ended, $lasted ms later"
        [ "$ended" -eq 130 ] || [ "$ended" -eq 0 ]
        [ "$lasted" -lt 1000 ]
        rm -f y
    done
}

@test "the same bytes for 1 and 5 threads and for 64M, 256M and 2G" {
    yes 'the cat sat on the mat and so on' | head -c 150000000 |
        awk '{ print $0, NR % 7919, "w" substr("abcdefghijklmnop", NR % 13 + 1, 3) }' >text
    for setting in '1 64M' '5 256M' '2 2G' '1 2G'; do
        "$PSDVEC" count text --digits keep --threads "${setting% *}" --memory "${setting#* }" -q -o y
        if [ -e first ]; then cmp first y; else mv y first; fi
    done
}
