#!/bin/sh
# Writes the C file with the templates of pages (cli/page.h).
#
#   scripts/embed-pages.sh TEMPLATE...      the C file, to standard output
#   scripts/embed-pages.sh --html TEMPLATE  the template as one HTML file, with the same marks
#
# Style sheets and scripts that a template loads become part of it, so that a page is one file. The
# bytes 1 and 2 mark where page.c inserts the text and the JSON, in place of the samples. A policy
# prevents the browser from loading anything.
set -eu

whole() {
    awk -v folder="$(dirname "$1")" '
        function include(file,    line, status) {
            sub(/^[^"]*(href|src)="/, "", file)
            sub(/".*/, "", file)
            file = folder "/" file
            while ((status = (getline line < file)) > 0) print line
            if (status < 0) print "cannot read " file > "/dev/stderr"
            missing += status < 0
            close(file)
        }
        sub(/^<link rel="stylesheet" /, "") {
            print "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src '\''none'\''; " \
                "style-src '\''unsafe-inline'\''; script-src '\''unsafe-inline'\''\">"
            print "<style>"; include($0); print "</style>"
            next
        }
        /^<script src="sample\// {
            print "<script type=\"application/json\" id=\"data\">\002</script>"
            data++
            next
        }
        /^<script src="/ { print "<script>"; include($0); print "</script>"; next }
        /^<pre id="text">/ { print "<pre id=\"text\">\001</pre>"; text++; next }
        { print }
        END { exit missing || data != 1 || text != 1 }' "$1" || {
        echo "$1 must have one line with its sample data, one with its text, and all files" >&2
        exit 1
    }
}

if [ "$1" = --html ]; then
    whole "$2"
    exit
fi
echo "/* Made by scripts/embed-pages.sh from the files of cli/pages; changes belong there. */"
echo '#include "page.h"'
for template in "$@"; do
    page=$(whole "$template") # first, so that a failure is not lost in a pipe
    name=${template##*/}
    echo "const unsigned char page_${name%.html}[] = {"
    # As numbers, because compilers need not support string literals of this length.
    printf '%s\n' "$page" | od -An -v -tu1 |
        awk '{ for (i = 1; i <= NF; i++) printf "%s,", $i; print "" }'
    echo "0};"
done
