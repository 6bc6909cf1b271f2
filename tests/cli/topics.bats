# psdvec topics: learning topics, showing them, applying them; bad input.
load common
load topic_documents

setup() { common_setup; }

learn() { "$PSDVEC" topics learn model documents.txt --topics 3 "$@"; } # the last --topics counts

@test "finds the subjects of documents, and shows them" {
    make_documents
    learn -o topics 2>said
    grep -q 'read  *24,000 words in 600 documents' said
    grep -q 'topics  *3 after .* iterations' said
    "$PSDVEC" topics show topics --words 8 --format json >shown
    # Each subject is one topic, and no word that all documents share describes a topic.
    for subject in 'ship harbour sail captain anchor ocean wave port' 'stove flour bread sugar butter cake dough salt' \
        'violin orchestra melody opera singer piano choir tune'; do
        python3 - "$subject" <<'PY'
import json, sys
topics = json.load(open("shown"))["topics"]
assert len(topics) == 3
assert any(set(t["words"].split()) == set(sys.argv[1].split()) for t in topics), topics
assert abs(sum(t["share"] for t in topics) - 1) < 1e-4
PY
    done
    "$PSDVEC" topics show topics >screen
    grep -q '^3 topics of 600 documents' screen
    "$PSDVEC" topics show topics --topic 2 --documents 2 >screen
    grep -q '^Topic 2, 3[0-9].[0-9]% of the text' screen
    grep -q 'lift' screen
    "$PSDVEC" topics show topics --verify --format tsv | awk -F '\t' 'NF != 3 { exit 1 }'
}

@test "the same bytes for any number of threads and any memory limit" {
    make_documents
    learn --threads 1 -q -o one
    learn --threads 3 -q -o other
    cmp one other
    [ -n "${SANITIZE:-}" ] || { learn --threads 2 --memory 12M -q -o other && cmp one other; }
    learn --threads 2 --residual-precision none -q -o plain
    ! cmp -s one plain
}

@test "the number of topics is chosen by held-out documents" {
    make_documents
    "$PSDVEC" topics learn model documents.txt -o topics 2>said
    grep -q 'topics  *3 after' said
    grep -q 'chosen by held-out documents, from 5 trials' said
    "$PSDVEC" topics show topics --format json >shown
    python3 - <<'PY'
import json
trials = json.load(open("shown"))["trials"]
assert [t["topics"] for t in trials] == [2, 3, 4, 6, 8], trials
best = max(trials, key=lambda t: t["bound"])
assert best["topics"] == 3 and best["error"] == 0 and all(t["error"] > 0 for t in trials if t != best)
PY
    "$PSDVEC" topics learn model documents.txt --threads 1 -q -o other
    cmp topics other
    # Documents without words of the vocabulary do not take part.
    { cat documents.txt && seq 500 | tr 0-9 a-j | sed s/^/rare/; } >rare.txt
    "$PSDVEC" train documents.txt rare.txt --min-count 1 --dim 8 -q -o larger
    "$PSDVEC" topics learn larger rare.txt --min-documents 5 -o rare 2>said
    grep -q 'topics  *3 after' said
    head -n 12 documents.txt >few.txt # too few to hold some out
    "$PSDVEC" topics learn model few.txt -v -o few 2>&1 | grep -q 'too few documents to choose the number of topics'
    head -n 1 documents.txt >one.txt
    "$PSDVEC" topics learn model one.txt -q -o few
    [ "$("$PSDVEC" topics show few --format tsv | sed 1d | wc -l)" -eq 1 ]
}

@test "topics that are nearly equal are merged" {
    make_documents
    learn --topics 9 --merge off -q -o nine
    [ "$("$PSDVEC" topics show nine --format tsv | sed 1d | wc -l)" -eq 9 ]
    learn --topics 9 --merge 0.1 -o merged 2>said
    grep -q 'topics  *3 after' said
    grep -q '6 were nearly equal to others and merged' said
    "$PSDVEC" topics show merged --words 8 --format json | python3 -c '
import json, sys
words = [set(t["words"].split()) for t in json.load(sys.stdin)["topics"]]
assert len(words) == 3 and all(len(w) == 8 for w in words) and len(set.union(*words)) == 24'
    learn --topics 9 --merge 0.1 --threads 3 -q -o other
    cmp merged other
    # Of the mixtures, nothing is lost.
    "$PSDVEC" topics apply merged documents.txt --format tsv >shares
    awk -F '\t' 'NR > 1 { s = 0; for (k = NF - 2; k <= NF; k++) s += $k; if (s < .999 || s > 1.001) exit 1 }' shares
}

