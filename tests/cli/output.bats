# Standard output and -o: failures are noticed.
load common
bats_require_minimum_version 1.5.0

setup() { common_setup; }

@test "a full disk gives a sentence and status 5" {
    [ -e /dev/full ] || skip "no /dev/full"
    run --separate-stderr bash -c '"$PSDVEC" --help >/dev/full'
    [ "$status" -eq 5 ]
    [[ $stderr == *"cannot write to standard output: No space left on device"* ]]
    run --separate-stderr bash -c '"$PSDVEC" generate-examples >/dev/full'
    [ "$status" -eq 5 ]
    [[ $stderr == *"No space left on device; make room"* ]]
}

@test "a closed pipe ends the program quietly" {
    run --separate-stderr bash -c '"$PSDVEC" help count | true; echo "${PIPESTATUS[0]}"'
    [ "$output" = 0 ]
    [ -z "$stderr" ]
}

@test "-o writes a whole file, and nothing else" {
    "$PSDVEC" generate-examples >a
    "$PSDVEC" generate-examples -o b
    cmp a b
    [ "$(ls | wc -l)" -eq 2 ]
}

@test "-o into a missing folder: status 5, and the folder is named" {
    refused 5 "cannot write nosuch/file: No such file or directory" generate-examples -o nosuch/file
}

@test "a failing command leaves the old file of -o" {
    echo old >kept
    refused 4 "" counts dump kept -o kept
    [ "$(cat kept)" = old ]
    refused 3 "" counts dump nosuch -o kept
    [ "$(cat kept)" = old ]
}

@test "a log that cannot be written: status 5" {
    refused 5 "cannot write the log nosuch/log" generate-examples --log nosuch/log
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

@test "no escape sequences unless asked for" {
    run "$PSDVEC" help
    [[ $output != *$'\033'* ]]
    run "$PSDVEC" count nosuch -o y --color always
    [[ $output == *$'\033'* ]]
    run "$PSDVEC" count nosuch -o y
    [[ $output != *$'\033'* ]]
}
