#!/bin/sh
# Runs test suites in parallel and adds up their cases.
#
#   tests/run.sh [-j JOBS] [-l LOGS] SUITE...
#
# A suite is a bats file (*.bats), a script that prints TAP (*.sh), or a cmocka program. Every suite
# gets a line when it ends; the full output of the failing ones follows; the last line is "N passed,
# N failed", of single test cases. A suite that crashes, runs out of time, runs fewer cases than it
# announced, or none, counts as one more failure. Skipped cases count as neither.
#
# TEST_TIMEOUT  seconds a suite may take (600)
# The output of each suite is kept in LOGS (build/test-logs); LOGS/times.tsv has the seconds that each
# took, elapsed and of the processor.
set -u

# ---- One suite: run it, count its TAP, leave NAME.out and NAME.count ----
suite_name() {
    name=$1
    name=${name#"${BUILD:-build}"/}
    name=${name#tests/}
    case $name in */tests/*) name=${name%%/tests/*}/${name#*/tests/} ;; esac
    name=${name%.bats}
    echo "${name%.sh}"
}

limited() {
    if command -v timeout >/dev/null 2>&1; then
        timeout -k 10 "${TEST_TIMEOUT:-600}" "$@"
    else
        "$@"
    fi
}

if [ "${1:-}" = --one ]; then
    logs=$2 suite=$3
    name=$(suite_name "$suite")
    out=$logs/$(echo "$name" | tr / _).out
    began=$(date +%s)
    case $suite in
    *.bats)
        if command -v bats >/dev/null 2>&1; then
            limited bats --formatter tap "$suite" >"$out" 2>&1 </dev/null
        else
            echo "# bats is not installed, so these tests did not run" >"$out"
            false
        fi
        ;;
    *.sh) limited sh "$suite" >"$out" 2>&1 </dev/null ;;
    *)
        if [ -x "$suite" ]; then
            CMOCKA_MESSAGE_OUTPUT=tap limited "$suite" >"$out" 2>&1 </dev/null
        else
            echo "# $suite was not built: is cmocka installed?" >"$out"
            false
        fi
        ;;
    esac
    status=$?
    took=$(($(date +%s) - began))
    # The second line of times has the processor time of finished children, user and system: 1m2.34s.
    times >"${out%.out}.times"
    processor=$(awk 'NR == 2 { split($0, t, /[ms ]+/); printf "%.1f", 60 * (t[1] + t[3]) + t[2] + t[4] }' "${out%.out}.times")
    rm -f "${out%.out}.times"
    printf '%s\t%s\t%s\n' "$took" "$processor" "$name" >>"$logs/times.tsv"

    awk -v status=$status '
        /^1\.\.[0-9]+/ { split($0, p, /[. ]+/); plan += p[2]; next }
        /^(not )?ok [0-9]+.*# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
        /^ok [0-9]+/ { passed++; next }
        /^not ok [0-9]+/ { failed++; next }
        END {
            ran = passed + failed + skipped
            why = ""
            if (status == 124 || status == 137) why = "stopped: it took too long"
            else if (ran < plan) why = "ended after " ran " of " plan " tests, status " status
            else if (ran == 0) why = "ran no test, status " status
            else if (status != 0 && !failed) why = "all tests passed, yet the status was " status
            if (why != "") failed++
            printf "%d %d %d %s\n", passed, failed, skipped, why
        }' "$out" >"${out%.out}.count"
    read -r passed failed skipped why <"${out%.out}.count"
    verdict="ok  "
    [ "$failed" = 0 ] || verdict=FAIL
    line=$(printf '%s  %-34s %4d passed' "$verdict" "$name" "$passed")
    [ "$failed" = 0 ] || line="$line, $failed failed"
    [ "$skipped" = 0 ] || line="$line, $skipped skipped"
    [ "$took" -lt 1 ] || line="$line  ($took s)"
    [ -z "$why" ] || line="$line: $why"
    printf '%s\n' "$line"
    exit 0
fi

# ---- All suites ----
jobs=1 logs=${BUILD:-build}/test-logs
while getopts j:l: option; do
    case $option in
    j) jobs=$OPTARG ;;
    l) logs=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))

rm -rf "$logs"
mkdir -p "$logs" || exit 2
if [ $# -gt 0 ]; then
    printf '%s\0' "$@" | xargs -0 -n 1 -P "$jobs" sh "$0" --one "$logs"
fi

passed=0 failed=0 skipped=0
for suite in "$@"; do
    count=$logs/$(suite_name "$suite" | tr / _).count
    if ! read -r p f s why <"$count"; then
        p=0 f=1 s=0 why="the suite did not report"
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    [ "$f" = 0 ] && continue
    printf '\n---- %s %s\n' "$(suite_name "$suite")" "${why:+($why)}"
    # A short output is shown completely; of a long one the failures and the end.
    awk '
        { line[NR] = $0 }
        /^ok / || /^1\.\./ { shown = 0; next }
        /^not ok .*# *[Ss][Kk][Ii][Pp]/ { shown = 0; next }
        /^not ok / { shown = 60 }
        shown > 0 { print; shown--; printed[NR] = 1 }
        END {
            for (i = (NR > 20 ? NR - 19 : 1); i <= NR; i++)
                if (!printed[i] && line[i] !~ /^ok /) print line[i]
        }' "${count%.count}.out"
done

echo
[ "$skipped" = 0 ] || echo "$skipped skipped"
[ $# -gt 0 ] || echo "No test suite was given."
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
