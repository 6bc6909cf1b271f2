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

@test "no file of the command line is overwritten by another option" {
    echo old >kept
    ln -s kept soft
    ln kept hard
    refused 5 "kept: is both input and output" counts dump kept -o kept
    refused 5 "soft: is both input and output" counts dump kept -o soft
    refused 5 "hard: is both input and output" counts dump kept -o hard
    refused 5 "--log kept: is both input and output" counts dump kept --log kept
    refused 5 "--log and -o name the same file, ./kept" internal-examples -o kept --log ./kept
    refused 5 "--log and -o name the same file, ./new" internal-examples -o new --log ./new
    mkdir d
    ln -s ../new d/to-new
    refused 5 "--log and -o name the same file, d/to-new" internal-examples -o new --log d/to-new
    small_text
    # lists of words, options of all kinds
    refused 5 "kept: is both input and output" count small.txt --keep @kept -o kept
    refused 5 "--log soft: is both input and output" count small.txt --keep a,b --keep @kept -o y --log soft
    refused 5 "--log kept: is both input and output" count small.txt --vocab kept -o y --log kept
    refused 5 "--list and -o name the same file" phrases small.txt --list new -o new
    refused 5 "--list kept: is both input and output" phrases small.txt --connectors @kept --list kept
    # convert's output is an operand
    refused 5 "--log and -o name the same file" convert small.txt new.vec --log new.vec
    # standard input
    run --separate-stderr bash -c '"$PSDVEC" tokenize --log kept <kept'
    [ "$status" -eq 5 ]
    [[ $stderr == *"--log kept: is both input and output"* ]]
    [ "$(cat kept)" = old ]
    [ ! -e new ] && [ ! -e new.vec ] && [ ! -e y ]
    # devices are not files
    "$PSDVEC" tokenize small.txt -o /dev/null --log /dev/null
}

@test "symbolic links are followed by all outputs" {
    small_text
    mkdir real
    for name in text counts log new; do ln -s real/$name $name; done
    echo old >real/text
    "$PSDVEC" tokenize small.txt -q -o text --log log
    "$PSDVEC" count small.txt --min-count 1 -q -o counts
    "$PSDVEC" tokenize small.txt -q -o new
    [ -L text ] && [ -L counts ] && [ -L log ] && [ -L new ]
    cmp real/text real/new
    grep -q cat real/text
    "$PSDVEC" counts info real/counts >/dev/null
    [ "$(ls -A real | tr '\n' ' ')" = "counts log new text " ]
    # to a file that does not exist yet, in another folder
    rm -f "$BATS_FILE_TMPDIR/far"
    ln -s "$BATS_FILE_TMPDIR/far" far
    "$PSDVEC" tokenize small.txt -q -o far
    [ -L far ]
    cmp far real/text
    ln -s loop loop
    refused 5 "loop" tokenize small.txt -o loop
}

@test "links of other users in a folder for everyone are refused" {
    [ "$(id -u)" -eq 0 ] || skip "only root can create them"
    small_text
    mkdir shared
    chmod 1777 shared
    chown nobody shared
    echo mine >mine
    ln -s ../mine shared/link
    chown -h daemon shared/link 2>/dev/null || skip "no user daemon"
    for command in "tokenize small.txt" "count small.txt --min-count 1"; do
        # shellcheck disable=SC2086
        refused 5 "is a symbolic link of another user" $command -o shared/link
    done
    [ "$(cat mine)" = mine ]
    # of the owner of the folder: followed
    chown -h nobody shared/link
    "$PSDVEC" tokenize small.txt -q -o shared/link
    grep -q cat mine
}

@test "/dev/stdout, descriptors and pipes are written, not replaced" {
    mkdir work && cd work # bats has files in the other folder
    small_text
    "$PSDVEC" tokenize small.txt -q >expected
    before=$(readlink /dev/stdout)
    { echo first; "$PSDVEC" tokenize small.txt -q -o /dev/stdout; } >file
    [ "$(readlink /dev/stdout)" = "$before" ]
    { echo first; cat expected; } | cmp - file
    "$PSDVEC" tokenize small.txt -q -o /dev/fd/3 3>file
    cmp expected file
    "$PSDVEC" tokenize small.txt -q -o /dev/stdout | cmp - expected
    mkfifo pipe
    "$PSDVEC" tokenize small.txt -q -o pipe &
    cmp pipe expected
    wait $!
    [ -p pipe ]
    refused 5 "is not a regular file" count small.txt -o pipe
    run --separate-stderr bash -c '"$PSDVEC" count small.txt -o /dev/stdout >file'
    [ "$status" -eq 5 ]
    [[ $stderr == *"names an open file"* ]]
    [ "$(ls -A | tr '\n' ' ')" = "expected file pipe small.txt stderr stdout " ]
}

@test "the file size limit is reported, and nothing is left" {
    mkdir work && cd work # bats has files in the other folder
    for k in $(seq 3000); do echo "some words $k and others"; done >text
    for command in "tokenize text" "count text --min-count 1 --digits keep" "phrases text"; do
        echo old >x
        run --separate-stderr bash -c "ulimit -f 8; exec \"$PSDVEC\" $command -o x"
        [ "$status" -eq 5 ]
        [[ $stderr == *"File too large; raise the file size limit (ulimit -f)"* ]]
        [ "$(cat x)" = old ]
        [ "$(ls -A | tr '\n' ' ')" = "text x " ]
    done
    run --separate-stderr bash -c 'ulimit -f 1; "$PSDVEC" tokenize text >y'
    [ "$status" -eq 5 ]
    [[ $stderr == *"cannot write to standard output: File too large"* ]]
}

@test "a folder that is read-only, or vanishes" {
    small_text
    mkdir d
    mkfifo pipe
    for command in tokenize "count --min-count 1"; do
        mkdir -p d
        # shellcheck disable=SC2086
        "$PSDVEC" $command - -q -o d/x <pipe 2>said &
        exec 9>pipe
        sleep 0.3
        rmdir d
        echo words >&9
        exec 9>&-
        status=0
        wait $! || status=$?
        [ "$status" -eq 5 ]
        grep -q "d/x.*No such file or directory" said
    done
    [ ! -e d ]
    [ "$(id -u)" -ne 0 ] || return 0 # root may write everywhere
    mkdir d
    chmod 555 d
    refused 5 "d/x: Permission denied" tokenize small.txt -o d/x
    refused 5 "choose a folder you may write to" count small.txt -o d/x
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
