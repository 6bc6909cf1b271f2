# psdvec interaction, end to end.
bats_require_minimum_version 1.5.0
load common

setup() { common_setup; }

# A model of a few words, and a text in which z follows x and y if exactly one of them has a bar.
small_case() {
    printf '6 1\nx 1\nxx 2\ny 3\nyy 4\nz 5\nzz 6\n' >words.vec
    "$PSDVEC" convert words.vec -o words.safetensors -q
    for _ in 1 2 3 4 5; do
        printf 'x y z\nxx y zz\nx yy zz\nxx yy z\n'
    done >parity.txt
}

@test "words that determine a third only together show an interaction" {
    small_case
    "$PSDVEC" interaction parity.txt -M words.safetensors x y z X yy z >out
    diff -u - out <<'END'
a b c                    count    c;a    c;b  c;a,b    rdn    syn interaction
x y z                        5   0.00   0.00   0.69   0.00   0.69  0.69 ±0.39
x yy z                       0   0.00   0.00          0.00        never occurs

60 known words, window 5: 20 positions of three words
END
}

@test "without words, the most frequent triples and a summary of all" {
    small_case
    "$PSDVEC" interaction parity.txt -M words.safetensors --min-count 5 --top 2 >out
    diff -u - out <<'END'
a b c                    count    c;a    c;b  c;a,b    rdn    syn interaction
x y z                        5   0.00   0.00   0.69   0.00   0.69  0.69 ±0.39
x yy zz                      5   0.00   0.00   0.69   0.00   0.69  0.69 ±0.39

60 known words, window 5: 20 positions of three words
4 triples occur 5 times or more, at 100.0 % of the positions

Interaction of the triples, which the model assumes to be 0:
  mean                  0.693
  mean absolute         0.693
  within 0.5 of 0       0.0 %
  quantiles        0.69 (5 %) 0.69 (25 %) 0.69 (50 %) 0.69 (75 %) 0.69 (95 %)

For comparison, the sum PMI(c;a) + PMI(c;b):
  mean absolute         0.000

Average information of a and b about c:
  I(c;a)                0.000
  I(c;b)                0.000
  I(c;a,b)              0.693
  Rdn(c;a,b)            0.000   given by each of them (redundant)
  Syn(c;a,b)            0.693   given only by both together (synergistic)
  Int(a,b,c)            0.693   Syn - Rdn
END
}

@test "a text without frequent triples gives advice" {
    small_case
    "$PSDVEC" interaction parity.txt -M words.safetensors >out
    grep -qF 'No triple occurs 10 times; use a lower --min-count.' out
}

@test "a pipe gives the same result as a file, and as two" {
    small_case
    "$PSDVEC" interaction parity.txt -M words.safetensors --min-count 1 --tsv | rows >wanted
    "$PSDVEC" interaction - -M words.safetensors --min-count 1 --tsv <parity.txt | rows >got
    cmp wanted got
    head -n 7 parity.txt >one.txt
    tail -n +8 parity.txt >two.txt
    "$PSDVEC" interaction one.txt two.txt -M words.safetensors --min-count 1 --tsv | rows >got
    cmp wanted got
    [ "$(wc -l <got)" -eq 4 ]
    [ "$(awk -F'\t' '{ print NF }' got | sort -u)" -eq 15 ]
    "$PSDVEC" interaction parity.txt -M words.safetensors --tsv x yy z | rows | grep -q "$(printf '\t\t0.000000\t$')"
}

@test "--json is one object, with null for triples that never occur" {
    small_case
    command -v python3 >/dev/null || skip "no python3"
    "$PSDVEC" interaction parity.txt -M words.safetensors --json --min-count 1 --window 2 >out
    python3 - <<'END'
import json, math
o = json.load(open("out"))
assert o["window"] == 2 and o["places"] == 20 and o["known"] == o["tokens"] == 60, o
assert len(o["triples"]) == 4 and o["all"]["occurrences"] == 20
for t in o["triples"]:
    assert t["count"] == t["pairs"][0] == 5 and t["singles"] == [10, 10, 10], t
    assert abs(t["interaction"] - math.log(2)) < 1e-6, t
    assert t["redundant"] == 0 and t["synergistic"] == t["interaction"], t
all = o["all"]
assert abs(all["q50"] - math.log(2)) < 1e-6, all
assert all["information_ac"] == all["information_bc"] == all["redundant"] == 0, all
assert all["interaction"] == all["synergistic"] == all["information_abc"] == all["mean"], all
END
    "$PSDVEC" interaction parity.txt -M words.safetensors --json x yy z |
        python3 -c 'import json, sys; o = json.load(sys.stdin); assert o["triples"][0]["interaction"] is None and "all" not in o'
}

@test "words may have names of files, after --" {
    small_case
    cp parity.txt x
    refused 2 "words must come in threes" interaction parity.txt -M words.safetensors x y z
    "$PSDVEC" interaction parity.txt -M words.safetensors --tsv -- x y z | rows >out
    [ "$(cut -f 1-4 out)" = "$(printf 'x\ty\tz\t5')" ]
}

@test "errors in a question are reported" {
    small_case
    refused 2 "give the model whose words to count: -M MODEL" interaction parity.txt x y z
    refused 2 "give a text: files, folders" interaction -M words.safetensors
    refused 2 "the word 'zzz' is not in the model; did you mean 'zz'" interaction parity.txt -M words.safetensors x y zzz
    refused 2 "cannot be combined" interaction parity.txt -M words.safetensors --tsv --json
    refused 3 "absent.txt" interaction absent.txt -M words.safetensors
    echo 'Nothing that it knows.' >other.txt
    refused 3 "other.txt: none of its words is in words.safetensors" interaction other.txt -M words.safetensors
}

@test "no line is wider than 80 columns, for any words and numbers" {
    printf '1 1\nincomprehensibilities 1\n' >long.vec
    "$PSDVEC" convert long.vec -o long.safetensors -q
    yes incomprehensibilities | head -n 100000 | tr '\n' ' ' >long.txt
    w=incomprehensibilities
    "$PSDVEC" interaction long.txt -M long.safetensors --window 900 $w $w $w >out
    grep -qF '… 40,212,000,300 ' out
    [ "$(wc -L <out)" -le 80 ]
}
