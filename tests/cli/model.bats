# Models and third-party vectors, end to end: info, similar, convert.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    ROOT=$(realpath "$HERE/../..")
}

python_with_numpy() {
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import numpy' 2>/dev/null; then
            echo "$python"
            return 0
        fi
    done
    return 1
}

# with_everything: a model file like one from training, written by hand and without checksums.
with_everything() {
    python=$(python_with_numpy) || skip "no python3 with numpy"
    "$python" - <<'END'
import json, numpy as np
words = "the of and to in".split()
n, dim = len(words), 40
tensors = {
    "vectors": np.linspace(-1, 1, n * dim, dtype="<f4").reshape(n, dim),
    "words": np.frombuffer("".join(words).encode(), dtype="u1"),
    "offsets": np.cumsum([0] + [len(w) for w in words]).astype("<u8"),
    "counts": np.array([5000, 400, 30, 20, 10], dtype="<u8"),
    "spread": np.ones(n, dtype="<f4"),
    "eigenvalues": np.array([100 / (k + 1) * (-1 if k % 4 == 3 else 1) for k in range(dim)], dtype="<f4"),
}
types = {"float32": "F32", "uint8": "U8", "uint64": "U64"}
history = [{"iteration": k + 1, "rank": dim, "positive": 30, "objective": 1000 / (k + 1),
            "relaxation": 1.5, "smallest": 2.5, "residual": 1e-3} for k in range(4)]
header = {"__metadata__": {
    "format": "psdvec.model", "version": "1", "written_by": "psdvec 0.1.0", "core_words": "3",
    "settings": json.dumps({"preset": "default", "dim": dim, "mu": [2, 4, 8]}),
    "counts": json.dumps({"tokens": 123456, "settings": {"window": 5, "tokenizer": "words", "case": "fold"},
                          "inputs": [{"name": "wiki.txt", "bytes": 1000}]}),
    "extensions": json.dumps([{"words": 2, "tokens": 99}]),
    "history": json.dumps(history)}}
at, body = 0, b""
for name, t in tensors.items():
    raw = t.tobytes()
    header[name] = {"dtype": types[t.dtype.name], "shape": list(t.shape), "data_offsets": [at, at + len(raw)]}
    at, body = at + len(raw), body + raw
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
open("full.safetensors", "wb").write(len(text).to_bytes(8, "little") + text + body)
END
}

# ---- convert ---------------------------------------------------------------------------

@test "every format preserves the vectors in a round trip" {
    small_vectors
    for name in a.vec a.w2v a.bin a.glove a.npy a.safetensors; do
        "$PSDVEC" convert small.safetensors -o "$name" -q
        "$PSDVEC" convert "$name" -o back.safetensors -q
        cmp small.safetensors back.safetensors
    done
    "$PSDVEC" convert small.safetensors -o again.vec -q
    cmp small.vec again.vec
    "$PSDVEC" convert small.safetensors --to glove -o again.txt -q
    tail -n +2 small.vec | cmp - again.txt
    tail -n +2 small.vec | cut -d' ' -f1 | cmp - a.words.txt
}

