# Pages: the templates of cli/pages, the data that the program inserts, and the result in a browser.
# The contents of a command's page are tested with the command.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    PAGES=$HERE/../../cli/pages
}

# A model of words from text that is split only at spaces, so that any of them may be markup, and a
# text.
hostile=('</script><script>document.title="broken"</script>' '<!--<script>' '<img/src=x/onerror=document.title="broken">'
    '&lt;b&gt;' '"quoted"' "it's" '${1+1}' '`' '\u003cb\u003e' '</pre>' '</template>' ']]>' $'line\xe2\x80\xa8end')
hostile_model() {
    for _ in 1 2 3; do echo "${hostile[*]} plain"; done >text.txt
    "$PSDVEC" train text.txt --tokenizer whitespace --min-count 1 --dim 4 -o model.safetensors -q
}
small_table() {
    mkdir -p sets
    printf '%s\n' 'king queen 9' 'king barn 1' 'dog cat 8' 'queen cow 2' 'cow horse 7' >'sets/pairs & <b>.txt'
    for _ in $(seq 30); do
        printf 'the king and the queen rule the land\na dog and a cat and a cow and a horse sleep in the barn\n'
    done >text.txt
    "$PSDVEC" table text.txt --dim 4 --min-count 1 --sets sets --resamples 100 --methods psd,svd,glove -o out -q "$@" >/dev/null
}
# Topics of three subjects; or, from the hostile words, of two.
topics_page() {
    awk 'BEGIN {
        srand(5)
        split("ship harbour sail captain anchor sea oven flour bread sugar butter cake violin orchestra melody opera singer piano", own, " ")
        for (d = 0; d < 300; d++) {
            for (k = 0; k < 20; k++) printf "%s ", own[1 + 6 * (d % 3) + int(6 * rand())]
            print "the end"
        }
    }' >documents.txt
    "$PSDVEC" train documents.txt --min-count 1 --dim 6 -q -o topics-model
    "$PSDVEC" topics learn topics-model documents.txt --topics 3 -q -o topics
    "$PSDVEC" topics page topics --model topics-model -q -o topics.html "$@"
}
# asked PAGE SCRIPT: the output of the script, which calls say(text) at the end of the page, one
# line each.
asked() {
    awk -v script="$2" '$0 != "</body>" { print; next } {
        print "<script>{ const said = [], say = (text) => said.push(text);"
        print script
        print "document.documentElement.replaceChildren(said.join(\"\\n\")) }</script></body>"
    }' "$1" >"${1%.html}-asked.html"
    rendered "${1%.html}-asked.html" >shown.html
    sed '1d; s/^<html[^>]*>//; s/<\/html>$//' shown.html
}
# part FILE ELEMENT: the content of the element in the file, unchanged.
part() {
    python3 -c 'import re, sys; print(re.search(sys.argv[2] + ">(.*?)</", open(sys.argv[1], encoding="utf-8").read(), re.S).group(1), end="")' "$@"
}

# ---- The file ---------------------------------------------------------------------------------------

@test "a page is one file that loads nothing and forbids loading" {
    small_table
    "$PSDVEC" explain out/psd.safetensors the king --html page.html
    topics_page
    for page in out/table.html page.html topics.html; do
        run ! grep -qE 'https?:|src=|@import|url\(|<link' "$page"
        grep -q "content=\"default-src 'none'; " "$page"
        grep -q 'prefers-color-scheme: dark' "$page"
        grep -q '@media print' "$page"
    done
}

@test "the page contains the JSON and the text of the command" {
    command -v python3 >/dev/null || skip "no python3"
    small_table --seed 18446744073709551615
    part out/table.html 'id="data"' >data
    sed 's/</\\u003c/g' out/table.json | diff - data
    part out/table.html '<pre id="text"' | python3 -c 'import html, sys; print(html.unescape(sys.stdin.read()), end="")' | diff out/table.md -
    hostile_model
    "$PSDVEC" explain model.safetensors --file text.txt --html page.html --color always
    "$PSDVEC" explain model.safetensors --file text.txt --json | sed 's/</\\u003c/g' >json
    part page.html 'id="data"' | diff json -
    run ! grep -q '<' json
    "$PSDVEC" explain model.safetensors --file text.txt >printed
    part page.html '<pre id="text"' | python3 -c 'import html, sys; print(html.unescape(sys.stdin.read()), end="")' | diff printed -
    # No control sequences of terminals, and no invalid bytes.
    printf 'plain \033[31m \377 plain' >bytes
    "$PSDVEC" explain model.safetensors --file bytes --html page.html
    run ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]' page.html
    iconv -f UTF-8 -t UTF-8 page.html >/dev/null
}

