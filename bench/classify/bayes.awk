# Naive Bayes alone: the reference for psdvec's unigrams, and a way to try other smoothing. Reads
# tokenised text, with `class` set before each training file and to "" before the documents; `more`
# occurrences of each word are added in every class. Prints document, class, log-likelihood.
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
