# --format: every command that shows results has the same information in all four formats.
load common
bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    PSDVEC=${PSDVEC:?}
    for _ in 1 2 3 4 5 6; do
        printf 'the king rules the land and the queen rules the court\n'
        printf 'a dog barks at night and a cat sleeps by day\n'
        printf 'the old king and the young queen walk by day\n'
    done >text.txt
    printf 'the queen rules the dog\nunseen words and the king\n' >held.txt
    printf 'king queen 9\ndog cat 8\nking cat 2\nday night 7\n' >pairs.txt
    "$PSDVEC" count text.txt -o text.counts --min-count 1 -q
    "$PSDVEC" train text.counts -o text.model --dim 4 -q
    "$PSDVEC" baseline svd text.counts -o svd.model --dim 4 -q
    "$PSDVEC" baseline ppmi text.counts -o ppmi.model -q
    "$PSDVEC" topics learn text.model text.txt --topics 2 -o text.topics -q
}

setup() {
    common_setup
    cp "$BATS_FILE_TMPDIR"/* .
}

# One line per command: its name, "rows" or "facts" for the kind of its TSV, and its arguments.
cases() {
    cat <<'END'
similar|rows|similar text.model king dog --top 3
similar-sum|rows|similar text.model king -dog +cat --top 3
analogy|rows|analogy text.model king queen dog --top 3
odd-one-out|rows|odd-one-out text.model king queen dog
vector|rows|vector text.model king dog
ask|rows|ask text.model --top 3
vector-sparse|rows|vector ppmi.model king
compare|facts|compare text.model king queen
compare-counts|facts|compare text.model king queen --counts text.counts
compare-sparse|facts|compare ppmi.model king queen
counts-show|rows|counts show text.counts king dog --min-count 1
counts-info|facts|counts info text.counts
counts-dump|rows|counts dump text.counts --top 5
info|facts|info text.model --verify
info-sparse|facts|info ppmi.model
eval|rows|eval text.model pairs.txt --resamples 10
eval-several|rows|eval text.model svd.model pairs.txt --resamples 10
score|rows|score text.model held.txt
score-several|rows|score text.model other.model held.txt
score-words|rows|score text.model held.txt --per-word
next|rows|next text.model the king --top 3
explain|rows|explain text.model the queen rules xyzzy
explain-counts|rows|explain text.model the queen rules --counts text.counts
residuals|rows|residuals text.model text.counts --min-count 1 --top 4
interaction|rows|interaction text.txt -M text.model --min-count 1 --top 3
topics-show|rows|topics show text.topics
topics-groups|rows|topics show text.topics --groups 2 --model text.model
topics-one|rows|topics show text.topics --topic 1 --documents 2
topics-apply|rows|topics apply text.topics held.txt
topics-compare|rows|topics compare text.topics held.txt
fit-temperature|facts|fit-temperature text.model held.txt
table|rows|table text.txt --methods psd,svd --dim 4 --min-count 1 --sets pairs.txt --resamples 10 -o out
END
}

@test "every command that takes --format is tested here, and has all four formats" {
    cases | awk -F'|' '{ print $3 }' >called
    mkdir man
    "$PSDVEC" internal-man man
    grep -l 'values with a header line' man/psdvec-* >with
    [ "$(wc -l <with)" -ge 17 ]
    while read -r page; do
        name=$(basename "$page" .1)
        name=${name#psdvec-}
        name=${name/counts-/counts }
        grep -qE "^${name/topics-/topics } " called
        grep -q 'table|tsv|json|markdown' "$page"
    done <with
}

@test "TSV has a header and equal numbers of fields, JSON is valid, Markdown tables are complete" {
    command -v python3 >/dev/null || skip "no python3"
    cp text.model other.model
    cases >all
    while IFS='|' read -r name kind line <&3; do
        echo "$name: $line"
        for format in table tsv json markdown; do
            # shellcheck disable=SC2086
            "$PSDVEC" $line --format $format -q >"$name.$format" 2>/dev/null <<<king # a line of ask
            [ -s "$name.$format" ]
        done
        python3 - "$name" "$kind" <<'END'
import json, sys
name, kind = sys.argv[1:]
def text(format):
    return open(f"{name}.{format}", encoding="utf-8").read()
lines = [line.split("\t") for line in text("tsv").splitlines()]
assert len(lines) > 1 and len({len(line) for line in lines}) == 1, lines[:3]
header = lines[0]
assert len(set(header)) == len(header) and all(header), header
if kind == "facts":
    assert header == ["name", "value"], header
documents = [json.loads(line) for line in text("json").splitlines()]
assert documents and all(isinstance(d, dict) for d in documents)
width = None
tables = 0
for line in text("markdown").splitlines():
    if not line.startswith("|"):
        width = None
        continue
    cells = line.replace("\\|", "").count("|")
    tables += width is None
    assert width in (None, cells), line
    width = cells
assert tables > 0

# The numbers and words of the TSV are in the JSON.
def flat(value, path):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flat(inner, path + [key])
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield from flat(inner, path + [str(k + 1)])
    else:
        yield path, value
facts = [f for d in documents for f in flat(d, [])]
if kind == "facts":
    named = {".".join(path): value for path, value in facts}
    for key, value in lines[1:]:
        if key == "seconds": # of another run
            continue
        if key not in named: # a list remains a list in TSV
            assert key + ".1" in named or value == "[]", key
            continue
        wanted = named[key]
        if isinstance(wanted, float):
            assert abs(float(value) - wanted) <= 1e-9 * abs(wanted), (key, value, wanted)
        else:
            shown = {True: "true", False: "false", None: ""}.get(wanted, wanted) if not isinstance(wanted, int) or isinstance(wanted, bool) else wanted
            assert value == str(shown).replace("\\", "\\\\"), (key, value, wanted)
    missing = {p for p in named if p not in {key for key, _ in lines[1:]}}
    assert all(any(p.startswith(key + ".") for key, _ in lines[1:]) for p in missing), missing
else:
    words = {str(value) for _, value in facts}
    numbers = [float(value) for _, value in facts if isinstance(value, (int, float))]
    for line in lines[1:]:
        for key, value in zip(header, line):
            if key in ("question", "method", "side", "document", "place", "model") or value in ("", "true", "false") or value[0] == "[":
                continue
            try:
                number = float(value)
            except ValueError:
                assert value in words, (key, value)
                continue
            assert value in words or any(abs(number - n) <= 1e-5 * max(1, abs(n)) for n in numbers), (key, value)
END
    done 3<all
}

@test "Markdown has everything that a table has" {
    cp text.model other.model
    for line in "similar text.model king --top 3" "compare text.model king queen" "info text.model" "counts info text.counts" \
        "residuals text.model text.counts --min-count 1 --top 4" "score text.model held.txt" "explain text.model the queen rules" \
        "next text.model the king --top 3"; do
        # shellcheck disable=SC2086
        "$PSDVEC" $line >screen
        # shellcheck disable=SC2086
        "$PSDVEC" $line --format markdown >page
        # Every number with a decimal point, and every long word.
        grep -oE '[0-9]+\.[0-9]+|[a-z]{5,}' screen | sort -u >facts
        [ "$(wc -l <facts)" -gt 2 ]
        while read -r fact; do
            grep -qF -- "$fact" page || { echo "$line: $fact"; false; }
        done <facts
    done
}

@test "--json and --tsv are short for --format, and jsonl is json" {
    "$PSDVEC" similar text.model king --format json >json
    "$PSDVEC" similar text.model king --json | cmp json -
    "$PSDVEC" similar text.model king --format jsonl | cmp json -
    "$PSDVEC" similar text.model king --json --format=json | cmp json -
    "$PSDVEC" similar text.model king --format tsv >tsv
    "$PSDVEC" similar text.model king --tsv | cmp tsv -
    refused 2 "--json and --tsv cannot be combined" similar text.model king --json --tsv
    refused 2 "--format markdown and --tsv cannot be combined" similar text.model king --format markdown --tsv
    refused 2 "--format must be table, tsv, json or markdown, not 'html'" similar text.model king --format html
    # Commands whose --format applies to files have no short forms.
    refused 2 "there is no option --json" convert text.model out.vec --json
}

@test "in TSV, tabs, line ends and backslashes in words are escaped" {
    printf '3 2\na\\b 1 0\nplain 1 0.5\nother 0 1\n' >odd.vec
    [ "$("$PSDVEC" similar odd.vec plain --tsv --top 1 | rows | cut -f 2)" = 'a\\b' ]
    printf 'a\\\\b\n' >escaped
    "$PSDVEC" similar odd.vec plain --tsv --top 1 | rows | cut -f 2 | cmp - escaped
    # No part of a word is interpreted as markup.
    printf '2 2\na|b*c 1 0\nplain 1 0.5\n' >odd.vec
    "$PSDVEC" similar odd.vec plain --format markdown | grep -qF '| a\|b\*c | 0.8944 |'
}

@test "colours only in tables" {
    for format in tsv json markdown; do
        "$PSDVEC" eval text.model svd.model pairs.txt --resamples 10 --color always --format $format >out
        run ! grep -q "$(printf '\033')" out
    done
    "$PSDVEC" eval text.model svd.model pairs.txt --resamples 10 --color always | grep -q "$(printf '\033')"
}

@test "Markdown shows words that look like markup literally" {
    common_setup
    for _ in $(seq 30); do echo 'a &amp; <b>x</b> c_d e f'; done >markup.txt
    "$PSDVEC" train markup.txt --tokenizer whitespace --min-count 1 --dim 2 -q -o markup.safetensors 2>/dev/null
    "$PSDVEC" similar markup.safetensors a --top 10 --format markdown >answer
    grep -qF '| \&amp; |' answer
    grep -qF '| \<b>x\</b> |' answer
    grep -qF '| c\_d |' answer
}
