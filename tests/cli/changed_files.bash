# shellcheck shell=bash
# Golden files with other metadata, for tests of how files of other versions are read.

changed_files_setup() {
    GOLDEN=$(realpath "$HERE/../golden")
    TEXT=$GOLDEN/text
    EDIT=$(dirname "$PSDVEC")/tests/tools/st_edit
    export GOLDEN TEXT EDIT
    [ -x "$EDIT" ] || { echo "no $EDIT: run make test-tools"; return 1; }
}

# changed FILE KEY SED: writes changed.safetensors, with the metadata entry KEY edited by sed.
changed() {
    local before after
    before=$("$EDIT" get "$1" "$2")
    after=$(sed -E "$3" <<<"$before")
    [ "$before" != "$after" ] || { echo "$2 of $1 is not changed by $3"; return 1; }
    "$EDIT" set "$1" changed.safetensors "$2=$after"
}
