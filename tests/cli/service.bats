# The example service in C++: built against the public headers, and queried over HTTP.
bats_require_minimum_version 1.5.0
load common

root=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)

libraries() {
    case $BUILD in
        /*) echo "$BUILD" ;;
        *) echo "$root/$BUILD" ;;
    esac
}

# build_service COMPILER FOLDER
build_service() {
    local from flags="-O1 -Werror ${SANITIZE:+-fsanitize=$SANITIZE -fno-sanitize-recover=all}"
    from=$(libraries)
    [ -e "$from/libpsdvec.so" ] ||
        "$MAKE" -s -C "$root" BUILD="$from" SANITIZE="${SANITIZE:-}" library
    "$MAKE" -s -C "$root/examples" CXX="$1" CXXFLAGS="$flags" PSDVEC_CFLAGS="-I$root/include" \
        PSDVEC_LIBS="-L$from -lpsdvec -Wl,-rpath,$from" OUT="$2"
}

# With the first compiler found.
setup_file() {
    for name in g++ clang++; do
        if command -v $name >/dev/null; then
            build_service $name "$BATS_FILE_TMPDIR"
            break
        fi
    done
}

setup() {
    common_setup
    [ -x "$BATS_FILE_TMPDIR/neighbour_service" ] || skip "no C++ compiler"
    ln -s "$BATS_FILE_TMPDIR/neighbour_service" .
}

teardown() {
    [ -z "${service:-}" ] || kill -KILL "$service" 2>/dev/null || return 0
    wait "${service:-}" 2>/dev/null || true
}

# start MODEL OPTION...: sets `service` and `port`.
start() {
    : >log # the program's own beginning of it may come after the first look below
    ./neighbour_service "$@" --port 0 >log 2>&1 3>&- &
    service=$!
    for _ in $(seq 100); do
        port=$(sed -n 's#^listening on http://127.0.0.1:##p' log)
        [ -z "$port" ] || return 0
        sleep 0.1
    done
    cat log
    return 1
}

# stops SIGNAL: the service ends soon, with status 0.
stops() {
    kill "-$1" "$service"
    for _ in $(seq 100); do
        if ! kill -0 "$service" 2>/dev/null; then
            wait "$service"
            return
        fi
        sleep 0.1
    done
    kill -KILL "$service"
    echo "it did not end within ten seconds"
    return 1
}

# ask METHOD TARGET [BODY]: sends a request; the first line of the answer is in `status`, its body
# in `body`.
ask() {
    exec 9<>"/dev/tcp/127.0.0.1/$port"
    printf '%s %s HTTP/1.1\r\nHost: here\r\nContent-Length: %d\r\n\r\n%s' "$1" "$2" \
        "$(printf %s "${3:-}" | wc -c)" "${3:-}" >&9
    cat <&9 >answer
    exec 9>&-
    head -n 1 answer | tr -d '\r' >status
    sed '1,/^\r$/d' answer >body
}

# The words and cosines in `body`, as the columns of similar --tsv.
pairs() { grep -o '{"word": "[^"]*", "cosine": [^}]*' body | sed 's/{"word": "//; s/", "cosine": /\t/'; }

wanted() { "$PSDVEC" similar "$@" --tsv | rows | cut -f 2,3; }

@test "the example compiles as C++17 with clang, without warnings" {
    command -v clang++ >/dev/null || skip "no clang++"
    [ -z "${SANITIZE:-}" ] || skip "the library is made by another compiler"
    build_service clang++ "$PWD"
}

@test "it answers like psdvec similar, one word or many, from every precision" {
    small_vectors
    "$PSDVEC" convert small.safetensors bytes.safetensors --int8 -q
    for model in small bytes; do
        start $model.safetensors --threads 3
        ask GET '/similar?word=king&top=4'
        grep -qx 'HTTP/1.1 200 OK' status
        wanted $model.safetensors king --top 4 >expected
        [ -s expected ]
        pairs | diff - expected
        ask GET '/similar?word=PARIS&top=2&restrict=5'
        grep -q '"query": "PARIS", "word": "paris", "spelled": false' body
        wanted $model.safetensors paris --top 2 --restrict 5 >expected
        pairs | diff - expected
        ask POST '/similar?top=3' "$(printf 'king\nCaf\xc3\xa9\r\nxyzzy\n\nqueen')"
        grep -qx 'HTTP/1.1 200 OK' status
        for word in king café queen; do wanted $model.safetensors $word --top 3; done >expected
        pairs | diff - expected
        [ "$(grep -c '"query"' body)" = 4 ]
        grep -q '"query": "xyzzy", "word": null, "spelled": false, "neighbours": \[\]' body
        ask GET /health
        grep -q '"status": "ok"' body
        stops TERM
        grep -qx 'stopped by SIGTERM' log
    done
}

@test "invalid requests get a status and a reason in valid JSON" {
    small_vectors
    start small.safetensors --threads 1
    refuses() { # STATUS REASON METHOD TARGET [BODY]
        ask "$3" "$4" "${5:-}"
        grep -q "^HTTP/1.1 $1 " status
        grep -qF "$2" body
        [ -z "$(command -v jq)" ] || jq -e .error body >/dev/null
    }
    refuses 404 "the word 'xyzzy' is not in the model" GET '/similar?word=xyzzy'
    ask GET '/similar?word=a%22%5c%01%ff%c3%a9'
    diff - body <<'END'
{"error": "the word 'a\"\\\u0001�é' is not in the model"}
END
    refuses 400 "/similar?word=music" GET /similar
    refuses 400 "top must be a number from 1 to 1000" GET '/similar?word=king&top=0'
    refuses 400 "top must be a number" GET '/similar?word=king&top=2x'
    refuses 400 "restrict must be a number" GET '/similar?word=king&restrict=-1'
    refuses 400 "two hexadecimal digits" GET '/similar?word=%4'
    refuses 400 "two hexadecimal digits" GET '/similar?word=%zz'
    refuses 400 "a word on each line" POST /similar
    refuses 404 "/similar and /health" GET /
    refuses 405 "use GET" DELETE /similar
    refuses 413 "at most 10000 words" POST /similar "$(seq 10001)"
    exec 9<>"/dev/tcp/127.0.0.1/$port" # an invalid request, and a client that disconnects
    printf 'hello\r\n\r\n' >&9
    cat <&9 | grep -q '^HTTP/1.1 400 '
    exec 9>&-
    exec 9<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /simi' >&9
    exec 9>&-
    ask GET '/similar?word=king' # it is still there
    grep -qx 'HTTP/1.1 200 OK' status
    stops INT
    grep -qx 'stopped by SIGINT' log
}

@test "many concurrent clients, and a shutdown while they are active" {
    small_vectors
    start small.safetensors --threads 4
    ask GET '/similar?word=king'
    cp body expected
    for client in $(seq 8); do
        (
            for _ in $(seq 20); do
                exec 9<>"/dev/tcp/127.0.0.1/$port"
                printf 'GET /similar?word=king HTTP/1.1\r\n\r\n' >&9
                sed '1,/^\r$/d' <&9 | cmp - expected || echo "differs" >"wrong-$client"
                exec 9>&-
            done
        ) 3>&- &
        clients+=($!)
    done
    wait "${clients[@]}"
    [ -z "$(ls wrong-* 2>/dev/null)" ]
    # Idle connections do not prevent it from ending.
    exec 8<>"/dev/tcp/127.0.0.1/$port" 9<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /similar' >&9
    sleep 0.2
    stops TERM
    exec 8>&- 9>&-
}

@test "it does not start without a model, with a bad option, or on a port in use" {
    small_vectors
    run -2 ./neighbour_service
    run -2 ./neighbour_service small.safetensors --port
    run -2 ./neighbour_service small.safetensors --port 70000
    [[ $output == *"--port must be a number from 0 to 65535"* ]]
    run -2 ./neighbour_service small.safetensors --colour 3
    run -1 ./neighbour_service absent.safetensors
    [[ $output == *"absent.safetensors"* ]]
    start small.safetensors
    run -1 ./neighbour_service small.safetensors --port "$port"
    [[ $output == *"cannot listen on port $port"* ]]
}
