# Files whose metadata are not what this version would write: members in another order, fewer or more of
# them, damaged ones. What need not be refused is not refused; what a copy would lose is named.
# The files are those of tests/golden, changed with tests/tools/st_edit, which computes checksums anew.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    GOLDEN=$(realpath "$HERE/../golden")
    TEXT=$GOLDEN/text
    EDIT=$(dirname "$PSDVEC")/tests/tools/st_edit
    [ -x "$EDIT" ] || { echo "no $EDIT: run make test-tools"; return 1; }
    cp "$GOLDEN"/0.1.0/models/{default,paper,extended,ppmi}.safetensors .
    cp "$GOLDEN"/0.1.0/counts/default.counts.safetensors counts.safetensors
    cp "$GOLDEN"/0.1.0/counts/new.counts.safetensors new.safetensors
}

# changed FILE KEY SED: writes changed.safetensors, with the metadata entry KEY edited by sed.
changed() {
    local before after
    before=$("$EDIT" get "$1" "$2")
    after=$(sed -E "$3" <<<"$before")
    [ "$before" != "$after" ] || { echo "$2 of $1 is not changed by $3"; return 1; }
    "$EDIT" set "$1" changed.safetensors "$2=$after"
}

# quietly ARGUMENT...: fails if the program fails, or says anything on standard error.
quietly() {
    "$PSDVEC" "$@" -q >stdout 2>stderr && [ ! -s stderr ] || { echo "psdvec $*: $(cat stderr)"; return 1; }
}

# ---- Counts --------------------------------------------------------------------------------------------

@test "counts whose metadata are no JSON are refused, and no model is made of them" {
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

@test "numbers of counts that are out of range are refused" {
    "$EDIT" set counts.safetensors changed.safetensors window=4294967301
    refused 4 "its window is too large" counts info changed.safetensors
    for key in scale tokens documents window version; do
        "$EDIT" set counts.safetensors changed.safetensors $key=99999999999999999999999
        refused 4 "\"$key\" is not a number" counts info changed.safetensors
    done
}

@test "inputs with more or fewer members are added up" {
    changed new.safetensors inputs 's/"files":1,//; s/\}/,"language":"en"}/'
    quietly counts merge counts.safetensors changed.safetensors -o out.safetensors
}

