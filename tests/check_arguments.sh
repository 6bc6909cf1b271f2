#!/bin/sh
# Checks that the tests cover every public function, and that its definition has the parameter names
# of the header, because messages contain them. Prints TAP.
#
#   tests/check_arguments.sh      check this tree, and that the checks can fail
set -u
LC_ALL=C
export LC_ALL

root=$(dirname "$0")/..

# C without comments and preprocessor lines, the head of each declaration or definition on one line.
flatten() {
    awk '
        { sub(/\/\/.*$/, "") }
        !comment && /^#/ { next }
        {
            line = $0
            while (1) {
                if (comment) {
                    if (!match(line, /\*\//)) { line = ""; break }
                    line = substr(line, RSTART + 2)
                    comment = 0
                }
                if (!match(line, /\/\*/)) break
                rest = substr(line, RSTART + 2)
                line = substr(line, 1, RSTART - 1)
                if (match(rest, /\*\//)) { line = line " " substr(rest, RSTART + 2) }
                else { comment = 1; break }
            }
            text = text " " line
        }
        END {
            gsub(/[ \t]+/, " ", text)
            gsub(/[;{}]/, "&\n", text)
            print text
        }' "$@"
}

# "function parameter parameter ...", one function per line; with -v pointers=1 only pointers.
# Functions of the library as parameters (..._fn *) are pointers, too.
parameters='
    function tell(head,    name, list, n, i, depth, c, part, line, count) {
        if (!match(head, /psdvec_[a-z0-9_]+\(/)) return
        name = substr(head, RSTART, RLENGTH - 1)
        list = substr(head, RSTART + RLENGTH)
        line = name
        depth = 0
        part = ""
        for (i = 1; i <= length(list); i++) {
            c = substr(list, i, 1)
            if (c == "(" || c == "[") depth++
            if (depth == 0 && (c == "," || c == ")")) {
                count = part ~ /\*/ || !pointers
                if (part !~ /^ *(void)? *$/ && count) line = line " " named(part)
                part = ""
                if (c == ")") break
                continue
            }
            if (c == ")" || c == "]") depth--
            part = part c
        }
        print line
    }
    function named(part) {
        if (match(part, /\(\*[a-z_0-9]+\)/)) return substr(part, RSTART + 2, RLENGTH - 3)
        sub(/\[.*$/, "", part)
        sub(/ *$/, "", part)
        sub(/^.*[^a-zA-Z_0-9]/, "", part)
        return part
    }'

# Of the given headers.
declared() {
    pointers=$1
    shift
    flatten "$@" | awk -v pointers="$pointers" "$parameters"'
        /PSDVEC_API .*\) ?;$/ { sub(/^.*PSDVEC_API /, ""); tell($0) }' | sort
}

# Of the given sources: a head that ends with an opening brace.
defined() {
    flatten "$@" | awk -v pointers=0 "$parameters"'
        /^ ?[a-z][a-z0-9_ *]* \*?psdvec_[a-z0-9_]+\(.*\) \{$/ && !/ static / && !/=/ { tell($0) }' | sort
}

# The rows of the test: functions and all arguments that they name, without elements of arrays.
tested() {
    awk '
        /^ *ROW(_OTHER)?\(psdvec_/ { text = "" ; open = 1 }
        open { text = text $0 }
        open && /\),$/ {
            open = 0
            match(text, /psdvec_[a-z0-9_]+/)
            line = substr(text, RSTART, RLENGTH)
            while (match(text, /"[^"]*"/)) {
                n = split(substr(text, RSTART + 1, RLENGTH - 2), names, " ")
                for (i = 1; i <= n; i++) if (!index(names[i], "[")) line = line " " names[i]
                text = substr(text, RSTART + RLENGTH)
            }
            print line
        }' "$1" | sort
}

# Each line with its words after the first one sorted.
sorted_names() {
    awk '{
        for (i = 2; i <= NF; i++)
            for (j = i; j > 2 && $j < $(j - 1); j--) { x = $j; $j = $(j - 1); $(j - 1) = x }
        print
    }'
}

number=0 failed=no
report() { # description | what was found
    number=$((number + 1))
    if [ -z "$2" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        printf '%s\n' "$2" | sed 's/^/# /'
        failed=yes
    fi
}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# Lines that are in the first list but not in the second.
lacks() {
    comm -23 "$1" "$2"
}
untested() { # headers | test
    declared 1 "$1"/*.h | awk 'NF > 1' | sorted_names >"$scratch/declared"
    tested "$2" | sorted_names >"$scratch/tested"
    lacks "$scratch/declared" "$scratch/tested" | sed 's/$/ (tests\/unit\/test_arguments.c needs a row with these)/'
    lacks "$scratch/tested" "$scratch/declared" | sed 's/$/ (a row of tests\/unit\/test_arguments.c that no header has)/'
}
misnamed() { # headers | sources
    declared 0 "$1"/*.h >"$scratch/declared"
    find "$2" -name '*.c' >"$scratch/sources"
    while read -r file; do
        defined "$file"
    done <"$scratch/sources" | sort >"$scratch/defined"
    lacks "$scratch/declared" "$scratch/defined" | sed 's/$/ (in the header)/'
    lacks "$scratch/defined" "$scratch/declared" | sed 's/$/ (in the source)/'
}

headers=$root/include/psdvec
test=$root/tests/unit/test_arguments.c
report "every public function that takes pointers is called with NULL in each" "$(untested "$headers" "$test")"
report "definitions have the parameter names of the headers" "$(misnamed "$headers" "$root/src")"
count=$(declared 0 "$headers"/*.h | wc -l)
marked=$(cat "$headers"/*.h | grep -c '^PSDVEC_API ')
report "all $marked public functions were seen" "$([ "$count" = "$marked" ] || echo "only $count of them")"

# Checks that the checks can fail: each change alone must be found.
finds() { # description | what was found | its first words
    case $2 in
    "$3 ("*) report "finds $1" "" ;;
    *) report "finds $1" "it said '$2'" ;;
    esac
}
mkdir "$scratch/headers" "$scratch/src"
cp "$headers"/*.h "$scratch/headers"
printf 'PSDVEC_API bool psdvec_new_call(int n,\n    const char *name /* a, b */);\n' >>"$scratch/headers/text.h"
finds "a new function" "$(untested "$scratch/headers" "$test")" "psdvec_new_call name"
cp "$headers"/*.h "$scratch/headers"
awk '/psdvec_train_report \*report\);/ && !n++ { sub(/\);/, ", void *more);") } 1' "$headers/train.h" >"$scratch/headers/train.h"
finds "a new argument" "$(untested "$scratch/headers" "$test")" "psdvec_train counts ctx more options output report"
cp "$headers"/*.h "$scratch/headers"
sed 's/ROW(psdvec_train, BY_CONTEXT, "ctx counts/ROW(psdvec_train, BY_CONTEXT, "ctx path/' "$test" >"$scratch/test.c"
finds "another name in the test" "$(untested "$headers" "$scratch/test.c")" "psdvec_train counts ctx options output report"
printf '%s\n' 'const char *psdvec_version(int *which)' '{' '}' >"$scratch/src/other.c"
finds "another name in a source" "$(misnamed "$headers" "$scratch/src" | grep 'in the source')" "psdvec_version which"

echo "1..$number"
[ $failed = no ]
