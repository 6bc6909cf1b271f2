# Converts lines of variant, half, set, section, measure, model, score ... to a Markdown table: a row per variant, a column
# per set and for the semantic and the syntactic part of analogies; each cell has both halves. A second table has the
# gain or loss of each variant relative to the first one. A line whose half is "both" has one figure for the first table.
$3 == "set" || ($4 != "" && $4 != "semantic" && $4 != "syntactic") { next }
{
    column = $3 ($4 == "" ? "" : " " $4)
    if (!(column in known)) {
        known[column] = 1
        columns[++column_count] = column
    }
    if (!($1 in row)) {
        row[$1] = 1
        rows[++row_count] = $1
    }
    if (!(($1, $2, column) in score) || $7 > score[$1, $2, column])
        score[$1, $2, column] = $7
}
function cell(name, column, relative,    a, b) {
    if ((name, "both", column) in score)
        return relative ? "" : score[name, "both", column]
    a = score[name, "first", column]
    b = score[name, "second", column]
    if (relative) {
        a -= score[rows[1], "first", column]
        b -= score[rows[1], "second", column]
        return sprintf("%+.3f %+.3f", a, b)
    }
    return sprintf("%.3f %.3f", a, b)
}
function table(relative,    r, c) {
    printf "| |"
    for (c = 1; c <= column_count; c++)
        printf " %s |", columns[c]
    printf "\n|---|"
    for (c = 1; c <= column_count; c++)
        printf "---|"
    print ""
    for (r = relative ? 2 : 1; r <= row_count; r++) {
        printf "| %s |", rows[r]
        for (c = 1; c <= column_count; c++)
            printf " %s |", cell(rows[r], columns[c], relative)
        print ""
    }
}
END {
    table(0)
    print ""
    table(1)
}
