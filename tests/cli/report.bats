#!/usr/bin/env bats
# psdvec report: a page on a model, and its data.

bats_require_minimum_version 1.5.0
load common

# A model of a small text, and vectors of another program.
setup_file() {
    cd "$BATS_FILE_TMPDIR" || exit
    awk 'BEGIN {
        srand(3)
        split("king queen prince throne crown palace river lake water fish boat swim bread flour oven sugar cake butter", own, " ")
        for (d = 0; d < 400; d++) {
            for (k = 0; k < 12; k++) printf "the %s ", own[1 + 6 * (d % 3) + int(6 * rand())]
            print "<b>&amp; end"
        }
    }' >text.txt
    "$PSDVEC" train text.txt --tokenizer whitespace --min-count 1 --dim 8 --window 4 -q -o model.safetensors
    "$PSDVEC" convert model.safetensors vectors.vec -q
    printf 'king queen 9\nking bread 1\nriver lake 8\nboat oven 2\ncake bread 7\n' >pairs.txt
    "$PSDVEC" report model.safetensors -q --words king,bread --set pairs.txt -o report.html
    "$PSDVEC" report model.safetensors -q --words king,bread --set pairs.txt --format json -o report.json
}
setup() {
    common_setup
    cp "$BATS_FILE_TMPDIR"/* .
}
# member EXPRESSION: of the JSON d.
member() {
    command -v python3 >/dev/null || skip "no python3"
    python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "${2:-report.json}" "$1"
}

@test "the data say how the model was made" {
    [ "$(member '[d["model"]["words"], d["model"]["dim"], d["text"]["documents"], d["text"]["inputs"][0]["name"]]')" = \
        "[21, 8, 400, 'text.txt']" ]
    [ "$(member '[[o["name"], o["value"], o["default"]] for o in d["settings"][0]["options"] if o["changed"]]')" = "[['dim', '8', '500']]" ]
    [ "$(member 'sorted([o["name"], o["value"]] for o in d["settings"][1]["options"] if o["changed"])')" = \
        "[['min_count', '1'], ['tokenizer', 'whitespace'], ['window', '4']]" ]
    [[ "$(member 'd["story"][1]')" == "The text has 10,400 words in 400 documents, from 1 input of "* ]]
}

@test "counts that were made separately are compared with the defaults of counting" {
    "$PSDVEC" count text.txt --tokenizer whitespace --min-count 1 -q -o counts.safetensors
    "$PSDVEC" train counts.safetensors --preset paper --core 21 --dim 8 -q -o paper.safetensors
    "$PSDVEC" report paper.safetensors -q --map no --builtin no --format json -o paper.json
    [ "$(member '[[s["stage"], s["preset"]] for s in d["settings"]]' paper.json)" = "[['Training', 'paper'], ['Counting', 'default']]" ]
    [ "$(member 'sorted(o["name"] for o in d["settings"][1]["options"] if o["changed"])' paper.json)" = "['min_count', 'tokenizer']" ]
    "$PSDVEC" train text.txt --preset paper --tokenizer whitespace --min-count 1 --core 21 --dim 8 -q -o paper.safetensors
    "$PSDVEC" report paper.safetensors -q --map no --builtin no --format json -o paper.json
    [ "$(member '[[s["stage"], s["preset"]] for s in d["settings"]]' paper.json)" = "[['Training', 'paper'], ['Counting', 'paper']]" ]
}

@test "the data are those of info, similar and eval" {
    "$PSDVEC" info model.safetensors --json >info.json
    [ "$(member '[i["objective"] for i in d["iterations"]]')" = "$(member '[i["objective"] for i in d["iterations"]]' info.json)" ]
    [ "$(member 'len(d["eigenvalues"])')" -eq 8 ]
    "$PSDVEC" similar model.safetensors king --top 8 --format json >near.json
    [ "$(member '[n[0] for n in d["neighbours"][0]["near"]]')" = "$(member '[n["word"] for n in d["similar"]]' near.json)" ]
    "$PSDVEC" eval model.safetensors pairs.txt --json >eval.json
    [ "$(member '[[s["value"], s["low"], s["high"], s["known"]] for s in d["scores"] if s["set"] == "pairs"]')" = \
        "$(member '[[s["score"], s["low"], s["high"], s["known"]] for s in d["scores"]]' eval.json)" ]
    [ "$(member 'sum(f for r, f in d["frequencies"]["ranks"]) == d["frequencies"]["occurrences"]')" = True ]
}

@test "third-party vectors have a report that says what is missing" {
    "$PSDVEC" report vectors.vec -q --format json -o other.json
    [ "$(member '[d["text"], d["settings"], d["iterations"], d["frequencies"], d["lengths"]["by"]]' other.json)" = "[None, [], [], None, 'rank']" ]
    "$PSDVEC" report vectors.vec -q --format text -o other.txt
    grep -q 'The file does not record how they were made' other.txt
    grep -q 'The file does not record the iterations of training' other.txt
}

@test "the report does not depend on the number of threads" {
    for threads in 1 2 5; do
        "$PSDVEC" report model.safetensors -q --threads $threads -o $threads.html
    done
    cmp 1.html 2.html
    cmp 1.html 5.html
}

@test "contents can be left out" {
    "$PSDVEC" report model.safetensors -q --map no --builtin no --samples 0 --format json -o less.json
    [ "$(member '[d["map"], d["scores"], d["neighbours"]]' less.json)" = "[None, [], []]" ]
    "$PSDVEC" report model.safetensors -q --map 5 --samples 3 --format json -o less.json
    [ "$(member '[len(d["map"]["words"]), len(d["neighbours"]), d["sampled"]]' less.json)" = "[5, 3, True]" ]
}

@test "a sparse model has no map, and words that are missing are named" {
    "$PSDVEC" baseline ppmi text.txt --tokenizer whitespace --min-count 1 -q -o sparse.safetensors
    "$PSDVEC" report sparse.safetensors -q -o sparse.html
    echo old >old.html
    run -2 "$PSDVEC" report model.safetensors --words king,emperor -o old.html
    [[ "$output" == *"emperor"* ]]
    run -3 "$PSDVEC" report model.safetensors --set nothing.txt -o old.html
    run -2 "$PSDVEC" report model.safetensors
    [ "$(cat old.html)" = old ]
}

@test "the page is one file with the data and the text" {
    run ! grep -qE 'https?://[^w]|src=|@import|url\(|<link' report.html
    grep -q "content=\"default-src 'none'; " report.html
    "$PSDVEC" report model.safetensors -q --words king,bread --set pairs.txt --format text -o report.txt
    python3 - <<'PYTHON'
import html, re
page = open("report.html", encoding="utf-8").read()
assert re.search('id="data">(.*?)</script>', page, re.S).group(1) == open("report.json").read().rstrip("\n").replace("<", "\\u003c")
assert html.unescape(re.search('<pre id="text">(.*?)</pre>', page, re.S).group(1)) == open("report.txt").read()
PYTHON
}

@test "a browser shows all sections, also of the sample" {
    rendered report.html >shown.html
    for title in 'How it was made' 'Training and spectrum' 'Words and vectors' Map Scores 'Neighbours of sample words' 'What to cite'; do
        grep -q "<h2>$title</h2>" shown.html
    done
    [ "$(grep -o '<figure>' shown.html | wc -l)" -ge 6 ]
    run ! grep -q '<b>&amp;</b>\|<b>&amp;amp; ' shown.html
    cp -R "$HERE/../../cli/pages" pages
    rendered pages/report.html >shown.html
    grep -q '<h2>What to cite</h2>' shown.html
}

@test "the page in Chromium: widths, colours, map, print, axe" {
    command -v node >/dev/null && command -v npm >/dev/null || skip "no node or npm"
    [ -x /usr/bin/chromium ] || skip "no Chromium"
    tools=$(dirname "$PSDVEC")/web-tests
    (cd "$HERE/../.." && sh scripts/npm-tools.sh "$tools") || skip "npm cannot install playwright-core"
    cp "$HERE"/../web/*.mjs "$tools"
    page=$PWD/report.html
    (cd "$tools" && timeout 300 node report.mjs "$page" ${PICTURES:+"$PICTURES"})
}
