# Compares the output on a page with the output of the commands.
#
#   awk -f shown.awk PRINTED SHOWN
#
# The lines of SHOWN must be consecutive in PRINTED; a line "..." matches any lines. Bars and the
# width of columns are ignored. Numbers with a decimal point may differ by 0.01, because the last
# digits depend on the CPU.
function words_of(line) {
    gsub(/█|▉|▊|▋|▌|▍|▎|▏/, " ", line)
    return line
}
function same(a, b,    i, n, x, y) {
    n = split(words_of(a), x)
    if (split(words_of(b), y) != n) return 0
    for (i = 1; i <= n; i++) {
        if (x[i] == y[i]) continue
        if (x[i] !~ decimal || y[i] !~ decimal) return 0
        if (x[i] - y[i] > 0.01 || y[i] - x[i] > 0.01) return 0
    }
    return 1
}
BEGIN { decimal = "^-?[0-9]*[.][0-9]+$" }
FILENAME == ARGV[1] { printed[++total] = $0; next }
$0 ~ /^ *[.][.][.]$/ { anywhere = 1; next }
FNR == 1 { anywhere = 1 }
{
    for (place++; place <= total && anywhere && !same(printed[place], $0); place++) ;
    anywhere = 0
    if (place > total || !same(printed[place], $0)) {
        print "shown, but not printed there: " $0
        exit (failed = 1)
    }
}
END { exit failed }
