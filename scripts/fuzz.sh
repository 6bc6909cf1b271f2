#!/bin/sh
# Runs libFuzzer programs in parallel, each for a given time.
#
#   scripts/fuzz.sh -j JOBS -s SECONDS FOLDER FUZZER...
#
# The corpus of a fuzzer NAME is kept in FOLDER/corpus/NAME for the next run. Seeds come from
# tests/fuzz/corpus/NAME and the dictionary from tests/fuzz/NAME.dict, if they exist; readers of
# files also start with those of tests/golden. Inputs that cause a failure are stored in
# FOLDER/findings.
set -u

# The files, each after the byte with which these fuzzers mark a complete file.
golden() {
    seeds=$folder/seeds/$name
    mkdir -p "$seeds"
    for file in "$@"; do
        { printf '\000' && cat "$file"; } >"$seeds/$(echo "$file" | tr / _)"
    done
    inputs=$seeds
}

if [ "${1:-}" = --one ]; then
    seconds=$2 folder=$3 fuzzer=$4
    name=$(basename "$fuzzer")
    mkdir -p "$folder/corpus/$name" "$folder/findings" "$folder/logs"
    set -- "$folder/corpus/$name"
    [ -d "tests/fuzz/corpus/$name" ] && set -- "$@" "tests/fuzz/corpus/$name"
    inputs=
    case $name in
    fuzz_model_open) golden tests/golden/*/models/* ;;
    fuzz_counts_open) golden tests/golden/*/counts/* ;;
    fuzz_safetensors) golden tests/golden/*/residuals/* ;;
    esac
    [ -n "$inputs" ] && set -- "$@" "$inputs"
    [ -f "tests/fuzz/$name.dict" ] && set -- "-dict=tests/fuzz/$name.dict" "$@"
    log=$folder/logs/$name.log
    if "$fuzzer" "-max_total_time=$seconds" -timeout=20 -rss_limit_mb=2560 -print_final_stats=1 \
        "-artifact_prefix=$folder/findings/$name-" "$@" >"$log" 2>&1 </dev/null; then
        printf 'ok    %-28s %9d inputs, %d kept\n' "$name" \
            "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
            "$(find "$folder/corpus/$name" -type f | wc -l)"
    else
        echo "$name" >>"$folder/failed"
        printf 'FAIL  %s: see %s\n%s\n' "$name" "$log" "$(tail -n 40 "$log")"
    fi
    exit 0
fi

jobs=1 seconds=30
while getopts j:s: option; do
    case $option in
    j) jobs=$OPTARG ;;
    s) seconds=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
folder=$1
shift
if [ $# = 0 ]; then
    echo "No fuzzer to run."
    exit 0
fi
rm -f "$folder/failed"
printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" sh "$0" --one "$seconds" "$folder"
if [ -f "$folder/failed" ]; then
    echo "$(wc -l <"$folder/failed") of $# fuzzers found something; the inputs are in $folder/findings"
    exit 1
fi
echo "nothing found in $seconds s each"
