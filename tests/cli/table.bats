# psdvec table: all systems on one text. What is created, what is reused, and that a killed run ends
# with the same table when it is resumed.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    some_text text.txt 300
    mkdir sets sets/parts
    # Words of one subject are similar; those of two are not.
    awk "$words"'BEGIN {
        for (i = 0; i < 20; i++) {
            print own(i, 0), own(i, 1), 9
            print own(i, 2), own(i, 3), 8
            print own(i, 0), own((i + 7) % 20, 1), 1 + i % 3
        }
    }' >sets/alike.txt
    for part in one two; do
        awk "$words"'BEGIN { for (i = 0; i < 10; i++) print own(i, 0), own(i, 1) }' >sets/parts/$part.txt
    done
    tiny=(--dim 6 --sets sets --resamples 200)
}

# Words of subject i, and words common to all subjects.
words='function letter(k) { return substr("abcdefghijklmnopqrstuvwxyz", k + 1, 1) }
       function own(i, k) { return "s" letter(i) letter(k) }
       function shared(k) { return "c" letter(int(k / 10)) letter(k % 10) }'

# Each line is about one of 20 subjects.
some_text() { # FILE LINES
    awk -v lines="$2" "$words"'BEGIN {
        srand(1)
        for (line = 0; line < lines; line++) {
            subject = int(rand() * 20)
            for (i = 0; i < 20; i++)
                printf "%s ", rand() < 0.5 ? own(subject, int(6 * rand() * rand())) : shared(int(60 * rand() * rand()))
            print ""
        }
    }' >"$1"
}

# The table without values that differ from run to run.
timeless() { sed -E 's/"(seconds|cpu_seconds|memory|more)": [^,}]*//g; s/Time and memory were measured on this machine[^"]*//' "$1"; }

table() { "$PSDVEC" table text.txt "${tiny[@]}" "$@"; }

# ---- Complete tables
# --------------------------------------------------------------------------------

@test "all systems: models, counts, and the table in four formats" {
    table -o out >printed 2>said
    for system in psd psd-paper ppmi svd sgns glove cca sparse-psd; do
        "$PSDVEC" info out/$system.safetensors --verify >/dev/null
        grep -Eq "^$system +\.[0-9]{3}" printed
        grep -Eq "^\| $system \| .*[0-9]{3}" out/table.md
        grep -q "of 8  $system  " said
    done
    [ "$(find out -name '*.counts.safetensors' | wc -l)" -eq 1 ]
    [ "$(wc -L <printed)" -le 80 ]
    [ "$(wc -L <said)" -le 80 ]
    grep -Eq '^system +alike +parts *$' printed
    grep -Eq '^ +rho +Add +Mul *$' printed
    grep -Eq '^known +100% +100%$' printed
    grep -Eq '^counting +[0-9.]+ m?s' printed
    [ "$(grep -c '▲' printed)" -ge 2 ]
    [ -z "$(find out -name '*.partial')" ]
}

