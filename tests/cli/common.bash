# Shared by all tests of the program. The program is "$PSDVEC".

common_setup() {
    : "${PSDVEC:?set PSDVEC to the program under test}"
    PSDVEC=$(realpath "$PSDVEC")
    export PSDVEC COLUMNS=80 LC_ALL=C.UTF-8 TERM=dumb
    unset NO_COLOR
    HERE=$BATS_TEST_DIRNAME
    cd "$BATS_TEST_TMPDIR" || return 1
}

# golden NAME: compares standard input with golden/NAME.txt. With UPDATE_GOLDEN=1 it writes the file
# instead; review the difference before you commit it.
golden() {
    if [ -n "${UPDATE_GOLDEN:-}" ]; then
        cat >"$HERE/golden/$1.txt"
    else
        diff -u "$HERE/golden/$1.txt" -
    fi
}

# refused STATUS SENTENCE ARGUMENT...: the program must exit with this status, print nothing to
# standard output, and print the sentence to standard error.
refused() {
    local status_wanted=$1 sentence=$2 status=0
    shift 2
    "$PSDVEC" "$@" >stdout 2>stderr </dev/null || status=$?
    if [ "$status" -ne "$status_wanted" ] || [ -s stdout ] || ! grep -qF -- "$sentence" stderr; then
        echo "psdvec $*"
        echo "wanted status $status_wanted and: $sentence"
        echo "got status $status and: $(cat stderr)"
        return 1
    fi
}

# The lines of tab-separated values after their header.
rows() {
    tail -n +2
}

# A text small enough to count by hand.
small_text() {
    printf 'The cat sat on the mat.\nThe dog sat.\n' >small.txt
}

# Eight words whose neighbours are obvious from their vectors.
small_vectors() {
    cat >small.vec <<END
8 3
king 1 0 0.5
queen 1 0.25 0.5
man 0 0 1
woman 0 0.25 1
paris -1 1 0
london -1 0.75 0.125
zero 0 0 0
café -0.5 -0.5 -0.5
END
    "$PSDVEC" convert small.vec -o small.safetensors -q
}

# rendered FILE: the page as Chromium shows it, after its scripts, as HTML. Skips the rest of the
# test if Chromium does not run; so it must not be part of a pipe.
rendered() {
    local probe=$BATS_RUN_TMPDIR/chromium
    if [ ! -e "$probe" ]; then
        { command -v chromium >/dev/null && chromium_shows 'data:text/html,<p>shown' | grep -q shown &&
            echo yes || echo no; } >"$probe"
    fi
    [ "$(cat "$probe")" = yes ] || skip "no chromium: what the page draws is not checked"
    chromium_shows "file://$(realpath "$1")"
}
chromium_shows() {
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$BATS_TEST_TMPDIR/.chromium" --dump-dom "$1" 2>/dev/null
}
