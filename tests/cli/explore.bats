# psdvec explore: the HTTP interface, and what a server must withstand.
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

@test "answers are the JSON of the commands" {
    "$PSDVEC" similar "$F/model.safetensors" king - man + woman --top 3 --json >wanted
    get '/api/v1/similar?positive=king&negative=man&positive=woman&top=3' >got
    # The order of words differs, not the sum.
    diff <(grep -o '"similar".*' wanted) <(grep -o '"similar".*' got)
    "$PSDVEC" analogy "$F/model.safetensors" man king woman --json | diff - <(get '/api/v1/analogy?a=man&b=king&c=woman')
    "$PSDVEC" compare "$F/model.safetensors" king queen --json | diff - <(get '/api/v1/compare?a=king&b=queen')
    "$PSDVEC" compare "$F/model.safetensors" king queen --counts "$F/counts.safetensors" --json |
        diff - <(get '/api/v1/explain?a=king&b=queen')
    "$PSDVEC" odd-one-out "$F/model.safetensors" king queen hall --json |
        diff - <(get '/api/v1/odd-one-out?word=king&word=queen&word=hall')
    "$PSDVEC" next "$F/model.safetensors" "the art of" --top 4 --json | diff - <(get '/api/v1/next?text=the+art+of&top=4')
    "$PSDVEC" counts show "$F/counts.safetensors" music --top 3 --json | diff - <(get '/api/v1/contexts?word=music&top=3')
    (cd "$F" && "$PSDVEC" info model.safetensors --json) | sed 's/"model.safetensors"/"model"/' | diff - <(get '/api/v1/info')
    "$PSDVEC" vector "$F/model.safetensors" king --json | sed 's/.*/{"vectors": [&]}/' | diff - <(get '/api/v1/vector?word=king')
}

@test "score has the probability of every word, and the total" {
    get '/api/v1/score?text=The+art+of+zebras' >got
    echo 'The art of zebras' | "$PSDVEC" score "$F/model.safetensors" - --per-word --json >wanted
    [ "$(grep -o '"log_probability": [-0-9.e]*' wanted)" = "$(grep -o '"log_probability": [-0-9.e]*' got)" ]
    grep -q '"word": "zebras", "known": false' got
    grep -q '"total": {"total": true, "documents": 1, "words": 4, "known": 3' got
}

@test "words are completed by prefix, most frequent first, in any case" {
    get '/api/v1/words?prefix=m&top=2' | grep -qF '{"prefix": "m", "total": 2, "words": [{"word": "music", "count": 190}, {"word": "man", "count": 30}]}'
    get '/api/v1/words?prefix=MUS' | grep -q '"word": "music"'
    get '/api/v1/words?prefix=caf%C3%A9' | grep -q '"word": "café", "count": 20'
    get '/api/v1/words?prefix=xyz' | grep -qF '"total": 0, "words": []'
    [ "$(get '/api/v1/words?top=1000' | grep -o '"word": ' | wc -l)" -eq "$(get /api/v1/words | grep -o '"total": [0-9]*' | cut -d ' ' -f 2)" ]
}

@test "tokenize splits a text as the model's was" {
    get '/api/v1/tokenize?text=The+Café+1st+zebra' |
        grep -qF '{"tokens": [{"word": "the", "known": true}, {"word": "café", "known": true}, {"word": "st", "known": false}, {"word": "zebra", "known": false}]}'
}

@test "models and test sets are named, and chosen by their names" {
    get /api/v1/models | grep -q '"name": "model", .*"counts": true.*"name": "other", .*"sets": \["pairs"\]'
    ! get '/api/v1/info?model=other' | cmp -s - <(get /api/v1/info)
    get '/api/v1/eval?set=pairs&resamples=0' | grep -q '"name": "pairs"'
    get '/api/v1/eval?resamples=0' | grep -q '"name": "world"'
    ! get '/api/v1/eval?set=nosuch' | grep -v "there is no test set 'nosuch'"
}

