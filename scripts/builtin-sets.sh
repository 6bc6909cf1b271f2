#!/bin/sh
# Writes the C file with the built-in test sets (src/eval/builtin_data.h).
#
#   scripts/builtin-sets.sh FILE...         the C file, to standard output
#   scripts/builtin-sets.sh --text FILE     the text of one of the sets
#
# Comments and blank lines are removed. Files of word pairs become analogies: each pair is combined
# with the next few of its section, cyclically, as "a b c d". Partners with which the four words are
# not all different are skipped, because the answer to a question is never one of its words.
# Combining all pairs would give five times as many questions without more information.
set -eu
PARTNERS=6

text_of() {
    awk -v partners="$PARTNERS" '
        function ask(    i, k, j, asked) {
            for (i = 0; i < n; i++) {
                asked = 0
                for (k = 1; k < n && asked < partners; k++) {
                    j = (i + k) % n
                    if (a[i] == a[j] || a[i] == b[j] || b[i] == a[j] || b[i] == b[j]) continue
                    print a[i], b[i], a[j], b[j]
                    asked++
                }
            }
            n = 0
        }
        /^#/ || NF == 0 { next }
        /^:/ { ask(); print; pairs = 1; next }
        pairs { a[n] = $1; b[n] = $2; n++; next }
        { print }
        END { ask() }' "$1"
}

if [ "${1:-}" = --text ]; then
    text_of "$2"
    exit
fi

echo "/* Made by scripts/builtin-sets.sh from the files of data/; changes belong there. */"
echo '#include "eval/builtin_data.h"'
i=0 table=
for file in "$@"; do
    text=$(text_of "$file") # first, so that a failure is not lost in a pipe
    echo "static const char set_${i}[] = {"
    # As numbers, because compilers need not support string literals of this length.
    printf '%s\n' "$text" | od -An -v -tu1 |
        awk '{ for (i = 1; i <= NF; i++) printf "%s,", $i; print "" }'
    echo "0};"
    name=${file##*/}
    table="$table    {\"${name%.txt}\", set_$i, sizeof set_$i - 1},
"
    i=$((i + 1))
done
printf 'const pv_builtin_set pv_builtin_sets[] = {\n%s};\n' "$table"
echo "const size_t pv_builtin_sets_count = $i;"
