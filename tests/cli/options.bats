# An invalid command line gives status 2, one message and a hint at the help.
load common

setup() { common_setup; }

@test "unknown commands get a suggestion" {
    refused 2 "there is no command 'conut'; did you mean 'count'?" conut
    refused 2 "there is no command 'dump'; did you mean 'counts dump'?" dump
    refused 2 "there is no command 'counts dmup'; did you mean 'counts dump'?" counts dmup
    refused 2 "there is no command 'zzzzzz'" zzzzzz
    refused 2 "there is no command 'cuont'; did you mean 'count'?" help cuont
    refused 2 "'counts' needs a second word: info show dump" counts
    refused 2 "options such as -q must follow a command" -q count
}

@test "unknown options get a suggestion" {
    refused 2 "there is no option --windwo; did you mean --window?" count x --windwo 3
    refused 2 "there is no option --windwo; did you mean --window?" count x --windwo=3
    refused 2 "there is no option -window; did you mean --window N?" count x -window 3
    refused 2 "there is no option --zzzzzz" count x --zzzzzz
    refused 2 "there is no option -z" count x -qz
}

# advised ADVICE ARGUMENT...: like refused, and the message ends with the advice.
advised() {
    local advice=$1
    shift
    refused 2 "$advice" "$@"
    head -n 1 stderr | grep -qF "there is no " || { cat stderr; return 1; }
    [[ $(head -n 1 stderr) = *"; $advice" ]] || { cat stderr; return 1; }
}

@test "commands of other programs get the equivalent" {
    for name in neighbors neighbours nn most_similar most-similar; do
        advised "the nearest neighbours of a word: psdvec similar MODEL WORD" $name x y
    done
    advised "A is to B as C is to what: psdvec analogy MODEL A B C" analogies
    for name in skipgram word2vec "baseline word2vec"; do
        # shellcheck disable=SC2086
        advised "for word2vec: psdvec baseline sgns INPUT -o MODEL" $name 2>/dev/null ||
            grep -Fq "for word2vec: psdvec baseline sgns INPUT -o MODEL" stderr
    done
    refused 2 "psdvec baseline sgns --cbow INPUT -o MODEL" cbow
    refused 2 "psdvec baseline glove INPUT -o MODEL" glove
    advised "the vector of a word: psdvec vector MODEL WORD" print-word-vectors model.bin
    advised "scores on test sets: psdvec eval MODEL [SET]..." test
    advised "scores on test sets: psdvec eval MODEL [SET]..." help evaluate
}

@test "every suggested line is valid" {
    sed -n '/command_rows\[\]/,/{0}/p' "$HERE/../../cli/other_programs.c" | grep -o '"psdvec [a-z-]*\( sgns\| glove\)*' |
        tr -d '"' | grep -v -- --version | sort -u >lines
    [ "$(wc -l <lines)" -ge 10 ]
    while read -r line; do
        "$PSDVEC" ${line#psdvec } --help >/dev/null
    done <lines
    # So is every option.
    for command in train similar eval table convert "baseline sgns"; do
        # shellcheck disable=SC2086
        "$PSDVEC" $command --help
    done >all
    sed -n '/option_rows\[\]/,/{0}/p' "$HERE/../../cli/other_programs.c" | tr '\n' ' ' |
        grep -oE '", +"[a-z0-9-]+", +"' | grep -oE '[a-z0-9-]+' >names
    [ "$(wc -l <names)" -ge 20 ]
    while read -r name; do grep -q -- "--$name" all || { echo "$name"; return 1; }; done <names
}

@test "options of other programs get the equivalent" {
    for option in --size -size --vector-size --vector_size=5 --vectorSize -dimension; do
        advised "for the number of dimensions, write --dim N" train x $option 5
    done
    advised "did you mean --dim N?" train x -dim 5
    for option in --workers -thread --n_jobs -j; do
        advised "for the number of threads, write --threads N" train x $option 5
    done
    advised "did you mean --threads N?" train x -threads 4
    for option in -minCount --vocab-min-count; do
        advised "for the lowest frequency of words, write --min-count N" train x $option 5
    done
    advised "did you mean --min-count N?" train x -min-count 5
    advised "did you mean --min-count N?" train x --min_count 5
    advised "for the size of the window, write --window N" count x -ws 5
    for option in --epochs -epoch --iter; do
        advised "for the maximum number of iterations, of which more rarely help, write --iterations N" \
            train x $option 5
    done
    advised "for the number of passes over the data, write --epochs N" baseline sgns x -iter 5
    advised "did you mean --output FILE?" train x -output y
    for option in -input -train --corpus; do
        advised "files and words are given without an option: psdvec train INPUT... -o FILE [OPTION]..." \
            train $option x
    done
    for option in --topn -topk -k -n; do
        advised "for the number of results, write --top N" analogy m a b c $option 5
    done
    advised "for a record of the run as JSON lines, write --log FILE" train x --json
    advised "did you mean --json?" info m -json
    refused 2 "there is no option -n" eval m -n 3
    refused 2 "options such as -train must follow a command, as in psdvec train INPUT -o MODEL" -train x
    [ -z "$(ls)" ] || [ "$(ls | sort | xargs)" = "stderr stdout" ]
}

@test "abbreviated options are refused, with the full name" {
    refused 2 "there is no option --win; did you mean --window?" count x --win 3
    refused 2 "there is no option --verb; did you mean --verbose?" count x --verb
}

@test "the hint at the help names the command" {
    refused 2 "Try 'psdvec counts dump --help'." counts dump
    refused 2 "Try 'psdvec --help'." zzzzzz
}

@test "integers are strict, and the error has option, value and range" {
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

@test "errors in choices list the choices, and suggest one" {
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
    refused 2 "give a text: files, folders, or - for standard input" count
    refused 2 "give a text" count -o x
    refused 2 "give an output, for example -o wiki.counts.safetensors" count x
    refused 2 "give a counts file" counts info
    refused 2 "give a counts file and one or more words" counts show x
    refused 2 "unexpected argument 'b'; usage: psdvec counts info FILE" \
        counts info a b
    refused 2 "is empty; is a shell variable unset?" counts info ""
}

@test "import and export say what is missing" {
    refused 2 "give the format of x: --format glove, matrix-market or top2grams" counts import x -o y
    refused 2 "--vocab" counts import x -o y --format glove
    refused 2 "--vocab-output FILE" counts export x -o y --format matrix-market
}

@test "after -- nothing is an option" {
    refused 3 "--window" count -o y -- --window
}

@test "all notations of an option" {
    # Each is parsed up to the input that does not exist.
    refused 3 nosuch count nosuch -o y --window 3
    refused 3 nosuch count --window=3 -oy nosuch
    refused 3 nosuch count -q -v nosuch --output=y
    refused 3 nosuch count -qvo y nosuch
    refused 3 nosuch count nosuch -o y --memory 512M
    refused 3 nosuch count nosuch -o y --memory 1.5GiB
    refused 3 nosuch count nosuch -o y --memory 50%
}