@test "a word has its rank, its neighbours by rank, and its spread" {
    get '/api/v1/word?word=music' | grep -qE '^\{"word": "music", "rank": 1, "words": 68, "count": 190, "around": \[\{"word": "music", "rank": 1, "count": 190\}, \{"word": "the", "rank": 2, '
    get '/api/v1/word?word=Music' | grep -q '"word": "music", "rank": 1'
    get '/api/v1/word?word=woman&model=other' >answer
    grep -qE '"spread": [0-9.]+, "spread_above": (0|1|0\.[0-9]+), "around"' answer
    [ "$(grep -oE '"spread": [0-9.]+' answer)" = "$(get '/api/v1/similar?positive=man&model=other&top=100&forms=yes' | grep -oE '"word": "woman"[^}]*' | grep -oE '"spread": [0-9.]+')" ]
    # Words of the core have none.
    ! get '/api/v1/word?word=music&model=other' | grep -q spread
    fails 404 "the word 'qqq' is not in the model" '/api/v1/word?word=qqq'
}

@test "topics, their documents, and the topics of a text" {
    "$PSDVEC" topics show "$F/topics.safetensors" --words 4 --format json | diff - <(get '/api/v1/topics?words=4')
    "$PSDVEC" topics show "$F/topics.safetensors" --topic 2 --words 4 --documents 3 --format json |
        diff - <(get '/api/v1/topic?topic=2&words=4&documents=3&topics=topics')
    echo 'folk music and popular music' | "$PSDVEC" topics apply "$F/topics.safetensors" - --format json >wanted
    get '/api/v1/mixture?text=folk+music+and+popular+music' >got
    diff <(grep -o '"words".*' wanted) <(grep -o '"words".*' got)
    number=$(get '/api/v1/topic?topic=2&documents=1' | grep -oE '"document": [0-9]+' | grep -oE '[0-9]+$')
    get "/api/v1/document?document=$number&top=1" | grep -qE "^\{\"document\": $number, \"source\": \"text.txt\", \"beginning\": .*\"topics\": \[\{\"topic\": 2, "
    fails 404 "there is no topic 4; the last is 3" '/api/v1/topic?topic=4'
    fails 404 "there is no document 1000" '/api/v1/document?document=1000'
    fails 400 "topic" '/api/v1/topic?topic=x'
    fails 400 "the parameter topic is missing" '/api/v1/topic'
    fails 404 "there are no topics 'nosuch'" '/api/v1/topics?topics=nosuch'
    fails 400 "documents must be from 1 to 1000" '/api/v1/topic?topic=1&documents=1001'
    "$PSDVEC" explore "$F/model.safetensors" --get /api/v1/topics 2>/dev/null >answer || true
    grep -q '"status": 422, "message": "the server was started without --topics' answer
}

@test "test sets: the questions that a model fails most" {
    "$PSDVEC" eval "$F/model.safetensors" "$F/pairs.txt" --mistakes 2 --resamples 0 --format json >wanted
    get '/api/v1/eval?set=pairs&mistakes=2&resamples=0' >got
    [ "$(grep -o '"mistakes".*' wanted)" = "$(grep -o '"mistakes".*' got)" ]
    grep -qE '"mistakes": \[\{"set": "pairs", "section": null, "model": "model", "question": "[a-z]+ [a-z]+"' got
    get '/api/v1/eval?set=synonyms&mistakes=2&resamples=0' | grep -q '"name": "synonyms"'
    get /api/v1/models | grep -q '"builtin_sets": \["world", '
}

@test "an unseen word gets a vector from its spelling" {
    get '/api/v1/similar?positive=dancing' | grep -q '"spelled": \["dancing"\]'
}

# fails STATUS SENTENCE URL
fails() {
    local code=0
    get "$3" >answer || code=$?
    [ "$code" -ne 0 ] && grep -qF "{\"error\": {\"status\": $1, \"message\": \"" answer && grep -qF -- "$2" answer || {
        echo "$3: wanted $1 $2, got $(cat answer)"
        return 1
    }
}

