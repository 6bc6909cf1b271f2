#!/bin/sh
# Installs what web/package-lock.json lists, unless that was done.
#
#   scripts/npm-tools.sh TOOLS [OPTION]...    the folder that gets node_modules; options of npm ci
set -eu

tools=$1
shift
mkdir -p "$tools"
if cmp -s web/package-lock.json "$tools/installed.json"; then
    exit 0
fi
cp web/package.json web/package-lock.json "$tools"
(cd "$tools" && npm ci "$@" --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=30000 \
    >npm.log 2>&1) || {
    tail -n 5 "$tools/npm.log" >&2
    exit 1
}
cp web/package-lock.json "$tools/installed.json"
