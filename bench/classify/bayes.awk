# Naive Bayes by itself: what psdvec's unigrams must agree with, and what other smoothing would do. Reads
# tokenised text, `class` set before each file of training and to "" before the documents; each word has `more`
# occurrences more in every class. Prints document, class, log-likelihood.
class != "" {
    if (!(class in tokens))
        classes[++n] = class
    for (k = 1; k <= NF; k++) {
        count[class, $k]++
        tokens[class]++
        if (!($k in words)) {
            words[$k] = 1
            vocabulary++
        }
    }
    next
}
{
    document++
    for (c = 1; c <= n; c++) {
        sum = 0
        for (k = 1; k <= NF; k++)
            if ($k in words)
                sum += log((count[classes[c], $k] + more) / (tokens[classes[c]] + more * vocabulary))
        print document "\t" classes[c] "\t" sum
    }
}