@test "errors have a status and a message" {
    fails 404 "there is nothing here" /api/v1/nosuch
    fails 404 "there is nothing here" /api/v2/similar
    fails 404 "there is nothing here" /../../etc/passwd
    fails 404 "there is no model 'nosuch'" '/api/v1/info?model=nosuch'
    fails 404 "there is no model '../../etc/passwd'" '/api/v1/info?model=../../etc/passwd'
    fails 404 "the word 'qqq' is not in the model" '/api/v1/compare?a=king&b=qqq'
    fails 400 "the parameter b is missing" '/api/v1/compare?a=king'
    fails 400 "the parameter a is given twice" '/api/v1/compare?a=king&b=queen&a=man'
    fails 400 "the parameter positive is empty" '/api/v1/similar?positive='
    fails 400 "has no parameter 'from'" '/api/v1/similar?positive=king&from=/etc/passwd'
    fails 400 "has no parameter 'output'" '/api/v1/similar?positive=king&output=x'
    fails 400 "top must be" '/api/v1/similar?positive=king&top=1001'
    fails 400 "top must be" '/api/v1/similar?positive=king&top=x'
    fails 400 "give a model and at least three words" '/api/v1/odd-one-out?word=king'
    fails 400 "the text is missing" '/api/v1/score'
    fails 400 "must be UTF-8" '/api/v1/similar?positive=%ff'
    fails 400 "must be UTF-8" '/api/v1/similar?positive=a%00b'
    get '/api/v1/contexts?word=king&model=other' >/dev/null # one file is for all models
    "$PSDVEC" explore "$F/model.safetensors" --get '/api/v1/contexts?word=king' 2>/dev/null >answer || true
    grep -q '"status": 422, "message": "the server was started without --counts' answer
}

@test "words of a request are words, whatever they look like" {
    cp "$F/other.safetensors" king
    get '/api/v1/similar?positive=king&top=1' | diff - <(cd / && get '/api/v1/similar?positive=king&top=1')
    for word in --help -h --json --spelling=0 - -- -q; do
        get "/api/v1/similar?positive=$word" >answer || grep -q '"status": 4' answer
        ! grep -qi usage answer
        get "/api/v1/compare?a=$word&b=king" >answer || grep -q '"status": 404' answer
    done
}

@test "docs/reference/openapi.json describes the routes" {
    "$PSDVEC" internal-openapi >openapi.json
    diff -u "$HERE/../../docs/reference/openapi.json" openapi.json || {
        echo "The routes have changed; run 'make reference' and commit the file."
        return 1
    }
    get /api/v1/openapi.json | cmp - openapi.json
}

@test "answers agree with their description" {
    command -v python3 >/dev/null || skip "no python3"
    "$PSDVEC" internal-openapi >openapi.json
    for url in 'models' 'info' 'similar?positive=king&top=2' 'similar?positive=dancing' 'analogy?a=man&b=king&c=woman' \
        'compare?a=king&b=queen' 'explain?a=king&b=queen' 'odd-one-out?word=king&word=man&word=hall' 'vector?word=king' \
        'words?prefix=m' 'tokenize?text=The+king' 'score?text=The+king+zebra' 'next?text=the+art' 'next' 'contexts?word=music' \
        'eval?set=pairs' 'eval?set=pairs&set=meaning&mistakes=3&resamples=0' 'word?word=king' 'topics?words=3' \
        'topic?topic=2&documents=3' 'document?document=2&top=2' 'mixture?text=the+king+and+the+queen' 'map'; do
        printf '%s\t' "$url"
        get "/api/v1/$url"
    done >answers
    python3 "$HERE/api/check_answers.py" openapi.json answers
}