@test "an interrupted run is resumed, with the same bits" {
    [ "$(uname)" = Linux ] || skip "needs LD_PRELOAD"
    [ -z "${SANITIZE:-}" ] || skip "the runtime of a sanitizer must be loaded first"
    make_documents
    KILL=$(realpath "${BUILD:-build}/tests/tools/kill_at.so" 2>/dev/null ||
        realpath "$HERE/../../build/tests/tools/kill_at.so")
    for options in "--topics 9 --merge 0.1 --tolerance 0 --iterations 20" "--topics auto" "--topics 3 --residual-precision none" "--topics 3 --preset topicvec --iterations 30"; do
        rm -rf whole
        # shellcheck disable=SC2086
        learn $options -q -o whole
        for k in 3 7 12 30 60 100; do
            rm -rf part
            # shellcheck disable=SC2086
            KILL_AT=$k LD_PRELOAD=$KILL "$PSDVEC" topics learn model documents.txt $options -q -o part 2>/dev/null && continue
            # shellcheck disable=SC2086
            learn $options -o part 2>said
            cmp whole part
            [ ! -e part.partial ]
            [ $k -lt 12 ] || grep -q 'resuming after iteration\|auto' said <(echo "$options")
        done
    done
    # A state of other documents or options is not used.
    KILL_AT=60 LD_PRELOAD=$KILL "$PSDVEC" topics learn model documents.txt --topics 9 -q -o part 2>/dev/null || true
    [ -e part.partial ]
    sed 1d documents.txt >fewer.txt
    "$PSDVEC" topics learn model fewer.txt --topics 9 -o part 2>said
    ! grep -q resuming said
}

@test "the bound rises in every iteration" {
    make_documents
    learn -v --tolerance 0 --iterations 12 -o topics 2>said
    grep -o 'iteration .*bound -[0-9.]* per word' said | awk '{ b[NR] = $4 } END { for (k = 2; k <= NR; k++) if (b[k] < b[k - 1]) exit 1; exit NR < 12 }'
}

@test "the preset of TopicVec: its options can be changed, and a falling bound is reported" {
    make_documents
    learn --preset topicvec --iterations 20 -v -o vec 2>said
    grep -q 'topics  *3 after 20 iterations' said
    learn --preset topicvec --iterations 20 --threads 3 -q -o other
    cmp vec other
    learn --preset topicvec --iterations 20 --seed 1 -q -o other
    ! cmp -s vec other
    learn --preset topicvec --steps newton --start clusters --null-topic no -o newton 2>said
    ! grep -q 'bound fell' said
    learn --preset topicvec --rate 100 --rate-words off --iterations 60 -o fast 2>said
    grep -q 'the bound fell in .* of 60 iterations.*--rate' said
    run learn --rate 1 -o none
    [ "$status" -eq 2 ]
    [[ "$output" == *--rate*"--steps gradient"* ]]
    [ ! -e none ]
}

@test "applies topics to other documents" {
    make_documents
    learn -q -o topics
    printf '%s\n' 'the captain and the ship' 'butter sugar and flour for a cake' '' 'zzz qqq' >new.txt
    "$PSDVEC" topics apply topics new.txt --format tsv >mixtures.tsv
    [ "$(wc -l <mixtures.tsv)" -eq 5 ]
    awk -F '\t' 'NR > 1 { if (NF != 8) exit 1; s = $6 + $7 + $8; if (s < .9999 || s > 1.0001) exit 1 }' mixtures.tsv
    # The first two documents have different main topics; the others have none.
    [ "$(awk -F '\t' 'NR > 1 { best = 6; for (k = 7; k <= 8; k++) if ($k > $best) best = k; print ($4 ? best ":" ($best > .6) : "none") }' mixtures.tsv | sort -u | wc -l)" -eq 3 ]
    awk -F '\t' 'NR > 3 { if ($4 != 0 || $6 < .333 || $6 > .334) exit 1 }' mixtures.tsv
    "$PSDVEC" topics apply topics new.txt --format json | sed -n 1p | grep -q '"known": 5.*"shares": \['
    "$PSDVEC" topics apply topics new.txt -o people.txt
    grep -q 'topics' people.txt
    # Topics without a share are not listed.
    awk 'BEGIN { for (k = 0; k < 400; k++) printf "captain ship sail wave "; print "" }' >pure.txt
    "$PSDVEC" topics apply topics pure.txt | grep -q '  [123] (100%)  '
    # Documents from which topics were learnt have the mixtures of learning, nearly.
    "$PSDVEC" topics apply topics - --format tsv <new.txt | cut -f3- | cmp - <(cut -f3- mixtures.tsv)
}

