# psdvec eval, end to end: classification of files, scores known by hand, every output format.
bats_require_minimum_version 1.5.0
load common

setup() { common_setup; }

# Vectors with obvious cosines: of a with b 0.71, with c 0, with d -1. The royal family answers the
# analogy, zebra does not.
small_files() {
    cat >small.vec <<END
10 4
a 1 0 0 0
b 1 1 0 0
c 0 1 0 0
d -1 0 0 0
man 1 0 0 0.5
woman 0 1 0 0.5
king 1 0 1 0.5
queen 0 1 1 0.5
zebra 0 0 -1 1
apple 0 0 -1 0.75
END
    # The same except that b and d are exchanged.
    sed -e 's/^b .*/b -1 0 0 0/' -e 's/^d .*/d 1 1 0 0/' small.vec >other.vec
    printf 'a\tb\t9\na\tc\t5\na\td\t1\na\tyeti\t7\n' >pairs.txt
    printf ': family\nman king woman queen\nMan King Woman Queen\n: gram1\nman king woman zebra\nman king woman yeti\n' \
        >analogies.txt
    printf 'zebra | apple | king | man\nking | zebra | man | woman\n' >choices.txt
    printf 'a letter\nb letter\nzebra thing\napple thing\n' >groups.txt
}

# score SET SECTION MEASURE [ARGUMENT]...: "score known/total" of small.vec.
score() {
    local set=$1 section=$2 measure=$3
    shift 3
    "$PSDVEC" eval small.vec "$set.txt" --resamples 0 --format tsv "$@" |
        awk -F'\t' -v set="$set" -v section="$section" -v measure="$measure" \
            '$1 == set && $2 == section && $3 == measure { print $5, $8 "/" $9 }'
}

python_with() {
    for python in python3 /usr/bin/python3; do
        if "$python" -c "import $1" 2>/dev/null; then
            echo "$python"
            return 0
        fi
    done
    return 1
}

# ---- Scores --------------------------------------------------------------------------------

@test "scores agree with those computed by hand" {
    small_files
    [ "$(score pairs '' spearman)" = "1.000000 3/4" ]
    [ "$(score analogies '' 3cosadd)" = "0.666667 3/4" ]
    # 3CosMul prefers d, the opposite of man: (0.33 * 1) / 0.11 against queen's (1.56 * 1.75) / 1.15.
    [ "$(score analogies '' 3cosmul)" = "0.000000 3/4" ]
    [ "$(score choices '' accuracy)" = "0.500000 2/2" ]
    [ "$(score groups '' purity)" = "1.000000 4/4" ]
}

@test "sections, and the semantic and the syntactic part" {
    small_files
    [ "$(score analogies family 3cosadd)" = "1.000000 2/2" ]
    [ "$(score analogies gram1 3cosadd)" = "0.000000 1/2" ]
    [ "$(score analogies semantic 3cosadd)" = "1.000000 2/2" ]
    [ "$(score analogies syntactic 3cosmul)" = "0.000000 1/2" ]
    [ "$(score analogies syntactic 3cosadd --unknown zero)" = "0.000000 1/2" ]
    # Both kinds of names are required.
    sed -i 's/gram1/verbs/' analogies.txt
    [ -z "$(score analogies syntactic 3cosadd)" ]
}

@test "unknown words: skipped, zero, the mean, the spelling" {
    small_files
    # Ranks 4 2 1 3 with 4 2.5 1 2.5: 4.5 / sqrt(5 * 4.5).
    [ "$(score pairs '' spearman --unknown zero)" = "0.948683 3/4" ]
    [ "$(score analogies '' 3cosadd --unknown zero)" = "0.500000 3/4" ]
    # The mean is nearer to a than c is, and further than b: 0.24, and 7 is between 5 and 9.
    [ "$(score pairs '' spearman --unknown mean)" = "1.000000 3/4" ]
    # These vectors have no spelling vectors.
    [ "$(score pairs '' spearman --unknown spelling)" = "1.000000 3/4" ]
}

