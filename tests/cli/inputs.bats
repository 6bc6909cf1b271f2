# Whatever the text is packed in, the counts are the same.

load common

setup() {
    common_setup
    mkdir plain
    for n in 1 2 3 4 5 6; do
        echo "The cat sat on mat $n. A dog, the dog's cat: it sat there; and a cat sat on it."
        echo "Naïve dogs don't sit on cafés $n, said the cat. The café cat sat."
    done >plain/a.txt
    sed 's/cat/horse/g' plain/a.txt >plain/b.txt
    cat plain/a.txt plain/b.txt >ab.txt
    count plain -o expected.st
}

count() { "$PSDVEC" count -q --min-count 2 --window 3 "$@"; }

# Pairs and counts, without the record of where they came from.
pairs() { "$PSDVEC" counts dump -q "$1" | rows | sort; }

same_as_plain() {
    count "$@" -o got.st
    diff <(pairs expected.st) <(pairs got.st)
}

@test "gzip, bzip2, xz, zstd and lz4 files are unpacked" {
    gzip -c ab.txt >ab.gz
    bzip2 -c ab.txt >ab.bz2
    xz -c ab.txt >ab.xz
    zstd -q ab.txt -o ab.zst
    lz4 -q ab.txt ab.lz4
    for file in ab.gz ab.bz2 ab.xz ab.zst ab.lz4; do
        same_as_plain $file
    done
}

@test "the name of a packed file does not matter" {
    gzip -c ab.txt >ab.txt.gz
    mv ab.txt.gz ab.odt
    same_as_plain ab.odt
}

@test "members of several gzip streams in one file are all read" {
    gzip -c plain/a.txt >two.gz
    gzip -c plain/b.txt >>two.gz
    same_as_plain two.gz
}

@test "tar, tar.gz and zip archives give their members" {
    tar cf ab.tar plain
    tar czf ab.tar.gz plain
    (cd plain && zip -q ../ab.zip a.txt b.txt)
    for file in ab.tar ab.tar.gz ab.zip; do
        same_as_plain $file
    done
}

@test "hidden files in folders and archives are passed over" {
    echo "hidden hidden hidden words words" >plain/.hidden
    mkdir plain/__MACOSX && cp plain/.hidden plain/__MACOSX/._a.txt
    tar cf ab.tar plain
    same_as_plain plain
    same_as_plain ab.tar
}

@test "standard input is read, packed or not" {
    count - -o got.st <ab.txt
    diff <(pairs expected.st) <(pairs got.st)
    gzip -c ab.txt | count - -o got.st
    diff <(pairs expected.st) <(pairs got.st)
    tar cf - plain | count - -o got.st
    diff <(pairs expected.st) <(pairs got.st)
}

@test "files, a folder, an archive and standard input count together" {
    gzip -c plain/a.txt >a.gz
    count a.gz - -o got.st <plain/b.txt
    diff <(pairs expected.st) <(pairs got.st)
}

@test "the order of inputs does not change a bit of the file" {
    count plain/a.txt plain/b.txt -o one.st
    count plain/b.txt plain/a.txt -o two.st
    cmp one.st two.st
}

@test "folders are read recursively and in any depth" {
    mkdir -p deep/x/y && cp plain/a.txt deep/x/y/ && cp plain/b.txt deep/x/
    same_as_plain deep
}

@test "JSON lines: the field's text is counted, a record is a document" {
    awk '{ gsub(/"/, "\\\""); printf "{\"id\": %d, \"text\": \"%s\", \"more\": [1, {\"text\": \"no\"}]}\n", NR, $0 }' ab.txt >ab.jsonl
    same_as_plain ab.jsonl --json-field text
}

@test "JSON lines: escapes are decoded, and a new line does not end the document" {
    printf '%s\n' '{"text": "alpha\nbeta \u0063af\u00e9 alpha beta"}' >e.jsonl
    "$PSDVEC" count -q --min-count 1 --window 1 --json-field text e.jsonl -o e.st
    run pairs e.st
    [ "$output" = "$(printf 'alpha\tbeta\t2\nbeta\tcafé\t1\ncafé\talpha\t1')" ]
}

