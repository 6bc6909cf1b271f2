# psdvec explore behind nginx, and as a systemd service: the files of examples/serve.
bats_require_minimum_version 1.5.0
load common
load explore_common

setup_file() {
    explore_files
}

setup() {
    explore_setup
    EXAMPLES=$HERE/../../examples/serve
}

teardown() {
    explore_teardown
    [ -z "${NGINX:-}" ] || kill "$NGINX" 2>/dev/null || true
}

@test "the how-to shows the files" {
    for file in psdvec.service nginx.conf; do
        sed 's/^\(.\)/    \1/' "$EXAMPLES/$file" >indented
        python3 - "$HERE/../../docs/how-to/serve-a-team.md" indented <<'PY'
import sys
page, part = (open(name).read() for name in sys.argv[1:])
assert part in page, "docs/how-to/serve-a-team.md differs from the file in examples/serve"
PY
    done
}

@test "systemd accepts the unit, and rates it as safe" {
    command -v systemd-analyze >/dev/null || skip "no systemd-analyze"
    sed "s|/usr/bin/psdvec|$PSDVEC|" "$EXAMPLES/psdvec.service" >psdvec.service
    systemd-analyze verify --man=no ./psdvec.service >verified 2>&1 || { cat verified; return 1; }
    ! grep -i 'psdvec.service' verified
    systemd-analyze security --help | grep -q -- --offline || return 0
    systemd-analyze security --offline=yes --threshold=20 ./psdvec.service >rated 2>&1 || { tail -n 3 rated; return 1; }
}

# Starts nginx with the example, without encryption and passwords, on a free port: FRONT.
start_nginx() {
    nginx=$(PATH=$PATH:/usr/sbin command -v nginx) || skip "no nginx"
    FRONT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    mkdir -p nginx
    {
        printf 'daemon off;\npid nginx/pid;\nerror_log nginx/error.log;\nevents {}\nhttp {\naccess_log off;\n'
        for kind in client_body proxy fastcgi uwsgi scgi; do
            echo "${kind}_temp_path nginx/$kind;"
        done
        sed -e "s/listen 443 ssl;/listen 127.0.0.1:$FRONT;/" -e '/ssl_\|auth_/d' -e "s/127.0.0.1:8080/127.0.0.1:$PORT/" \
            "$EXAMPLES/nginx.conf"
        echo '}'
    } >nginx.conf
    "$nginx" -p "$PWD" -c "$PWD/nginx.conf" 2>nginx/messages 3>&- &
    NGINX=$!
    for _ in $(seq 100); do
        curl -s -o /dev/null "http://127.0.0.1:$FRONT/" && break
        kill -0 "$NGINX" || { cat nginx/messages; return 1; }
        sleep 0.05
    done
}

@test "nginx in front: prefix, packing, ETags, limits, and the name" {
    serve --host words.example.org --topics "$F/topics.safetensors"
    start_nginx
    local to=(--resolve "words.example.org:$FRONT:127.0.0.1") front=http://words.example.org:$FRONT/explore/
    [ "$(status "${to[@]}" "${front%/}")" = 301 ]
    [ "$(status "${to[@]}" "$front")" = 200 ]
    grep -qi '<!doctype html>' answer
    # The page names its files and requests relative to itself.
    ! grep -E '(src|href)="/' answer
    curl -s "${to[@]}" "${front}api/v1/similar?positive=king" | cmp - <(curl -s "${URL}api/v1/similar?positive=king")
    curl -s "${to[@]}" -H 'Accept-Encoding: gzip' "${front}api/v1/openapi.json" | gzip -dc | cmp - <(curl -s "${URL}api/v1/openapi.json")
    tag=$(curl -sI "${to[@]}" "${front}api/v1/similar?positive=king" | tr -d '\r' | sed -n 's/^ETag: //p')
    [ -n "$tag" ]
    [ "$(status "${to[@]}" -H "If-None-Match: $tag" "${front}api/v1/similar?positive=king")" = 304 ]
    curl -s "${to[@]}" "${front}api/v1/mixture" --data-binary 'folk music' | grep -q '"shares": '
    head -c 2000000 /dev/zero | tr '\0' x >body
    [ "$(status "${to[@]}" "${front}api/v1/score" --data-binary @body)" = 413 ]
    # The origin of the page is that of the proxy; other names and sites are refused.
    [ "$(status "${to[@]}" -H "Origin: https://words.example.org" "${front}api/v1/models")" = 200 ]
    [ "$(status "${to[@]}" -H "Origin: https://evil.example" "${front}api/v1/models")" = 403 ]
    [ "$(status --resolve "evil.example:$FRONT:127.0.0.1" "http://evil.example:$FRONT/explore/api/v1/models")" = 421 ]
    # The server ends; the proxy says so.
    stop
    [ "$(status "${to[@]}" "${front}api/v1/models")" = 502 ]
}
