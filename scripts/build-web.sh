#!/bin/sh
# Builds the page of psdvec explore from web/ with esbuild, into a folder.
#
#   scripts/build-web.sh OUT TOOLS    OUT: the folder of the result; TOOLS: where npm installs esbuild
#
# Release archives contain the built files in web/dist, which are then used. Without node and npm, or
# if npm cannot install esbuild, OUT gets web/none.html, which says so. WEB=no: the same.
set -eu

out=$1 tools=$2
rm -rf "$out"
mkdir -p "$out"

without() {
    echo "  WEB     psdvec explore is built without its page: $1" >&2
    cp web/none.html "$out/index.html"
    exit 0
}

if [ -f web/dist/index.html ]; then
    cp web/dist/* "$out"
    exit 0
fi
[ "${WEB:-yes}" != no ] || without "WEB=no"
[ -f web/package.json ] || without "web/ has no sources"
{ command -v node && command -v npm; } >/dev/null 2>&1 || without "node or npm is missing"
sh scripts/npm-tools.sh "$tools" --omit=dev || without "npm cannot install its tools"

"$tools/node_modules/.bin/esbuild" web/src/app.ts --bundle --minify --target=es2021 --charset=utf8 \
    --legal-comments=none --log-level=warning --outfile="$out/app.js"
cat cli/pages/page.css web/src/app.css |
    "$tools/node_modules/.bin/esbuild" --loader=css --minify --charset=utf8 --log-level=warning >"$out/app.css"
cp web/src/index.html "$out/index.html"