@test "table.json has everything, and is JSON" {
    table -o out --methods psd,glove,sparse-glove >/dev/null 2>&1
    command -v python3 >/dev/null || skip "no python3"
    python3 - <<'PYTHON'
import json
t = json.load(open("out/table.json"))
assert [s["name"] for s in t["systems"]] == ["psd", "glove", "sparse-glove"]
assert [s["method"] for s in t["systems"]] == ["psd", "glove", "sparse"]
assert t["systems"][2]["of"] == "glove" and t["systems"][2]["counts"] is None
assert t["systems"][0]["counts"] == t["counts"][0]["name"]
assert all(s["failure"] is None and s["seconds"] >= 0 and s["memory"] > 0 for s in t["systems"])
assert t["counts"][0]["tokens"] == 6000 and t["counts"][0]["documents"] == 300
assert t["command"].startswith("psdvec table text.txt --methods psd,glove,sparse-glove")
assert t["dim"] == 6 and t["counting"] == "same"
whole = [s for s in t["scores"] if s["section"] is None]
assert len(whole) == 3 * 3, len(whole)           # similarity; parts by Add and by Mul
assert all(s["low"] <= s["score"] <= s["high"] for s in whole)
assert {m["name"] for m in t["models"]} == {"psd", "glove", "sparse-glove"}
assert t["models"][1]["settings"]["method"] == "glove"
assert [(c["set"], c["measure"], c["head"]) for c in t["columns"]] == [
    ("alike", "spearman", "rho"), ("parts", "3cosadd", "Add"), ("parts", "3cosmul", "Mul")]
score = {(s["set"], s["measure"], s["model"]): s["score"] for s in whole}
for c in t["columns"]:
    column = {m: v for (s, k, m), v in score.items() if (s, k) == (c["set"], c["measure"])}
    best = max(column.values())
    assert c["best"] == ([m for m in column if column[m] == best] if len(set(column.values())) > 1 else []), c
    worse = {d["second"] if d["difference"] > 0 else d["first"] for d in t["differences"] if d["significant"]
             and (d["set"], d["measure"]) == (c["set"], c["measure"]) and {d["first"], d["second"]} & set(c["best"])}
    assert set(c["alike"]) == (set(column) - worse - set(c["best"]) if c["best"] else set()), c
assert t["summary"].startswith("text.txt: 6,000 words of text; vectors of ")
assert len(t["notes"]) == 3 and "best of its column" in t["notes"][0] and all("\n" not in n for n in t["notes"])
assert t["counts"][0]["begins_with"].startswith("text; window 10")
assert [s["begins_with"] for s in t["systems"]] == ["counts " + t["counts"][0]["name"]] * 2 + ["vectors of glove"]
assert t["systems"][0]["numbers"] == "6" and t["systems"][2]["numbers"].endswith(" of 60")
PYTHON
}

@test "the page is complete, needs no network, and describes its charts in words" {
    mkdir -p 'in&<b>'
    cp text.txt 'in&<b>/x.txt'
    { head -n 1 sets/alike.txt; seq 200 | sed 's/.*/left out& 1/'; } | tr 0-9 a-j | sed 's/.$/1/' >rare.txt
    "$PSDVEC" table 'in&<b>' "${tiny[@]}" --sets rare.txt -o out --methods psd,svd -q >/dev/null
    grep -q '&lt;1%' out/table.html
    command -v python3 >/dev/null || skip "no python3"
    rendered out/table.html >page.html
    python3 - <<'PYTHON'
from html.parser import HTMLParser
class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.refs, self.tags, self.text, self.charts = [], set(), [], [], "", 0
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "meta": return
        self.open.append(tag)
        self.tags.append(tag)
        if "id" in attrs:
            assert attrs["id"] not in self.ids
            self.ids.add(attrs["id"])
        if tag == "th": assert attrs["scope"]
        if attrs.get("role") == "img":
            self.charts += 1
            self.refs += [attrs["aria-labelledby"], attrs["aria-describedby"]]
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())
    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"): self.text += data
page = Page()
page.feed(open("page.html", encoding="utf-8").read())
page.close()
assert not page.open, page.open
assert page.charts == 5                        # three sets, time, memory
assert len(set(page.refs)) == 10 and set(page.refs) <= page.ids
assert page.tags.count("table") == 2 and page.tags.count("caption") == 2
assert "in&<b>" in page.text                   # markup in a name is shown as text
assert "psd Spearman ." in page.text           # the charts in words
assert "<1%" in page.text
PYTHON
}

@test "without --sets the built-in ones are used; --resamples 0 compares shares only" {
    "$PSDVEC" table text.txt --dim 4 --methods svd,cca --resamples 0 -o out >printed 2>said
    grep -Eq '^system +world ' printed
    [ "$(wc -L <printed)" -le 80 ]
    grep -q 'Without bootstrap samples, correlations are not compared' printed
    grep -q 'warning: the vocabulary of the text covers none of the questions' said
}

@test "a folder of sets: each file is a set, and a folder of word pairs is one" {
    table -o out --methods svd >printed 2>/dev/null
    grep -q '"name": "parts", "file": "sets/parts", .*"sections": \["one", "two"\]' out/table.json
    table -o out --methods svd --sets sets/alike.txt >printed 2>said
    grep -q 'from an earlier run' said
    printf 'Lines of prose,\nsome longer and some shorter,\nare no set.\n' >sets/text.txt
    cp out/svd.safetensors sets/
    table -o out --methods svd >printed 2>said
    grep -Fq 'warning: sets: skipped, because they are not test sets: svd.safetensors, text.txt' said
}