@test "the map is that of psdvec map, also when it is read" {
    "$PSDVEC" map "$F/model.safetensors" -q -o map.tsv
    get /api/v1/map-points >computed
    "$PSDVEC" explore "$F/model.safetensors" --map map.tsv --get /api/v1/map-points >read
    cmp computed read
    python3 - <<'PY'
import json, struct
data = open("computed", "rb").read()
assert data[:8] == b"psdvmap1"
length, = struct.unpack_from("<I", data, 8)
head = json.loads(data[12:12 + length])
rows = [line.rstrip("\n").split("\t") for line in open("map.tsv", encoding="utf-8")][1:]
n, m, at = head["words"], head["labels"], 12 + length
assert at % 8 == 0 and n == len(rows)
def take(kind, count):
    global at
    values = struct.unpack_from(f"<{count}{kind}", data, at)
    at += struct.calcsize(kind) * count
    return values
frequency, points, clusters = take("d", n), take("f", 2 * n), take("i", n)
places, levels = take("I", m), take("I", m)
words = data[at:at + head["word_bytes"]].decode().splitlines()
assert at + head["word_bytes"] + head["form_bytes"] == len(data)
single = lambda text: struct.unpack("f", struct.pack("f", float(text)))[0]
for k, (word, x, y, cluster, count, level, region) in enumerate(rows):
    assert words[k] == word and frequency[k] == int(count)
    assert points[2 * k:2 * k + 2] == (single(x), single(y))
    assert clusters[k] == (int(cluster) if cluster else -1)
    assert (k in places) == (level != "")
assert list(levels) == sorted(levels)
PY
    "$PSDVEC" explore "$F/model.safetensors" --map-words 5 --get /api/v1/map | grep -q '"state": "ready", "words": 5,'
    "$PSDVEC" explore "$F/model.safetensors" --map-words 0 --get /api/v1/map | grep -qF '{"state": "none"}'
    run "$PSDVEC" explore "$F/model.safetensors" --map-words 0 --get /api/v1/map-points
    [[ "$output" == *'"status": 404, "message": "the server was started without a map'* ]]
    printf 'word\tx\nking\t1\n' >bad.tsv
    "$PSDVEC" explore "$F/model.safetensors" --map bad.tsv --get /api/v1/map 2>&1 | grep -q '"state": "failed", "message": "bad.tsv: is not the table of a map'
    refused 2 "1 models and 2 maps are given" explore "$F/model.safetensors" --map map.tsv --map map.tsv --get /api/v1/map
}

@test "the map is made while the server answers, and sent packed, with an ETag" {
    serve
    for _ in $(seq 200); do
        curl -s "${URL}api/v1/map" >answer
        grep -q '"state": "ready"' answer && break
        sleep 0.05
    done
    grep -q '"state": "ready", "words": 68' answer
    ! curl -si "${URL}api/v1/map" | grep -qi '^ETag'
    curl -s "${URL}api/v1/map-points" | cmp - <("$PSDVEC" explore "$F/model.safetensors" --get /api/v1/map-points)
    curl -s -H 'Accept-Encoding: gzip' "${URL}api/v1/map-points" | gzip -dc | cmp - <(curl -s "${URL}api/v1/map-points")
    curl -si "${URL}api/v1/map-points" | tr -d '\r' >answer
    grep -aq '^Content-Type: application/octet-stream$' answer
    etag=$(sed -n 's/^ETag: //p' answer)
    [ "$(status -H "If-None-Match: $etag" "${URL}api/v1/map-points")" = 304 ]
    stop
}

@test "the server says where it is, and ends on SIGTERM and SIGINT" {
    serve
    grep -qE '^Serving 1 model on http://127.0.0.1:[0-9]+/$' ready
    [ "$(status "${URL}api/v1/models")" = 200 ]
    stop
    # A shell starts background processes with SIGINT ignored.
    env --default-signal=INT true 2>/dev/null || skip "env cannot restore SIGINT"
    RUN="env --default-signal=INT" serve -q
    kill -INT "$SERVER"
    for _ in $(seq 100); do
        kill -0 "$SERVER" 2>/dev/null || break
        sleep 0.05
    done
    ! kill -0 "$SERVER" 2>/dev/null
    wait "$SERVER"
    SERVER=
}

