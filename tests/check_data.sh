#!/bin/sh
# Checks the built-in test sets in data/: their words, that there are no duplicates, their
# sizes, and the questions that scripts/builtin-sets.sh makes of them. Prints TAP.
#
#   tests/check_data.sh      check this tree, and that the checks can fail
set -u
LC_ALL=C # a to z, and alphabetical order
export LC_ALL

root=$(dirname "$0")/..
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT

# The errors in a file of relations, one "FILE:LINE: why" per line.
wrong_in_relations() {
    awk '
        function wrong(why) { printf "%s:%d: %s\n", FILENAME, FNR, why }
        function size() {
            if (section != "" && (count < 20 || count > 35))
                printf "%s: %s has %d pairs, not 20 to 35\n", FILENAME, section, count
        }
        /^#/ || /^$/ { next }
        /^:/ {
            size()
            section = substr($0, 3)
            if ($0 !~ /^: [a-z-]+$/) wrong("a section is named by \": name\"")
            if (known[section]++) wrong("the section " section " is there twice")
            count = 0
            last = ""
            next
        }
        {
            count++
            if ($0 !~ /^[a-z]+ [a-z]+$/) wrong("not two words of the letters a to z")
            if (section == "") wrong("a pair before the first section")
            if ($1 == $2) wrong("the answer is the word itself")
            if (asked[section, $1]++) wrong($1 " is asked twice")
            if ($0 < last) wrong("not in alphabetical order")
            last = $0
        }
        END { size(); if (section == "") print FILENAME ": no section" }' "$1"
}

wrong_in_choices() {
    awk '
        function wrong(why) { printf "%s:%d: %s\n", FILENAME, FNR, why }
        /^#/ || /^$/ { next }
        {
            count++
            if ($0 !~ /^[a-z]+ \| [a-z]+ \| [a-z]+ \| [a-z]+ \| [a-z]+$/) wrong("not a word and four choices")
            if (asked[$1]++) wrong($1 " is asked twice")
            split("", seen)
            for (i = 1; i <= NF; i += 2) if (seen[$i]++) wrong($i " is there twice")
            if ($0 < last) wrong("not in alphabetical order")
            last = $0
        }
        END { if (count < 80) print FILENAME ": only " count + 0 " questions" }' "$1"
}

wrong_in_categories() {
    awk -F'\t' '
        function wrong(why) { printf "%s:%d: %s\n", FILENAME, FNR, why }
        /^#/ || /^$/ { next }
        {
            if ($0 !~ /^[a-z]+\t[a-z-]+$/) wrong("not a word, a tab and a category")
            if ($1 in category) wrong($1 " is in " category[$1] " already")
            category[$1] = $2
            if (!($2 in size)) categories++
            else if ($2 != last) wrong($2 " is in two places")
            else if ($1 < word) wrong("not in alphabetical order")
            size[$2]++
            last = $2
            word = $1
        }
        END {
            for (c in size)
                if (size[c] < 15 || size[c] > 25)
                    printf "%s: %s has %d words, not 15 to 25\n", FILENAME, c, size[c]
            if (categories < 25) print FILENAME ": only " categories + 0 " categories"
        }' "$1"
}

# The questions made from a file of relations must have four different words each, without
# duplicates.
wrong_in_questions() {
    sh "$root/scripts/builtin-sets.sh" --text "$1" | awk '
        /^:/ { section = $0; next }
        NF != 4 || $1 == $2 || $1 == $3 || $1 == $4 || $2 == $3 || $2 == $4 || $3 == $4 { print "question: " $0 }
        seen[section, $0]++ { print "twice: " $0 }
        { asked[section, $1]++; pair[section, $1 " " $2]; partner[section, $3 " " $4] }
        END {
            if (NR == 0) print "no questions"
            for (p in pair) if (!(p in partner)) print "never the answer: " p
            for (p in partner) if (!(p in pair)) print "never the example: " p
            for (a in asked) if (asked[a] != 6) print asked[a] " questions begin with " a
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

for name in world meaning nouns verbs adjectives; do
    report "the relations of $name are fit to be asked" "$(wrong_in_relations "$root/data/$name.txt")"
    report "the questions of $name have four different words" "$(wrong_in_questions "$root/data/$name.txt")"
done
report "the synonyms are fit to be asked" "$(wrong_in_choices "$root/data/synonyms.txt")"
report "the categories have words of their own" "$(wrong_in_categories "$root/data/categories.txt")"
few=$(cat "$root"/data/*.txt | awk '/^:/ { n++ } END { if (n < 25) print "only " n + 0 " relations" }')
report "there are 25 relations or more" "$few"
unlisted=$(for file in "$root"/data/*; do
    name=${file##*/}
    grep -q "^SETS := .*[ ,]${name%.txt}[ )]" "$root/Makefile" || echo "$name is not in SETS of the Makefile"
done)
report "every file of data is built in" "$unlisted"

# The table of the documentation: sections or categories, lines, questions.
sizes() {
    for file in "$root"/data/*.txt; do
        name=${file##*/}
        sh "$root/scripts/builtin-sets.sh" --text "$file" >"$scratch/text"
        awk -v name="${name%.txt}" -F'\t' '
            NR == FNR { if (!/^:/) questions++; next }
            /^#/ || /^$/ { next }
            /^:/ { sections++; next }
            { lines++ }
            NF == 2 && !known[$2]++ { sections++ }
            END { print name, sections + 0, lines, questions }' "$scratch/text" "$file"
    done
}
sizes >"$scratch/sizes"
awk -F' *[|] *' '/^[|] `/ { gsub(/`/, "", $2); print $2, $4, $5, $6 }' "$root/docs/reference/builtin-sets.md" |
    sort >"$scratch/told"
report "the table of docs/reference/builtin-sets.md has the sizes of the sets" "$(diff "$scratch/told" "$scratch/sizes")"

# Checks that the checks can fail: each change alone must be found.
finds() { # check | file | awk program that spoils the file | description
    awk "$3" "$root/data/$2.txt" >"$scratch/spoilt.txt"
    if cmp -s "$root/data/$2.txt" "$scratch/spoilt.txt"; then
        report "finds $4" "the file was not spoilt"
    elif [ -n "$("$1" "$scratch/spoilt.txt")" ]; then
        report "finds $4" ""
    else
        report "finds $4" "it passed"
    fi
}
finds wrong_in_relations world '{ sub(/^cuba /, "Cuba ") } 1' "a capital letter"
finds wrong_in_relations world '/^cuba/ { print } 1' "a pair that stands twice"
finds wrong_in_relations world '/^cuba/ { print "cuba cuba"; next } 1' "an answer that is its question"
finds wrong_in_relations world '/^cuba/ { print "cuba la havana"; next } 1' "an answer of two words"
finds wrong_in_relations world '/^: cities$/ { for (i = 0; i < 9; i++) print "zz" i " z" } 1' "a section that is too long"
finds wrong_in_relations world '/^a/ { next } /^b/ { next } /^c/ { next } /^d/ { next } /^e/ { next } 1' "a section that is too short"
finds wrong_in_choices synonyms '{ sub(/^aid .* war/, "aid | help | danger | money | help") } 1' "a choice that stands twice"
finds wrong_in_choices synonyms '/^aid/ { print "aid | help | war"; next } 1' "a question with too few choices"
finds wrong_in_categories categories '/^oak/ { print "lion\ttrees" } 1' "a word in two categories"
finds wrong_in_categories categories '/trees/ && n++ > 9 { next } 1' "a category that is too small"
finds wrong_in_questions world 'NR < 8' "a section with too few partners"

echo "1..$number"
[ $failed = no ]
