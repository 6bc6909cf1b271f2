# Labels, dates and names of documents: reading them, topics per label, bad input.
load common
load topic_documents

setup() { common_setup; }

all=label,date,name,text

learn() { "$PSDVEC" topics learn model "$@" --topics 3 -q; }

# The documents of a topics file as JSON, most shares first.
documents() { "$PSDVEC" topics show "$1" --documents 600 --format json; }

as_json() { # documents.tsv -> JSON lines
    python3 -c '
import json, sys
for line in open("documents.tsv"):
    label, date, name, text = line.rstrip("\n").split("\t")
    print(json.dumps({"when": date, "id": name, "body": text, "class": label}))'
}

@test "labels, dates and names are read from columns and JSON, and are not part of the text" {
    make_documents
    learn documents.txt -o plain
    learn documents.tsv --columns "$all" -o columns
    as_json >documents.jsonl
    learn documents.jsonl --json-field body --label-field class --date-field when --name-field id -o json
    documents plain >plain.json
    documents columns >columns.json
    documents json >json.json
    python3 - <<'PY'
import json
plain, columns, members = (json.load(open(n + ".json"))["documents"] for n in ("plain", "columns", "json"))
assert not any("label" in d for d in plain)
lines = [line.rstrip("\n").split("\t") for line in open("documents.tsv")]
for d in columns:
    assert [d["label"], d["date"], d["name"]] == lines[d["document"] - 1][:3], d
strip = lambda found: [{k: d[k] for k in ("topic", "document", "share", "beginning")} for d in found]
assert strip(plain) == strip(columns) == strip(members)
assert [d["label"] for d in columns] == [d["label"] for d in members]
assert [d["date"] for d in columns] == [d["date"] for d in members]
PY
    "$PSDVEC" topics show columns --documents 1 >screen
    grep -q 'label *date *name *beginning' screen
    # Other commands read the text alone.
    "$PSDVEC" train documents.tsv --columns "$all" --min-count 1 --dim 8 -q -o other
    "$PSDVEC" tokenize documents.tsv --columns "$all" >a
    "$PSDVEC" tokenize documents.txt >b
    cmp a b
}

@test "threads, archives and compressed files give the same labels" {
    make_documents
    for _ in $(seq 12); do cat documents.tsv; done >many.tsv # several segments
    learn many.tsv --columns "$all" --threads 1 -o one
    learn many.tsv --columns "$all" --threads 3 -o other
    cmp one other
    gzip -k many.tsv
    head -n 3600 many.tsv >1.tsv
    tail -n +3601 many.tsv >2.tsv
    tar cf both.tar 1.tsv 2.tsv
    for input in many.tsv.gz both.tar; do
        "$PSDVEC" topics apply one "$input" --columns "$all" --format tsv | cut -f 3- >got
        "$PSDVEC" topics apply one many.tsv --columns "$all" --format tsv | cut -f 3- >wanted
        cmp got wanted
    done
    rows <wanted | cut -f 1-3 >details
    cut -f 1-3 many.tsv | cmp - details
}

@test "apply and compare use the text alone, and apply prints labels" {
    make_documents
    learn documents.tsv --columns "$all" -o topics
    "$PSDVEC" topics apply topics documents.txt --format tsv | cut -f 3- >plain
    "$PSDVEC" topics apply topics documents.tsv --columns "$all" --format tsv | cut -f 6- >described
    cmp plain described
    "$PSDVEC" topics apply topics documents.tsv --columns -,-,-,text --format tsv | cut -f 3- | cmp - plain
    "$PSDVEC" topics apply topics documents.tsv --columns "$all" --format json | sed -n 2p |
        grep -q '"label": "oven", "date": "1991-02", "name": "no 2"'
    "$PSDVEC" topics apply topics documents.tsv --columns "$all" | sed -n 2p | grep -q 'sea .*1990-01'
    "$PSDVEC" topics compare topics documents.txt --format json >plain
    "$PSDVEC" topics compare topics documents.tsv --columns "$all" --format json | cmp - plain
}

