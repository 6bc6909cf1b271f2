#!/bin/sh
# Writes the C file with the files of the page of psdvec explore (cli/web.h), packed with gzip.
#
#   scripts/embed-web.sh FOLDER    the C file, to standard output
set -eu

folder=$1
type_of() {
    case $1 in
    *.html) echo "text/html; charset=utf-8" ;;
    *.js) echo "text/javascript; charset=utf-8" ;;
    *.css) echo "text/css; charset=utf-8" ;;
    *.svg) echo "image/svg+xml" ;;
    *) echo "$1: its type is not known" >&2 && exit 1 ;;
    esac
}

echo "/* Made by scripts/embed-web.sh from the built files of web/; changes belong there. */"
echo '#include "web.h"'
number=0
table=
for file in "$folder"/*; do
    name=${file##*/}
    type=$(type_of "$name")
    number=$((number + 1))
    echo "static const unsigned char file_${number}[] = {"
    gzip -9nc "$file" | od -An -v -tu1 | awk '{ for (i = 1; i <= NF; i++) printf "%s,", $i; print "" }'
    echo "};"
    path=/$name
    [ "$name" != index.html ] || path=/
    table="$table    {\"$path\", \"$type\", file_$number, sizeof file_$number, true},
"
done
printf 'const struct web_file web_files[] = {\n%s    {0}};\n' "$table"
