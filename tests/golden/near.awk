# Compares two texts whose numbers may differ in their last digits:
#
#     awk -v tolerance=1e-4 [-v members=1] -f near.awk EXPECTED ACTUAL
#
# Lines must have the same fields; two numbers agree if they differ by at most `tolerance`, relative
# to the larger of both and 1. With `members`, the texts are JSON, and every member and element of
# EXPECTED must be found in ACTUAL, in the same order; ACTUAL may have further ones. The first ten
# differences are printed, and the status is 1 if there is one.
function is_number(text) { return text ~ /^[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?$/ }
function magnitude(x) { return x < 0 ? -x : x }
function same(a, b, most) {
    if (a == b) return 1
    if (!is_number(a) || !is_number(b)) return 0
    most = magnitude(a)
    if (magnitude(b) > most) most = magnitude(b)
    if (most < 1) most = 1
    return magnitude(a - b) <= tolerance * most
}
# "name": value, or a bare value
function same_member(a, b, i, j) {
    if (a == b) return 1
    i = index(a, ": ")
    j = index(b, ": ")
    return i == j && substr(a, 1, i) == substr(b, 1, j) && same(substr(a, i ? i + 2 : 1), substr(b, j ? j + 2 : 1))
}
function differ(what) {
    if (++differences <= 10) print what
}
{
    if (FNR == 1 && NR > 1) second = 1
    if (members) {
        # One member per line, with one space after its colon. Lines that begin with "==" are
        # headings of golden.bash.
        text = $0
        if (text !~ /^==/) gsub(/":[ \t]*/, "\": ", text)
        n = text ~ /^==/ ? 1 : split(text, part, /[][{},]/)
        if (n == 1) part[1] = text
        for (i = 1; i <= n; i++) {
            gsub(/^[ \t]+|[ \t]+$/, "", part[i])
            if (part[i] == "" || part[i] ~ /": $/ || part[i] ~ /":$/) continue
            if (second) actual[++actual_count] = part[i]
            else expected[++expected_count] = part[i]
        }
    } else if (second) {
        actual[++actual_count] = $0
    } else {
        expected[++expected_count] = $0
    }
}
END {
    if (members) {
        at = 1
        for (i = 1; i <= expected_count; i++) {
            for (k = at; k <= actual_count && !same_member(expected[i], actual[k]); k++) ;
            if (k > actual_count) differ("missing: " expected[i] "  (behind: " expected[i - 1] ")")
            else at = k + 1
        }
    } else {
        for (i = 1; i <= expected_count || i <= actual_count; i++) {
            n = split(expected[i], left)
            m = split(actual[i], right)
            fine = n == m && i <= expected_count && i <= actual_count
            for (k = 1; k <= n && fine; k++) fine = same(left[k], right[k])
            if (!fine) differ("line " i ":\n  expected " expected[i] "\n  actual   " actual[i])
        }
    }
    if (differences > 10) print "and " differences - 10 " more differences"
    if (!expected_count) differ("nothing was expected: the first file is empty")
    exit differences > 0
}
