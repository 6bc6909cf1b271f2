# psdvec explore: hostile clients, time limits, addresses, and the browser that --open starts.
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

# A model of many words, some of which are outside the core, that also spells unseen words.
large_model() {
    [ -e "$F/large.safetensors" ] && return
    awk 'BEGIN { srand(1); for (i = 0; i < 30000; i++) { w = ""; n = 5 + int(6 * rand());
            for (k = 0; k < n; k++) w = w sprintf("%c", 97 + int(26 * rand()));
            word[i] = w }
        for (round = 0; round < 2; round++) for (i = 0; i < 30000; i += 6)
            print "the", word[i], "of", word[i + 1], "and", word[i + 2], word[i + 3] "s", word[i + 4] "ing", word[i + 5] "ed" }' >"$F/large.txt"
    "$PSDVEC" train "$F/large.txt" --min-count 1 --dim 4 --core 300 -o "$F/large.safetensors" -q
}

@test "a loop over many words is stopped in time" {
    large_model
    # More words than the server accepts, so that their cosines take long also on a small model.
    query=$(tr ' ' '\n' <"$F/large.txt" | awk '!seen[$0]++ && ++n < 6000 { printf "word=%s&", $0 }')
    "$PSDVEC" explore "$F/large.safetensors" --time-limit 0.1 --get "/api/v1/odd-one-out?$query" >answer 2>/dev/null || true
    grep -q '"status": 503, "message": "the request took too long' answer || { head -c 300 answer; return 1; }
    "$PSDVEC" explore "$F/large.safetensors" --get '/api/v1/similar?positive=zqxing' | grep -q '"spelled": \["zqxing"\]'
}

@test "expressions of thousands of words are answered, in linear memory" {
    serve --map-words 0
    [ "$(status "${URL}api/v1/similar?positive=music")" = 200 ]
    memory=$(awk '/VmHWM/ { print $2 }' "/proc/$SERVER/status")
    long=$(printf 'art+kings+%.0s' {1..2500})
    for route in similar?positive vector?word; do
        [ "$(status "${URL}api/v1/$route=$long")" = 200 ]
    done
    # With a list that grows by copying, the forms of 5,000 words alone take 100 MB.
    [ -n "${SANITIZE:-}" ] || [ "$(awk '/VmHWM/ { print $2 }' "/proc/$SERVER/status")" -lt $((memory + 40000)) ]
    query=$(awk 'BEGIN { for (i = 0; i < 200; i++) printf "positive=art&" }')
    [ "$(status "${URL}api/v1/similar?$query")" = 200 ]
    [ "$(status "${URL}api/v1/models")" = 200 ]
    stop
}

@test "an answer that would be too large is refused" {
    yes a | head -c 1000000 >body
    serve --time-limit 600
    [ "$(status --data-binary @body "${URL}api/v1/score")" = 400 ]
    grep -q 'the answer has more than 64 MiB; ask for less' answer
    [ "$(status "${URL}api/v1/models")" = 200 ]
    stop
}

# etag PATH: of an answer by the model or vectors in a file.
etag() {
    MODEL=$1 serve
    curl -sI "${URL}api/v1/similar?positive=king" | tr -d '\r' | sed -n 's/^ETag: //p'
    stop
}

@test "the ETag is a checksum of the content" {
    mkdir a b
    cp "$F/model.safetensors" a/model.safetensors
    sleep 0.01
    cp "$F/model.safetensors" b/model.safetensors
    touch -d '2001-01-01' b/model.safetensors
    first=$(etag a/model.safetensors)
    [ -n "$first" ]
    [ "$first" = "$(etag b/model.safetensors)" ]
    [ "$first" != "$(etag "$F/other.safetensors")" ]
    # Vectors of another program, which have no checksum; the change is after the first megabyte.
    awk 'BEGIN { print "90001 3"; print "king 1 0 0.5"; for (i = 0; i < 90000; i++) print "word" i, i % 7, 1, i % 3 }' >a/words.vec
    [ "$(wc -c <a/words.vec)" -gt 1000000 ]
    sed '$ s/ [0-9]$/ 9/' a/words.vec >b/words.vec
    touch -r a/words.vec b/words.vec
    [ "$(wc -c <a/words.vec)" = "$(wc -c <b/words.vec)" ]
    [ "$(etag a/words.vec)" != "$(etag b/words.vec)" ]
}