@test "numpy loads what convert writes, and the other way round" {
    python=$(python_with_numpy) || skip "no python3 with numpy"
    small_vectors
    "$PSDVEC" convert small.vec -o small.npy -q
    "$python" - <<'END'
import numpy as np
a = np.load("small.npy")
words = open("small.words.txt", encoding="utf-8").read().split("\n")[:-1]
assert a.dtype == np.float32 and a.shape == (8, 3), (a.dtype, a.shape)
lines = [line.split() for line in open("small.vec", encoding="utf-8")][1:]
assert words == [line[0] for line in lines]
assert (a == np.array([[float(x) for x in line[1:]] for line in lines], dtype=np.float32)).all()
np.save("wide.npy", a.astype(np.float64))
np.save("columns.npy", np.asfortranarray(a))
np.save("half.npy", a.astype(np.float16))
np.save("whole.npy", a.astype(np.int32))
END
    "$PSDVEC" convert wide.npy --words-file small.words.txt -o wide.safetensors -q
    cmp small.safetensors wide.safetensors
    refused 4 "np.ascontiguousarray" convert columns.npy --words-file small.words.txt -o x.safetensors
    refused 4 "its numbers are of type '<i4'" convert whole.npy --words-file small.words.txt -o x.safetensors
    # All numbers of this file are exact in float16.
    "$PSDVEC" convert half.npy --words-file small.words.txt -o half.safetensors -q
    cmp small.safetensors half.safetensors
    "$PSDVEC" convert small.vec --float16 -o again.npy -q
    "$python" -c 'import numpy as np; a = np.load("again.npy"); b = np.load("half.npy"); assert a.dtype == b.dtype and (a == b).all()'
    refused 3 "there is no file wide.words.txt" convert wide.npy -o x.safetensors
}

@test "a reader of word2vec's binary format, in Python, reads psdvec's files" {
    python=$(python_with_numpy) || skip "no python3 with numpy"
    small_vectors
    "$PSDVEC" convert small.vec -o small.bin -q
    "$python" - <<'END' >printed
import struct
data = open("small.bin", "rb").read()
first, rest = data.split(b"\n", 1)
words, dim = map(int, first.split())
print(words, dim)
for _ in range(words):
    word, rest = rest.split(b" ", 1)
    numbers = struct.unpack("<%df" % dim, rest[:4 * dim])
    assert rest[4 * dim:4 * dim + 1] == b"\n"
    rest = rest[4 * dim + 1:]
    print(word.decode(), *("%g" % x for x in numbers))
assert not rest
END
    diff -u small.vec printed
}

@test "the result does not depend on the number of threads" {
    awk 'BEGIN { for (i = 0; i < 3000; i++) { line = "w" i; for (k = 0; k < 50; k++) line = line " " sin(i * k); print line } }' >many.txt
    for threads in 1 3; do
        "$PSDVEC" convert many.txt --threads $threads -o $threads.safetensors -q
        "$PSDVEC" convert many.txt --threads $threads --normalize -o $threads.vec -q
        "$PSDVEC" similar many.txt w5 w99 --threads $threads >$threads.similar
    done
    cmp 1.safetensors 3.safetensors
    cmp 1.vec 3.vec
    cmp 1.similar 3.similar
}

@test "the format is determined by the name, or by --to" {
    small_vectors
    refused 2 "the name out.xyz does not determine the format" convert small.vec -o out.xyz
    "$PSDVEC" convert small.vec out.glove.txt -q
    tail -n +2 small.vec | cmp - out.glove.txt
    refused 2 "--to must be model, word2vec" convert small.vec --to gensim -o out.txt
    "$PSDVEC" convert small.vec --to word2vec-binary -o out.npy -q
    [ "$(head -c 4 out.npy)" = "8 3" ]
    [ ! -e out.words.txt ]
}

@test "float16 and int8: smaller files that give the same answers" {
    awk 'BEGIN { for (i = 0; i < 500; i++) { line = "w" i; for (k = 0; k < 50; k++) line = line " " sin(i * k); print line } }' >many.txt
    "$PSDVEC" convert many.txt many.safetensors -q
    "$PSDVEC" similar many.safetensors w5 --top 5 --tsv | rows | cut -f 1,2 >exact
    for precision in float16 int8; do
        "$PSDVEC" convert many.txt --$precision $precision.safetensors -q
        [ "$(stat -c %s $precision.safetensors)" -lt "$(stat -c %s many.safetensors)" ]
        "$PSDVEC" info $precision.safetensors --verify | grep -qE "^  stored as +$precision"
        "$PSDVEC" info $precision.safetensors --json | grep -q "\"precision\": \"$precision\""
        "$PSDVEC" similar $precision.safetensors w5 --top 5 --tsv | rows | cut -f 1,2 | cmp - exact
    done
    refused 2 "--float16 and --int8 cannot be combined" convert many.txt --float16 --int8 x.safetensors
    refused 2 "only model files support int8" convert many.txt --int8 x.npy
    refused 2 "only model files support int8, and only model files and npy support float16" convert many.txt --float16 x.vec
    printf 'a 1 2\nb 1 70000\n' >large.txt
    refused 6 "the vector of 'b' (word 2) has the component 70000, but the maximum of float16 is 65504" \
        convert large.txt --float16 x.safetensors
    [ ! -e x.safetensors ]
}

