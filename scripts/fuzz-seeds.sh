#!/bin/sh
# Adds inputs that the fuzzers found to their seeds, if they cover code that the seeds do not.
#
#   scripts/fuzz-seeds.sh FOLDER FUZZER...
#
# The inputs are those of FOLDER/corpus. Each fuzzer gets at most MOST_BYTES (12,000) of them, the
# smallest first, named by their checksums; those of earlier calls are chosen anew.
set -eu
most=${MOST_BYTES:-12000}
folder=$1
shift
for fuzzer in "$@"; do
    name=$(basename "$fuzzer")
    seeds=tests/fuzz/corpus/$name new=$folder/minimised/$name
    [ -d "$folder/corpus/$name" ] || continue
    rm -rf "$new"
    mkdir -p "$new/kept" "$new/found" "$seeds"
    # Names of forty hexadecimal digits are those of libFuzzer; others are chosen by people.
    find "$seeds" -type f | grep -E '/[0-9a-f]{40}$' | while read -r file; do
        mv "$file" "$new/found/"
    done
    cp -R "$seeds/." "$new/kept/"
    # Edges alone: how often each is taken would need many times as many inputs.
    "$fuzzer" -set_cover_merge=1 -use_counters=0 -use_cmp=0 -close_fd_mask=3 "$new/kept" "$new/found" "$folder/corpus/$name" \
        >"$new/log" 2>&1 </dev/null || {
        echo "$name: merging failed: see $new/log" >&2
        exit 1
    }
    find "$new/kept" -type f -exec wc -c {} + | grep -E '/[0-9a-f]{40}$' | sort -n |
        awk -v most="$most" '(sum += $1) <= most { print $2 }' | while read -r file; do
        mv "$file" "$seeds/"
    done
    printf '%-28s %4d files, %6d bytes\n' "$name" "$(find "$seeds" -type f | wc -l)" \
        "$(find "$seeds" -type f -exec cat {} + | wc -c)"
done
