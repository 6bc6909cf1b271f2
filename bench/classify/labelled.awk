# Labelled documents from the dictionary GCIDE: lines of part, class, text.
#
# A paragraph of an entry that names exactly one subject, such as (Bot.) or (Law), is a document of that
# class: what follows the label, without sources and names of cited writers. Its part, 0 to 9, is a hash of the
# headword, so that all senses of a word are on one side of any split. A repeated text, as when
# two spellings share a definition, is skipped: it might be on both sides. Run it with LC_ALL=C.
function hash(word,    h, k) {
    h = 7
    for (k = 1; k <= length(word); k++)
        h = (h * 31 + index("abcdefghijklmnopqrstuvwxyz", substr(word, k, 1))) % 1000003
    return h % 10
}
function subject(label) {
    return length(label) < 25 && label ~ /\.$|^(Computers|Law|Mining|Physics)$/
}
function take(    rest, label, subjects, class, text) {
    rest = paragraph
    paragraph = ""
    gsub(/Zo\["o\]l/, "Zool", rest)
    while (match(rest, /\([A-Z][A-Za-z.& ]*\)/)) {
        label = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        if (subject(label)) {
            subjects++
            class = label
            text = rest
        }
    }
    gsub(/\[[^]]*\]/, " ", text)
    gsub(/ --[A-Z][^.]*\./, " ", text)
    gsub(/[^ ]*[][][^ ]*/, " ", text)
    gsub(/[ \t]+/, " ", text)
    sub(/^[ ,;:.]+/, "", text)
    if (subjects != 1 || part < 0 || text in seen || split(text, words, " ") < 6)
        return
    seen[text] = 1
    sub(/\.$/, "", class)
    print part "\t" class "\t" text
}
BEGIN { part = -1 }
NF == 0 { take() }
/^[^ \t]/ {
    take()
    head = tolower($0)
    sub(/ *\\.*/, "", head)
    part = head ~ /^00-database/ ? -1 : hash(head)
}
NF { $1 = $1; paragraph = paragraph " " $0 }
END { take() }
