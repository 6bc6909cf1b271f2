# Prints a row of the table. Reads the classes with their training documents (class, number), the true classes (one
# per line), and then two files of document, class, log-likelihood: the reference, and the method of the row. With
# `priors` the prior probability of a class is its frequency in training.
#
# The posterior of a class is its share of exp(log-likelihood). z is that of McNemar's test: over the documents that
# only one of the two classifies correctly, (won - lost) / sqrt(won + lost).
BEGIN { FS = "\t" }
FNR == 1 { file++ }
file == 1 { prior[$1] = $2; all += $2; next }
file == 2 { truth[FNR] = $1; documents = FNR; next }
{
    score = $3 + (priors ? log(prior[$2] / all) : 0)
    if (!((file, $1) in best) || score > best[file, $1]) {
        best[file, $1] = score
        chosen[file, $1] = $2
    }
    scores[file, $1] = scores[file, $1] " " score
    if ($2 == truth[$1])
        true_score[file, $1] = score
}
END {
    for (d = 1; d <= documents; d++) {
        sum = 0
        n = split(scores[4, d], each, " ")
        for (k = 1; k <= n; k++)
            sum += exp(each[k] - best[4, d])
        log_posterior += true_score[4, d] - best[4, d] - log(sum)
        here = chosen[4, d] == truth[d]
        there = chosen[3, d] == truth[d]
        right += here
        won += here && !there
        lost += there && !here
        if (sum < 1 / 0.9) {
            sure++
            sure_right += here
        }
    }
    z = won + lost ? (won - lost) / sqrt(won + lost) : 0
    printf "| %s | %.1f %% | %s | %.3f | %.1f %% | %s |\n", name, 100 * right / documents,
        won + lost ? sprintf("+%d -%d, z = %.1f", won, lost, z) : "",
        log_posterior / documents, 100 * sure / documents,
        sure ? sprintf("%.1f %%", 100 * sure_right / sure) : "-"
}