@test "compares topics by coherence, diversity, perplexity and bound" {
    make_documents
    learn -q -o three
    "$PSDVEC" topics learn model documents.txt --topics 1 -q -o one
    "$PSDVEC" topics compare three documents.txt --with one --words 5 --format json >said
    "$PSDVEC" topics apply three documents.txt --format json >applied
    # Coherence, diversity, the bound and the number of scored words, computed independently.
    "$PSDVEC" topics show three --words 5 --format json >shown
    python3 - <<'PY'
import itertools, json, math
quality = json.load(open("said"))["topics"]
documents = [set(line.split()) for line in open("documents.txt")]
lists = [t["words"].split() for t in json.load(open("shown"))["topics"]]
n = len(documents)
def share(*words):
    return sum(all(w in d for w in words) for d in documents) / n
npmi = []
for a, b in (pair for words in lists for pair in itertools.combinations(words, 2)):
    both = share(a, b)
    npmi.append(-1 if both == 0 else math.log(both / share(a) / share(b)) / -math.log(both))
assert abs(quality[0]["coherence"] - sum(npmi) / len(npmi)) < 1e-5, quality
assert abs(quality[0]["diversity"] - len({w for l in lists for w in l}) / 15) < 1e-6
assert quality[0]["scored"] == 600 * 20 and quality[0]["known"] == 600 * 40
bound = sum(json.loads(line)["bound"] for line in open("applied")) / (600 * 40)
assert abs(quality[0]["bound"] / bound - 1) < 1e-6 and quality[0]["bound"] > quality[1]["bound"]
# Three subjects are better than one, which is not better than word frequencies.
words = [w for line in open("documents.txt") for w in line.split()]
unigrams = math.exp(-sum(math.log(words.count(w) / len(words)) for w in set(words) for _ in range(words.count(w))) / len(words))
assert abs(quality[1]["perplexity"] / unigrams - 1) < .02, (quality, unigrams)
assert quality[0]["perplexity"] < .7 * unigrams
PY
    "$PSDVEC" topics compare three documents.txt | grep -q coherence
    # Documents without known words say nothing about coherence, perplexity and bound.
    printf 'zzz qqq\n' >unknown.txt
    "$PSDVEC" topics compare three unknown.txt | tail -n 1 | grep -Eq '3 +- +[01][.0-9]+ +- +-$'
}

@test "similar topics are shown in groups, each with its words" {
    make_documents
    "$PSDVEC" topics learn model documents.txt --topics 6 --merge off -q -o topics
    "$PSDVEC" topics show topics --groups 3 --words 8 --format json >shown
    python3 - <<'PY'
import json
shown = json.load(open("shown"))
subjects = ["ship harbour sail captain anchor ocean wave port", "stove flour bread sugar butter cake dough salt",
            "violin orchestra melody opera singer piano choir tune"]
groups, topics = shown["groups"], shown["topics"]
assert {frozenset(g["words"].split()) for g in groups} == {frozenset(s.split()) for s in subjects}, groups
assert sorted(k for g in groups for k in g["topics"]) == [1, 2, 3, 4, 5, 6]
assert [g["share"] for g in groups] == sorted((g["share"] for g in groups), reverse=True)
share = {t["topic"]: t["share"] for t in topics}
for g in groups:
    assert abs(g["share"] - sum(share[k] for k in g["topics"])) < 1e-4
    assert all(t["group"] == g["group"] for t in topics if t["topic"] in g["topics"])
PY
    "$PSDVEC" topics show topics --groups 3 >screen
    [ "$(grep -c '^  Group [123], .*% of the text: ' screen)" -eq 3 ]
    "$PSDVEC" topics show topics --groups 1 --threads 3 --format tsv >one
    "$PSDVEC" topics show topics --groups 1 --threads 1 --format tsv | cmp - one
    run "$PSDVEC" topics show topics --groups 7
    [ "$status" -eq 2 ]
    [[ $output == *"--groups is 7, but the file has 6 topics"* ]]
    run "$PSDVEC" topics show topics --groups 2 --topic 1
    [ "$status" -eq 2 ]
}

@test "the words nearest to topics need the model of the topics" {
    make_documents
    learn -q -o topics
    "$PSDVEC" topics show topics --words 4 --model model --format json >shown
    python3 -c 'import json; assert all(len(t["nearest"].split()) == 4 for t in json.load(open("shown"))["topics"])'
    "$PSDVEC" topics show topics --topic 1 --words 4 --model model | grep -q 'nearest word .*cosine'
    "$PSDVEC" topics show topics --words 4 --model model | grep -q 'nearest'
    "$PSDVEC" train documents.txt --min-count 1 --dim 7 -q -o other
    echo old >page.html
    for command in 'show topics' 'page topics -o page.html'; do
        # shellcheck disable=SC2086
        run "$PSDVEC" topics $command --model other
        [ "$status" -eq 4 ]
        [[ $output == *"other: is not the model from which the topics of topics were learnt: its checksum differs"* ]]
    done
    [ "$(cat page.html)" = old ]
    # Vectors without checksums are compared by dimensions and words.
    "$PSDVEC" convert model vectors.txt -q
    "$PSDVEC" topics learn vectors.txt documents.txt --topics 2 -q -o fine
    "$PSDVEC" topics show fine --model vectors.txt >screen
    run "$PSDVEC" topics show fine --model other
    [[ $output == *"its number of dimensions differs"* ]]
    head -n 20 vectors.txt >few.txt
    sed -i '1s/^[0-9]*/19/' few.txt
    run "$PSDVEC" topics show fine --model few.txt
    [[ $output == *"it lacks words"* ]]
}

