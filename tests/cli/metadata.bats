# Files whose metadata differs from what this version writes: members in another order, fewer or
# more of them, damaged ones. Harmless deviations are accepted; metadata that a copy would lose is
# named. The files are those of tests/golden, changed with tests/tools/st_edit, which recomputes
# checksums.
bats_require_minimum_version 1.5.0
load common
load changed_files

setup() {
    common_setup
    changed_files_setup
    cp "$GOLDEN"/0.1.0/models/{default,paper,extended,ppmi}.safetensors .
    cp "$GOLDEN"/0.1.0/counts/default.counts.safetensors counts.safetensors
    cp "$GOLDEN"/0.1.0/counts/new.counts.safetensors new.safetensors
}

# quietly ARGUMENT...: fails if the program fails, or prints anything to standard error.
quietly() {
    "$PSDVEC" "$@" -q >stdout 2>stderr && [ ! -s stderr ] || { echo "psdvec $*: $(cat stderr)"; return 1; }
}

# ---- Counts --------------------------------------------------------------------------------------------

@test "counts whose metadata are not JSON are refused, and no model is made from them" {
    for value in 'settings=}{' 'settings=' 'settings=[]' 'settings={"window": 5' 'vocabulary=5' 'inputs={}' 'inputs=[1,]'; do
        "$EDIT" set counts.safetensors changed.safetensors "$value"
        refused 4 "the counts are damaged: \"${value%%=*}\" cannot be read" counts info --json changed.safetensors
        refused 4 "\"${value%%=*}\" cannot be read" train changed.safetensors --dim 3 -o out.safetensors
        [ ! -e out.safetensors ]
    done
    for key in settings vocabulary inputs; do
        "$EDIT" set counts.safetensors changed.safetensors -$key
        refused 4 "the counts are damaged: \"$key\" is missing" counts info changed.safetensors
    done
}

@test "numbers in counts that are out of range are refused" {
    "$EDIT" set counts.safetensors changed.safetensors window=4294967301
    refused 4 "its window is too large" counts info changed.safetensors
    for key in scale tokens documents window version; do
        "$EDIT" set counts.safetensors changed.safetensors $key=99999999999999999999999
        refused 4 "\"$key\" is not a number" counts info changed.safetensors
    done
}

@test "counts can be merged with settings in any order, with the same result" {
    quietly counts merge counts.safetensors new.safetensors -o wanted.safetensors
    changed new.safetensors settings 's/^\{("window":5),(.*)\}$/{ \2, \1 }/'
    quietly counts merge counts.safetensors changed.safetensors -o one.safetensors
    quietly counts merge changed.safetensors counts.safetensors -o other.safetensors
    cmp one.safetensors other.safetensors
    "$PSDVEC" counts dump wanted.safetensors -q | rows >wanted
    "$PSDVEC" counts dump one.safetensors -q | rows | cmp wanted -
}

@test "counts whose settings differ are refused, and the settings named" {
    changed new.safetensors settings 's/"fold"/"keep"/; s/"drop"/"zero"/'
    refused 4 'their settings differ: case "fold", not "keep"; digits "drop", not "zero"; count' \
        counts merge counts.safetensors changed.safetensors -o out.safetensors
    changed new.safetensors settings 's/\}$/,"from_the_future":3}/'
    refused 4 'their settings differ: from_the_future 3 only in the second file; count' \
        counts merge counts.safetensors changed.safetensors -o out.safetensors
    refused 4 'their settings differ: from_the_future 3 only in the first file; count' \
        counts merge changed.safetensors counts.safetensors -o out.safetensors
    [ ! -e out.safetensors ]
    quietly counts merge changed.safetensors changed.safetensors -o out.safetensors
    "$EDIT" get out.safetensors settings | grep -q '"from_the_future":3'
}

@test "inputs with more or fewer members can be merged" {
    changed new.safetensors inputs 's/"files":1,//; s/\}/,"language":"en"}/'
    quietly counts merge counts.safetensors changed.safetensors -o out.safetensors
}

# ---- What a copy would lose -------------------------------------------------------------------------------

