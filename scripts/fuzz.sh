#!/bin/sh
# Runs libFuzzer programs in parallel.
#
#   scripts/fuzz.sh -j JOBS -s SECONDS FOLDER FUZZER...   each fuzzer once, for SECONDS
#   scripts/fuzz.sh -j JOBS -t TIME FOLDER FUZZER...      for TIME in total (90s, 30m, 8h), in
#                                                         rounds in which each has a turn
#
# A fuzzer NAME starts from its seeds, tests/fuzz/corpus/NAME, and from what earlier runs found,
# FOLDER/corpus/NAME, which also receives its new inputs: an interrupted run loses nothing but its
# last turn. tests/fuzz/NAME.dict has words of its format, tests/fuzz/NAME.options its options of
# libFuzzer, one "name = value" per line. An input that breaks something goes to FOLDER/findings,
# with the report beside it; the fuzzer continues, and all findings are listed at the end.
#
# Every turn adds a line to FOLDER/executions.tsv: fuzzer, executions, seconds, edges covered, files
# in its corpus, seconds of processor time. scripts/fuzz-table.sh adds them up.
set -u

# Seconds of a turn in rounds: long enough that reading the corpus does not matter.
turn=120
# A fuzzer that finds something at once is not started again and again.
most_starts=10

count_of() {
    sed -n "s/^stat::$1: *//p" "$2" | tail -n 1
}

# Seconds of processor time of all commands so far, from the output of `times`, which counts those of
# its own shell only.
processor_time() {
    awk 'NR == 2 { split($0, part, /[ms ]+/); print part[1] * 60 + part[2] + part[3] * 60 + part[4] }' "$1"
}

if [ "${1:-}" = --one ]; then
    seconds=$2 folder=$3 fuzzer=$4
    name=$(basename "$fuzzer")
    corpus=$folder/corpus/$name
    log=$folder/logs/$name.log
    mkdir -p "$corpus" "$folder/findings" "$folder/logs"
    set -- "$corpus"
    [ -d "tests/fuzz/corpus/$name" ] && set -- "$@" "tests/fuzz/corpus/$name"
    [ -f "tests/fuzz/$name.dict" ] && set -- "-dict=tests/fuzz/$name.dict" "$@"
    if [ -f "tests/fuzz/$name.options" ]; then
        # shellcheck disable=SC2013 # one word per line
        for option in $(sed -n 's/^\([a-z_]*\) *= */-\1=/p' "tests/fuzz/$name.options"); do
            set -- "$option" "$@"
        done
    fi
    # What the address sanitizer does with freed memory costs much per execution: keep less of it,
    # with a shorter history, and clear its shadow without system calls.
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:quarantine_size_mb=16:malloc_context_size=10:clear_shadow_mmap_threshold=268435456
    export ASAN_OPTIONS
    began=$(date +%s) starts=0 found=0 total=0 left=$seconds
    while [ "$left" -gt 0 ] && [ "$starts" -lt "$most_starts" ]; do
        starts=$((starts + 1))
        start=$(date +%s)
        times >"$log.times"
        before=$(processor_time "$log.times")
        # The entropic schedule costs more time than most executions.
        "$fuzzer" -entropic=0 "-max_total_time=$left" -timeout=20 -rss_limit_mb=2560 -print_final_stats=1 \
            "-artifact_prefix=$folder/findings/$name-" "$@" >"$log" 2>&1 </dev/null
        status=$?
        end=$(date +%s)
        times >"$log.times"
        used=$(processor_time "$log.times" | awk -v before="$before" '{ print $1 - before }')
        executions=$(count_of number_of_executed_units "$log")
        edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
        printf '%s\t%d\t%d\t%d\t%d\t%s\n' "$name" "${executions:-0}" $((end - start)) "${edges:-0}" \
            "$(find "$corpus" -type f | wc -l)" "$used" >>"$folder/executions.tsv"
        total=$((total + ${executions:-0}))
        [ "$status" = 0 ] && break
        found=$((found + 1))
        input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
        [ -n "$input" ] && cp "$log" "$input.log"
        place=$(grep -E '^ *#[0-9]+ 0x[0-9a-f]+ in .*/(src|cli|tests)/' "$log" |
            head -n 1 | sed 's/.* in //')
        failed=$(grep ': does not hold: ' "$log" | head -n 1)
        printf '%s\t%s\t%s: %s\n' "$name" "${input:-$log}" \
            "$(sed -n 's/^SUMMARY: //p' "$log" | head -n 1)" "${failed:-$place}" >>"$folder/found.tsv"
        left=$((seconds - (end - began)))
    done
    verdict=ok
    [ "$found" = 0 ] || verdict=FOUND
    printf '%-5s %-28s %10d executions, %d edges, %d files' "$verdict" "$name" "$total" \
        "${edges:-0}" "$(find "$corpus" -type f | wc -l)"
    if [ "$found" = 0 ]; then echo; else printf ', %d findings\n' "$found"; fi
    exit 0
fi

jobs=1 seconds=30 time=
while getopts j:s:t: option; do
    case $option in
    j) jobs=$OPTARG ;;
    s) seconds=$OPTARG ;;
    t) time=$OPTARG ;;
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
case $time in
*h) time=$((${time%h} * 3600)) ;;
*m) time=$((${time%m} * 60)) ;;
*s) time=${time%s} ;;
esac
case $time$seconds in
*[!0-9]*)
    echo "the time must be a number of hours, minutes or seconds, such as 8h, 30m or 90s" >&2
    exit 2
    ;;
esac

mkdir -p "$folder"
rm -f "$folder/found.tsv"
round() {
    each=$1
    shift
    printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" sh "$0" --one "$each" "$folder"
}
if [ -z "$time" ]; then
    round "$seconds" "$@"
else
    finish=$(($(date +%s) + time)) number=0
    rows=$((($# + jobs - 1) / jobs))
    while left=$((finish - $(date +%s))) && [ "$left" -gt 0 ]; do
        each=$((left / rows))
        [ "$each" -gt "$turn" ] && each=$turn
        [ "$each" -gt 0 ] || break
        number=$((number + 1))
        echo "round $number, $each s each; $((left / 60)) min left"
        round "$each" "$@"
    done
fi
sh scripts/fuzz-table.sh "$folder/executions.tsv"
if [ -f "$folder/found.tsv" ]; then
    echo "$(sort -u "$folder/found.tsv" | wc -l) findings; the reports are beside the inputs:"
    sort -u "$folder/found.tsv"
    exit 1
fi
echo "no findings"