@test "the page has the same bytes for any number of threads, and its size does not depend on the documents" {
    make_documents
    learn -q -o topics
    "$PSDVEC" topics page topics --model model --threads 1 -o one.html 2>said
    grep -q 'written: one.html (.*KiB); open it in a browser' said
    "$PSDVEC" topics page topics --model model --threads 3 -q -o other.html
    cmp one.html other.html
    for _ in $(seq 20); do cat documents.txt; done >many.txt
    "$PSDVEC" topics learn model many.txt --topics 3 -q -o topics
    "$PSDVEC" topics page topics --model model -q -o many.html
    [ "$(stat -c %s many.html)" -lt $(($(stat -c %s one.html) + 1000)) ]
    run "$PSDVEC" topics page topics
    [ "$status" -eq 2 ]
    [[ $output == *"give an output, for example -o topics.html"* ]]
    run "$PSDVEC" topics page topics -o none/page.html
    [ "$status" -ne 0 ]
    [[ $output == *"none/page.html"* ]]
}

@test "bad input is refused with a remedy, and an old output stays" {
    make_documents
    echo old >topics
    refused() { # status, message, arguments...
        local expected=$1 message=$2 status=0
        shift 2
        "$PSDVEC" topics "$@" 2>said || status=$?
        [ "$status" -eq "$expected" ] || { cat said; echo "status $status"; return 1; }
        grep -q -- "$message" said || { cat said; return 1; }
        [ "$(cat topics)" = old ]
    }
    printf 'ship ocean\nbread stove\n' >two.txt
    refused 2 'only 2 documents have known words' learn model two.txt --topics 5 -o topics
    printf 'zzz\n\nqqq\n' >unknown.txt
    refused 3 'fewer than 2 of the model' learn model unknown.txt --topics 2 -o topics
    : >empty.txt
    refused 3 'empty\|fewer than 2' learn model empty.txt --topics 2 -o topics
    refused 2 'topics' learn model documents.txt --topics 0 -o topics
    refused 4 'is not a topics file' show model
    printf 'no file' >text
    refused 4 'safetensors' show text
    "$PSDVEC" train documents.txt --min-count 1 --dim 8 -q -o other
    "$PSDVEC" convert other vectors.txt -q
    refused 4 'word frequencies' learn vectors.txt documents.txt --topics 2 --base model -o topics
    "$PSDVEC" topics learn vectors.txt documents.txt --topics 2 -q -o fine
    "$PSDVEC" topics show fine | grep -q '^2 topics'
    refused 2 'the file has 2 topics' show fine --topic 3
}

@test "a damaged topics file is refused" {
    make_documents
    learn -q -o topics
    head -c 3000 topics >short
    ! "$PSDVEC" topics show short 2>said
    grep -q 'short' said
    size=$(stat -c %s topics)
    cp topics changed
    printf '\377' | dd of=changed bs=1 seek=$((size - 100)) conv=notrunc status=none
    ! "$PSDVEC" topics show changed --verify 2>said
    grep -q 'checksum\|damaged' said
}

@test "documents that do not fit the memory go to a temporary file" {
    [ -z "${SANITIZE:-}" ] || skip "needs a memory limit"
    make_documents
    learn -q -o topics
    for _ in $(seq 60); do cat documents.txt; done >many.txt
    "$PSDVEC" topics apply topics many.txt --format tsv --memory 16M -o small
    "$PSDVEC" topics apply topics many.txt --format tsv --memory 1G -o large
    cmp small large
    "$PSDVEC" topics learn model many.txt --topics 2 --iterations 2 --memory 24M -q -o small
    "$PSDVEC" topics learn model many.txt --topics 2 --iterations 2 --memory 1G -q -o large
    cmp small large
}

@test "one document of each kind: empty, of one word, and very long" {
    make_documents
    { cat documents.txt; echo; echo ship; awk 'BEGIN { for (k = 0; k < 300000; k++) printf "bread stove "; print "" }'; } >more.txt
    "$PSDVEC" topics learn model more.txt --topics 3 -q -o topics
    "$PSDVEC" topics show topics --documents 1 --format json >shown
    python3 -c 'import json; t = json.load(open("shown")); assert t["documents_count"] == 603, t'
}