@test "a test set among the texts is refused, with the option that was meant" {
    refused 2 "sets/alike.txt is a test set (word pairs with ratings), but was given as training text; to score on it, write --sets sets/alike.txt" \
        table text.txt sets/alike.txt --methods svd -o out
    [ ! -e out ]
    refused 2 "--sets sets/alike.txt" table text.txt sets --methods svd -o out
    # In text for other purposes, it gives a warning.
    printf ': capitals\nrome italy oslo norway\nrome italy bern swiss\nrome italy kiev ukraine\noslo norway rome italy\nbern swiss oslo norway\n' >questions.txt
    "$PSDVEC" count questions.txt --min-count 1 -q -o q.counts.safetensors 2>said
    grep -Fq 'warning: questions.txt looks like a test set (analogies), but is read as text' said
    "$PSDVEC" train text.txt questions.txt --dim 3 -q -o q.safetensors 2>said
    grep -Fq 'to score a model on it, run psdvec eval MODEL questions.txt' said
    "$PSDVEC" baseline svd text.txt questions.txt --dim 3 -q -o b.safetensors 2>said
    grep -Fq 'warning: questions.txt looks like a test set' said
    "$PSDVEC" train text.txt --dim 3 -q -o q.safetensors 2>said
    [ ! -s said ]
    "$PSDVEC" extend q.safetensors text.txt questions.txt --min-count 1 -q -o e.safetensors 2>said
    grep -Fq 'warning: questions.txt looks like a test set' said
}

