# Shared by the tests of psdvec explore.

# The files are made once for all tests of a file.
explore_files() {
    cd "$BATS_FILE_TMPDIR" || return 1
    PSDVEC=$(realpath "$PSDVEC")
    yes 'The art of music is a joy. Folk music and popular music fill the old music hall.' | head -n 40 >text.txt
    yes 'The king and the queen hear the music; a man and a woman dance.' | head -n 30 >>text.txt
    yes 'A café in Paris sells books about art, kings and history.' | head -n 20 >>text.txt
    # Words with common endings, so that spelling is learnt.
    for stem in walk talk play read help paint dream; do
        yes "We ${stem}, she ${stem}s, they ${stem}ed, all are ${stem}ing, every ${stem}er" | head -n 10
    done >>text.txt
    "$PSDVEC" count text.txt --min-count 1 -o counts.safetensors -q
    "$PSDVEC" train counts.safetensors --dim 8 -o model.safetensors -q
    # Its last words are outside the core, so their vectors have a spread.
    head -n 50 text.txt | "$PSDVEC" train - --min-count 1 --dim 4 --core 10 -o other.safetensors -q
    printf 'king queen 8\nmusic art 6\nman woman 9\nhall joy 2\n' >pairs.txt
    "$PSDVEC" topics learn model.safetensors text.txt --document line --topics 3 -o topics.safetensors -q
}

explore_setup() {
    common_setup
    F=$BATS_FILE_TMPDIR
}

explore_teardown() {
    [ -z "${SERVER:-}" ] || kill "$SERVER" 2>/dev/null || true
}

# get URL: the answer to a request, without a connection.
get() {
    "$PSDVEC" explore "$F/model.safetensors" "$F/other.safetensors" --counts "$F/counts.safetensors" \
        --set "$F/pairs.txt" --topics "$F/topics.safetensors" --get "$1" 2>stderr
}

# serve [OPTION]...: starts the server; sets SERVER, PORT and URL.
serve() {
    command -v curl >/dev/null || skip "no curl"
    # shellcheck disable=SC2086
    ${RUN:-} "$PSDVEC" explore "${MODEL:-$F/model.safetensors}" --port 0 "$@" >ready 2>messages 3>&- &
    SERVER=$!
    for _ in $(seq 200); do
        grep -q '^Serving' ready && break
        if ! kill -0 "$SERVER" 2>/dev/null; then
            SERVER=
            grep -q 'built without libmicrohttpd' messages && skip "built without libmicrohttpd"
            cat messages && return 1
        fi
        sleep 0.05
    done
    URL=$(sed -n 's/^Serving .* on //p' ready)
    PORT=${URL##*:}
    PORT=${PORT%/}
}

# status CURL-ARGUMENT...: the HTTP status.
status() {
    rm -f answer
    curl -s -o answer -w '%{http_code}' "$@"
}

# stop: ends the server with SIGTERM, and returns its exit status.
stop() {
    local code=0
    kill -TERM "$SERVER"
    for _ in $(seq 100); do
        kill -0 "$SERVER" 2>/dev/null || break
        sleep 0.05
    done
    wait "$SERVER" || code=$?
    SERVER=
    return $code
}