@test "answers have a type, a policy, an ETag, and are packed" {
    serve
    curl -si "${URL}api/v1/similar?positive=king" >answer
    for header in 'Content-Type: application/json' "Content-Security-Policy: default-src 'none'" \
        'X-Content-Type-Options: nosniff' 'Cross-Origin-Resource-Policy: same-origin' 'X-Frame-Options: DENY'; do
        grep -qF "$header" answer
    done
    ! grep -qi 'access-control' answer
    etag=$(tr -d '\r' <answer | sed -n 's/^ETag: //p')
    [ "$(status -H "If-None-Match: $etag" "${URL}api/v1/similar?positive=king")" = 304 ]
    [ ! -s answer ]
    [ "$(status -H "If-None-Match: $etag" "${URL}api/v1/similar?positive=queen")" = 200 ]
    curl -s "${URL}api/v1/openapi.json" >plain
    curl -s --compressed "${URL}api/v1/openapi.json" | cmp - plain
    curl -s -H 'Accept-Encoding: gzip' "${URL}api/v1/openapi.json" | gzip -dc | cmp - plain
    [ "$(curl -sI "${URL}api/v1/models" | tr -d '\r' | sed -n 's/^Content-Length: //p')" -gt 0 ]
    curl -s "$URL" | grep -qi '<!doctype html>'
    curl -s --compressed "$URL" | grep -qi '<!doctype html>'
}

@test "a text is sent with POST" {
    serve
    curl -s "${URL}api/v1/tokenize" --data-binary 'The art & music' | grep -q '"word": "music"'
    curl -s "${URL}api/v1/next?top=2" -H 'Content-Type: text/plain' --data-binary 'the art of' |
        cmp - <(curl -s "${URL}api/v1/next?top=2&text=the+art+of")
    printf 'bad \xff text' | curl -s "${URL}api/v1/score" --data-binary @- | grep -q '"status": 400'
}