@test "missing labels, labels with markup, and dates that are not dates" {
    make_documents
    { cat documents.tsv
      printf '\t1999\tunlabelled\tship sail wave\n'
      printf '<b onclick="x">&amp;\t31.12.1999\t<html>\tflour bread sugar\n'
      printf 'sea\n\nsea\t1999\n'
      printf 'oven\t1999-02-29\t\t\n'; } >more.tsv
    "$PSDVEC" topics learn model more.tsv --columns "$all" --topics 3 -o topics 2>said
    grep -q '2 lines were skipped: without the tab-separated columns "label,date,name,text"' said
    grep -q '2 dates were ignored (first: document 602, "31.12.1999"); dates are YYYY' said
    "$PSDVEC" topics show topics --documents 700 --format json >shown
    python3 - <<'PY'
import json
found = {d["document"]: d for d in json.load(open("shown"))["documents"]}
assert found[601].get("label") is None and found[601]["date"] == "1999", found[601]
assert found[602]["label"] == '<b onclick="x">&amp;' and found[602].get("date") is None, found[602]
assert found[602]["name"] == "<html>"
PY
    "$PSDVEC" topics apply topics more.tsv --columns "$all" --format tsv 2>/dev/null | tail -n 1 |
        grep -q "$(printf '^603\tmore.tsv\toven\t\t\t0\t0\t')"
    refused 3 'more.tsv: line 603: does not have the columns label,date,name,text' \
        topics learn model more.tsv --columns "$all" --strict --topics 3 -o strict
    head -n 602 more.tsv >dates.tsv
    refused 3 'document 602: "31.12.1999" is not a date' \
        topics learn model dates.tsv --columns "$all" --strict --topics 3 -o strict
    # A file that begins like HTML is still a table.
    tac more.tsv | sed -n '/^</,$p' >first.tsv
    "$PSDVEC" topics apply topics first.tsv --columns "$all" --format tsv 2>/dev/null | sed -n 2p | grep -q 'onclick'
    printf '%s\n' '{"text": "ship sail", "label": ["a"]}' '{"text": "ship", "label": 7}' '{"text": "", "label": null}' >odd.jsonl
    "$PSDVEC" topics apply topics odd.jsonl --json-field text --label-field label --format tsv >got 2>said
    grep -q '1 line was skipped: .*a label, date or name that is not a string or number' said
    [ "$(rows <got | cut -f 3 | tr '\n' ' ')" = '7  ' ]
}

@test "columns that make no sense are refused" {
    make_documents
    refused 2 'has the column "subject"' topics learn model documents.tsv --columns subject,text -o topics
    refused 2 'has no column text' topics learn model documents.tsv --columns label,date -o topics
    refused 2 'has the column text twice' tokenize documents.tsv --columns text,text
    refused 2 'give one of them' count documents.tsv --columns text --json-field text -o counts
    refused 2 'needs --json-field' topics learn model documents.tsv --label-field x -o topics
    refused 2 'use --document line' topics learn model documents.tsv --columns "$all" --document file -o topics
}

