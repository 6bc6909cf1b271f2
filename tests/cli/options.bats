# What a wrong command line gets: status 2, one sentence, a hint at the help.
load common

setup() { common_setup; }

@test "unknown commands: a suggestion" {
    refused 2 "there is no command 'conut'; did you mean 'count'?" conut
    refused 2 "there is no command 'dump'; did you mean 'counts dump'?" dump
    refused 2 "there is no command 'counts dmup'; did you mean 'counts dump'?" counts dmup
    refused 2 "there is no command 'zzzzzz'" zzzzzz
    refused 2 "there is no command 'cuont'; did you mean 'count'?" help cuont
    refused 2 "'counts' needs a second word: info show dump" counts
    refused 2 "options stand after a command" -q count
}

@test "unknown options: a suggestion" {
    refused 2 "there is no option --windwo; did you mean --window?" count x --windwo 3
    refused 2 "there is no option --windwo; did you mean --window?" count x --windwo=3
    refused 2 "there is no option -window; did you mean --window?" count x -window 3
    refused 2 "there is no option --zzzzzz" count x --zzzzzz
    refused 2 "there is no option -z" count x -qz
}

@test "shortened options are refused, with the full one" {
    refused 2 "there is no option --win; did you mean --window?" count x --win 3
    refused 2 "there is no option --verb; did you mean --verbose?" count x --verb
}

@test "the hint at the help names the command" {
    refused 2 "Try 'psdvec counts dump --help'." counts dump
    refused 2 "Try 'psdvec --help'." zzzzzz
}

@test "whole numbers are strict, and the sentence has option, value and range" {
    for value in 5x '' -3 nan 0 1001 1e3 5.0 ' 5' 0x5 +5 100000000000000000000; do
        refused 2 "--window must be a whole number from 1 to 1000, not '$value'" \
            count x -o y --window "$value"
    done
    refused 2 "--seed must be a whole number from 0 to 2^64 - 1, not '18446744073709551616'" \
        count x -o y --seed 18446744073709551616
    refused 2 "--min-count must be a whole number of at least 1, not '0'" \
        count x -o y --min-count 0
    refused 2 "--threads must be a whole number from 1 to 1024, not '0'" count x -o y --threads 0
}

@test "real numbers are strict" {
    for value in 5x '' -3 nan inf 1e999 2 0x1 1e; do
        refused 2 "--subsample must be a number from 0 to 1, not '$value'" \
            count x -o y --subsample "$value"
    done
}

@test "sizes are strict" {
    for value in 5Q '' -3 nan 0 150% 1e99 M 5MM; do
        refused 2 "--memory must be a size such as 512M or 4G" count x -o y --memory "$value"
    done
}

@test "choices list the words, and suggest one" {
    refused 2 "--tokenizer must be words, whitespace, original or icu, not 'word'; did you mean 'words'?" \
        count x -o y --tokenizer word
    refused 2 "--color must be auto, always or never, not 'no'" help --color no
}

@test "missing and surplus values" {
    refused 2 "-o needs a value: -o FILE" count x -o
    refused 2 "-o needs a value: -o FILE" count x -qo
    refused 2 "--seed needs a value: --seed N" count x --seed
    refused 2 "--color needs a value: --color auto|always|never" count x --color
    refused 2 "--quiet takes no value" count x --quiet=yes
    refused 2 "--vocab must not be empty" count x -o y --vocab=
}

@test "missing and surplus operands" {
    refused 2 "say what to count: files, folders, or - for standard input" count
    refused 2 "say what to count" count -o x
    refused 2 "say where the result goes, for example -o wiki.counts.safetensors" count x
    refused 2 "say which counts file" counts info
    refused 2 "say which counts file to look into, and for which words" counts show x
    refused 2 "there is nothing to do with 'b'; the use is: psdvec counts info FILE" \
        counts info a b
    refused 2 "is empty; is a shell variable unset?" counts info ""
}

@test "import and export say what they lack" {
    refused 2 "say what x is: --format glove, matrix-market or top2grams" counts import x -o y
    refused 2 "--vocab" counts import x -o y --format glove
    refused 2 "--vocab-output FILE" counts export x -o y --format matrix-market
    refused 2 "leave out --vocab-output" counts export x -o y --format top2grams --vocab-output z
}

@test "after -- nothing is an option" {
    refused 3 "--window" count -o y -- --window
}

@test "all the ways to write an option" {
    # Each gets as far as the input that does not exist.
    refused 3 nosuch count nosuch -o y --window 3
    refused 3 nosuch count --window=3 -oy nosuch
    refused 3 nosuch count -q -v nosuch --output=y
    refused 3 nosuch count -qvo y nosuch
    refused 3 nosuch count nosuch -o y --memory 512M
    refused 3 nosuch count nosuch -o y --memory 1.5GiB
    refused 3 nosuch count nosuch -o y --memory 50%
}
