#!/bin/sh
# Scores analogies between inflected forms in other languages than English, with and without the pooling of inflected
# forms, for docs/explanation/quality.md.
#
#   bench/quality/languages.sh WORK [LANGUAGE...]
#
# LANGUAGE: de, fr (default: both). The text is that of the manual pages and the HTML help that Debian packages in the
# language; the packages are downloaded to WORK and unpacked there, not installed. The questions are made from the word
# forms in paradigms/LANGUAGE.txt: of all pairs of words with the same section and all pairs of forms that differ, every
# third. What is already in WORK is not made again. TRAINING (--dim 300) may be set.
set -eu

if [ $# -lt 1 ]; then
    echo "usage: $0 WORK [LANGUAGE...]" >&2
    exit 2
fi
here=$(realpath "$(dirname "$0")") work=$1
shift
[ $# -gt 0 ] || set -- de fr
psdvec=$(realpath "${PSDVEC:-$here/../../build/psdvec}")
training=${TRAINING:---dim 300}
mkdir -p "$work"
cd "$work"

unpack() { # language: a folder with the files of its packages
    [ ! -e "$1" ] || return 0
    rm -rf "$1.new" && mkdir "$1.new"
    (cd "$1.new" && apt-get download -q "manpages-$1" "manpages-$1-dev" "libreoffice-help-$1" "gimp-help-$1" \
        "lilypond-doc-html-$1" "linuxcnc-doc-$1" "kicad-doc-$1")
    for package in "$1.new"/*.deb; do dpkg-deb -x "$package" "$1.new" && rm "$package"; done
    mv "$1.new" "$1"
}

plain() { # language: one document per line, without markup
    find "$1" -path "*/man/$1/*" -name '*.gz' | LC_ALL=C sort | while read -r page; do
        zcat "$page" | sed -e '/^\.\\"/d' -e "s/^[.'][A-Za-z]* *//" -e 's/\\f[BIRP]//g' -e 's/\\-/-/g' \
            -e 's/\\[&|^c]//g' -e 's/\\(..//g' -e 's/\\\[[^]]*]//g' | tr '\n' ' '
        echo
    done
    find "$1" -name '*.html' ! -path '*/en/*' | LC_ALL=C sort | while read -r page; do
        tr '\n' ' ' <"$page" | sed -e 's/<script[^>]*>[^<]*<\/script>//g' -e 's/<style[^>]*>[^<]*<\/style>//g' \
            -e 's/<[^>]*>/ /g' -e 's/&lt;/</g; s/&gt;/>/g; s/&nbsp;/ /g; s/&[a-z0-9#]*;/ /g'
        echo
    done
}

questions() { # language
    awk '/^#/ { next }
        {
            if (!($1 in columns)) order[++sections] = $1
            columns[$1] = NF
            for (k = 2; k <= NF; k++) form[$1, ++rows[$1, k], k] = $k
        }
        END {
            for (s = 1; s <= sections; s++) {
                name = order[s]
                for (a = 2; a <= columns[name]; a++)
                    for (b = 2; b <= columns[name]; b++)
                        for (i = 1; a != b && i <= rows[name, 2]; i++)
                            for (j = 1; j <= rows[name, 2]; j++) {
                                x = form[name, i, a]; y = form[name, i, b]
                                z = form[name, j, a]; w = form[name, j, b]
                                if (i != j && x != y && z != w && y != w && n++ % 3 == 0) print x, y, z, w
                            }
            }
        }' "$here/paradigms/$1.txt"
}

for language; do
    unpack "$language"
    [ -e "$language.txt" ] || { plain "$language" >"$language.new" && mv "$language.new" "$language.txt"; }
    questions "$language" >"$language.questions"
    [ -e "$language.counts.safetensors" ] ||
        "$psdvec" count "$language.txt" --preset default --document line -q -o "$language.counts.safetensors"
    for share in off 0.5; do
        model=$language-$share.safetensors
        [ ! -e "$model" ] || continue
        # shellcheck disable=SC2086 # several words
        "$psdvec" train "$language.counts.safetensors" $training --inflections "$share" -q -o "$model"
    done
    "$psdvec" eval "$language-off.safetensors" "$language-0.5.safetensors" "$language.questions"
done
