#!/usr/bin/env bats
# psdvec map: pictures, pages and tables of the words of a model.

bats_require_minimum_version 1.5.0
load common

setup() {
    cd "$BATS_TEST_TMPDIR" || exit
    # Three groups of words, with vectors around three directions.
    awk 'BEGIN {
        srand(1)
        print 90, 6
        for (k = 0; k < 90; k++) {
            word = k == 4 ? "<b>&amp;" : k == 5 ? "né\303\251e" : k == 6 ? "\346\234\250" : "w" k
            printf "%s", word
            for (d = 0; d < 6; d++)
                printf " %.4f", (d % 3 == k % 3 ? 3 : 0) + rand() - 0.5
            print ""
        }
    }' >blobs.vec
}

@test "a table has a row per word, and planted clusters" {
    run -0 "$PSDVEC" map blobs.vec -o map.tsv
    [[ "$output" == *"90 words, 3 clusters"* ]]
    [ "$(wc -l <map.tsv)" -eq 91 ]
    [ "$(head -1 map.tsv)" = "$(printf 'word\tx\ty\tcluster\tlevel\tregion')" ]
    # Words of a group are in the same cluster.
    awk -F'\t' 'NR > 1 && $4 != "" { pair = (NR - 2) % 3 " " $4; if (!(pair in seen)) { seen[pair]; n++ } }
        END { exit n != 3 }' map.tsv
}

@test "the map does not depend on the number of threads" {
    for threads in 1 2 5; do
        "$PSDVEC" map blobs.vec -q --threads $threads -o "$threads.svg"
    done
    cmp 1.svg 2.svg
    cmp 1.svg 5.svg
    "$PSDVEC" map blobs.vec -q --seed 7 -o other.svg
    run ! cmp -s 1.svg other.svg
}

@test "pictures are well-formed and escape words" {
    "$PSDVEC" map blobs.vec -q -o map.svg --labels 1000 --font-size 6
    python3 -c 'import sys, xml.dom.minidom as x
words = {t.firstChild.data for t in x.parse("map.svg").getElementsByTagName("text")}
sys.exit(not {"<b>&amp;", "néée"} <= words)'
    run ! grep -q '<b>' map.svg
    "$PSDVEC" map blobs.vec -q -o map.png --width 320 --height 240 --dark
    [ "$(head -c 4 map.png | tail -c 3)" = PNG ]
    [ "$(od -An -tu1 -j18 -N2 map.png | tr -d ' ')" = 164 ] # 320
}

@test "labels of vector graphics need no font, and can be searched" {
    "$PSDVEC" map blobs.vec -q -o map.svg --labels 1000 --font-size 6
    python3 - <<'PYTHON'
import xml.dom.minidom
picture = xml.dom.minidom.parse("map.svg")
paths = {p.getAttribute("id"): p.getAttribute("d") for p in picture.getElementsByTagName("path")}
drawn = [u.getAttribute("href") for u in picture.getElementsByTagName("use")]
texts = picture.getElementsByTagName("text")
visible = [t.firstChild.data for t in texts if t.getAttribute("fill")]
assert len(drawn) > 50 and len(set(drawn)) == len(drawn) == len(texts) - 1
assert all(len(paths[d[1:]]) > 10 for d in drawn)
assert visible == ["\u6728"], visible   # there is no letter for it
PYTHON
}

@test "a page contains all words as data" {
    "$PSDVEC" map blobs.vec -q -o map.html
    run ! grep -q '<b>&amp;"' map.html
    grep -q '"w89"' map.html
    run ! grep -qE 'src="|href="' map.html
}

@test "some words, or the neighbours of one, can be mapped" {
    printf 'w3\nno-such-word\nw1\nw3\n' >list
    run -0 "$PSDVEC" map blobs.vec --words list -o some.tsv
    [[ "$output" == *"list: 1 word is not in the model: 'no-such-word'"* ]]
    [ "$(tail -n +2 some.tsv | cut -f1 | paste -sd' ')" = "w1 w3" ]
    "$PSDVEC" map blobs.vec -q --around w0 --nearest 12 -o near.tsv
    [ "$(wc -l <near.tsv)" -eq 14 ]
    grep -q '^w0	' near.tsv
}

@test "groups have colours and a legend" {
    printf 'w1\tfirst\nw2\tsecond & last\nw90\tfirst\n' >groups
    run -0 "$PSDVEC" map blobs.vec --groups groups -o map.svg
    [[ "$output" == *"groups: 1 of 3 words are not on the map"* ]]
    grep -q '>first</text>' map.svg
    grep -q '>second &amp; last</text>' map.svg
    printf 'w1 first\n' >groups
    run -4 "$PSDVEC" map blobs.vec --groups groups -o map.svg
    [[ "$output" == *"groups: line 1: expected a word, a tab and the name of a group"* ]]
}

@test "errors name the cause, and leave the old output" {
    echo old >map.svg
    run -2 "$PSDVEC" map blobs.vec -o map.gif
    [[ "$output" == *"map.gif does not say what to write; use .svg, .png, .html or .tsv"* ]]
    run -2 "$PSDVEC" map blobs.vec --around zzz -o map.svg
    run -2 "$PSDVEC" map blobs.vec --around w1 --words list -o map.svg
    printf 'unknown\n' >none
    run -2 "$PSDVEC" map blobs.vec --words none -o map.svg
    [[ "$output" == *"none: has no word of the model"* ]]
    [ "$(cat map.svg)" = old ]
}

@test "maps of very few words are drawn" {
    for count in 1 2 3 4; do
        { echo "$count 6"; sed -n "2,$((count + 1))p" blobs.vec; } >few.vec
        for suffix in svg png html tsv; do
            "$PSDVEC" map few.vec -q -o "few.$suffix"
        done
        [ "$(wc -l <few.tsv)" -eq $((count + 1)) ]
    done
}
