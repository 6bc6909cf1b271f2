#!/bin/sh
# The demonstration: text in, counts out, and a look at them.
#
#   scripts/demo.sh         two dictionaries that Debian has (dict-gcide, dict-wn)
#   scripts/demo.sh TEXT    any text: a file, a folder, compressed or not
#
# PSDVEC is the program, BUILD/demo is where everything goes.
set -eu

program=${PSDVEC:-build/psdvec}
folder=${BUILD:-build}/demo
dictionaries="/usr/share/dictd/gcide.dict.dz /usr/share/dictd/wn.dict.dz"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi
title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
run() { # shows the command as one would type it, then runs it
    printf '\n%s$ psdvec' "$bold"
    printf ' %s' "$@"
    printf '%s\n' "$plain"
    "$program" "$@"
}

# One entry a line. An entry begins where a line has text in its first column;
# the entries called 00-database-... are about the dictionary, not in it.
one_entry_a_line() {
    iconv -c -f utf-8 -t utf-8 | awk '
        function flush() { if (entry != "" && entry !~ /^00-database/) print entry; entry = "" }
        /^[^ \t]/ { flush() }
        NF { $1 = $1; entry = entry == "" ? $0 : entry " " $0 }
        END { flush() }'
}

mkdir -p "$folder"
if [ $# -gt 0 ]; then
    text=$1 name=$(basename "$1") name=${name%%.*}
    counts=$folder/${name:-text}.counts.safetensors
    set -- --min-count 5
else
    for file in $dictionaries; do
        [ -r "$file" ] && continue
        cat <<END
The demo reads two dictionaries, and $file is not here.
On Debian and Ubuntu they are the packages dict-gcide and dict-wn:

    sudo apt-get install dict-gcide dict-wn && make demo

Any other text does as well, a file or a folder, plain or compressed:

    make demo TEXT=path/to/text
END
        exit 1
    done
    text=$folder/dictionaries.txt
    counts=$folder/dictionaries.counts.safetensors
    if [ ! -s "$text" ]; then
        title "Reading the dictionaries: one entry becomes one line, and one document"
        for file in $dictionaries; do gzip -dc <"$file" | one_entry_a_line; done >"$text.part"
        mv "$text.part" "$text"
    fi
    wc -l -w "$text" | awk '{ printf "%s: %d entries, %.1f million words\n", $3, $1, $2 / 1e6 }'
    set -- --min-count 10
fi

title "Counting which words stand near which"
run count "$text" -o "$counts" --window 5 "$@"

title "What is in the file"
run counts info "$counts"

if [ "$text" = "$folder/dictionaries.txt" ]; then
    words="ship physician violin copper whale"
else
    # Words from down the list of frequent pairs: neither grammar nor rarities.
    words=$("$program" counts dump "$counts" --top 20000 -q | awk -F'\t' '
        { for (i = 1; i <= 2; i++) if (length($i) > 4 && $i ~ /^[^0-9]*$/ && !seen[$i]++) word[++n] = $i }
        END { for (k = 1; k <= 5 && k <= n; k++) printf "%s ", word[int(n * (2 * k + 1) / 12) + 1] }')
fi
title "The company that some words keep"
# shellcheck disable=SC2086
[ -z "$words" ] || run counts show "$counts" $words

first=${words%% *}
title "What to try next"
cat <<END
  $program counts show $counts WORD ...     your own words
  $program counts dump $counts --word ${first:-WORD} --top 20
  $program count --help                     windows, weights, tokenisers, vocabularies
  make demo TEXT=path/to/text               the same on your own text
END