@test "--dim, --words, --normalize and --digits" {
    small_vectors
    "$PSDVEC" convert small.safetensors --dim 2 --words 2 --digits 3 --normalize --to glove -o cut -q
    printf 'king 1 0\nqueen 0.97 0.243\n' | cmp - cut
    "$PSDVEC" convert small.safetensors --dim 2 --words 3 -o cut.safetensors -q
    "$PSDVEC" info cut.safetensors --json | grep -q '"words": 3, "core_words": 0, "dim": 2'
    refused 2 "its vectors have 3 dimensions, so --dim cannot be 4" \
        convert small.vec --dim 4 -o x.safetensors
}

@test "repairs are reported and logged" {
    printf 'a 1 2\na 3 4\nb\xff 5 6\n' >odd.txt
    "$PSDVEC" convert odd.txt -o odd.safetensors --log log 2>said
    grep -qF 'warning: odd.txt: 1 duplicate word was skipped' said
    grep -qF 'warning: odd.txt: 1 word is not valid UTF-8' said
    grep -qF '"output": "odd.safetensors"' log
    printf 'the 1 2\n. . . 3 4\n' >spaces.txt
    "$PSDVEC" convert spaces.txt -o spaces.vec 2>said
    grep -qF "1 word has white space, which the format does not allow" said
    grep -qx '._._. 3 4' spaces.vec
    "$PSDVEC" convert spaces.txt -o spaces.glove
    cmp spaces.txt spaces.glove
}

@test "invalid vectors: the line, status 3, and no output" {
    printf '2 3\na 1 2 3\nb 1 2\n' >short.vec
    refused 3 "short.vec: line 3: a word and 3 numbers are expected, but the line has 3 fields" \
        convert short.vec -o x.safetensors
    refused 3 "line 3" similar short.vec a
    refused 3 "line 3" info short.vec
    printf 'a 1 2\nb 1 nan\n' >nan.txt
    refused 3 "nan.txt: line 2: 'nan' is not a finite number" convert nan.txt -o x.safetensors
    printf 'plain prose\n' >prose.txt
    refused 4 "has no vectors that psdvec can read" info prose.txt
    gzip -c short.vec >short.vec.gz
    refused 4 "is compressed with gzip; decompress it first" info short.vec.gz
    refused 3 "No such file" info nosuch
    refused 5 "is both input and output" convert prose.txt -o prose.txt --to glove
    small_text
    "$PSDVEC" count small.txt --min-count 1 -o small.counts -q
    refused 4 "contains counts, not vectors" info small.counts
    [ ! -e x.safetensors ]
}

# ---- similar ------------------------------------------------------------------------------

@test "neighbours, best first, without the word itself and zero vectors" {
    small_vectors
    "$PSDVEC" similar small.safetensors king --tsv | rows | cut -f 1-2 >printed
    head -n 3 printed | cut -f 2 | sort >a
    printf 'man\nqueen\nwoman\n' | cmp - a
    [ "$(head -n 1 printed | cut -f 2)" = queen ]
    [ "$(wc -l <printed)" -eq 6 ]
    run ! grep -q zero printed
    "$PSDVEC" similar small.safetensors zero | grep -q 'the vector is zero'
}

@test "similar on a terminal" {
    small_vectors
    "$PSDVEC" similar small.safetensors king paris --top 3 | golden similar
}