@test "unknown metadata and tensors are ignored by all readers" {
    "$EDIT" set default.safetensors changed.safetensors from_the_future=3 +news
    "$EDIT" set counts.safetensors counts-changed.safetensors from_the_future=3 +news
    quietly info changed.safetensors --verify
    quietly counts info counts-changed.safetensors
    quietly similar changed.safetensors ship
    quietly score changed.safetensors "$TEXT/held.txt" --counts counts.safetensors
    quietly convert changed.safetensors out.vec
    quietly train counts-changed.safetensors --dim 3 -o out.safetensors
    quietly counts dump counts-changed.safetensors
}

@test "they are missing in files written from such a file, and a warning names them" {
    local warning='has "from_the_future", "news", which this version of psdvec does not support'
    local -A commands=(
        [default]="convert changed.safetensors out.safetensors"
        [ppmi]="convert changed.safetensors out.safetensors --words 30"
        [paper]="extend changed.safetensors $TEXT/new.txt -o out.safetensors"
        [extended]="fit-temperature changed.safetensors $TEXT/held.txt -o out.safetensors"
        [counts]="counts merge changed.safetensors new.safetensors -o out.safetensors")
    for file in "${!commands[@]}"; do
        "$EDIT" set $file.safetensors changed.safetensors from_the_future=3 +news
        # shellcheck disable=SC2086
        "$PSDVEC" ${commands[$file]} -q >stdout 2>stderr
        grep -qF "$warning" stderr || { echo "$file: $(cat stderr)"; return 1; }
        [ "$(wc -l <stderr)" -eq 1 ]
        run ! "$EDIT" get out.safetensors from_the_future
        run ! "$EDIT" print out.safetensors news
    done
}

# ---- Damage ----------------------------------------------------------------------------------------------

# damaged FILE: a copy with one flipped bit in the first tensor, a column number or a vector, which is
# not checked when the file is opened.
damaged() {
    cp "$1" damaged.safetensors
    local at byte
    at=$((8 + $(od -An -tu8 -N8 "$1") + 4))
    byte=$(od -An -t u1 -j $at -N 1 "$1")
    # shellcheck disable=SC2059
    printf "\\x$(printf %x $((byte ^ 1)))" | dd of=damaged.safetensors bs=1 seek=$at conv=notrunc status=none
}

@test "damage is not copied into a file with valid checksums" {
    damaged counts.safetensors
    refused 4 "is damaged: its checksum" counts merge damaged.safetensors new.safetensors -o out.safetensors
    refused 4 "is damaged: its checksum" counts merge new.safetensors damaged.safetensors -o out.safetensors
    refused 4 "is damaged: its checksum" counts export damaged.safetensors --format matrix-market -o out.mtx \
        --vocab-output out.words
    damaged default.safetensors
    refused 4 "is damaged: its checksum" convert damaged.safetensors out.safetensors
    refused 4 "is damaged: its checksum" extend damaged.safetensors "$TEXT/new.txt" -o out.safetensors
    "$PSDVEC" fit-temperature damaged.safetensors "$TEXT/held.txt" -o out.safetensors -q >stdout 2>stderr && return 1
    grep -q "is damaged: its checksum" stderr
    [ -z "$(find . -name 'out*')" ]
}

# ---- Provenance of a model
# --------------------------------------------------------------------------------------

@test "a model may lack all provenance, for commands that do not need it" {
    "$EDIT" set default.safetensors changed.safetensors -written_by -method -core_words -settings -counts -history \
        -joint '~eigenvalues' '~counts' '~unigram' '~spread' '~readout.mean' '~readout.map'
    quietly info changed.safetensors --verify
    "$PSDVEC" similar default.safetensors ship bread --tsv | rows | cut -f 1-3 >wanted
    "$PSDVEC" similar changed.safetensors ship bread --tsv | rows | cut -f 1-3 | cmp wanted -
    for command in "vector changed.safetensors ship" "analogy changed.safetensors farmer feeds sailor" \
        "odd-one-out changed.safetensors ship wave bread" "compare changed.safetensors ship wave" \
        "eval changed.safetensors $TEXT/sets/alike.txt" "convert changed.safetensors out.safetensors"; do
        # shellcheck disable=SC2086
        quietly $command
    done
    refused 4 "does not record how it was trained" extend changed.safetensors "$TEXT/new.txt" -o out.safetensors
    refused 4 "does not record how its text was tokenised" score changed.safetensors "$TEXT/held.txt"
    # How its text was tokenised matters only if text is read.
    "$EDIT" set default.safetensors changed.safetensors -counts
    quietly extend changed.safetensors new.safetensors --min-count 4 -o out.safetensors
}