# ---- What a browser shows -----------------------------------------------------------------------------

@test "hostile words are shown literally, in the data, in the text and on the page" {
    hostile_model
    "$PSDVEC" explain model.safetensors --file text.txt --html page.html
    [ "$(grep -o '<script' page.html | wc -l)" -eq 3 ]
    [ "$(grep -o '</script' page.html | wc -l)" -eq 3 ]
    rendered page.html >shown.html
    grep -q '<title>psdvec explain</title>' shown.html
    run ! grep -q '<img' shown.html
    asked page.html 'say(JSON.stringify(Array.from(document.querySelectorAll(".word"), (word) => word.textContent)))' >said
    command -v python3 >/dev/null || skip "no python3"
    python3 - "${hostile[@]}" <<'PYTHON'
import html, json, sys
words = json.loads(html.unescape(open("said", encoding="utf-8").read()))
assert words == (sys.argv[1:] + ["plain"]) * 3, words
PYTHON
}

@test "a table is sorted by a column in both directions and back; missing values are last" {
    cp -R "$PAGES" pages
    asked pages/table.html '
        const table = document.querySelector("table"), heads = table.querySelectorAll("th[aria-sort]");
        const order = () => Array.from(table.tBodies[0].rows, (row) => row.cells[0].textContent).join(" ");
        const press = (k) => { heads[k].querySelector("button").click(); say(order() + ", " + heads[k].getAttribute("aria-sort")); };
        say(order()); press(1); press(1); press(1); press(0); press(2); say(heads[0].getAttribute("aria-sort"))' >said
    diff - said <<'END'
psd ppmi svd glove sparse-glove
psd ppmi glove sparse-glove svd, descending
sparse-glove glove ppmi psd svd, ascending
psd ppmi svd glove sparse-glove, none
glove ppmi psd sparse-glove svd, ascending
psd ppmi sparse-glove glove svd, descending
none
END
}

@test "a chart draws values, whiskers and negative values to scale, with a description in words" {
    cp -R "$PAGES" pages
    asked pages/table.html '
        showPage({sets: barChart({title: "t<b>", caption: "c", ticks: String, rows: [
            {label: "one", bars: [{value: 3, low: 2, high: 4, text: "3", style: "best"}]},
            {label: "two", bars: [{value: -1, low: -1.5, high: 0.5, text: "-1"}, {text: "none"}]},
            {label: "three", bars: [{value: 1, before: 2, text: "1"}]}]})});
        for (const line of document.querySelectorAll(".bars line"))
            say([line.className.baseVal, line.getAttribute("x1"), line.getAttribute("x2")].join(" "));
        say("zero " + document.querySelector(".axis .zero").getAttribute("x1"));
        say(Array.from(document.querySelectorAll(".marks text"), (text) => text.textContent).join(" "));
        const chart = document.querySelector("[role=img]");
        for (const name of ["aria-labelledby", "aria-describedby"])
            say(document.getElementById(chart.getAttribute(name)).textContent)' >said
    # From the mark below -1.5, which is -2, to 4, so 0 is at a third.
    diff - said <<'END'
best 33.33% 83.33%
whisker 66.67% 100.00%
whisker 66.67% 66.67%
whisker 100.00% 100.00%
other 33.33% 16.67%
whisker 8.33% 41.67%
whisker 8.33% 8.33%
whisker 41.67% 41.67%
before 33.33% 66.67%
other 66.67% 83.33%
zero 33.33%
-2 0 2 4
t&lt;b&gt; c
one 3; two -1; three 1
END
}

@test "a page fits a narrow window, for any length of the path of the text" {
    mkdir "$(printf '%0200d' 0 | tr 0 x)"
    small_table
    mv text.txt xxx*/
    "$PSDVEC" table "$PWD"/xxx*/text.txt --dim 4 --min-count 1 --sets sets --resamples 100 --methods psd,svd -o out -q >/dev/null
    asked out/table.html '
        const main = document.querySelector("main");
        main.style.width = "390px";
        say(main.scrollWidth <= main.clientWidth)' >said
    [ "$(cat said)" = true ]
}

