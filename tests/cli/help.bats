# Help screens: exact, and within 80 columns.
bats_require_minimum_version 1.5.0
load common

setup() { common_setup; }

visible="train table extend info eval convert fit-temperature similar analogy odd-one-out compare vector ask explore
         score next explain generate residuals simulate interaction count tokenize phrases counts-info counts-show counts-dump
         counts-merge counts-export counts-import baseline-ppmi baseline-svd baseline-sgns baseline-glove baseline-cca
         baseline-sparse help"

# words_of NAME: the words of a command; a member of a family has two.
words_of() {
    case $1 in
        counts-* | baseline-*) echo "${1%%-*} ${1#*-}" ;;
        *) echo "$1" ;;
    esac
}

@test "psdvec --help has a line for every command or family, within 80 columns, and some examples" {
    "$PSDVEC" --help | golden help-main
}

@test "the main screen explains every command in one line" {
    "$PSDVEC" --help >screen
    [ "$(wc -L <screen)" -le 80 ]
    for name in $visible; do
        case $name in
            help) ;;
            counts-* | baseline-*) grep -Eq "^  ${name%%-*} \.\.\. +[a-z]" screen ;;
            *) [ "$(grep -Ec "^  $name  +[A-Za-z]" screen)" -eq 1 ] ;;
        esac
    done
    ! grep -q 'and:' screen
}

@test "-h, --help and psdvec help print the same" {
    "$PSDVEC" --help >a
    "$PSDVEC" -h | cmp - a
    "$PSDVEC" help | cmp - a
    "$PSDVEC" count --help >b
    "$PSDVEC" count -h | cmp - b
    "$PSDVEC" help count | cmp - b
    "$PSDVEC" counts dump --help >c
    "$PSDVEC" help counts dump | cmp - c
}

@test "--help takes precedence over later arguments and missing operands" {
    "$PSDVEC" count --help --no-such-option >/dev/null
    "$PSDVEC" count -qh >/dev/null
}

@test "the help of every command is as expected" {
    for name in $visible; do
        # shellcheck disable=SC2046
        "$PSDVEC" help $(words_of "$name") | golden "help-$name"
    done
}

@test "the help of every command fits 80 columns" {
    for name in $visible; do
        # shellcheck disable=SC2046
        "$PSDVEC" help $(words_of "$name") >screen
        [ "$(wc -L <screen)" -le 80 ]
    done
}

@test "help adapts to a narrower terminal" {
    COLUMNS=60 "$PSDVEC" count --help | sed '/^Examples/,$d' >screen
    [ "$(wc -L <screen)" -le 60 ]
}

@test "psdvec counts --help lists the subcommands" {
    "$PSDVEC" counts --help | golden help-counts
    "$PSDVEC" help counts | golden help-counts
}

@test "psdvec alone shows the help on stderr, with status 2" {
    run --separate-stderr "$PSDVEC"
    [ "$status" -eq 2 ]
    [ -z "$output" ]
    [[ $stderr == *"Usage: psdvec COMMAND"* ]]
}

@test "--version prints one line" {
    run "$PSDVEC" --version
    [ "$status" -eq 0 ]
    [[ $output =~ ^psdvec\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
}

