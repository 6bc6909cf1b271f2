# The page of psdvec explore in Chromium. With PSDVEC_TEST_LONG, as in `make check-long`, all widths and
# colour schemes are looked at and judged by axe.
bats_require_minimum_version 1.5.0
load common

load explore_common

setup_file() {
    explore_files
}

setup() {
    explore_setup
}

teardown() {
    explore_teardown
}

# The page needs node, npm and Chromium; the tests of the browser are in tests/web.
# browse FILE [ARGUMENT]...: runs the tests of a file of tests/web.
browse() {
    command -v node >/dev/null && command -v npm >/dev/null || skip "no node or npm"
    [ -x /usr/bin/chromium ] || skip "no Chromium"
    tools=$(dirname "$PSDVEC")/web-tests
    (cd "$HERE/../.." && sh scripts/npm-tools.sh "$tools") || skip "npm cannot install playwright-core"
    serve "$F/other.safetensors" --counts "$F/counts.safetensors" --set "$F/pairs.txt" --topics "$F/topics.safetensors"
    curl -s --compressed "$URL" | grep -q 'src="app.js"' || skip "psdvec was built without the page"
    cp "$HERE"/../web/*.mjs "$tools"
    (cd "$tools" && timeout "${PSDVEC_TEST_LONG:+3}480" node "$1" "$URL" "${@:2}" ${PICTURES:+"$PICTURES"})
    stop
}

@test "the page in Chromium: every feature, keyboard, widths, axe" {
    browse explore.mjs
}

@test "the map in Chromium: pixels, moving, search, lasso, keyboard, touch, widths, axe" {
    browse map.mjs
}

@test "the exported site in Chromium: neighbours, sums, map, policy, from a web server and from the disk" {
    "$PSDVEC" explore "$F/model.safetensors" "$F/other.safetensors" --export site -q 2>messages || skip "psdvec was built without the page"
    python3 -u -m http.server 0 --bind 127.0.0.1 --directory site >http 2>&1 3>&- &
    SITE=$!
    for _ in $(seq 100); do
        grep -q '^Serving' http && break
        sleep 0.05
    done
    port=$(sed -n 's/^Serving .* port \([0-9]*\).*/\1/p' http)
    browse export.mjs "http://127.0.0.1:$port/" "$PWD/site"
    kill $SITE
}

@test "the page is type-checked, and its lock file names no registry" {
    ! grep -E 'resolved|registry' "$HERE/../../web/package-lock.json"
    command -v node >/dev/null && command -v npm >/dev/null || skip "no node or npm"
    tools=$(dirname "$PSDVEC")/web-tests
    (cd "$HERE/../.." && sh scripts/npm-tools.sh "$tools") || skip "npm cannot install TypeScript"
    "$tools/node_modules/.bin/tsc" -p "$HERE/../../web"
}

@test "the parts of the page that need no browser" {
    command -v node >/dev/null && command -v npm >/dev/null || skip "no node or npm"
    tools=$(dirname "$PSDVEC")/web-tests
    (cd "$HERE/../.." && sh scripts/npm-tools.sh "$tools") || skip "npm cannot install esbuild"
    cp "$HERE"/../web/*.mjs "$tools"
    (cd "$tools" && node units.mjs "$(realpath "$HERE/../../web/src")")
}