@test "the page of a table lists the settings that had an effect" {
    small_table
    asked out/table.html 'say(document.querySelector(".settings").textContent.replace(/\s+/g, " "))' >said
    grep -q 'core all target pmi context_power 0.5 weights factored factor_power 0.3' said
    run ! grep -qE 'kappa|glove|cut|mu 2|bands' said
}

@test "a template omits parts without data" {
    cp -R "$PAGES" pages
    asked pages/table.html '
        say(document.querySelectorAll("[data-if]").length + " " + document.querySelector("main").textContent.includes("Whiskers: 95\\u00a0% confidence"));
        showPage({summary: "a < b"});
        say(document.querySelectorAll("[data-if], slot").length + " " + document.querySelector("main").textContent.includes("Whiskers"));
        say(document.querySelector(".lead").textContent)' >said
    diff - said <<'END'
3 true
0 false
a &lt; b.
END
}

@test "numbers are formatted as in text output" {
    cp -R "$PAGES" pages
    asked pages/table.html '
        say([0.0625, 0.1875, -0.0004, 1, -0.25, null, 0.2845].map(score).join(" "));
        say([0.0994, 0.125, 99.96, 3725].map(seconds).join(", "));
        say([999, 1e6, 2 ** 40].map(bytes).join(", "));
        say([[1, 300], [299, 300], [0, 0]].map((pair) => percent(...pair)).join(" "));
        say([count(1234567), signed(-0.001), signed(-2.5)].join(" "))' >said
    diff - said <<'END'
.062 .188 .000 1.000 −.250 – .284
99 ms, 0.12 s, 1 min 40 s, 1 h 2 min 05 s
999 B, 977 KiB, 1.00 TiB
&lt;1% 99% 0%
1,234,567 0.00 −2.50
END
}

@test "integers that JavaScript cannot represent are shown unchanged" {
    small_table --seed 18446744073709551615
    asked out/table.html 'say(JSON.stringify(pageData().options.seed))' >said
    [ "$(cat said)" = '"18446744073709551615"' ]
}

@test "explain: keys, pointer and clicks choose a word, and the panel shows its influences" {
    cp -R "$PAGES" pages
    asked pages/explain.html '
        const panel = document.querySelector(".panel"), elements = document.querySelectorAll(".word");
        const tell = (what) => say(what + ": " + (panel.hidden ? "hidden" : panel.querySelector("b").textContent + ", " +
            panel.querySelectorAll("tbody tr").length + " rows, " + document.querySelectorAll(".pulls").length + " pull, " +
            document.querySelectorAll(".pushes").length + " push"));
        const press = (key) => {
            document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
            tell(key + " at " + document.activeElement.textContent);
        };
        const point = (k) => { elements[k].dispatchEvent(new MouseEvent("mouseover", {bubbles: true})); tell("pointer"); };
        point(1); elements[0].focus(); tell("focus");
        ["ArrowLeft", "ArrowRight", "ArrowRight", "End", "ArrowRight", "Home"].forEach(press);
        point(3); press("Escape"); elements[2].click(); tell("click");
        document.querySelector("h1").click(); tell("click elsewhere")' >said
    diff - said <<'END'
pointer: is, 1 rows, 1 pull, 0 push
focus: anarchism, 0 rows, 0 pull, 0 push
ArrowLeft at anarchism: anarchism, 0 rows, 0 pull, 0 push
ArrowRight at is: is, 1 rows, 1 pull, 0 push
ArrowRight at often: often, 2 rows, 2 pull, 0 push
End at state: state, 5 rows, 1 pull, 4 push
ArrowRight at state: state, 5 rows, 1 pull, 4 push
Home at anarchism: anarchism, 0 rows, 0 pull, 0 push
pointer: anarchism, 0 rows, 0 pull, 0 push
Escape at anarchism: hidden
click: often, 2 rows, 2 pull, 0 push
click elsewhere: hidden
END
}

