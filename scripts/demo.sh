#!/bin/sh
# A demonstration: trains vectors on a text and queries them.
#
#   scripts/demo.sh         two dictionaries packaged by Debian (dict-gcide, dict-wn)
#   scripts/demo.sh TEXT    any text: a file, a folder, compressed or not
#
# PSDVEC is the program; the commands run in BUILD/demo, which receives all files.
set -eu

program=${PSDVEC:-build/psdvec}
folder=${BUILD:-build}/demo
dictionaries="/usr/share/dictd/gcide.dict.dz /usr/share/dictd/wn.dict.dz"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
absolute() { case $1 in /*) echo "$1" ;; *) echo "$PWD/$1" ;; esac; }
psdvec() { "$path" "$@"; }
run() { # prints the command, then runs it
    printf '\n%s$' "$bold"
    printf ' %s' "$@"
    printf '%s\n' "$plain"
    "$@"
}

# One entry per line. An entry begins at a line with text in its first column;
# the entries called 00-database-... describe the dictionary itself.
one_entry_per_line() {
    iconv -c -f utf-8 -t utf-8 | awk '
        function flush() { if (entry != "" && entry !~ /^00-database/) print entry; entry = "" }
        /^[^ \t]/ { flush() }
        NF { $1 = $1; entry = entry == "" ? $0 : entry " " $0 }
        END { flush() }'
}

# Five words of the model, neither function words nor rare words.
some_words() {
    psdvec convert "$model" --dim 1 --to glove -q -o words.txt
    awk 'length($1) > 4 { word[++n] = $1 }
        END { for (k = 1; k <= 5 && k <= n; k++) print word[int(n * (2 * k - 1) / 20) + 1] }' words.txt
    rm -f words.txt
}

path=$(absolute "$program")
if [ $# -gt 0 ]; then
    own=yes least=5
    text=$(absolute "$1") name=$(basename "$1")
    name=${name%%.*} name=${name:-text}
    mkdir -p "$folder" && cd "$folder"
else
    own=no least=10
    for file in $dictionaries; do
        [ -r "$file" ] && continue
        cat <<END
The demo reads two dictionaries, and $file is missing.
On Debian and Ubuntu, install the packages dict-gcide and dict-wn:

    sudo apt-get install dict-gcide dict-wn && make demo

Or use any other text, a file or a folder, plain or compressed:

    make demo TEXT=path/to/text
END
        exit 1
    done
    name=dictionaries text=dictionaries.txt
    mkdir -p "$folder" && cd "$folder"
    if [ ! -s "$text" ]; then
        title "Read the dictionaries: one entry per line, one line per document"
        for file in $dictionaries; do gzip -dc <"$file" | one_entry_per_line; done >"$text.part"
        mv "$text.part" "$text"
    fi
    wc -l -w "$text" |
        awk -v place="$folder" '{ printf "%s/%s: %d entries, %.1f million words\n", place, $3, $1, $2 / 1e6 }'
fi
model=$name.safetensors

title "Train vectors"
run psdvec train "$text" --min-count $least --dim 200 -o "$model"

words="ship physician violin copper whale"
[ $own = no ] || words=$(some_words)
title "List nearest neighbours"
# shellcheck disable=SC2086
[ -z "$words" ] || run psdvec similar "$model" $words --top 5

# A word that is too rare in the dictionaries, and sentences with it.
if [ $own = no ]; then
    title "Add a new word; existing vectors do not change"
    cat >theremin.txt <<'END'
The theremin is an instrument that is played without being touched.
Both hands move in the air, and the theremin sounds like a violin or a voice.
A theremin in the orchestra, beside flute and oboe; the theremin has the melody.
A concerto for theremin and piano; a sonata for theremin; a cello and a theremin.
A musical instrument such as the theremin has no strings and no keys.
The pitch of the theremin rises as the hand of the musician comes near.
END
    echo
    cat theremin.txt
    run psdvec extend "$model" theremin.txt --min-count 6 -o extended.safetensors
    run psdvec similar extended.safetensors theremin --top 5
fi

# Few iterations, to be quick.
if [ $own = no ]; then
    title "Find topics: each entry is a mixture of them"
    run psdvec topics learn "$model" "$text" --topics 20 --iterations 8 -q -o topics.safetensors
    run psdvec topics show topics.safetensors --words 6
fi

title "Convert to word2vec text, which gensim and many other programs read"
run psdvec convert "$model" "$name.vec"
printf '\n%s$ head -n 3 %s | cut -c 1-72%s\n' "$bold" "$name.vec" "$plain"
head -n 3 "$name.vec" | cut -c 1-72

title "Next steps"
try() { printf '  %-60s %s\n' "$1" "$2"; }
try "$program similar $folder/$model WORD ..." "your own words"
try "$program eval $folder/$model" "scores on the built-in test sets"
try "$program info $folder/$model" "how the model was made, and its eigenvalues"
try "$program train --help" "all options; see docs/how-to/train.md"
try "make demo TEXT=path/to/text" "the same on your own text"