@test "iterations may lack numbers, give them as null, or have more" {
    "$PSDVEC" info default.safetensors --json >wanted
    changed default.safetensors history 's/\{"iteration":1,/{"iteration":1,"seconds":0.5,"of":{"a":[1]},/'
    quietly info changed.safetensors --json
    diff <(grep -o '"iterations":.*' wanted) <(grep -o '"iterations":.*' stdout)
    changed default.safetensors history 's/"(rank|positive|smallest)":[^,]*/"\1":null/g; s/"residual":[^,}]*,?//g; s/,\}/}/g'
    quietly info changed.safetensors
    quietly convert changed.safetensors out.safetensors
    quietly info out.safetensors --json
    changed default.safetensors history 's/"rank":[^,]*/"rank":-1/'
    refused 4 "its history cannot be read" info changed.safetensors
}

@test "constants of the link function are needed only by the weights that use them" {
    quietly residuals default.safetensors counts.safetensors --tsv
    mv stdout wanted
    changed default.safetensors settings 's/"cut":0,//; s/"constants":\{/"constants":{"newer":{"cut":7},/'
    quietly residuals changed.safetensors counts.safetensors --tsv
    cmp wanted stdout
    quietly extend changed.safetensors "$TEXT/new.txt" -o out.safetensors
    changed default.safetensors settings 's/"factor_mean":[^,]*,//'
    refused 4 'lack the constant "factor_mean", which its weights need' residuals changed.safetensors counts.safetensors
    refused 4 '"factor_mean"' extend changed.safetensors "$TEXT/new.txt" -o out.safetensors
    changed default.safetensors settings 's/,"constants":.*/}/'
    refused 4 '"factor_mean"' residuals changed.safetensors counts.safetensors
    changed paper.safetensors settings 's/"factor_mean":0,"total":[0-9]*//; s/,\}\}/}}/'
    quietly residuals changed.safetensors counts.safetensors
    changed paper.safetensors settings 's/"cut":[^,]*,"factor_mean/"factor_mean/'
    refused 4 'lack the constant "cut"' residuals changed.safetensors counts.safetensors
    changed paper.safetensors settings 's/"cut":[^,]*,"factor_mean/"cut":0,"factor_mean/'
    refused 4 'lack the constant "cut"' residuals changed.safetensors counts.safetensors
}

@test "a list of extensions reformatted by another program is continued" {
    for list in ' [ ] ' '[]'; do
        "$EDIT" set paper.safetensors changed.safetensors "extensions=$list"
        quietly extend changed.safetensors "$TEXT/new.txt" --min-count 4 -o out.safetensors
        quietly info out.safetensors --verify
    done
    changed extended.safetensors extensions 's/^\[/ [ /; s/\]$/ , {"first": 66, "why": "[,]"} ] /'
    quietly extend changed.safetensors "$TEXT/new.txt" --min-count 4 --replace -o out.safetensors
    quietly info out.safetensors --verify
    "$EDIT" get out.safetensors extensions | grep -q '"why": "\[,\]"},{"first":'
}

@test "fit and joint may have more and fewer members" {
    cp "$GOLDEN/0.1.0/models/fitted.safetensors" .
    quietly next fitted.safetensors "the old ship" --tsv
    mv stdout wanted
    changed fitted.safetensors fit 's/"known":[0-9]*,//; s/\}$/,"half_life":{"x":[1,2]}}/'
    quietly next changed.safetensors "the old ship" --tsv
    cmp wanted stdout
    changed fitted.safetensors fit 's/"self":[^,]*,//'
    quietly next changed.safetensors "the old ship" --tsv
    changed fitted.safetensors joint 's/^\{/{"newer":[],/; s/"words":[0-9]*,?//; s/,\}/}/'
    quietly info changed.safetensors
}
