# Standard output and -o: failures are detected.
load common
bats_require_minimum_version 1.5.0

setup() { common_setup; }

@test "a full disk gives an error message and status 5" {
    [ -e /dev/full ] || skip "no /dev/full"
    run --separate-stderr bash -c '"$PSDVEC" --help >/dev/full'
    [ "$status" -eq 5 ]
    [[ $stderr == *"cannot write to standard output: No space left on device"* ]]
    run --separate-stderr bash -c '"$PSDVEC" internal-examples >/dev/full'
    [ "$status" -eq 5 ]
    [[ $stderr == *"No space left on device; free some space"* ]]
}

@test "a closed pipe ends the program quietly" {
    run --separate-stderr bash -c '"$PSDVEC" help count | true; echo "${PIPESTATUS[0]}"'
    [ "$output" = 0 ]
    [ -z "$stderr" ]
}

@test "-o writes a complete file, and nothing else" {
    "$PSDVEC" internal-examples >a
    "$PSDVEC" internal-examples -o b
    cmp a b
    [ "$(ls | wc -l)" -eq 2 ]
}

@test "-o into a missing folder: status 5, and the folder is named" {
    refused 5 "cannot write nosuch/file: No such file or directory" internal-examples -o nosuch/file
}

@test "a failing command keeps the old file of -o" {
    echo old >kept
    echo text >text
    refused 4 text counts dump text -o kept
    [ "$(cat kept)" = old ]
    refused 3 nosuch counts dump nosuch -o kept
    [ "$(cat kept)" = old ]
}

@test "the output is never one of the inputs, nor the log" {
    echo old >kept
    ln -s kept link
    refused 5 "kept is both input and output" counts dump kept -o kept
    refused 5 "link is both input and output" counts dump kept -o link
    refused 5 "the log kept is an input or the output" counts dump kept --log kept
    refused 5 "the log ./kept is an input or the output" internal-examples -o kept --log ./kept
    [ "$(cat kept)" = old ]
}

@test "a log that cannot be written: status 5" {
    refused 5 "cannot write the log nosuch/log" internal-examples --log nosuch/log
}

@test "the log is JSON lines: start with all settings, error, end" {
    refused 3 nosuch count nosuch -o y --window 7 --log log.jsonl
    sed -n 1p log.jsonl | grep -q '"event": "start", "command": "count"'
    sed -n 1p log.jsonl | grep -q '"operands": \["nosuch"\]'
    sed -n 1p log.jsonl | grep -q '"window": 7, "distance": "uniform"'
    grep -q '"event": "error", "exit_status": 3, "status": "PSDVEC_ERR_NOT_FOUND"' log.jsonl
    tail -n 1 log.jsonl | grep -q '"event": "end", "exit_status": 3'
    if command -v python3 >/dev/null; then
        python3 -c 'import json; [json.loads(line) for line in open("log.jsonl")]'
    fi
}

@test "no escape sequences unless requested" {
    run "$PSDVEC" help
    [[ $output != *$'\033'* ]]
    run "$PSDVEC" count nosuch -o y --color always
    [[ $output == *$'\033'* ]]
    run "$PSDVEC" count nosuch -o y
    [[ $output != *$'\033'* ]]
}

need_terminal() {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal to be had"
}

# in_terminal COMMAND: runs it in a new terminal.
in_terminal() {
    script -qec "$1" /dev/null </dev/null
}

@test "on a terminal errors are coloured, unless NO_COLOR, TERM=dumb or --color never" {
    need_terminal
    failing="'$PSDVEC' count nosuch -o y"
    run in_terminal "TERM=xterm $failing"
    [[ $output == *$'\033'* ]]
    run in_terminal "TERM=xterm NO_COLOR=1 $failing"
    [[ $output != *$'\033'* ]]
    run in_terminal "TERM=xterm NO_COLOR= $failing"
    [[ $output == *$'\033'* ]]
    run in_terminal "TERM=dumb $failing"
    [[ $output != *$'\033'* ]]
    run in_terminal "TERM=xterm $failing --color never"
    [[ $output != *$'\033'* ]]
    run in_terminal "TERM=xterm NO_COLOR=1 $failing --color always"
    [[ $output == *$'\033'* ]]
}

@test "reading from a terminal is announced" {
    need_terminal
    run in_terminal "TERM=dumb '$PSDVEC' tokenize"
    [[ $output == *"reading from the terminal; end the text with Ctrl-D"* ]]
    run in_terminal "TERM=dumb '$PSDVEC' tokenize --quiet"
    [[ $output != *"reading from the terminal"* ]]
}

@test "no progress line if stderr is not a terminal" {
    yes 'some words to count' | head -n 100000 >text
    run --separate-stderr "$PSDVEC" count text -o y
    [[ $stderr != *$'\r'* ]]
}

@test "file names of other formats are refused before any work, with the commands to use instead" {
    # Before the input is looked up.
    for name in x.vec x.txt x.w2v x.bin x.npy x.glove.txt; do
        refused 2 "the result is a model in safetensors format, which does not match the name d/$name; write -o d/x.safetensors, and then run: psdvec convert d/x.safetensors d/$name" \
            train none -o "d/$name"
    done
    refused 2 "write -o x.safetensors, and then run: psdvec convert x.safetensors x.vec && gzip x.vec" train none -o x.vec.gz
    for name in x.gz x.zst x.csv x.json x.pkl x.npz x.safetensors.gz; do
        refused 2 "does not match the name $name; write -o x.safetensors; psdvec convert converts it to other formats" \
            train none -o $name
    done
    refused 2 "psdvec convert x.safetensors x.vec" baseline sgns none -o x.vec
    refused 2 "psdvec convert x.safetensors x.vec" extend none none -o x.vec
    refused 2 "psdvec convert x.safetensors x.bin" fit-temperature none none -o x.bin
    refused 2 "the result is a counts file in safetensors format, which does not match the name x.txt; write -o x.counts.safetensors; psdvec counts export" \
        count none -o x.txt
    # Other extensions belong to no format.
    for name in x x.model x.psd x.safetensors; do
        refused 3 "none: cannot read the input" train none -o $name
    done
}
