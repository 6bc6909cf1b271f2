#!/bin/sh
# Adds up the turns of fuzzers and prints a table in Markdown, or puts it into a page.
#
#   scripts/fuzz-table.sh EXECUTIONS.tsv [PAGE]
#
# The table replaces what is between the lines "<!-- fuzz-table -->" and "<!-- end -->" of the page.
set -eu
table() {
    awk -F'\t' '
        function grouped(n, text) {
            text = sprintf("%d", n)
            while (match(text, /[0-9][0-9][0-9][0-9]($|,)/))
                text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
            return text
        }
        NF >= 4 {
            executions[$1] += $2
            # Of shorter turns, starting takes a large part.
            if ($6 >= 1) { timed[$1] += $2; seconds[$1] += $6 }
            if ($4 > edges[$1]) edges[$1] = $4
        }
        END {
            print "| fuzzer | executions | per second of processor time | edges |"
            print "|---|--:|--:|--:|"
            for (name in executions) {
                line = sprintf("| `%s` | %s | %s | %s |", name, grouped(executions[name]), \
                    seconds[name] ? grouped(timed[name] / seconds[name]) : "not measured", \
                    grouped(edges[name]))
                print line | "LC_ALL=C sort"
                total += executions[name]
            }
            close("LC_ALL=C sort")
            printf "| all | %s | | |\n", grouped(total)
        }' "$1"
}
if [ $# = 1 ]; then
    table "$1"
    exit 0
fi
page=$2
new=$(mktemp)
trap 'rm -f "$new" "$new.table"' EXIT
table "$1" >"$new.table"
awk -v table="$new.table" '
    /^<!-- fuzz-table -->$/ {
        print; print ""
        while ((getline line < table) > 0) print line
        print ""; skip = 1; found = 1
    }
    /^<!-- end -->$/ { skip = 0 }
    !skip && !/^<!-- fuzz-table -->$/ { print }
    END { exit !found }' "$page" >"$new" || {
    echo "$page has no line <!-- fuzz-table -->" >&2
    exit 1
}
cat "$new" >"$page"