@test "JSON lines: a bad line is counted and passed over, or named with --strict" {
    cp ab.txt x && awk '{ printf "{\"text\": \"%s\"}\n", $0 }' ab.txt >ab.jsonl
    echo '{"text": 5}' >>ab.jsonl
    echo 'not json' >>ab.jsonl
    run count ab.jsonl --json-field text -o got.st
    [ "$status" -eq 0 ]
    [[ "$output" == *"2 lines were passed over"* ]]
    diff <(pairs expected.st) <(pairs got.st)
    run count ab.jsonl --json-field text --strict -o got.st
    [ "$status" -eq 3 ]
    [[ "$output" == *"ab.jsonl: line 25"* ]]
}

@test "a Wikipedia dump: articles are documents, markup leaves no words" {
    {
        echo '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">'
        echo '<siteinfo><sitename>W</sitename></siteinfo>'
        printf '<page><title>One</title><ns>0</ns><id>1</id><revision><id>2</id><model>wikitext</model><format>text/x-wiki</format><text>%s</text></revision></page>\n' \
            "{{Infobox|junk=junk}}'''Alpha''' [[beta|gamma]]&lt;ref&gt;junk junk&lt;/ref&gt; delta.
{| class=\"junk\"
| junk
|}
Alpha [[gamma]] delta [[Category:Junk]]"
        echo '<page><title>Two</title><ns>0</ns><id>3</id><redirect title="One" /><revision><text>#REDIRECT [[One]]</text></revision></page>'
        echo '<page><title>Talk:One</title><ns>1</ns><id>4</id><revision><text>talk talk talk</text></revision></page>'
        echo '</mediawiki>'
    } >dump.xml
    bzip2 dump.xml
    "$PSDVEC" count -q --min-count 1 --window 1 dump.xml.bz2 -o d.st
    run pairs d.st
    [ "$output" = "$(printf 'alpha\tgamma\t2\ndelta\talpha\t1\ngamma\tdelta\t2')" ]
}

@test "WikiExtractor's output: each article is a document" {
    printf '<doc id="1" url="u" title="One">\nOne\n\nalpha beta\n</doc>\n<doc id="2" url="u" title="Two">\ngamma delta\n</doc>\n' >wiki_00
    "$PSDVEC" count -q --min-count 1 --window 1 wiki_00 -o w.st
    run pairs w.st
    [ "$output" = "$(printf 'alpha\tbeta\t1\ngamma\tdelta\t1\none\talpha\t1')" ]
}

@test "documents: lines, files, blank lines, or none" {
    printf 'a b\nc d\n\ne f\n' >1.txt
    printf 'g h\n' >2.txt
    mkdir both && cp 1.txt 2.txt both
    document() { # the pairs in one line
        "$PSDVEC" count -q --min-count 1 --window 1 --document "$1" both -o d.st
        "$PSDVEC" counts dump -q d.st | rows | cut -f1,2 | sort | tr -d '\t' | tr '\n' ' '
    }
    [ "$(document line)" = "ab cd ef gh " ]
    [ "$(document blank-line)" = "ab bc cd ef gh " ]
    [ "$(document file)" = "ab bc cd de ef gh " ]
    [ "$(document none)" = "ab bc cd de ef fg gh " ]
}

@test "documents never run across two inputs, not even with none" {
    printf 'a b\n' >1.txt
    printf 'c d\n' >2.txt
    "$PSDVEC" count -q --min-count 1 --window 1 --document none 1.txt 2.txt -o d.st
    [ "$("$PSDVEC" counts dump -q d.st | rows | cut -f1,2 | tr -d '\t' | sort | tr '\n' ' ')" = "ab cd " ]
}

@test "a byte order mark, CRLF, NUL bytes and a missing last line end do no harm" {
    { printf '\357\273\277'; sed 's/$/\r/' ab.txt | tr '.' '\000' | head -c -2; } >odd.txt
    same_as_plain odd.txt
}

@test "bad UTF-8 is counted, replaced and reported with file and offset" {
    printf 'alpha beta\nalpha b\377ta\n' >bad.txt
    run count bad.txt -o got.st
    [ "$status" -eq 0 ]
    [[ "$output" == *"bad.txt: byte 18 is not valid UTF-8"* ]]
    run count bad.txt --strict -o got.st
    [ "$status" -eq 3 ]
    [[ "$output" == *"bad.txt: byte 18"* ]]
}

@test "a binary file among texts in a folder is passed over with a warning" {
    head -c 5000 /dev/urandom >plain/picture.jpg
    run count plain -o got.st
    [ "$status" -eq 0 ]
    [[ "$output" == *"picture.jpg: passed over"* ]]
    diff <(pairs expected.st) <(pairs got.st)
}