@test "sums and differences of words" {
    small_vectors
    [ "$("$PSDVEC" similar small.safetensors king -man +woman --top 1 --tsv | rows | cut -f 1-2)" = \
        "$(printf 'king - man + woman\tqueen')" ]
    "$PSDVEC" similar small.safetensors man +woman --top 1 --json >printed
    grep -q '^{"words": \["man", "woman"\], "minus": \[\], "similar": \[{"word": "queen", "cosine": 0.' printed
    [ "$("$PSDVEC" similar small.safetensors king paris --json | wc -l)" -eq 2 ]
    refused 2 "--json and --tsv cannot be combined" similar small.safetensors king --json --tsv
}

@test "words are found in the form of the tokeniser; others get a suggestion" {
    small_vectors
    [ "$("$PSDVEC" similar small.safetensors PARIS --top 1 --tsv | rows | cut -f 1)" = paris ]
    [ "$("$PSDVEC" similar small.safetensors CAFÉ --top 1 --tsv | rows | cut -f 1)" = café ]
    [ "$("$PSDVEC" similar small.safetensors "$(printf 'cafe\xcc\x81')" --top 1 --tsv | rows | cut -f 1)" = café ]
    refused 2 "the word 'quene' is not in the model; did you mean 'queen'?" \
        similar small.safetensors quene
    refused 2 "the word 'xyzzy' is not in the model" similar small.safetensors king xyzzy
    refused 2 "the word 'xyzzy' is not in the model" similar small.safetensors king -xyzzy
}

# ---- info -----------------------------------------------------------------------------------

@test "info shows everything that a model has" {
    with_everything
    "$PSDVEC" info full.safetensors | golden info
    "$PSDVEC" info full.safetensors --json >json
    "$python" - <<'END'
import json
i = json.load(open("json"))
assert i["words"] == 5 and i["core_words"] == 3 and i["dim"] == 40 and i["positive"] == 30, i
assert i["settings"]["mu"] == [2, 4, 8] and i["counts"]["tokens"] == 123456
assert len(i["iterations"]) == 4 and i["iterations"][1]["objective"] == 500
assert len(i["eigenvalues"]) == 40 and i["eigenvalues"][3] == -25
assert i["native"] and not i["verified"] and i["extensions"] == [{"words": 2, "tokens": 99}]
END
    "$PSDVEC" similar full.safetensors THE --top 2 | golden similar-counts
    # Without checksums there is nothing to compare.
    refused 4 "checksum" info full.safetensors --verify
    # The metadata of the file is copied to the next one.
    "$PSDVEC" convert full.safetensors --dim 10 --words 4 -o cut.safetensors -q
    "$PSDVEC" info cut.safetensors --verify | grep -qE 'dimensions +10, 8 with a positive and 2'
}

@test "if the terminal has no Unicode, drawings are ASCII" {
    with_everything
    localedef -i POSIX -f ISO-8859-1 ./latin1 2>/dev/null || [ -d latin1 ] || skip "no localedef"
    LOCPATH=$PWD LC_ALL=latin1 "$PSDVEC" info full.safetensors >screen
    sed -n '/^Objective/,$p' screen | golden info-plain
    run ! grep -qP '[^\x00-\x7F]' screen
}

@test "info --verify finds a flipped bit" {
    small_vectors
    "$PSDVEC" info small.safetensors --verify | grep -qE '^  checksums +verified'
    size=$(stat -c %s small.safetensors)
    printf '\x40' | dd of=small.safetensors bs=1 seek=$((size - 1)) conv=notrunc status=none
    "$PSDVEC" info small.safetensors >/dev/null
    refused 4 "vectors" info small.safetensors --verify
}

@test "info of third-party vectors" {
    small_vectors
    "$PSDVEC" info small.vec | grep -qE '^  written by +another program'
    "$PSDVEC" info small.vec --verify --json | grep -q '"native": false, "verified": true'
}

# ---- The documentation ---------------------------------------------------------------------