@test "topics of each label are learnt separately, and classify documents" {
    make_documents
    by() { "$PSDVEC" topics learn model documents.tsv --columns "$all" --by label --merge off "$@"; }
    by --topics 2 -o topics 2>said
    grep -q 'classes  *3$' said
    "$PSDVEC" topics show topics --format json >shown
    "$PSDVEC" topics apply topics documents.tsv --columns "$all" --format json --counts >counts
    "$PSDVEC" topics apply topics documents.tsv --columns "$all" --format json --evidence >evidence
    python3 - <<'PY'
import json
shown = json.load(open("shown"))
classes = [t["class"] for t in shown["topics"]]
assert sorted(classes) == ["music", "music", "oven", "oven", "sea", "sea"], classes
assert [t["share"] for t in shown["topics"]] == sorted((t["share"] for t in shown["topics"]), reverse=True)
assert shown["settings"]["topics"]["by"] == "label" and shown["settings"]["topics"]["topics"] == 2
for what in "counts", "evidence":
    for line in open(what):
        document = json.loads(line)
        sums = {c: sum(n for n, of in zip(document[what], classes) if of == c) for c in classes}
        assert max(sums, key=sums.get) == document["label"], document
        assert abs(sum(sums.values()) - document["known"]) < .1
assert open("counts").read().replace("counts", "evidence") != open("evidence").read()
PY
    "$PSDVEC" topics show topics | grep -q '^6 topics of 600 documents with 3 labels'
    "$PSDVEC" topics show topics | grep -q 'share *class *words'
    "$PSDVEC" topics show topics --topic 1 | grep -q '^Topic 1, class [a-z]*, '
    # The topics of a label are those of its documents alone, if the base and vocabulary are the same.
    by --topics 2 --base model -q -o together
    grep "^oven" documents.tsv >oven.tsv
    [ "$("$PSDVEC" topics show together --words 8 --format json | python3 -c '
import json, sys
print(sorted({w for t in json.load(sys.stdin)["topics"] if t["class"] == "oven" for w in t["words"].split()} - set("the of and to in a is was for with".split())))')" = "$(
        printf "['bread', 'butter', 'cake', 'dough', 'flour', 'salt', 'stove', 'sugar']")" ]
    # Duplicate null topics are dropped.
    by --topics 3 --null-topic yes -q -o null
    "$PSDVEC" topics show null --format json >shown
    python3 -c '
import json
topics = json.load(open("shown"))["topics"]
assert len(topics) == 7 and [t["class"] for t in topics].count(None) == 1 and topics[0]["class"] is None, topics'
}

@test "topics of each label do not depend on threads or memory, or on the order of labels" {
    make_documents
    by() { "$PSDVEC" topics learn model "$1" --columns "$all" --by label --topics 2 -q "${@:2}"; }
    by documents.tsv --threads 1 -o one
    by documents.tsv --threads 3 -o other
    cmp one other
    [ -n "${SANITIZE:-}" ] || { by documents.tsv --memory 12M -o other && cmp one other; }
    by documents.tsv --null-topic yes --threads 2 -o null
    ! cmp -s one null
}

@test "labels that are finished are not learnt again after an interruption" {
    [ "$(uname)" = Linux ] || skip "needs LD_PRELOAD"
    [ -z "${SANITIZE:-}" ] || skip "the runtime of a sanitizer must be loaded first"
    make_documents
    KILL=$(realpath "${BUILD:-build}/tests/tools/kill_at.so" 2>/dev/null ||
        realpath "$HERE/../../build/tests/tools/kill_at.so")
    learn() { "$PSDVEC" topics learn model documents.tsv --columns "$all" --by label --topics 2 "$@"; }
    learn -q -o whole
    resumed=0
    for k in 3 6 8 9 10 11 12 13 14 16; do
        rm -rf part
        (export KILL_AT=$k LD_PRELOAD=$KILL && learn -q -o part 2>/dev/null) && continue
        learn -o part 2>said
        cmp whole part
        [ ! -e part.partial ]
        ! grep -q 'resuming after [1-3] labels' said || resumed=$((resumed + 1))
    done
    [ $resumed -ge 2 ]
}