@test "topics: clicks, keys and the order choose a topic, and its words and documents follow" {
    topics_page --words 4 --documents 2
    asked topics.html '
        const pressed = () => Array.from(document.querySelectorAll(".choices [aria-pressed=true] i"), (i) => i.textContent).join();
        const title = () => document.querySelector(".detail h3").textContent.replace(/:.*/, "");
        const tell = (what) => say([what, title(), pressed(), document.querySelectorAll(".map .chosen").length,
            document.querySelectorAll(".tree [aria-pressed=true]").length, document.querySelectorAll(".documents li").length,
            document.querySelectorAll(".detail figure").length].join(", "));
        tell("start");
        document.querySelectorAll(".choices button")[1].click(); tell("click " + document.activeElement.dataset.topic);
        const press = (key) => { document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})); tell(key); };
        press("ArrowDown"); press("ArrowDown"); press("Home");
        document.querySelectorAll(".map g")[1].dispatchEvent(new MouseEvent("click", {bubbles: true}));
        say(document.querySelector(".map .chosen title").textContent.startsWith(document.querySelector(".detail h3").textContent.match(/[0-9]+/)[0]));
        const before = title();
        document.querySelector(".similar button").click();
        say(title() !== before);
        const sort = document.getElementById("sort");
        sort.value = "tree"; sort.dispatchEvent(new Event("change", {bubbles: true}));
        say(Array.from(document.querySelectorAll(".beside > div .choices i"), (i) => i.textContent - 1).join() === data.order.join())' >said
    diff - said <<'END'
start, Topic 1, 1, 1, 1, 2, 3
click 1, Topic 2, 2, 1, 1, 2, 3
ArrowDown, Topic 3, 3, 1, 1, 2, 3
ArrowDown, Topic 3, 3, 1, 1, 2, 3
Home, Topic 1, 1, 1, 1, 2, 3
true
true
true
END
}

@test "topics: the search finds the topics of words by their beginning" {
    topics_page
    asked topics.html '
        const field = document.getElementById("search");
        const find = (text) => { field.value = text; field.dispatchEvent(new Event("input", {bubbles: true}));
            say(text + ": " + Array.from(document.querySelectorAll(".found li"), (li) => (li.querySelector("b") || li).textContent).join(", ")); };
        find("s"); find("SAIL"); find("zzz"); find(" ");
        find("violin");
        document.querySelector(".found button").click();
        say(data.topics[Number(document.querySelector(".choices [aria-pressed=true]").dataset.topic)].words.some((w) => w.word === "opera"))' >said
    # In the order of the model.
    grep -qE '^s: (s[a-z]+(, )?){5}$' said
    sed 1d said | diff - /dev/fd/3 3<<'END'
SAIL: sail
zzz: No word of the 20 most frequent words begins like this.
 : 
violin: violin
true
END
}

@test "topics: hostile words and beginnings are shown literally" {
    hostile_model
    "$PSDVEC" topics learn model.safetensors text.txt --topics 2 -q -o topics
    "$PSDVEC" topics page topics --model model.safetensors -q -o topics.html
    [ "$(grep -o '<script' topics.html | wc -l)" -eq 3 ]
    [ "$(grep -o '</script' topics.html | wc -l)" -eq 3 ]
    run ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]' topics.html
    rendered topics.html >shown.html
    grep -q '<title>psdvec topics</title>' shown.html
    run ! grep -q '<img' shown.html
    asked topics.html '
        say(document.querySelectorAll("main script, main img, main template").length);
        say(JSON.stringify(data.index.map((entry) => entry[0]).sort()));
        const field = document.getElementById("search");
        field.value = "<img"; field.dispatchEvent(new Event("input", {bubbles: true}));
        say(JSON.stringify([document.querySelector(".found b").textContent]))' >said
    [ "$(sed -n 1p said)" = 0 ]
    command -v python3 >/dev/null || skip "no python3"
    python3 - "${hostile[@]}" <<'PYTHON'
import html, json, sys
lines = html.unescape(open("said", encoding="utf-8").read()).split("\n")
assert json.loads(lines[1]) == sorted(sys.argv[1:] + ["plain"]), lines[1]
assert json.loads(lines[2]) == [sys.argv[3]], lines[2]
PYTHON
}

@test "topics: one topic, one document, many topics, and a narrow window" {
    topics_page
    for case in "1 1" "2 2" "1 300" "60 300"; do
        read -r topics documents <<<"$case"
        head -n "$documents" documents.txt >some.txt
        "$PSDVEC" topics learn topics-model some.txt --topics "$topics" --min-documents 1 --iterations 3 -q -o some
        "$PSDVEC" topics page some -q -o some.html
        asked some.html '
            const main = document.querySelector("main");
            main.style.width = "390px";
            say([document.querySelectorAll(".choices [data-topic]").length - document.querySelectorAll(".similar [data-topic]").length,
                document.querySelectorAll(".map, .tree").length, main.scrollWidth <= main.clientWidth,
                document.querySelector(".detail h3").textContent.startsWith("Topic 1")].join(" "))' >said
        [ "$(cat said)" = "$topics $((topics > 2 ? 2 : 0)) true true" ] || { echo "$case"; cat said; false; }
    done
}