@test "the reader of docs/reference/model-file.md finds the same neighbours" {
    python=$(python_with_numpy) || skip "no python3 with numpy"
    small_vectors
    awk '$0 == "```python" { on = 1; next } /^```/ { on = 0 } on' "$ROOT/docs/reference/model-file.md" >reader.py
    [ -s reader.py ]
    "$PSDVEC" convert small.safetensors --float16 half.safetensors -q
    "$PSDVEC" convert small.safetensors --int8 bytes.safetensors -q
    for model in small half bytes; do
        for word in king café london; do
            "$python" reader.py $model.safetensors $word | grep -v '^zero' >printed
            "$PSDVEC" similar $model.safetensors $word --tsv | rows |
                awk -F'\t' '{ printf "%s\t%.4f\n", $2, $3 }' >wanted
            diff -u wanted printed
        done
    done
    # A trained model has a read-out and n-grams.
    for i in 1 2 3 4 5 6; do echo "we walk and talk and she walked and talked while walking $i"; done >text.txt
    "$PSDVEC" train text.txt --min-count 1 --dim 5 -o float.safetensors -q
    "$PSDVEC" convert float.safetensors --int8 bytes.safetensors -q
    for model in float bytes; do
        "$python" reader.py $model.safetensors walk >printed
        "$PSDVEC" similar $model.safetensors walk --tsv | rows |
            awk -F'\t' '{ printf "%s\t%.4f\n", $2, $3 }' >wanted
        [ -s wanted ]
        diff -u wanted printed
    done
}

# ---- Small files for search ---------------------------------------------------------------------------

@test "convert --only-readout and --no-spelling omit what search does not need" {
    cp "$BATS_TEST_DIRNAME"/../golden/0.1.0/models/default.safetensors whole.st
    "$PSDVEC" convert whole.st --only-readout --to model readout.st -q
    "$PSDVEC" convert whole.st --only-readout --no-spelling --int8 --to model small.st -q
    "$PSDVEC" convert whole.st --no-spelling --to model spelled.st -q
    size() { stat -c %s "$1"; }
    [ "$(size small.st)" -lt "$(size readout.st)" ] && [ "$(size readout.st)" -lt "$(size whole.st)" ]
    for model in readout small spelled; do "$PSDVEC" info $model.st --verify -q >info; done
    # The same neighbours from the read-out alone.
    "$PSDVEC" similar whole.st ship --tsv -q >wanted
    "$PSDVEC" similar readout.st ship --tsv -q | cmp - wanted
    "$PSDVEC" similar spelled.st ship --tsv -q | cmp - wanted
    "$PSDVEC" similar small.st ship --tsv -q | cut -f 1 | head -n 3 | cmp - <(cut -f 1 wanted | head -n 3)
    # The message names what is missing and the option that omitted it.
    echo "the old ship" >text.txt
    for command in "score small.st text.txt" "next small.st the" "explain small.st the" "generate small.st" \
        "fit-temperature small.st text.txt" "extend small.st text.txt -o x.st"; do
        # shellcheck disable=SC2086
        refused 4 "no generative vectors, because convert --only-readout omitted them" $command
    done
    refused 4 "no generative vectors, because convert --only-readout omitted them" vector small.st ship --raw
    refused 2 "convert --no-spelling omitted them" similar small.st shipwreckedly
    "$PSDVEC" compare small.st ship wave --json -q | jq -e '.product == null'
    # The small file is in the compact layout, which has the same words, forms and frequencies.
    tool=$(dirname "$PSDVEC")/tests/tools/st_edit
    [ "$("$tool" get small.st version)" = 2 ] && [ "$("$tool" get readout.st version)" = 1 ]
    "$PSDVEC" convert small.st --to model loose.st -q
    "$tool" print readout.st words offsets counts >wanted
    "$tool" print loose.st words offsets counts | cmp - wanted
    # A copy reports it, too.
    "$PSDVEC" convert small.st --float16 --to model copy.st -q
    refused 4 "convert --only-readout omitted them" next copy.st the
    refused 2 "are for dense model files" convert whole.st --only-readout out.vec
}