@test "labels with few documents, and documents without labels" {
    make_documents
    { cat documents.tsv
      printf 'rare\t\t\tship bread violin\n'
      printf 'void\t\t\tzzz qqq\n'
      printf '\t\t\tship sail wave\n'
      printf '\t\t\t\n'; } >more.tsv
    "$PSDVEC" topics learn model more.tsv --columns "$all" --by label --topics 4 -o topics 2>said
    grep -q '2 of 5 labels have fewer documents with known words than topics (--topics is 4)' said
    grep -q 'topics  *13 after' said
    "$PSDVEC" topics show topics --format json >shown
    python3 -c '
import json
shown = json.load(open("shown"))
classes = [t["class"] for t in shown["topics"]]
assert classes.count("rare") == 1 and "void" not in classes and shown["documents_count"] == 604, shown'
    refused 3 'no document has a label' topics learn model documents.txt --by label -o none
    refused 3 'no document has a label' topics learn model documents.tsv --columns -,date,name,text --by label -o none
    printf 'a\tzzz\nb\tqqq\n\tship sail\n\tship wave\n' >unknown.tsv
    refused 3 'no document with a label has words' \
        topics learn model unknown.tsv --columns label,text --by label --min-documents 1 -o none
    refused 2 'give at least 2' topics learn model documents.tsv --columns "$all" --by label --topics 1 --null-topic yes -o none
    awk 'BEGIN { for (k = 0; k < 10001; k++) print k "\tship sail" }' >many.tsv
    refused 2 '10001 labels with 2 topics each are 10001 topics' \
        topics learn model many.tsv --columns label,text --by label --topics 2 -o none
    [ ! -e none ]
}

@test "two documents, one word, and ten million words in one document" {
    make_documents
    printf 'a\tship sail the\nb\tbread flour the\n' >two.tsv
    "$PSDVEC" topics learn model two.tsv --columns label,text --topics 2 -q -o topics
    "$PSDVEC" topics show topics | grep -q '^2 topics of 2 documents'
    "$PSDVEC" topics learn model two.tsv --columns label,text --by label --topics 1 -q -o topics
    [ "$("$PSDVEC" topics show topics --format json | grep -c '"class"')" -ge 1 ]
    refused 2 'only 2 documents have known words' topics learn model two.tsv --columns label,text --topics 3 -o none
    printf 'a\tship\n' >one.tsv
    refused 3 'fewer than 2 of the model' topics learn model one.tsv --columns label,text --topics 1 -o none
    [ -z "${SANITIZE:-}" ] || return 0
    { head -n 60 documents.tsv
      printf 'long\t2000\tlong\t'
      awk 'BEGIN { for (k = 0; k < 5000000; k++) printf "bread sail "; print "" }'; } >long.tsv
    "$PSDVEC" topics learn model long.tsv --columns "$all" --by label --topics 1 --memory 512M -q -o topics
    "$PSDVEC" topics apply topics long.tsv --columns "$all" --format tsv --memory 512M | tail -n 1 | cut -f 3,6,7 >got
    printf 'long\t10000000\t10000000\n' | cmp - got
}

@test "models of other methods and third-party vectors, and topics of another model" {
    make_documents
    "$PSDVEC" baseline glove documents.txt --min-count 1 --dim 8 --epochs 5 -q -o glove
    "$PSDVEC" topics learn glove documents.tsv --columns "$all" --by label --topics 1 -q -o topics
    "$PSDVEC" topics show topics | grep -q '^3 topics of 600 documents with 3 labels'
    "$PSDVEC" convert model vectors.txt -q
    "$PSDVEC" topics learn vectors.txt documents.tsv --columns "$all" --by label --topics 1 -q -o topics
    refused 4 'word frequencies' topics learn vectors.txt documents.tsv --columns "$all" --by label --base model -o none
    "$PSDVEC" baseline ppmi documents.txt --min-count 1 -q -o ppmi
    refused 4 'sparse vectors' topics learn ppmi documents.tsv --columns "$all" --by label -o none
    [ ! -e none ]
    # A topics file has its own words and probabilities, so that it needs no model.
    "$PSDVEC" topics show topics --format json | tr -d ' ' | grep -q '"name":"vectors.txt"'
    rm vectors.txt model
    "$PSDVEC" topics apply topics documents.tsv --columns "$all" --format tsv | tail -n 1 | cut -f 7 | grep -qx 40
}