@test "a line chart draws values to scale, gaps, and a description in words" {
    cp -R "$PAGES" pages
    asked pages/table.html '
        showPage({sets: lineChart({title: "t<b>", caption: "c", ticks: (value) => value + "!", least: 0,
            points: [{label: "a", value: 2, text: "two"}, {label: "b", value: 4, text: "four"}, {label: "c"}, {label: "d", value: 1, text: "one"}]})});
        say(Array.from(document.querySelectorAll(".line path"), (path) => path.getAttribute("d")).join(" "));
        say(Array.from(document.querySelectorAll(".line span"), (span) => span.textContent).join(" "));
        say(document.getElementById(document.querySelector(".line").getAttribute("aria-describedby")).textContent)' >said
    diff - said <<'END'
M0.00 50.00L33.33 0.00M100.00 75.00 M100.00 75.00h.01
4! 0! a d
a two; b four; d one
END
}

# ---- Editing templates
# -------------------------------------------------------------------------------------

@test "a template opened directly shows its sample" {
    rendered "$PAGES/table.html" >shown.html
    [ "$(grep -c 'role="img"' shown.html)" -eq 4 ]
    run ! grep -q 'need JavaScript' shown.html
    rendered "$PAGES/explain.html" >shown.html
    [ "$(grep -o 'class="word ' shown.html | wc -l)" -ge 10 ]
    run ! grep -q 'need JavaScript' shown.html
    rendered "$PAGES/topics.html" >shown.html
    [ "$(grep -c 'role="img"' shown.html)" -ge 4 ]
    run ! grep -q 'need JavaScript' shown.html
}

@test "samples have the members that the program writes" {
    command -v python3 >/dev/null || skip "no python3"
    small_table
    "$PSDVEC" explain out/psd.safetensors the king --json >explain.json
    awk '{ print (NR % 2 ? "odd" : "even") "\t" 1990 + NR % 5 "\t" $0 }' text.txt >labelled.tsv
    "$PSDVEC" topics learn out/psd.safetensors labelled.tsv --columns label,date,text -q -o topics
    "$PSDVEC" topics page topics --model out/psd.safetensors -o topics.html
    part topics.html 'application/json"[^>]*' >topics.json
    python3 - "$PAGES/sample" <<'PYTHON'
import json, sys
OPEN = {"settings", "in_force", "made_from", "counts", "extensions"}   # these differ between models
def members(value, path=""):
    if isinstance(value, list):
        return set().union(*(members(item, path + "[]") for item in value)) if value else {path + "[]"}
    if not isinstance(value, dict): return {path}
    return set().union(*({path + "." + key} if key in OPEN and path else members(item, path + "." + key)
                         for key, item in value.items()))
for page, file in ("table", "out/table.json"), ("explain", "explain.json"), ("topics", "topics.json"):
    sample = open(f"{sys.argv[1]}/{page}.js", encoding="utf-8").read().split("\nsample = ")[1]
    sample, written = members(json.loads(sample)), members(json.load(open(file, encoding="utf-8")))
    differ = {m for m in sample ^ written if not m.endswith("[]") and not m.startswith(".differences")
              and not m.startswith(".sets[].sections")}
    assert not differ, (page, differ)
PYTHON
}

@test "a template without a place for data or text, or with a missing file, is an error" {
    cp -R "$PAGES" pages
    sh "$HERE/../../scripts/embed-pages.sh" pages/table.html >whole.c
    for line in '<script src="sample' '<pre id="text">'; do
        grep -v "^$line" "$PAGES/table.html" >pages/table.html
        run ! sh "$HERE/../../scripts/embed-pages.sh" pages/table.html
        [[ $output == *"pages/table.html must have one line"* ]]
    done
    cp "$PAGES/table.html" pages
    rm pages/page.css
    run ! sh "$HERE/../../scripts/embed-pages.sh" pages/table.html
    [[ $output == *"cannot read pages/page.css"* ]]
}
