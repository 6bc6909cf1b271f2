#!/bin/sh
# Checks which functions of the C library src/ calls. Prints TAP, and each offending line
# with its file and number.
#
#   tests/check_calls.sh          check this tree, and that the checker can fail
#   tests/check_calls.sh TREE     check another tree only
set -u

# Functions whose result depends on the locale: util/c_locale.c has replacements.
locale_calls='strto[df]|strtold|atof|v?f?scanf|sscanf|vsscanf|strerror|strerror_r|strn?casecmp|strcoll|strxfrm
strto[df]_l|strfrom[dfl]|[efg]cvt|[ef]cvt_r|wcsto[df]|wcstold|localeconv|nl_langinfo
setlocale|newlocale|uselocale|v?sprintf|vsnprintf|vasprintf|vfprintf|vdprintf|tolower|toupper
is(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit)'

# Prints "FILE:LINE: text (why)" for every call that breaks a rule. Comments are ignored; fscanf may
# read integers; "any locale" in a comment on the line permits a format.
offences() {
    (
        cd "$1" || exit 2
        find src -name '*.[ch]' | LC_ALL=C sort | while read -r file; do
            awk -v locale="$(printf '%s' "$locale_calls" | tr '\n' '|')" '
                function offend(why) { printf "%s:%d: %s (%s)\n", FILENAME, FNR, original, why }
                { original = $0 }
                comment { if (sub(/^.*\*\//, "")) comment = 0; else next }
                {
                    excused = /any locale/
                    gsub(/\/\*[^*]*\*\//, "")
                    if (sub(/\/\*.*$/, "")) comment = 1
                    sub(/\/\/.*$/, "")
                    code = " " $0
                }
                FILENAME !~ /util\/c_locale\.c$/ && !excused {
                    if (code ~ "[^A-Za-z0-9_](" locale ")\\(" && code !~ /fscanf\(.*(SCN|%[dul])/)
                        offend("use util/c_locale.h")
                    # A call may continue on the next lines, up to its semicolon.
                    if (code ~ /[^A-Za-z0-9_](snprintf|asprintf|fprintf|dprintf|printf|fwprintf|swprintf)\(/) inside = 1
                    if (inside && code ~ /%[-+ #0-9.*\047]*[lL]?[aefgAEFG]/) offend("use pv_snprintf")
                    if (code ~ /;[ \t]*$/) inside = 0
                }' "$file"
        done
    )
}

# Files that call BLAS without making sure that it has a work buffer (src/base/blas.h).
unprepared() {
    (
        cd "$1" || exit 2
        find src -name '*.c' ! -path 'src/base/blas*' | LC_ALL=C sort | while read -r file; do
            if grep -qE '(^|[^A-Za-z0-9_])(cblas_[a-z]+|pv_cholesky(_double)?)\(' "$file" &&
                ! grep -qE 'pv_blas_(ready|reserve)\(' "$file"; then
                echo "$file: calls BLAS, but not pv_blas_ready"
            fi
        done
    )
}

number=0 failed=no
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
report() { # description | what was found
    if [ -z "$2" ]; then result yes "$1" ""; else result no "$1" "$2"; fi
}
finish() {
    echo "1..$number"
    [ $failed = no ]
    exit
}

if [ $# -gt 0 ]; then
    report "the calls are allowed" "$(offences "$1" && unprepared "$1")"
    finish
fi
all=$(offences "$(dirname "$0")/..")
report "nothing depends on the host's locale" "$(printf '%s\n' "$all" | grep 'pv_snprintf)$\|c_locale\.h)$')"
report "BLAS is called only after a check for its work buffer" "$(unprepared "$(dirname "$0")/..")"

# Checks the checker: each bad line alone must be found, each good one not.
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
try() { # bad|good | file | lines
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/$(dirname "$2")"
    printf '/* A file\n * of two lines. */\n%s\n' "$3" >"$scratch/tree/$2"
    found=$(offences "$scratch/tree" && unprepared "$scratch/tree")
    name=$(printf '%s' "$3" | tr '\n' ' ')
    case $1:$found in
    bad:) result no "finds $name in $2" "it passed" ;;
    bad:*) result yes "finds $name in $2" "" ;;
    good:) result yes "allows $name in $2" "" ;;
    good:*) result no "allows $name in $2" "$found" ;;
    esac
}
try bad src/count/a.c 'x = strtod(text, NULL);'
try bad src/count/a.c '    if (strcasecmp(a, b) == 0)'
try bad src/count/a.c 'sscanf(text, "%lf", &x);'
try bad src/base/a.c 'if (isdigit(c)) /* a digit */'
try bad src/base/a.c 'snprintf(text, 20, "%.17g", x);'
try bad src/base/a.c 'snprintf(text, 20,
    "%d of %5.2f", i, x);'
try bad src/base/a.c 'printf("%Lf", x);'
try bad src/base/a.c 'fprintf(file, "%.*g", digits, x);'
try bad src/base/a.c 'gcvt(x, 10, text);'
try good src/count/a.c 'x = pv_strtod(text); /* strtod(text) follows the locale */'
try good src/count/a.c '/* strtod(text)
 * strtof(text) */'
try good src/count/a.c 'snprintf(text, 20, "%d", i);
pv_fail(ctx, 1, "%g", x);'
try good src/count/a.c 'snprintf(text, 20, "%.3e", x); /* any locale */'
try good src/util/c_locale.c 'x = strtod(text, NULL);'
try bad src/solve/a.c '    cblas_sgemm(CblasRowMajor, 1);'
try good src/solve/a.c 'PV_TRY(pv_blas_ready(ctx));
cblas_sgemm(CblasRowMajor, 1);'
try good src/base/a.c 'if (fscanf(file, "%" SCNu64, &limit) != 1)'
finish
