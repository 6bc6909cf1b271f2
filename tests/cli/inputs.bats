# The counts are the same for any packaging of the text.

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

# Pairs and counts, without the provenance.
pairs() { "$PSDVEC" counts dump -q "$1" | rows | sort; }

same_as_plain() {
    count "$@" -o got.st
    diff <(pairs expected.st) <(pairs got.st)
}

@test "gzip, bzip2, xz, zstd and lz4 files are decompressed" {
    gzip -c ab.txt >ab.gz
    bzip2 -c ab.txt >ab.bz2
    xz -c ab.txt >ab.xz
    zstd -q ab.txt -o ab.zst
    lz4 -q ab.txt ab.lz4
    for file in ab.gz ab.bz2 ab.xz ab.zst ab.lz4; do
        same_as_plain $file
    done
}

@test "the name of a compressed file does not matter" {
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

@test "a file in a folder that cannot be inspected is an error; a link without a target is skipped" {
    mkdir folder
    echo "some words" >folder/a.txt
    ln -s nowhere folder/b.txt
    ln -s a.txt/c.txt folder/c.txt
    ln -s d.txt folder/d.txt
    "$PSDVEC" count folder --min-count 1 -o x.st 2>stderr
    for name in b c d; do
        grep -q "folder/$name.txt: skipped: " stderr
    done
    ln -s "$(printf '%0300d' 0)" folder/e.txt
    refused 3 "folder/e.txt: cannot read the file: File name too long" \
        count folder --min-count 1 -o y.st
    [ ! -e y.st ]
}

@test "hidden files in folders and archives are skipped" {
    echo "hidden hidden hidden words words" >plain/.hidden
    mkdir plain/__MACOSX && cp plain/.hidden plain/__MACOSX/._a.txt
    tar cf ab.tar plain
    same_as_plain plain
    same_as_plain ab.tar
}

@test "standard input is read, compressed or not" {
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

@test "the order of inputs does not change the bits of the file" {
    count plain/a.txt plain/b.txt -o one.st
    count plain/b.txt plain/a.txt -o two.st
    cmp one.st two.st
}

@test "folders are read recursively to any depth" {
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

@test "JSON lines: a bad line is counted and skipped, or named with --strict" {
    cp ab.txt x && awk '{ printf "{\"text\": \"%s\"}\n", $0 }' ab.txt >ab.jsonl
    echo '{"text": 5}' >>ab.jsonl
    echo 'not json' >>ab.jsonl
    run count ab.jsonl --json-field text -o got.st
    [ "$status" -eq 0 ]
    [[ "$output" == *"2 lines were skipped"* ]]
    diff <(pairs expected.st) <(pairs got.st)
    run count ab.jsonl --json-field text --strict -o got.st
    [ "$status" -eq 3 ]
    [[ "$output" == *"ab.jsonl: line 25"* ]]
}

@test "a Wikipedia dump: articles are documents, markup is removed" {
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
    document() { # the pairs on one line
        "$PSDVEC" count -q --min-count 1 --window 1 --document "$1" both -o d.st
        "$PSDVEC" counts dump -q d.st | rows | cut -f1,2 | sort | tr -d '\t' | tr '\n' ' '
    }
    [ "$(document line)" = "ab cd ef gh " ]
    [ "$(document blank-line)" = "ab bc cd ef gh " ]
    [ "$(document file)" = "ab bc cd de ef gh " ]
    [ "$(document none)" = "ab bc cd de ef fg gh " ]
}

@test "documents never span two inputs, not even with none" {
    printf 'a b\n' >1.txt
    printf 'c d\n' >2.txt
    "$PSDVEC" count -q --min-count 1 --window 1 --document none 1.txt 2.txt -o d.st
    [ "$("$PSDVEC" counts dump -q d.st | rows | cut -f1,2 | tr -d '\t' | sort | tr '\n' ' ')" = "ab cd " ]
}

@test "a byte order mark, CRLF, NUL bytes and a missing final newline are harmless" {
    { printf '\357\273\277'; sed 's/$/\r/' ab.txt | tr '.' '\000' | head -c -2; } >odd.txt
    same_as_plain odd.txt
}

@test "invalid UTF-8 is counted, replaced and reported with file and offset" {
    printf 'alpha beta\nalpha b\377ta\n' >bad.txt
    run count bad.txt -o got.st
    [ "$status" -eq 0 ]
    [[ "$output" == *"bad.txt: byte 18 is not valid UTF-8"* ]]
    run count bad.txt --strict -o got.st
    [ "$status" -eq 3 ]
    [[ "$output" == *"bad.txt: byte 18"* ]]
}

@test "a binary file among texts in a folder is skipped with a warning" {
    head -c 5000 /dev/urandom >plain/picture.jpg
    run count plain -o got.st
    [ "$status" -eq 0 ]
    [[ "$output" == *"picture.jpg: skipped"* ]]
    diff <(pairs expected.st) <(pairs got.st)
}

# The words of inputs, one document per line, with messages in `talk`.
words() { "$PSDVEC" tokenize "$@" 2>talk; }

@test "files that are not text are skipped by their first bytes, and counted" {
    printf '%%PDF-1.7\n1 0 obj\nendobj\n' | tee plain/one plain/two.txt >named.txt
    printf '\377\330\377\340\0\020JFIF' >plain/picture
    printf '{\\rtf1\\ansi words}' >plain/note.txt
    printf 'SQLite format 3\0 words' >plain/base
    count plain -o got.st 2>talk
    diff <(pairs expected.st) <(pairs got.st)
    [ "$(wc -l <talk)" -eq 1 ]
    grep -q 'skipped 5 files that are not text (first: plain/base): 2 PDF, 1 RTF, 1 JPEG, 1 SQLite database; convert PDF with pdftotext; convert RTF with' talk
    tar czf packed.tgz plain
    count packed.tgz -o got.st 2>talk
    diff <(pairs expected.st) <(pairs got.st)
    grep -q 'skipped 5 files that are not text (first: packed.tgz: plain/' talk
    refused 3 "named.txt: is not text (PDF); convert PDF with pdftotext" count named.txt -o got.st
}

@test "a single file that is not text is skipped with its name" {
    printf '%%PDF-1.7\n1 0 obj\nendobj\n' >plain/one
    count plain -o got.st 2>talk
    grep -q 'plain/one: skipped: not text (PDF); convert PDF with pdftotext$' talk
}

@test "HTML: the text without markup, one block per line" {
    cat >page <<'END'
<!DOCTYPE html><html><head><meta charset="windows-1251"><title>Title</title>
<style>p { color: red }</style><script>var junk = "<p>";</script></head>
<body><p>Caf&eacute; one
two<p>three<br>four</body></html>
END
    [ "$(words page)" = "$(printf 'title\ncafé one two\nthree\nfour')" ]
    gzip -c page >page.gz
    [ "$(words page.gz)" = "$(words page)" ]
    [ "$(words page --document blank-line)" = "$(printf 'title\ncafé one two\nthree four')" ]
    [ "$(words page --document file)" = "title café one two three four" ]
}

@test "XML: the text without tags" {
    printf '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY junk "junk">]>\n<a junk="junk"><b>one</b><b>two</b>\n<c>three</c></a>\n' >some.xml
    [ "$(words some.xml)" = "$(printf 'one two\nthree')" ]
}

# office_files FOLDER: a .docx, .odt, .epub and .xlsx, as zip writes them.
office_files() {
    mkdir -p "$1" && cd "$1"
    mkdir word _rels xl META-INF
    echo '<?xml version="1.0"?><Types xmlns="junk">junk</Types>' | tee '[Content_Types].xml' _rels/.rels META-INF/container.xml >xl/workbook.xml
    ns='xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    echo "<?xml version=\"1.0\"?><w:styles $ns><w:t>junk</w:t></w:styles>" >word/styles.xml
    echo "<?xml version=\"1.0\"?><w:document $ns><w:body><w:p><w:r><w:t>First para</w:t></w:r><w:r><w:t>graph</w:t></w:r></w:p><w:p><w:r><w:t>second</w:t><w:instrText>junk</w:instrText></w:r></w:p></w:body></w:document>" >word/document.xml
    echo "<?xml version=\"1.0\"?><w:footnotes $ns><w:p><w:t>a note</w:t></w:p></w:footnotes>" >word/footnotes.xml
    zip -q a.docx '[Content_Types].xml' _rels/.rels word/styles.xml word/document.xml word/footnotes.xml
    zip -q d.xlsx '[Content_Types].xml' xl/workbook.xml
    printf application/vnd.oasis.opendocument.text >mimetype
    echo '<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"><office:automatic-styles>junk</office:automatic-styles><office:body><text:h>Heading</text:h><text:p>some<text:s/>text</text:p></office:body></office:document-content>' >content.xml
    zip -q -X -0 b.odt mimetype && zip -q b.odt content.xml '[Content_Types].xml'
    printf application/epub+zip >mimetype
    for chapter in one two; do
        echo "<?xml version=\"1.0\"?><!DOCTYPE html><html xmlns=\"junk\"><head><script src=\"junk\"/></head><body><p>chapter $chapter</p></body></html>" >$chapter.xhtml
    done
    zip -q -X -0 c.epub mimetype && zip -q c.epub META-INF/container.xml one.xhtml two.xhtml
    mkdir ../only && mv a.docx b.odt c.epub d.xlsx ../only && cd ..
}

@test "docx, odt and epub: the text of the document, one file each" {
    office_files make
    [ "$(words only/a.docx)" = "$(printf 'first paragraph\nsecond\na note')" ]
    [ "$(words only/b.odt)" = "$(printf 'heading\nsome text')" ]
    [ "$(words only/c.epub)" = "$(printf 'chapter one\nchapter two')" ]
    [ "$(words only/a.docx --document file)" = "first paragraph second a note" ]
    [ "$(words - <only/a.docx)" = "$(words only/a.docx)" ]
    words only >got
    grep -q 'only/d.xlsx: skipped: not text (spreadsheet); save spreadsheets as CSV' talk
    refused 3 "only/d.xlsx: is not text (spreadsheet)" tokenize only/d.xlsx
    # The same inside archives, without words from any XML.
    tar cf only.tar -C only a.docx b.odt c.epub d.xlsx
    (cd only && zip -q ../only.zip a.docx b.odt c.epub d.xlsx)
    gzip -k only.tar
    for archive in only.tar only.tar.gz only.zip; do
        diff <(words $archive) got
        grep -q "$archive: d.xlsx: skipped: not text (spreadsheet)" talk
    done
    [ "$(grep -c junk got)" -eq 0 ]
}

@test "a document that decompresses to unlimited size is refused, and nested archives are skipped" {
    office_files make
    cd make
    { cat word/document.xml; head -c 1100000000 /dev/zero | tr '\0' ' '; } | head -c 1100000000 >word/big.xml
    mv word/big.xml word/document.xml
    zip -q -1 bomb.docx '[Content_Types].xml' word/document.xml
    rm word/document.xml
    refused 3 "bomb.docx: its text is more than 1024 MiB when decompressed" tokenize bomb.docx
    cd ..
    zip -q inner.zip plain/a.txt
    mkdir out && mv inner.zip out && zip -q outer.zip out/inner.zip plain/b.txt
    words outer.zip >got
    grep -q 'outer.zip: out/inner.zip: skipped: not text (zip archive); unpack archives' talk
    diff got <(words plain/b.txt)
}

@test "UTF-16, UTF-32 and Windows-1252 are recognised, UTF-8 text does not change" {
    for encoding in utf-16 utf-16le utf-16be utf-32 utf-32le utf-32be; do
        iconv -f utf-8 -t $encoding ab.txt >ab.$encoding
        same_as_plain ab.$encoding 2>talk
        [ ! -s talk ]
        gzip -c ab.$encoding | count - -o got.st
        diff <(pairs expected.st) <(pairs got.st)
    done
    mkdir latin
    iconv -f utf-8 -t latin1 plain/a.txt >latin/a.txt
    iconv -f utf-8 -t windows-1252 plain/b.txt >latin/b.txt
    same_as_plain latin 2>talk
    [ "$(cat talk)" = "psdvec count: warning: latin/a.txt and 1 other file: not valid UTF-8; read as Windows-1252 (Latin-1); if that is wrong, set the --encoding" ]
    same_as_plain latin --encoding latin-1 2>talk
    [ ! -s talk ]
    run count latin --strict -o got.st
    [ "$status" -eq 3 ]
    [[ "$output" == *"latin/a.txt: byte 81 is not valid UTF-8"* ]]
    run count latin --encoding utf-8 -o got.st
    [ "$status" -eq 0 ]
    [[ "$output" == *"latin/a.txt: byte 81 is not valid UTF-8"* ]]
}

@test "encodings: the first byte that is not ASCII may come late" {
    for n in 1 2 3 4 5 6 7 8 9; do seq 100000; done | tr 0-9 a-j >far.txt
    cp far.txt far.utf8
    printf 'café naïve\n' >>far.utf8
    { cat far.txt; printf 'caf\351 na\357ve\n'; } >far.latin
    words far.utf8 >wanted
    diff <(words far.latin) wanted
    grep -q 'far.latin: not valid UTF-8; read as Windows-1252' talk
    diff <(cat far.latin | words -) wanted # a pipe is read in other blocks
}

@test "encodings by name: any that iconv supports" {
    printf 'привет мир\n' | iconv -f utf-8 -t koi8-r >russian
    [ "$(words russian --encoding koi8-r)" = "привет мир" ]
    refused 3 "russian: does not look like text; if it is text, set its --encoding" tokenize russian
    refused 2 '--encoding is "nosuch", which is not a known encoding' tokenize russian --encoding nosuch
    # HTML declares its encoding.
    { printf '<html><meta charset="koi8-r"><p>'; cat russian; } >page
    [ "$(words page)" = "привет мир" ]
    # The encoding is not a setting of the words: counts of texts in several encodings can be
    # merged.
    count russian --encoding koi8-r --min-count 1 -o one.st
    count ab.txt -o two.st
    "$PSDVEC" counts merge -q one.st two.st -o both.st
}

@test "encodings are part of the state of --resume" {
    iconv -f utf-8 -t windows-1252 ab.txt >ab.latin
    count ab.latin --encoding koi8-r --resume kept -o wrong.st
    count ab.latin --encoding latin-1 --resume kept -o got.st
    diff <(pairs expected.st) <(pairs got.st)
}

# Prose, wrapped at 72 columns, with blank lines between paragraphs.
wrapped_text() { awk 'BEGIN { srand(1); n = split("the of government in which people established by some considerable and law", w, " ")
    for (p = 0; p < 30; p++) { line = ""
        for (i = 0; i < 60; i++) { word = w[int(rand() * n) + 1]
            if (length(line word) + 1 > 72) { print line; line = word } else line = line (line == "" ? "" : " ") word }
        print line ".\n" } }'; }

@test "wrapped text: --document auto uses paragraphs, line gives a warning" {
    mkdir books
    wrapped_text >books/one.txt
    cp ab.txt books/two.txt # one document per line remains so
    "$PSDVEC" count books --document auto --min-count 1 -o auto.st 2>talk
    grep -q 'books/one.txt: lines are wrapped at about 72 columns, so documents end at blank lines there' talk
    "$PSDVEC" count books/one.txt --document blank-line --min-count 1 -q -o one.st 2>talk
    [ ! -s talk ]
    "$PSDVEC" count books/two.txt --document line --min-count 1 -q -o two.st 2>talk
    [ ! -s talk ]
    documents() { "$PSDVEC" counts info "$1" --format json | jq .documents; }
    [ "$(documents one.st)" -eq 30 ]
    [ "$(documents auto.st)" -eq $(($(documents one.st) + $(documents two.st))) ]
    for threads in 1 3; do
        "$PSDVEC" count books --document auto --min-count 1 --threads $threads --memory 64M -q -o again.st
        cmp auto.st again.st
    done
    gzip -c books/one.txt | "$PSDVEC" count - --document auto --min-count 1 -q -o pipe.st
    diff <(pairs pipe.st) <(pairs one.st)
    "$PSDVEC" count books --document auto --min-count 1 -q --resume kept -o again.st
    cmp auto.st again.st
    "$PSDVEC" count books --min-count 1 -q -o line.st 2>talk
    [ "$(cat talk)" = "psdvec count: warning: books/one.txt: lines are wrapped at about 72 columns, and each line is a document; --document auto uses paragraphs instead, which usually gives better vectors" ]
}

@test "text without spaces between words: ICU is recommended, unless it is used" {
    for n in 1 2 3 4 5; do echo "我喜欢自然语言处理。今天天气很好，我们去公园玩吧。"; done >chinese
    "$PSDVEC" count chinese --min-count 1 -q -o c.st 2>talk
    grep -q 'without spaces between words.*--tokenizer icu splits Chinese' talk
    "$PSDVEC" count chinese --min-count 1 -q --tokenizer whitespace -o c.st 2>talk
    [ ! -s talk ]
    count ab.txt -o c.st 2>talk
    [ ! -s talk ]
}