@test "other methods, other hosts and pages of other sites are refused" {
    serve -v
    for method in PUT DELETE OPTIONS PATCH TRACE; do
        [ "$(status -X $method "${URL}api/v1/models")" = 405 ]
    done
    [ "$(status -X POST "${URL}api/v1/models")" = 405 ]
    [ "$(status -X POST "$URL")" = 405 ]
    for host in evil.example "evil.example:$PORT" 127.0.0.1.evil.example 10.0.0.1 '127.0.0.1:x' '[::2]'; do
        [ "$(status -H "Host: $host" "${URL}api/v1/models")" = 421 ]
    done
    for host in localhost "localhost:$PORT" 127.0.0.1:9 '[::1]:80'; do
        [ "$(status -H "Host: $host" "${URL}api/v1/models")" = 200 ]
    done
    for origin in http://evil.example null "http://127.0.0.1:1" "http://evil.example/127.0.0.1:$PORT"; do
        [ "$(status -H "Origin: $origin" "${URL}api/v1/models")" = 403 ]
    done
    [ "$(status -H "Origin: http://127.0.0.1:$PORT" "${URL}api/v1/models")" = 200 ]
    [ "$(status -H 'Sec-Fetch-Site: cross-site' "${URL}api/v1/models")" = 403 ]
    # A link on another site may lead to the page, but not into a frame or to the API.
    local from=(-H 'Sec-Fetch-Site: cross-site' -H 'Sec-Fetch-Mode: navigate')
    [ "$(status "${from[@]}" -H 'Sec-Fetch-Dest: document' "$URL")" = 200 ]
    [ "$(status "${from[@]}" -H 'Sec-Fetch-Dest: iframe' "$URL")" = 403 ]
    [ "$(status "${from[@]}" -H 'Sec-Fetch-Dest: document' "${URL}api/v1/models")" = 403 ]
    stop
    grep -qE '^127.0.0.1 PUT /api/v1/models 405 [0-9]+ bytes [0-9.]+ ms$' messages
    grep -qE '^127.0.0.1 GET /api/v1/models 421 ' messages
}

@test "requests that arrive while the server ends do not keep it" {
    serve
    # Clients that keep asking on one connection each.
    for _ in 1 2 3; do
        python3 - "$PORT" <<'PY' &
import http.client, sys
try:
    connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
    for _ in range(100000):
        connection.request("GET", "/api/v1/similar?positive=music&top=3")
        connection.getresponse().read()
except OSError:
    pass
except http.client.HTTPException:
    pass
PY
    done
    sleep 1
    stop
    wait
}

@test "--host permits the name of a proxy" {
    serve --host words.example
    [ "$(status -H "Host: words.example" "${URL}api/v1/models")" = 200 ]
    [ "$(status -H "Host: words.example" -H 'Origin: https://words.example' "${URL}api/v1/models")" = 200 ]
}

@test "--listen: other addresses need it, with a warning" {
    refused 2 "--listen needs a numeric address" explore "$F/model.safetensors" --listen example.org
    serve --listen 0.0.0.0
    grep -q 'warning: every machine that can reach 0.0.0.0 can now use the models' messages
    stop
    serve
    refused 6 "choose another port" explore "$F/model.safetensors" --port "$PORT"
}

@test "requests of any size and content are answered, refused or cut off" {
    serve -v
    head -c 1000000 /dev/zero | tr '\0' x >long
    { printf 'GET /api/v1/words?prefix='; cat long; printf ' HTTP/1.1\r\nHost: localhost\r\n\r\n'; } >request
    python3 "$HERE/api/raw_request.py" "$PORT" request >answer || true
    grep -q '^HTTP/1.1 414 ' answer
    { printf 'GET / HTTP/1.1\r\nHost: localhost\r\nX: '; cat long; printf '\r\n\r\n'; } >request
    python3 "$HERE/api/raw_request.py" "$PORT" request >answer || true
    grep -q '^HTTP/1.1 431 ' answer
    cat long long >body
    [ "$(status --data-binary @body "${URL}api/v1/score")" = 413 ]
    [ "$(status --data-binary @body -H 'Transfer-Encoding: chunked' "${URL}api/v1/score")" = 413 ]
    [ "$(status --path-as-is "${URL}../../../../etc/passwd")" = 404 ]
    [ "$(status --path-as-is "${URL}..%2f..%2fetc%2fpasswd")" = 404 ]
    [ "$(status "${URL}api/v1/models%00")" = 400 ]
    [ "$(status "${URL}api/v1/similar?positive=%c3%28")" = 400 ]
    [ "$(status -0 -H 'Host:' "${URL}api/v1/models")" != 200 ]
    for text in 'nonsense' 'GET' 'GET / HTTP/9.9' $'\x16\x03\x01\x02' 'GET /\r\n\r\n'; do
        printf '%b\r\n\r\n' "$text" >request
        python3 "$HERE/api/raw_request.py" "$PORT" request >answer || true
        ! grep -q '^HTTP/1.1 200 ' answer
    done
    [ "$(status "${URL}api/v1/models")" = 200 ]
    stop
}

@test "a request that takes too long is stopped" {
    yes 'the king and the queen of music and art in the old hall of history' | head -n 15000 >body
    serve --time-limit 0.1
    for _ in 1 2 3; do
        [ "$(status --data-binary @body "${URL}api/v1/score")" = 503 ] && break
    done
    grep -q '"status": 503, "message": "the request took too long' answer
    [ "$(status "${URL}api/v1/models")" = 200 ]
}

@test "half-open and slow connections do not keep others from being served" {
    command -v python3 >/dev/null || skip "no python3"
    serve --connections 40
    python3 "$HERE/api/slow_clients.py" "$PORT" ${PSDVEC_TEST_LONG:+long}
    stop
}

@test "many requests from many connections get the right answers" {
    load=$(dirname "$PSDVEC")/tests/tools/http_load
    [ -x "$load" ] || { echo "no $load: run make test-tools"; return 1; }
    serve
    "$load" "$PORT" 50 2000 /api/v1/models '/api/v1/words?prefix=m' '/api/v1/similar?positive=king' >result
    grep -q ' 0 wrong' result
    # All threads have memory of their own after the first of these.
    more=('/api/v1/next?text=the+art' '/api/v1/similar?positive=king&positive=music&negative=man' '/api/v1/compare?a=king&b=queen')
    "$load" "$PORT" 50 500 "${more[@]}" >result
    memory=$(awk '/VmRSS/ { print $2 }' "/proc/$SERVER/status" 2>/dev/null || echo 0)
    "$load" "$PORT" 50 "$([ -n "${PSDVEC_TEST_LONG:-}" ] && echo 10000 || echo 1500)" "${more[@]}" >result
    grep -q ' 0 wrong' result
    [ "$(awk '/VmRSS/ { print $2 }' "/proc/$SERVER/status" 2>/dev/null || echo 0)" -lt $((memory + 20000)) ]
    stop
}

@test "the log has a line per request" {
    serve --log log.jsonl
    curl -s "${URL}api/v1/similar?positive=king" >/dev/null
    stop
    grep -qE '"event": "request", "client": "127.0.0.1", "method": "GET", "url": "/api/v1/similar\?positive=king", "status": 200, "bytes": [0-9]+, "seconds": [0-9.]+}' log.jsonl
}

@test "the server can open no further sockets and start no programs" {
    env -u PSDVEC_SANDBOX "$PSDVEC" info "$F/model.safetensors" -v 2>&1 | grep -q 'running without a sandbox' &&
        skip "this kernel has no sandbox"
    serve
    # Filters of seccomp: that of every command, and that of the open socket.
    grep -q '^Seccomp:	2' "/proc/$SERVER/status"
    [ "$(sed -n 's/^Seccomp_filters:	//p' "/proc/$SERVER/status")" -ge 2 ]
    [ "$(status "${URL}api/v1/models")" = 200 ]
}

@test "--export writes a site that a plain web server and a disk can show" {
    "$PSDVEC" explore "$F/model.safetensors" "$F/other.safetensors" --export site 2>messages || {
        grep -q 'built without the page' messages && skip "psdvec was built without the page"
        cat messages && return 1
    }
    grep -qE '^Writing about [0-9.]+ [KM]iB in 12 files to site$' messages
    grep -q 'written .*site (12 files' messages
    [ "$(ls site | wc -l)" -eq 12 ]
    # Again, with fewer words: old parts are replaced, and no temporary file remains.
    touch site/psdvec-near-0-7.js site/own.txt
    "$PSDVEC" explore "$F/model.safetensors" --export site --export-words 10 --map-words 0 -q
    [ "$(ls -A site | tr '\n' ' ')" = "app.css app.js index.html own.txt psdvec-models.js psdvec-near-0-0.js psdvec-vectors-0-0.js psdvec-words-0.js " ]
    mkdir other && touch other/index.html
    refused 2 "the folder other is not empty, and not an older export" explore "$F/model.safetensors" --export other
    [ "$(ls other)" = index.html ] && [ ! -s other/index.html ]
    refused 5 "cannot write" explore "$F/model.safetensors" --export nosuch/folder/site
    (
        ulimit -f 1
        refused 5 "cannot write" explore "$F/model.safetensors" --export large
    )
    [ ! -e large ]
    refused 2 "--get and --export cannot be combined" explore "$F/model.safetensors" --export x --get /api/v1/models
}

@test "the page has less than 300 kB, packed" {
    serve
    curl -s "$URL" | grep -q 'src="app.js"' || skip "psdvec was built without the page"
    total=0
    for file in '' app.js app.css; do
        size=$(curl -s -H 'Accept-Encoding: gzip' "$URL$file" | tee part | wc -c)
        gzip -t <part
        total=$((total + size))
    done
    echo "$total bytes"
    [ "$total" -gt 1000 ] && [ "$total" -lt 300000 ]
}
