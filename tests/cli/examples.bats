# Runs every example of the help and the manual pages as printed there.
load common

setup() { common_setup; }

make_inputs() {
    mkdir -p bin books
    ln -sf "$PSDVEC" bin/psdvec
    PATH=$PWD/bin:$PATH
    yes 'The art of music is a joy. Folk music and popular music fill the old music hall.' |
        head -n 40 >wiki.txt
    yes 'A book about art and about music, and about the history of both.' | head -n 20 >books/one.txt
    yes 'Another book, on the art of the book.' | head -n 20 >books/two.txt
    cp wiki.txt notes.txt
    { sed 's/^/wiki\t/' wiki.txt && sed 's/^/books\t/' books/one.txt; } >mail.tsv
    printf 'music\nart\n' >words.txt
    tar -czf notes.tar.gz notes.txt
    gzip -c books/one.txt >news.txt.gz
    yes '{"id": 1, "text": "Posts about music and about art."}' | head -n 20 >posts.jsonl
    awk 'BEGIN {
        n = split("music art book hall king man woman", words, " ")
        for (i = 1; i <= n; i++) {
            line = words[i]
            for (k = 0; k < 120; k++) line = line " " sin(i * k + k)
            print line
        }
    }' >vectors.txt
    { echo 7 120 && cat vectors.txt; } >vectors.vec
    psdvec convert vectors.vec -o model.safetensors -q
    printf 'king man 7\nMusic Art 8.5\nking hall 2\nbook art 5\n' >ws353.txt
    printf ': family\nking man king woman\n: gram1-plural\nbook art hall music\n' >google.txt
    mkdir sets
    cp ws353.txt google.txt sets
    psdvec count wiki.txt -o wiki.counts.safetensors -q
    psdvec count wiki.txt --window 1 -o wiki.bigrams.safetensors -q
    psdvec train books --dim 5 -o books.safetensors -q
}

@test "all examples run" {
    make_inputs
    "$PSDVEC" internal-examples >examples
    [ "$(wc -l <examples)" -gt 20 ]
    while IFS= read -r line; do
        if ! bash -o pipefail -c "$line" >output 2>&1 </dev/null; then
            echo "failed: $line"
            cat output
            return 1
        fi
    done <examples
}