@test "the same models and scores for any number of threads" {
    mkdir a b
    for threads in 1 3; do
        [ $threads = 1 ] && cd a || cd ../b
        "$PSDVEC" table ../text.txt --dim 6 --sets ../sets --resamples 100 -o out \
            --threads $threads -q >/dev/null
    done
    cd ..
    for model in a/out/*.safetensors; do cmp "$model" "b/${model#a/}"; done
    diff <(sed -E 's/"threads": [0-9]+//g; s/ --threads [0-9]+//' a/out/table.json | timeless /dev/stdin) \
         <(sed -E 's/"threads": [0-9]+//g; s/ --threads [0-9]+//' b/out/table.json | timeless /dev/stdin)
}

@test "kept models keep their number of threads" {
    table -o out --methods svd --threads 1 >printed 2>/dev/null
    grep -q 'with 1 thread;' printed
    table -o out --methods svd,cca --threads 2 >printed 2>/dev/null
    grep -q 'with 1 to 2 threads;' printed
    grep -q '"name": "svd", .*"threads": 1, .*"name": "cca", .*"threads": 2, ' out/table.json
}

@test "no line is wider than a narrow terminal" {
    command -v python3 >/dev/null || skip "no python3"
    mkdir more
    for k in 1 2 3 4 5 6; do cp sets/alike.txt more/"a longer name of a set, number $k.txt"; done
    cat >narrow.py <<'PYTHON'
import fcntl, os, pty, re, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.dup2(os.open("said", os.O_WRONLY | os.O_CREAT), 2)
    os.execv(os.environ["PSDVEC"], ["psdvec"] + sys.argv[1:])
text = b""
try:
    while True:
        part = os.read(fd, 65536)
        if not part: break
        text += part
except OSError:
    pass
assert os.waitpid(pid, 0)[1] == 0
lines = text.decode().replace("\r", "").split("\n")
assert any(re.match(r"psd-paper +\.\d", line) for line in lines), lines
for line in lines: assert len(line) <= 60, line
PYTHON
    python3 narrow.py table text.txt --dim 6 --sets more --resamples 20 --methods psd,psd-paper,glove --counting own -o out
}

# ---- Counting -------------------------------------------------------------------------------------

@test "--counting: the same counts for all, or separate ones for each system" {
    table -o out --methods psd,psd-paper,ppmi,glove >printed 2>/dev/null
    ls out/*.counts.safetensors >same
    [ "$(cat same)" = out/w10-harmonic-drop-0.001.counts.safetensors ]
    table -o out --methods psd,psd-paper,ppmi,glove --counting own >printed 2>said
    [ "$(find out -name '*.counts.safetensors' | wc -l)" -gt 2 ]
    [ -e out/w3-uniform-keep-0.counts.safetensors ]
    "$PSDVEC" counts info out/w3-uniform-keep-0.counts.safetensors | grep -Eq 'window +3'
    # The counts of psd are unchanged.
    grep -A 1 'of 4  psd  ' said | grep -q 'from an earlier run'
    grep -A 1 'of 4  psd-paper  ' said | grep -q 'trained again: settings or text have changed'
    [ "$(wc -L <printed)" -le 80 ]
}

@test "--counting own has the rows of the paper; with other counts their titles say so" {
    table -o out --counting own >/dev/null 2>said
    grep -q ' of 10  psd-paper  PSD-Reg, the paper’s model$' said
    grep -q ' of 10  psd-unreg  PSD-Unreg, the paper’s model with mu 0$' said
    grep -q ' of 10  psd-25k  PSD-25K, the 25,000 core words of psd-paper$' said
    "$PSDVEC" info out/psd-unreg.safetensors | grep -qE '^  mu +0$'
    "$PSDVEC" info out/psd-paper.safetensors | grep -qE '^  bands +80000, 130000$'
    table -o other --methods psd-25k,psd-unreg --window 3 >/dev/null 2>said
    for system in psd-paper psd-25k psd-unreg; do
        grep -q " of 3  $system  .*, on other counts than the paper’s\$" said
    done
    grep -q '"title": "PSD-Reg, the paper’s model, on other counts than the paper’s"' other/table.json
    table -o other --methods psd-25k,psd-unreg --window 3 --distance uniform --oov keep --subsample 0 >/dev/null 2>said
    run ! grep -q 'on other counts' said
}

@test "psd-25k has the core words of psd-paper, and is not compared with systems that have more" {
    # 30,000 words, and the words of the sets among the most frequent.
    awk 'BEGIN { for (n = 0; n < 30000; n++)
        printf "x%c%c%c%c%s", 97 + n % 26, 97 + int(n / 26) % 26, 97 + int(n / 676) % 26, 97 + int(n / 17576), n % 6 < 5 ? " " : "\n" }' >rare.txt
    "$PSDVEC" table text.txt rare.txt --dim 4 --min-count 1 --sets sets --resamples 50 --counting own \
        --methods psd-paper,psd-25k,sparse-psd-25k -o out >printed 2>/dev/null
    command -v jq >/dev/null || skip "no jq"
    [ "$("$PSDVEC" info out/psd-paper.safetensors --json | jq .words)" -gt 30000 ]
    [ "$("$PSDVEC" info out/psd-25k.safetensors --json | jq .words)" -eq 25000 ]
    "$PSDVEC" convert out/psd-paper.safetensors --words 25000 -o first.vec -q
    "$PSDVEC" convert out/psd-25k.safetensors -o own.vec -q
    cmp first.vec own.vec
    grep -qE '^by psd-25k +100%' printed
    tr '\n' ' ' <printed | grep -q ' psd-25k has only 25,000 words'
    [ "$(jq -c '[.columns[] | .best[], .alike[]] | map(select(. == "psd-25k"))' out/table.json)" = '[]' ]
    grep -q '"of": "psd-25k"' out/table.json
}

@test "counting options that are given apply to all systems" {
    table -o out --methods psd-paper,glove,sgns --counting own --window 4 --distance linear --oov keep \
        --subsample 0 -q >/dev/null
    [ "$(ls out/*.counts.safetensors)" = out/w4-linear-keep-0.counts.safetensors ]
    grep -q '"name": "sgns".*"window": 4' out/table.json
}

@test "all systems have the same words" {
    table -o out --min-count 20 --max-vocab 50 --methods psd,psd-paper,sgns,cbow --counting own -q >/dev/null
    for model in out/psd out/psd-paper out/sgns out/cbow; do
        "$PSDVEC" info $model.safetensors | grep -Eq '^ *(model|words) .*\b50\b'
    done
}

# ---- Resuming
# -----------------------------------------------------------------------------------------

@test "a second run trains nothing again, and the table has the same bytes" {
    table -o out --methods psd,svd,sparse >first 2>/dev/null
    cp -r out kept
    table -o out --methods psd,svd,sparse >second 2>said
    cmp first second
    [ "$(grep -c 'from an earlier run' said)" -eq 3 ]
    diff -r out kept
}

@test "only what changed is trained again" {
    table -o out --methods psd,svd -q >/dev/null
    touch -d '2001-01-01' out/psd.safetensors out/svd.safetensors
    table -o out --methods psd,svd,cca --seed 0 -q >/dev/null
    [ -z "$(find out -name 'psd.safetensors' -newermt 2002-01-01)" ]
    table -o out --methods psd,svd --dim 7 >/dev/null 2>said
    [ "$(grep -c 'trained again: settings' said)" -eq 2 ]
    grep -q 'about .* left, as in the earlier run' said
    run ! grep -q '^counting' said
    echo "more words here, more words there" >>text.txt
    table -o out --methods psd,svd --dim 7 >/dev/null 2>said
    [ "$(grep -c 'trained again: settings or text' said)" -eq 2 ]
    grep -q '^counting' said
    table -o out --methods psd,svd --dim 7 --restart >/dev/null 2>said
    run ! grep -q 'from an earlier run' said
    grep -q '^counting' said
}

@test "models of another version are kept, with settings in any order, and named" {
    table -o out --methods psd,svd,sparse-psd -q >/dev/null
    # As written by a version with another order and more members for the cost.
    sed -i -E 's/"version": "[^"]*"/"version": "0.0.7"/g; s/"dim": 6, "seed": 0/"seed": 0, "dim": 6/g
               s/, "more"/, "joules": [1, {"x": 2}], "more"/' out/records/*.json
    touch -d '2001-01-01' out/*.safetensors
    table -o out --methods psd,svd,sparse-psd >printed 2>said
    [ "$(grep -c 'from an earlier run, made by psdvec 0.0.7' said)" -eq 3 ]
    [ -z "$(find out -name '*.safetensors' -newermt 2002-01-01)" ]
    tr -s ' \n' ' ' <printed | grep -q 'psd by psdvec 0.0.7, svd by psdvec 0.0.7, sparse-psd by psdvec 0.0.7; --restart trains all of them again'
    grep -q 'Made by other versions: psd by psdvec 0.0.7' out/table.md
    grep -q '"made_by": "0.0.7"' out/table.json
    table -o out --methods psd,svd --restart >printed 2>said
    run ! grep -q '0.0.7' printed said
}

@test "an unknown setting is named when the system is trained again" {
    table -o out --methods svd -q >/dev/null
    sed -i 's/"dim": 6/"dim": 6, "from_the_future": 3/' out/records/svd.json
    table -o out --methods svd -v >/dev/null 2>said
    grep -q 'svd.safetensors is made again because settings or text have changed: from_the_future' said
    table -o out --methods svd --dim 5 --window 3 -v >/dev/null 2>said
    grep -q 'svd.safetensors is made again because settings or text have changed: dim, window' said
}

@test "counts that are no longer needed may be deleted" {
    table -o out --methods psd,svd >first 2>/dev/null
    rm out/*.counts.safetensors
    table -o out --methods psd,svd >second 2>said
    cmp first second
    run ! grep -q '^counting' said
    table -o out --methods psd,svd,cca >/dev/null 2>said
    grep -q '^counting' said
}

@test "a table is resumed from another folder, and after it was moved" {
    table -o out --methods psd,svd -q >/dev/null
    mv out moved
    mkdir elsewhere
    cd elsewhere
    "$PSDVEC" table ../text.txt --dim 6 --sets ../sets --resamples 200 --methods psd,svd -o ../moved \
        >/dev/null 2>said
    [ "$(grep -c 'from an earlier run' said)" -eq 2 ]
}

@test "killed at any time, the same command continues and gives the same table" {
    mkdir direct
    cp -a text.txt sets direct
    (cd direct && table -o out -q >/dev/null)
    for delay in 0.05 0.1 0.15 0.2 0.3 0.4 0.5 0.7 0.9; do
        "$PSDVEC" table text.txt "${tiny[@]}" -o out -q >/dev/null 2>&1 3>&- &
        sleep $delay
        kill -9 $! 2>/dev/null || true
        wait $! 2>/dev/null || true
    done
    table -o out -q >/dev/null
    for model in direct/out/*.safetensors; do cmp "$model" "${model#direct/}"; done
    diff <(timeless direct/out/table.json) <(timeless out/table.json)
    diff <(cd direct/out && find . | sort) <(cd out && find . | sort)
}

@test "incomplete files of a killed run are removed; nothing else is" {
    table -o out --methods svd -q >/dev/null
    find out | sort >before
    touch out/.table.md.psdvec-new out/.table.html.psdvec-new
    table -o out --methods svd -q >/dev/null
    find out | sort | diff before -
    touch out/table.md.backup out/records/notes
    table -o out --methods svd -q >/dev/null
    [ -e out/table.md.backup ] && [ -e out/records/notes ]
}

@test "stopped by a signal, it reports what is kept, and is resumed" {
    some_text text.txt 6000
    "$PSDVEC" table text.txt --dim 60 --sets sets --methods svd,glove -o out >printed 2>said 3>&- &
    pid=$!
    for _ in $(seq 600); do
        grep -q '2 of 2  glove' said && break
        sleep 0.05
    done
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ $status -eq 143 ]
    [ ! -s printed ]
    grep -q 'stopped; 1 of 2 systems are done and kept in out, and the same command resumes' said
    [ -e out/svd.safetensors ] && [ ! -e out/glove.safetensors ]
    "$PSDVEC" table text.txt --dim 60 --sets sets --methods svd,glove -o out >printed 2>said
    grep -A 1 'of 2  svd' said | grep -q 'from an earlier run'
    mkdir direct
    cp -a text.txt sets direct
    (cd direct && "$PSDVEC" table text.txt --dim 60 --sets sets --methods glove -o out -q >/dev/null)
    cmp direct/out/glove.safetensors out/glove.safetensors
}

@test "stopped during scoring, it does not report that nothing is there" {
    table -o out --methods svd,cca -q >/dev/null
    "$PSDVEC" table text.txt --dim 6 --sets sets --resamples 1000000 --methods svd,cca -o out >/dev/null 2>said 3>&- &
    pid=$!
    for _ in $(seq 600); do
        grep -q '2 of 2  cca' said && break
        sleep 0.02
    done
    kill -TERM $pid
    status=0
    wait $pid || status=$?
    [ $status -eq 143 ]
    grep -q 'stopped; 2 of 2 systems are done and kept in out, and the same command resumes from there' said
}

@test "if part of a time is unknown, all formats show it" {
    table -o out --methods glove,sparse-glove -q >/dev/null
    sed -i 's/"more": false/"more": true/' out/records/glove.json
    table -o out --methods glove,sparse-glove -q >printed
    grep -Eq '^glove +> .* +> ' printed
    grep -Eq '^[|] glove [|] > .* [|] > ' out/table.md
    rendered out/table.html >page.html
    grep -Eq '>glove</th><td [^>]*>&gt; [^<]*</td><td [^>]*>&gt; ' page.html
    # The time from text to codes is unknown, too.
    grep -Eq 'glove &gt; .*; sparse-glove &gt; ' page.html
}

# ---- Errors
# -----------------------------------------------------------------------------------------------

@test "if a system fails, the others continue, and the table and the status show it" {
    mkdir -p out/svd.safetensors.partial
    echo mine >out/svd.safetensors.partial/key
    status=0
    table -o out --methods psd,svd,sparse-svd,cca >printed 2>said || status=$?
    [ $status -eq 5 ]
    grep -q 'psdvec table: svd failed: out/svd.safetensors.partial' said
    grep -Eq '^svd +failed +failed +failed$' printed
    grep -q '^svd failed: ' printed
    grep -q '^sparse-svd failed: it depends on svd, which failed$' printed
    grep -Eq '^cca +\.[0-9]' printed
    grep -q '^| svd | failed | failed | failed |$' out/table.md
    grep -q '"name": "svd", .*"failure": "out/svd' out/table.json
    mv out/table.html failed.html
    [ "$(cat out/svd.safetensors.partial/key)" = mine ]
    rm -r out/svd.safetensors.partial
    table -o out --methods psd,svd,sparse-svd,cca >printed 2>said
    [ "$(grep -c 'from an earlier run' said)" -eq 2 ]
    grep -Eq '^sparse-svd +-?\.[0-9]' printed
    rendered failed.html >page.html
    grep -q '<td class="failed" colspan="3">failed: out/svd' page.html
}

@test "no system at all: an error status, and no table" {
    mkdir -p out/svd.safetensors.partial
    echo mine >out/svd.safetensors.partial/key
    refused 5 "svd failed" table text.txt "${tiny[@]}" -o out --methods svd
    [ ! -e out/table.md ] && [ ! -e out/table.html ]
}

@test "invalid methods" {
    refused 2 "there is no method 'glvoe'; did you mean 'glove'?" table x -o out --methods psd,glvoe
    refused 2 "there is no method 'word2vec'; the methods are psd, psd-paper, psd-unreg, psd-25k, ppmi, svd, sgns, cbow, glove, cca and sparse" \
        table text.txt -o out --methods word2vec
    refused 2 "psd is given twice" table text.txt -o out --methods psd,glove,psd
    refused 2 "sparse-psd is given twice" table text.txt -o out --methods sparse,psd,sparse-psd
    refused 2 "there is no method ''" table text.txt -o out --methods psd,
    refused 2 "would be sparse codes of vectors that are already sparse" table text.txt -o out --methods sparse-ppmi
    refused 2 "there is no method 'nosuch'" table text.txt -o out --methods sparse-nosuch
    [ ! -e out ]
}

@test "the source of sparse codes is in the table, named or not" {
    table -o out --methods sparse >printed 2>/dev/null
    [ "$(grep -Ec '^(psd|sparse-psd) +\.' printed)" -eq 2 ]
    table -o out --methods sparse-svd,psd,svd >printed 2>/dev/null
    [ "$(grep -Ec '^(svd|sparse-svd|psd) +\.' printed)" -eq 3 ]
}

@test "invalid sets are detected before any training" {
    refused 3 "nosuch" table text.txt -o out --sets nosuch
    mkdir empty
    refused 3 "empty: the folder contains no test sets" table text.txt -o out --sets empty
    echo 'this is not a test set at all, is it' >sets/notes.txt
    refused 3 "sets/notes.txt: has no questions" table text.txt -o out --sets sets
    [ ! -e out ]
}

@test "text that cannot be read, or only once" {
    refused 3 "cannot read nosuch" table nosuch "${tiny[@]}" -o out
    refused 2 "standard input can be read only once" table - "${tiny[@]}" -o out
    mkfifo pipe
    refused 2 "pipe can be read only once" table pipe "${tiny[@]}" -o out
    "$PSDVEC" count text.txt -o counts.st -q
    refused 3 "counts.st is a psdvec file, not text" table counts.st "${tiny[@]}" -o out
    refused 2 "give a text: files or folders" table -o out
    [ ! -e out ]
    : >nothing
    refused 3 "nothing" table nothing "${tiny[@]}" -o out
    [ ! -e out/table.md ]
}

@test "file names cannot control the terminal or become options" {
    name=$(printf -- '-\033[7m.txt')
    cp text.txt "./$name"
    "$PSDVEC" table "${tiny[@]}" --methods svd -o out -q -- "$name" >printed
    run ! grep -q "$(printf '\033')" printed out/table.md out/table.html
    grep -q "\"command\": \"psdvec table './-" out/table.json
}

@test "text that changes during the run gives no table, and the next run makes everything again" {
    some_text text.txt 6000
    "$PSDVEC" table text.txt --dim 60 --sets sets --methods glove,sgns -o out >printed 2>said 3>&- &
    pid=$!
    for _ in $(seq 600); do
        grep -q '1 of 2  glove' said && break
        sleep 0.05
    done
    echo "more words here, more words there" >>text.txt
    status=0
    wait $pid || status=$?
    [ $status -eq 3 ]
    grep -q 'the text changed during the run' said
    [ ! -s printed ] && [ ! -e out/table.md ]
    "$PSDVEC" table text.txt --dim 60 --sets sets --methods glove,sgns -o out >printed 2>said
    run ! grep -q 'from an earlier run' said
}

@test "the folder must not be inside the text" {
    mkdir books
    cp text.txt books
    refused 5 "books/out is inside the input books and would be read as text" table books "${tiny[@]}" -o books/out
    refused 5 "is inside the input" table books "${tiny[@]}" -o books
    [ "$(ls books)" = text.txt ]
}

@test "files that do not belong to a table are never replaced" {
    mkdir out
    echo mine >out/other
    echo mine >out/table.md
    refused 5 "out/table.md already exists, and psdvec table did not write it" table text.txt "${tiny[@]}" -o out
    rm out/table.md
    echo mine >out/svd.safetensors
    refused 5 "out/svd.safetensors already exists, and this table did not write it" \
        table text.txt "${tiny[@]}" -o out --methods svd
    [ "$(cat out/svd.safetensors out/other)" = "$(printf 'mine\nmine')" ]
    rm -r out/svd.safetensors out/records
    mkdir out/records
    echo mine >out/records/letters
    refused 5 "out/records already exists, and psdvec table did not write it" \
        table text.txt "${tiny[@]}" -o out --methods svd
    rm -r out/records
    table -o out --methods svd -q >/dev/null
    [ "$(cat out/other)" = mine ]
    echo file >notafolder
    refused 5 "notafolder is not a folder" table text.txt "${tiny[@]}" -o notafolder
    refused 5 "cannot create the folder no/such" table text.txt "${tiny[@]}" -o no/such
}

@test "a damaged model is made again; another model in its place is not changed" {
    table -o out --methods svd,cca -q >/dev/null
    cp out/svd.safetensors kept
    size=$(stat -c %s out/svd.safetensors)
    printf 'XXXX' | dd of=out/svd.safetensors bs=1 seek=$((size - 100)) conv=notrunc status=none
    table -o out --methods svd,cca -v >/dev/null 2>said
    grep -q 'out/svd.safetensors is made again because out/svd.safetensors' said
    cmp out/svd.safetensors kept
    head -c 1000 kept >out/svd.safetensors
    table -o out --methods svd,cca -q >/dev/null
    cmp out/svd.safetensors kept
    "$PSDVEC" convert kept --dim 3 out/svd.safetensors -q
    cp out/svd.safetensors other
    refused 5 "out/svd.safetensors is not the file that this table wrote" \
        table text.txt "${tiny[@]}" -o out --methods svd,cca
    cmp out/svd.safetensors other
}

@test "invalid records are harmless" {
    table -o out --methods svd -q >/dev/null
    cp out/svd.safetensors kept
    for record in '' '{' '{"finished": true}' '[1]' 'x' '{"finished": true, "settings": {}, "seconds": "no"}'; do
        echo "$record" >out/records/svd.json
        table -o out --methods svd -q >/dev/null
        cmp out/svd.safetensors kept
    done
}

@test "two runs in the same folder: the second is refused" {
    command -v flock >/dev/null || skip "no flock"
    table -o out --methods svd -q >/dev/null
    flock out/records/psdvec-table sleep 5 3>&- &
    sleep 0.3
    refused 5 "another psdvec table is running in out" table text.txt "${tiny[@]}" -o out --methods svd
    kill $! 2>/dev/null || true
}

@test "too little memory to count: systems that need no counts are made" {
    status=0
    table -o out --methods svd,sgns --memory 3M >printed 2>said || status=$?
    [ $status -eq 6 ]
    grep -q 'psdvec table: counting failed: .*memory' said
    grep -q '^counting failed: ' printed
    grep -q '^svd failed: it depends on counts, which failed$' printed
    grep -Eq '^sgns +-?\.[0-9]' printed
    mv out/table.html failed.html
    table -o out --methods svd,sgns -q >printed
    grep -Eq '^svd +-?\.[0-9]' printed
    rendered failed.html >page.html
    grep -q 'Failed: counting' page.html
}

@test "a full disk: what fits is kept, failures are reported, and the next run continues" {
    mkdir small
    mount -t tmpfs -o size=180k none small 2>/dev/null || skip "only root can make a full disk"
    status=0
    table -o small/out --methods ppmi,svd,glove,psd >printed 2>said || status=$?
    cp -r small/out copy
    umount small
    [ $status -eq 5 ]
    grep -q 'No space left\|no room' said
    table -o copy --methods ppmi,svd,glove,psd -q >/dev/null
    [ -e copy/table.html ]
}

@test "without -o the folder is named after the input" {
    mkdir -p deep/books.d
    cp text.txt deep/books.d
    gzip -c text.txt >deep/news.txt.gz
    "$PSDVEC" table deep/news.txt.gz "${tiny[@]}" --methods svd -q >printed
    [ -s news.table/table.html ]
    "$PSDVEC" table deep/books.d/ "${tiny[@]}" --methods svd -q >printed
    [ -s books.table/svd.safetensors ]
}