@test "words are looked up as written, then with other capitalisation, unless --keep-case" {
    small_files
    [ "$(score analogies family 3cosadd)" = "1.000000 2/2" ]
    [ "$(score analogies family 3cosadd --keep-case)" = "1.000000 1/2" ]
}

@test "--restrict: answers from the first words, others count as unknown" {
    small_files
    [ "$(score analogies '' 3cosadd --restrict 8)" = "1.000000 2/4" ]
    [ "$(score analogies '' 3cosadd --restrict all)" = "0.666667 3/4" ]
    [ "$(score pairs '' spearman --restrict 2)" = "1.000000 3/4" ]
}

@test "the two halves make up the complete set" {
    small_files
    first=$(score pairs '' spearman --half first)
    second=$(score pairs '' spearman --half second)
    both=$((${first##*/} + ${second##*/}))
    [ "$both" -eq 4 ]
}

@test "--common: only questions whose words are in every model" {
    small_files
    grep -v '^d ' other.vec | sed '1s/10/9/' >fewer.vec
    "$PSDVEC" eval small.vec fewer.vec pairs.txt --resamples 0 --common --format tsv | cut -f4,8 >printed
    diff -u printed - <<END
model	known
small	2
fewer	2
END
}

@test "scores agree with gensim's" {
    # Made by: tests/cli/eval/figures.py make . 40 10 1; figures.py gensim . >figures.tsv
    "$PSDVEC" convert "$HERE/eval/vectors.vec" -o vectors.safetensors -q
    for unknown in drop zero; do
        for restrict in 0 160; do
            "$PSDVEC" eval vectors.safetensors "$HERE/eval/similarity.txt" "$HERE/eval/analogies.txt" \
                --unknown $unknown --restrict $restrict --resamples 0 --format tsv |
                awk -F'\t' -v OFS='\t' -v unknown=$unknown -v restrict=$restrict \
                    '{ print unknown, restrict, $1, $2, $3, $5 }'
        done
    done >printed
    awk -F'\t' '
        { key = $1 FS $2 FS $3 FS $4 FS $5 }
        NR == FNR { ours[key] = $6; next }
        !(key in ours) || ours[key] - $6 > 5e-5 || $6 - ours[key] > 5e-5 {
            print key, "gensim", $6, "psdvec", ours[key]
            bad = 1
        }
        { lines++ }
        END { exit bad || lines < 40 }' printed "$HERE/eval/figures.tsv"
}

@test "a model and its conversions have the same scores" {
    small_files
    for name in small.safetensors small.bin small.npy small.glove; do
        "$PSDVEC" convert small.vec -o "$name" -q
    done
    "$PSDVEC" eval small.vec ./*s.txt --format tsv | cut -f1-3,5- >wanted
    for name in small.safetensors small.bin small.npy small.glove; do
        "$PSDVEC" eval "$name" ./*s.txt --format tsv | cut -f1-3,5- | diff -u wanted -
    done
}

@test "the same bytes for any number of threads, other intervals for another seed" {
    for threads in 1 3; do
        "$PSDVEC" eval "$HERE"/eval/{vectors.vec,similarity.txt,analogies.txt} --threads $threads --format json >$threads.json
    done
    cmp 1.json 3.json
    "$PSDVEC" eval "$HERE"/eval/{vectors.vec,similarity.txt} --seed 1 --resamples 200 --format tsv >a
    "$PSDVEC" eval "$HERE"/eval/{vectors.vec,similarity.txt} --seed 2 --resamples 200 --format tsv >b
    [ "$(cut -f5 a)" = "$(cut -f5 b)" ]
    [ "$(cut -f6 a)" != "$(cut -f6 b)" ]
}

# ---- Types of files --------------------------------------------------------------------------

# kinds FILE...: the names of the models, then those of the sets.
kinds() {
    "$PSDVEC" eval "$@" --resamples 0 --format tsv >kinds.tsv
    tail -n +2 kinds.tsv | cut -f4 | awk '!seen[$0]++' | paste -sd' '
    tail -n +2 kinds.tsv | cut -f1 | awk '!seen[$0]++' | paste -sd' '
}

@test "models and sets may come in any order" {
    small_files
    [ "$(kinds pairs.txt small.vec choices.txt other.vec)" = "$(printf 'small other\npairs choices')" ]
}

@test "without a set, the built-in ones are used; with --builtin, besides" {
    small_files
    "$PSDVEC" eval small.vec --resamples 0 --format tsv | tail -n +2 | cut -f1 | sort -u >alone
    "$PSDVEC" eval small.vec pairs.txt --builtin --resamples 0 --format tsv | tail -n +2 | cut -f1 | sort -u >besides
    [ "$(wc -l <alone)" -ge 4 ]
    diff -u <(sort -u alone <(echo pairs)) besides
}

@test "a word with two numbers is a GloVe model, with one number a set" {
    printf 'king 0.1 -2e-3\nqueen 0.2 .5\nman 1 1\n' >two.txt
    printf 'king queen 5\nking man 3\nqueen man 1\n' >s.txt
    [ "$(kinds two.txt s.txt)" = "$(printf 'two\ns')" ]
    printf 'king 1\nqueen 1\nman 2\n' >one.txt
    [ "$(kinds two.txt one.txt)" = "$(printf 'two\none')" ]
    printf 'king 1\nqueen -1\nman 2\n' >one.txt
    [ "$(kinds --model one.txt s.txt)" = "$(printf 'one\ns')" ]
}

@test "a set with many ratings, with a header or with commas is a set" {
    small_files
    printf 'word1 word2 mean r1 r2\na b 9 8 10\na c 5 5 5\na d 1 1 1\n' >ratings.txt
    printf 'Word 1,Word 2,Human (mean)\na,b,9\na,c,5\na,d,1\n' >commas.csv
    [ "$(kinds small.vec ratings.txt commas.csv)" = "$(printf 'small\nratings commas')" ]
    [ "$(score ratings '' spearman)" = "1.000000 3/3" ]
}

@test "each file of a folder is a set; other files are reported" {
    small_files
    mkdir -p both/deep
    cp pairs.txt analogies.txt both
    printf 'a\tb\t1\na\tc\t5\na\td\t9\n' >both/deep/against.csv
    cp pairs.txt both/.hidden.txt
    printf 'These are lines\nof prose, and of no set\nwhatever.\n' >both/notes.txt
    cp pairs.txt both/README
    cp small.vec both/
    "$PSDVEC" eval small.vec both/ --resamples 0 --format tsv >printed 2>said
    cut -f1,2,3,5 printed | grep -v 3cos | diff -u - <(printf 'set\tsection\tmeasure\tscore\n'
        printf 'against\t\tspearman\t-1.000000\npairs\t\tspearman\t1.000000\n')
    grep -q '^analogies	family	' printed
    grep -Fxq 'psdvec eval: warning: both/: skipped, because they are not test sets: small.vec, notes.txt' said
}

@test "a folder of word pairs is one set with sections" {
    small_files
    mkdir both
    printf 'man king\nwoman queen\n' >both/royal.txt
    printf 'a b\nc d\n' >both/letters.txt
    "$PSDVEC" eval small.vec both/ --resamples 0 --format tsv | cut -f1,2 | uniq >printed
    diff -u printed - <<END
set	section
both	
both	letters
both	royal
END
}

@test "a folder without sets is refused" {
    small_files
    mkdir none
    refused 3 "none: the folder contains no test sets" eval small.vec none
}

@test "a model with capitals is scored on sets in lower case, and the reverse" {
    printf '6 2\nRome 1 0\nItaly 0 1\nUSA 1 1\nNew_York 1 2\nturkey 2 1\nTurkey 1 3\n' >capitals.vec
    printf 'rome italy 1\nrome usa 2\nnew_york usa 3\nturkey Turkey 4\n' >lower.txt
    "$PSDVEC" eval capitals.vec lower.txt --resamples 0 --tsv | cut -f8,9 >printed
    [ "$(tail -n 1 printed)" = "4	4" ]
    "$PSDVEC" eval capitals.vec lower.txt --keep-case --resamples 0 --tsv | cut -f8,9 >printed
    [ "$(tail -n 1 printed)" = "1	4" ]
    # A psdvec model, trained with --case keep on a text in which names have capitals.
    for k in 1 2 3 4 5 6; do
        echo "Rome is the capital of Italy and Paris that of France but Oslo that of Norway"
    done >named.txt
    "$PSDVEC" train named.txt --case keep --dim 3 --min-count 1 -q -o named.safetensors
    printf 'rome italy paris france\nrome italy oslo norway\nparis france oslo norway\n' >world.txt
    "$PSDVEC" eval named.safetensors world.txt --resamples 0 --tsv | cut -f3,8,9 >printed
    grep -Fxq '3cosadd	3	3' printed
}

@test "--model and --set determine the type of a file" {
    small_files
    cp small.vec odd.txt
    refused 3 "odd.txt: line" eval small.vec --set odd.txt
    refused 4 "choices.txt: has no vectors" eval --model choices.txt --set pairs.txt
    [ "$(kinds --set pairs.txt --model small.vec --model other.vec)" = "$(printf 'small other\npairs')" ]
}

@test "a large model is not read as a set" {
    # A first line that announces vectors, followed by nothing: the reader of vectors reports it.
    printf '31452 300\n' >cut.vec
    small_files
    refused 3 "cut.vec: line 1 declares 31452 words" eval cut.vec pairs.txt
}

@test "errors have a message" {
    small_files
    refused 2 "give a model" eval
    refused 2 "give a model: pairs.txt does not look like vectors; if it is a model, give it with --model" \
        eval pairs.txt choices.txt
    refused 3 "cannot read nosuch.vec: No such file or directory" eval nosuch.vec pairs.txt
    refused 3 "nosuch.txt" eval small.vec --set nosuch.txt
    refused 3 "nosuch.vec" eval --model nosuch.vec pairs.txt
    printf 'It was a dark night.\n\nAnd it rained all the time, but nobody minded very much\nat all.\n' >prose.txt
    refused 4 "prose.txt: the format of the test set is not recognised" eval small.vec prose.txt
    grep -q 'it does not look like vectors either; if it is a model, give it with --model' stderr
    gzip -k pairs.txt
    refused 4 "pairs.txt.gz: is compressed with gzip; decompress it first" eval small.vec pairs.txt.gz
    printf 'a b 1\na c x\na d 2\n' >bad.txt
    refused 3 "bad.txt: line 2" eval small.vec bad.txt
    : >empty.txt
    refused 3 "empty.txt" eval small.vec empty.txt
    refused 2 "--unknown must be drop, zero, mean or spelling, not 'guess'" eval small.vec --unknown guess
    refused 2 "--half must be both, first or second" eval small.vec --half third
    refused 2 "--confidence" eval small.vec --confidence 1.5
    refused 2 "--resamples" eval small.vec --resamples -1
    refused 2 "--format must be table, tsv, json or markdown" eval small.vec --format html
}

@test "the output is not one of the inputs" {
    small_files
    refused 5 "pairs.txt: is both input and output" eval small.vec pairs.txt -o pairs.txt
    refused 5 "pairs.txt: is both input and output" eval small.vec --set pairs.txt -o pairs.txt
    refused 5 "small.vec: is both input and output" eval --model small.vec -o small.vec
}

@test "Ctrl-C ends it at once and keeps an old output" {
    awk 'BEGIN { srand(1); print 20000, 200; for (i = 0; i < 20000; i++) { printf "w%d", i; for (k = 0; k < 200; k++) printf " %.2f", rand() - 0.5; print "" } }' >large.vec
    awk 'BEGIN { srand(2); for (i = 0; i < 40000; i++) print "w" int(rand() * 20000), "w" int(rand() * 20000), "w" int(rand() * 20000), "w" int(rand() * 20000) }' >many.txt
    echo old >scores
    began=$(date +%s)
    ended=0
    timeout --foreground --preserve-status -k 30 -s INT 2 "$PSDVEC" eval large.vec many.txt -o scores 2>stderr || ended=$?
    [ "$ended" -eq 130 ]
    [ $(($(date +%s) - began)) -le 6 ]
    [ "$(cat scores)" = old ]
    [ "$(ls)" = "$(printf 'large.vec\nmany.txt\nscores\nstderr')" ]
}

# ---- Output formats ------------------------------------------------------------------------

@test "the table of one model" {
    small_files
    "$PSDVEC" eval small.vec ./*s.txt --resamples 0 | golden eval-one
    "$PSDVEC" eval small.vec ./*s.txt --resamples 0 --sections --unknown zero --keep-case --restrict 9 --half first >printed
    for sentence in "counts as similarity 0, or as answered wrongly" "as written, and compared" \
        "from the first 9 words" "the first half"; do
        tr '\n' ' ' <printed | grep -qF "$sentence"
    done
    grep -q '^  gram1' printed
}

@test "the table of several models" {
    small_files
    "$PSDVEC" eval small.vec other.vec ./*s.txt --resamples 0 --sections | golden eval-several
}

@test "the best model is marked, and so are significantly worse ones" {
    # Vectors of the fixture, and the same with the components in another order for each word.
    awk 'NR == 1 { print; next } { line = $1; for (k = 0; k < NF - 1; k++) line = line " " $(2 + (k + NR) % (NF - 1)); print line }' \
        "$HERE/eval/vectors.vec" >shuffled.vec
    "$PSDVEC" eval "$HERE/eval/vectors.vec" shuffled.vec "$HERE/eval/vectors.vec" "$HERE/eval/similarity.txt" >printed
    grep -q '^similarity  *Spearman  *0.678▲  *[0-9]*%  *-*0.[0-9]*▼  *[0-9]*%  *0.678▲' printed
    LC_ALL=en_US.ISO-8859-1 "$PSDVEC" eval "$HERE/eval/vectors.vec" shuffled.vec "$HERE/eval/similarity.txt" >plain
    grep -q '0.678' plain
    "$PSDVEC" eval "$HERE/eval/vectors.vec" shuffled.vec "$HERE/eval/similarity.txt" --color always |
        grep -q $'\033\\[1m0.678\033\\[0m'
}

@test "every table fits 80 columns, for any names and any number of models" {
    small_files
    mkdir -p a-folder-with-a-long-name
    for k in 1 2 3 4 5 6 7; do
        cp small.vec "a-folder-with-a-long-name/vectors-of-some-kind-number-$k-of-seven.vec"
    done
    cp analogies.txt a-set-with-quite-a-long-name-of-analogies.txt
    "$PSDVEC" eval small.vec ./*s.txt --sections >one
    [ "$(wc -L <one)" -le 80 ]
    "$PSDVEC" eval a-folder*/*.vec ./*s.txt --sections --resamples 0 >seven
    sed '1,/^$/d' seven >tables # the legend has paths in full
    [ "$(wc -L <tables)" -le 80 ]
    [ "$(grep -c '^set ' tables)" -gt 1 ]
    grep -q '^vectors-of-some-kind-number-1-of-seven  a-folder-with-a-long-name/vectors-of-some-kind-number-1-of-seven.vec  10 words' seven
    grep -q '^A is vectors-of-some-kind-number-1-of-seven$' tables
    grep -q 'is a-set-with-quite-a-long-name-of-analogies$' tables
}

@test "models with the same name are shown by their paths" {
    small_files
    mkdir x y
    cp small.vec x/m.vec
    cp small.vec y/m.vec
    [ "$(kinds x/m.vec y/m.vec x/m.vec pairs.txt)" = "$(printf 'x/m.vec y/m.vec x/m.vec (2)\npairs')" ]
}

@test "control characters in names do not reach the terminal" {
    small_files
    cp small.vec $'evil\033[31m.vec'
    cp pairs.txt $'set\033]0;x\a.txt'
    for format in table markdown tsv json; do
        "$PSDVEC" eval evil* set* small.vec --format $format >printed
        ! grep -q $'\033\\|\a' printed
    done
}

@test "JSON has everything that the table has, and how to repeat it" {
    python=$(python_with json) || skip "no python3"
    small_files
    "$PSDVEC" eval small.vec other.vec ./*s.txt --format json --seed 5 --resamples 100 >report.json
    "$PSDVEC" eval small.vec other.vec ./*s.txt --format tsv --seed 5 --resamples 100 >report.tsv
    "$python" - <<'END'
import json
r = json.load(open("report.json"))
assert list(r) == ["version", "options", "models", "sets", "scores", "differences"], list(r)
assert r["options"] == {"unknown": "drop", "keep_case": False, "restrict": 0, "common": False, "half": "both",
                        "resamples": 100, "confidence": 0.95, "seed": 5}, r["options"]
assert [(m["name"], m["file"], m["words"], m["dim"], m["native"], m["vectors"]) for m in r["models"]] == [
    ("small", "small.vec", 10, 4, False, "file"), ("other", "other.vec", 10, 4, False, "file")], r["models"]
assert [(s["name"], s["kind"], s["questions"], s["builtin"]) for s in r["sets"]] == [
    ("analogies", "analogy", 4, False), ("choices", "choice", 2, False), ("groups", "categories", 4, False),
    ("pairs", "similarity", 4, False)], r["sets"]
assert r["sets"][0]["sections"] == ["family", "gram1"]
lines = [l.rstrip("\n").split("\t") for l in open("report.tsv")]
assert len(lines) == len(r["scores"]) + 1
for s, line in zip(r["scores"], lines[1:]):
    number = lambda x: "" if x is None else "%.6f" % x
    assert line == [s["set"], s["section"] or "", s["measure"], s["model"], number(s["score"]), number(s["low"]),
                    number(s["high"]), str(s["known"]), str(s["total"])], (s, line)
pairs = [d for d in r["differences"] if d["set"] == "pairs"]
assert len(pairs) == 1 and pairs[0]["first"] == "small" and pairs[0]["second"] == "other", pairs
assert abs(pairs[0]["difference"] - 2) < 1e-12 and pairs[0]["questions"] == 3, pairs
assert {d["measure"] for d in r["differences"]} == {"spearman", "3cosadd", "3cosmul", "accuracy", "purity"}
END
}

@test "a Markdown table has as many columns as its header" {
    small_files
    "$PSDVEC" eval small.vec other.vec ./*s.txt --resamples 0 --format markdown >two.md
    "$PSDVEC" eval small.vec ./*s.txt --format markdown --sections >one.md
    for page in one.md two.md; do
        awk -F'|' '/^[|]/ { if (n && NF != n) exit 1; n = NF; next } { n = 0 }' $page
    done
    grep -q '^| pairs | Spearman | \*\*1.000\*\*▲  75% | -1.000   75% |$' two.md
    grep -q '^|   family | 3CosAdd | 1.000 | ' one.md
}

@test "-o writes the report to a file, with colours only if requested" {
    small_files
    "$PSDVEC" eval small.vec pairs.txt --resamples 0 >printed
    "$PSDVEC" eval small.vec pairs.txt --resamples 0 -o report
    cmp printed report
    ! grep -q $'\033' printed
    TERM=xterm "$PSDVEC" eval small.vec pairs.txt --resamples 0 --color always | grep -q $'\033\\[1m1.000'
}