@test "scores on test sets have an ETag, and sets are read once" {
    cp "$F/pairs.txt" own.txt
    serve --set own.txt
    tag=$(curl -s -D - -o first "${URL}api/v1/eval?set=own&resamples=0" | tr -d '\r' | sed -n 's/^ETag: //p')
    [ "$(status -H "If-None-Match: $tag" "${URL}api/v1/eval?set=own&resamples=0")" = 304 ]
    echo 'king music 1' >>own.txt
    [ "$(status "${URL}api/v1/eval?set=own&resamples=0")" = 200 ]
    cmp answer first
    ! grep -q "$PWD" answer # no path of the server
    [ "$(status -H 'If-None-Match: *' "${URL}api/v1/models")" = 200 ]
    stop
}

@test "--listen: IPv6, with and without a port" {
    [ -e /proc/net/if_inet6 ] && grep -q ' lo$' /proc/net/if_inet6 || skip "no IPv6"
    serve --listen ::1
    grep -qE '^Serving 1 model on http://\[::1\]:[0-9]+/$' ready
    [ "$(status -g "${URL}api/v1/models")" = 200 ]
    [ "$(status -g -H "Host: localhost:$PORT" "${URL}api/v1/models")" = 200 ]
    [ "$(status -g -H "Origin: http://[::1]:$PORT" "${URL}api/v1/models")" = 200 ]
    [ "$(status -g -H "Origin: http://[::2]:$PORT" "${URL}api/v1/models")" = 403 ]
    [ "$(status -g -H "Host: [::2]" "${URL}api/v1/models")" = 421 ]
    ! grep -q warning messages
    stop
    serve --listen '[0:0:0:0:0:0:0:1]:0' -v
    grep -q '\[::1\]' ready
    [ "$(status -g "${URL}api/v1/models")" = 200 ]
    stop
    grep -qE '^::1 GET /api/v1/models 200 ' messages
    serve --listen ::
    grep -q 'warning: every machine that can reach :: ' messages
    [ "$(status -g "${URL}api/v1/models")" = 200 ]
    [ "$(status "http://127.0.0.1:$PORT/api/v1/models")" = 200 ]
    stop
}

@test "--listen: mistakes are named" {
    for address in example.org '[::1' '::1]' 1.2.3 '[127.0.0.1]' :80; do
        refused 2 "--listen needs a numeric address" explore "$F/model.safetensors" --listen "$address"
    done
    for port in '' x 65536 8080x -1 ' 80'; do
        refused 2 "is not a number up to 65535" explore "$F/model.safetensors" --listen "127.0.0.1:$port"
    done
    refused 2 "the port is given by --listen and by --port" explore "$F/model.safetensors" --listen 127.0.0.1:81 --port 80
}

@test "on all addresses: numeric hosts of this machine are served, names are not" {
    serve --listen 0.0.0.0
    own=$(hostname -I 2>/dev/null | tr ' ' '\n' | grep -m 1 -E '^[0-9.]+$') || skip "no other address"
    [ "$(status "http://$own:$PORT/api/v1/models")" = 200 ]
    [ "$(status -H "Origin: http://$own:$PORT" "http://$own:$PORT/api/v1/models")" = 200 ]
    [ "$(status -H "Origin: http://evil.example" "http://$own:$PORT/api/v1/models")" = 403 ]
    [ "$(status -H "Host: $own:$PORT" "http://127.0.0.1:$PORT/api/v1/models")" = 421 ]
    # DNS rebinding: the name of another site that resolves to this address.
    [ "$(status --resolve "evil.example:$PORT:$own" "http://evil.example:$PORT/api/v1/models")" = 421 ]
    stop
}

@test "browsers that send no Sec-Fetch headers need the header of the page" {
    serve
    local browser=(-A 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0')
    [ "$(status "${browser[@]}" "${URL}api/v1/similar?positive=king")" = 403 ]
    grep -q 'does not say which page' answer
    [ "$(status "${browser[@]}" -H 'X-Psdvec-Page: 1' "${URL}api/v1/similar?positive=king")" = 200 ]
    [ "$(status "${browser[@]}" -H 'Sec-Fetch-Site: same-origin' "${URL}api/v1/similar?positive=king")" = 200 ]
    [ "$(status "${browser[@]}" "$URL")" = 200 ]
    [ "$(status "${browser[@]}" "${URL}api/v1/openapi.json")" = 200 ]
    # Other sites would have to ask first whether they may send the header.
    curl -si "${browser[@]}" -X OPTIONS -H 'Origin: http://evil.example' -H 'Access-Control-Request-Headers: x-psdvec-page' \
        "${URL}api/v1/similar?positive=king" >answer
    head -n 1 answer | grep -q ' 403 '
    ! grep -qi access-control-allow answer
    stop
}

@test "--open starts the browser with the address, and leaves no process behind" {
    mkdir bin
    printf '#!/bin/sh\necho "$#" "$1" >%s/opened\n' "$PWD" >bin/xdg-open
    chmod +x bin/xdg-open
    RUN="env PATH=$PWD/bin:$PATH" serve --open
    for _ in $(seq 100); do
        [ -s opened ] && break
        sleep 0.05
    done
    [ "$(cat opened)" = "1 $URL" ]
    for _ in $(seq 100); do
        [ -z "$(cat "/proc/$SERVER/task/$SERVER/children" 2>/dev/null)" ] && break
        sleep 0.05
    done
    [ -z "$(cat "/proc/$SERVER/task/$SERVER/children" 2>/dev/null)" ]
    [ "$(status "${URL}api/v1/models")" = 200 ]
    stop
    mkdir none
    RUN="env PATH=$PWD/none" serve --open
    for _ in $(seq 100); do
        grep -q 'there is no program to open a browser' messages && break
        sleep 0.05
    done
    grep -qF "there is no program to open a browser (xdg-open); open $URL" messages
    [ "$(status "${URL}api/v1/models")" = 200 ]
    stop
}

@test "each refusal is one line, without control characters" {
    serve -v
    printf 'GET /\x1b[31mred%%0a HTTP/1.1\r\nHost: localhost\r\n\r\n' >request
    python3 "$HERE/api/raw_request.py" "$PORT" request >answer || true
    grep -qE '^HTTP/1.1 4' answer
    [ "$(status "${URL}%ff%fe")" = 400 ]
    [ "$(status "${URL}api/v1/models?a=%ff")" = 400 ]
    [ "$(status -X DELETE "${URL}api/v1/models")" = 405 ]
    [ "$(status -H 'Host: evil.example' "${URL}api/v1/models")" = 421 ]
    [ "$(status -H 'Origin: http://evil.example' "${URL}api/v1/models")" = 403 ]
    [ "$(status --path-as-is "${URL}../../etc/passwd")" = 404 ]
    [ "$(status "${URL}api/v1/models")" = 200 ]
    stop
    ! grep -q $'\x1b' messages
    for line in 'GET /%ff%fe 400' 'GET /api/v1/models?a=%ff 400' 'DELETE /api/v1/models 405' 'GET /api/v1/models 421' \
        'GET /api/v1/models 403' 'GET /../../etc/passwd 404'; do
        [ "$(grep -cF "127.0.0.1 $line " messages)" = 1 ] || { cat messages; return 1; }
    done
}

@test "SIGTERM while a long request is computed: it is answered or refused, and the server ends" {
    yes 'the king and the queen of music and art in the old hall of history' | head -n 12000 >body
    serve --time-limit 600
    status --data-binary @body "${URL}api/v1/score" >code &
    client=$!
    sleep 0.3
    stop
    wait $client || true
    grep -qE '^(200|503)$' code
}

@test "queued requests wait for their turn, or are refused when their time is over" {
    yes 'the king and the queen of music and art in the old hall of history' | head -n 15000 >body
    serve --threads 1 --time-limit 0.2
    for _ in 1 2 3 4; do
        curl -s -o /dev/null -w '%{http_code}\n' --data-binary @body "${URL}api/v1/score" >>codes &
    done
    # Short requests are answered by the other worker.
    [ "$(status "${URL}api/v1/words?prefix=m")" = 200 ]
    wait $(jobs -p | grep -vx "$SERVER")
    [ "$(sort -u codes)" = 503 ]
    [ "$(status "${URL}api/v1/models")" = 200 ]
    stop
}

@test "more connections than permitted are turned away, and served later" {
    serve --connections 5
    python3 - "$PORT" <<'PY'
import socket, sys, urllib.request, time
port = int(sys.argv[1])
clients = [socket.create_connection(("127.0.0.1", port), timeout=10) for _ in range(40)]
time.sleep(0.3)
for client in clients:
    client.close()
for _ in range(100):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/models", timeout=10) as answer:
            assert answer.status == 200
        break
    except OSError:
        time.sleep(0.1)
else:
    raise SystemExit("not served again")
PY
    stop
}
