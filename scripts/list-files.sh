#!/bin/sh
# Lists the files of the library and the programs with the first sentence of their head comments.
# Fails if a file has no head comment.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck disable=SC2016
find src cli server mpi -name '*.[ch]' | LC_ALL=C sort | xargs awk '
    function finish() {
        sub(/[ \t]*\*\/.*/, "", text)
        if (match(text, /\.( |$)/)) text = substr(text, 1, RSTART)
        if (text == "") { missing = 1; text = "NO HEAD COMMENT" }
        printf "%-40s %s\n", name, text
    }
    FNR == 1 {
        if (name != "") finish()
        name = FILENAME
        text = ""
        open = sub(/^\/\*[ \t]*/, "")
        if (open) text = $0
    }
    FNR > 1 && open && text !~ /\*\/|\.( |$)/ {
        if ($0 ~ /^ \*[ \t]*$/) open = 0
        sub(/^ \* ?/, "")
        text = text " " $0
    }
    END { if (name != "") finish(); exit missing }'
