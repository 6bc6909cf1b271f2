#!/bin/sh
# Checks the dependencies of modules in the #include lines: which part of the source
# may include which. Prints TAP, and each offending line with its file and number.
#
#   tests/check_modules.sh          check this tree, and that the checker can fail
#   tests/check_modules.sh TREE     check another tree only
set -u

# module: the modules that it may include besides itself, src/util, src/base, src/sparse and the
# public header. util may include only itself and the C library.
arrows='
util:
base:
corpus:
sparse:
count: corpus
link: corpus count
solve: corpus count link
model: corpus spelling
train: corpus count link solve spelling model
eval: model
map: model
report: eval map model
document: corpus count link model train
baseline: corpus count link solve model train
api: baseline corpus count document eval map model report topic train
spelling:
topic: corpus count document eval model train
'

# Prints "FILE:LINE: text (why)" for every include that breaks a rule.
#
# An include is checked if it names a module ("base/thread.h"), a file in the folder of the
# including file, or a relative path ("../x.h"). Programs (cli, server) may include the public
# header, src/util and their own folder, and cli the header of the HTTP server; psdvec-mpi (mpi) may
# include the public header, cli/program.h and cli/run.h, and is the only one that uses MPI. Tests and
# benchmarks may include everything.
offences() {
    tree=$1
    (
        cd "$tree" || exit 2
        find include src cli server mpi -name '*.[ch]' 2>/dev/null | LC_ALL=C sort | while read -r file; do
            awk -v arrows="$arrows" '
                function offend(why) { printf "%s:%d: %s (%s)\n", FILENAME, FNR, $0, why }
                BEGIN {
                    n = split(arrows, lines, "\n")
                    for (i = 1; i <= n; i++) {
                        if (!match(lines[i], /^[a-z]+:/)) continue
                        module = substr(lines[i], 1, RLENGTH - 1)
                        known[module] = 1
                        may[module, module] = may[module, "util"] = 1
                        if (module != "util") may[module, "base"] = 1
                        if (module != "util" && module != "base") may[module, "sparse"] = 1
                        m = split(substr(lines[i], RLENGTH + 1), to, " ")
                        for (j = 1; j <= m; j++) may[module, to[j]] = 1
                    }
                }
                FNR == 1 {
                    depth = split(FILENAME, part, "/")
                    place = part[1]
                    module = (place == "src" && depth > 2) ? part[2] : ""
                    if (place == "src" && !(module in known))
                        printf "%s: the file is in no module that this check knows\n", FILENAME
                }
                /^[ \t]*#[ \t]*include[ \t]*["<]/ {
                    path = $0
                    sub(/^[^"<]*["<]/, "", path)
                    sub(/[">].*$/, "", path)
                    first = path
                    sub(/\/.*$/, "", first)
                    if (path ~ /\.\.\//) { offend("do not climb out of a folder"); next }
                    if (first == "psdvec" && place == "include") next
                    if (module == "util" && first == "psdvec") { offend("util depends on the C library alone"); next }
                    if (path == "psdvec/psdvec.h") next
                    if (place == "src" && path ~ /^psdvec\/options\/[a-z]+\.def$/) next
                    if (first == "psdvec") { offend("include psdvec/psdvec.h"); next }
                    if (place == "cli" && path == "server/http.h") next
                    if (place == "mpi" && (path == "cli/program.h" || path == "cli/run.h")) next
                    if (place != "mpi" && path == "mpi.h") { offend("only mpi may use MPI"); next }
                    if (first == "src" || first == "cli" || first == "server" || first == "mpi" || first == "tests" || first == "bench") {
                        if (place != first || place == "src") offend("name the file as its module does")
                        next
                    }
                    if (path !~ /\// || !(first in known)) next
                    if (place == "include") offend("the public header stands alone")
                    else if (place == "mpi") offend("mpi may use only psdvec/psdvec.h, cli/program.h and cli/run.h")
                    else if (place != "src" && first == "util") next
                    else if (place != "src") offend(place " may use only psdvec/psdvec.h and util")
                    else if (module in known && !((module, first) in may)) offend(module " may not see " first)
                }' "$file"
            # A quoted name without a module must be in the folder of the file that names it.
            sed -n 's/^[ 	]*#[ 	]*include[ 	]*"\([^"/]*\)".*/\1/p' "$file" | while read -r name; do
                [ -e "$(dirname "$file")/$name" ] || echo "$file: \"$name\" is not beside it"
            done
        done
    )
}

number=0
result() { # passed? | description | details
    number=$((number + 1))
    if [ "$1" = yes ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        [ -z "$3" ] || printf '%s\n' "$3" | sed 's/^/# /'
        failed=yes
    fi
}

failed=no
if [ $# -gt 0 ]; then
    found=$(offences "$1")
    if [ -z "$found" ]; then verdict=yes; else verdict=no; fi
    result $verdict "the modules keep to their arrows" "$found"
    echo "1..$number"
    [ $failed = no ]
    exit
fi

root=$(dirname "$0")/..
all=$(offences "$root")
report() { # description | what was found
    if [ -z "$2" ]; then result yes "$1" ""; else result no "$1" "$2"; fi
}
for folder in "$root"/include "$root"/src/*/ "$root"/cli "$root"/server "$root"/mpi; do
    [ -d "$folder" ] || continue
    short=${folder#"$root"/} && short=${short%/}
    report "$short includes only what it may" "$(printf '%s\n' "$all" | grep "^$short/")"
done
report "every file of src lies in a module" "$(printf '%s\n' "$all" | grep '^src/[^/]*:')"

# Checks the checker: each bad line alone must be found, each good one not.
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
try() { # bad|good | file | include line
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/include/psdvec" "$scratch/tree/$(dirname "$2")"
    echo 'int x;' >"$scratch/tree/$(dirname "$2")/beside.h"
    printf '/* A file. */\n%s\n' "$3" >"$scratch/tree/$2"
    found=$(offences "$scratch/tree")
    case $1:$found in
    bad:) result no "finds $3 in $2" "it passed" ;;
    bad:*) result yes "finds $3 in $2" "" ;;
    good:) result yes "allows $3 in $2" "" ;;
    good:*) result no "allows $3 in $2" "$found" ;;
    esac
}
try bad src/base/a.c '#include "corpus/text.h"'
try bad src/base/a.c '  #  include <count/count.h>'
try bad src/util/a.h '#include "base/context.h"'
try bad src/util/a.c '#include <psdvec/psdvec.h>'
try bad include/psdvec/psdvec.h '#include "util/utf8.h"'
try good src/util/a.c '#include "util/utf8.h"'
try good src/base/a.c '#include "util/utf8.h"'
try good cli/a.c '#include "util/utf8.h"'
try bad src/corpus/a.c '#include "count/count.h"'
try bad src/corpus/a.h '#include "../count/count.h"'
try bad src/eval/a.c '#include "link/pmi.h"'
try bad src/model/a.c '#include "count/count.h"'
try good src/model/a.c '#include "corpus/tokenizer.h"'
try bad src/count/a.c '#include "absent.h"'
try bad src/count/a.c '#include "src/base/memory.h"'
try bad src/a.c '#include <stdio.h>'
try bad src/attic/a.c '#include <stdio.h>'
try bad cli/a.c '#include "base/memory.h"'
try bad cli/a.c '#include "psdvec/private.h"'
try bad include/psdvec/psdvec.h '#include "base/memory.h"'
try good src/base/a.c '#include <sys/stat.h>'
try good src/base/a.c '#include "base/memory.h"'
try good src/count/a.c '#include "corpus/text.h"'
try good src/count/a.c '#include "beside.h"'
try bad src/base/a.c '#include "sparse/csr.h"'
try good src/eval/a.c '#include "sparse/csr.h"'
try good src/solve/a.c '#include "link/pmi.h"'
try good cli/a.c '#include <psdvec/psdvec.h>'
try good src/train/a.c '#include <psdvec/options/train.def>'
try bad cli/a.c '#include <psdvec/options/train.def>'
try good cli/a.c '#include "beside.h"'
try good cli/a.c '#include "server/http.h"'
try bad server/a.c '#include "cli/run.h"'
try bad src/base/a.c '#include "server/http.h"'
try good mpi/a.c '#include "cli/program.h"'
try good mpi/a.c '#include <mpi.h>'
try bad mpi/a.c '#include "cli/arguments.h"'
try bad mpi/a.c '#include "util/utf8.h"'
try bad mpi/a.c '#include "base/group.h"'
try bad cli/a.c '#include <mpi.h>'
try bad src/base/a.c '#include <mpi.h>'
try bad cli/a.c '#include "mpi/a.h"'
try good src/count/a.c '/* #include "solve/bcd.h" */'

echo "1..$number"
[ $failed = no ]
