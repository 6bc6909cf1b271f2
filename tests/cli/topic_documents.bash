# For tests of topics: documents with labels, dates and names, and a model.

# Documents of three subjects, each with words of its own among words that all share. documents.tsv:
# subject, date, name, text; documents.txt: the texts; model: of the texts.
make_documents() {
    awk 'BEGIN {
        srand(7)
        split("sea oven music", subject, " ")
        split("ship harbour sail captain anchor ocean wave port " \
              "stove flour bread sugar butter cake dough salt " \
              "violin orchestra melody opera singer piano choir tune", own, " ")
        split("the of and to in a is was for with", shared, " ")
        for (d = 0; d < 600; d++) {
            line = ""
            for (k = 0; k < 40; k++)
                line = line (rand() < .5 ? shared[1 + int(10 * rand() * rand())] : own[1 + 8 * (d % 3) + int(8 * rand())]) " "
            printf "%s\t%d-%02d\tno %d\t%s\n", subject[1 + d % 3], 1990 + d % 20, 1 + d % 12, d + 1, line
        }
    }' >documents.tsv
    cut -f 4 documents.tsv >documents.txt
    "$PSDVEC" train documents.txt --min-count 1 --dim 8 -q -o model
}
