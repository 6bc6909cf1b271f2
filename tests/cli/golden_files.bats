# Files of earlier versions stay readable: every command that takes a file of psdvec is run on the
# files in tests/golden/VERSION, and must print what it printed when that version was released.
# tests/golden/README.md describes the files, and golden.bash in the same folder has the commands.
bats_require_minimum_version 1.5.0
load common

GOLDEN=$BATS_TEST_DIRNAME/../golden
# shellcheck source=tests/golden/golden.bash
. "$GOLDEN/golden.bash"

setup() {
    common_setup
    TOOLS=$(dirname "$PSDVEC")/tests/tools
    export TOOLS
    [ -x "$TOOLS/st_edit" ] || { echo "no $TOOLS/st_edit: run make test-tools"; return 1; }
    versions=$(cd "$GOLDEN" && printf '%s\n' [0-9]*)
    cp -R "$GOLDEN/text" "$GOLDEN"/*.awk "$GOLDEN"/*.bash .
}

# enter VERSION: copies its folder and makes the copy the current folder.
enter() {
    cd "$BATS_TEST_TMPDIR" || return 1
    [ -d "$1" ] || cp -R "$GOLDEN/$1" .
    cd "$1" || return 1
    set_times
}

# holds GROUP: the output of the group is unchanged for the files of every version. With
# UPDATE_GOLDEN=1 the files of expected outputs are written instead; review the difference before
# you commit it: only new cases may add to them.
holds() {
    local how version
    for how in $groups; do [ "${how%%:*}" = "$1" ] && break; done
    how=${how#*:}
    for version in $versions; do
        enter "$version"
        bash -euo pipefail -c '. ../golden.bash; "group_$1"' bash "$1" >../actual
        if [ -n "${UPDATE_GOLDEN:-}" ]; then
            cp ../actual "$GOLDEN/$version/expected/$1.txt"
            continue
        fi
        case $how in
        exact) diff -u "expected/$1.txt" ../actual ;;
        members=*) awk -v members=1 -v tolerance="${how#*=}" -f ../near.awk "expected/$1.txt" ../actual ;;
        *) awk -v tolerance="$how" -f ../near.awk "expected/$1.txt" ../actual ;;
        esac
    done
}

# ---- This test itself
# -----------------------------------------------------------------------------

@test "every group of cases is tested here, and every command is in one" {
    for group in $groups; do
        grep -q "{ holds ${group%%:*}; }" "$BATS_TEST_FILENAME"
    done
    # Commands that take no file of psdvec, or only topics files, which 0.1.0 did not have; and ask,
    # which calls similar and the others.
    local none=" tokenize phrases help counts-import ask explore topics-show topics-apply topics-compare topics-page "
    mkdir man
    "$PSDVEC" internal-man man
    for page in man/psdvec-*; do
        command=${page#man/psdvec-}
        command=${command%.1}
        [[ $none == *" $command "* ]] && continue
        case $command in
        counts-* | baseline-* | topics-*) command="${command%%-*} ${command#*-}" ;;
        esac
        grep -qE "(say |near_ship |=\\()$command( |$)" golden.bash || { echo "no case of psdvec $command"; return 1; }
    done
}

@test "the comparison detects a different number or word, a missing line and a missing member" {
    cd "$BATS_TEST_TMPDIR"
    printf 'ship 0.5000 7\nwave 1e-3\n' >expected
    printf 'ship 0.50004 7\nwave 0.001\n' >close
    awk -v tolerance=1e-4 -f near.awk expected close
    run -1 awk -v tolerance=1e-5 -f near.awk expected close
    printf 'shop 0.5 7\nwave 1e-3\n' >other
    run -1 awk -v tolerance=1e-4 -f near.awk expected other
    printf 'ship 0.5 7\n' >short
    run -1 awk -v tolerance=1e-4 -f near.awk expected short
    run -1 awk -v tolerance=1e-4 -f near.awk short expected
    echo '{"a": 1, "list": [1.5, "x"], "c": null}' >expected
    echo '{"a":1,"new":{"b":2},"list":[1.50001,"x"],"c":null}' >more
    awk -v members=1 -v tolerance=1e-4 -f near.awk expected more
    run -1 awk -v members=1 -v tolerance=1e-4 -f near.awk more expected
    sed 's/"x"/"y"/' more >other
    run -1 awk -v members=1 -v tolerance=1e-4 -f near.awk expected other
    : >nothing
    run -1 awk -v tolerance=1e-4 -f near.awk nothing nothing
}

# ---- Counts ----------------------------------------------------------------------------------------

@test "counts info" { holds counts_info; }
@test "counts dump" { holds counts_dump; }
@test "counts show" { holds counts_show; }
@test "counts merge: old counts with new ones" { holds counts_merge; }
@test "counts export" { holds counts_export; }
@test "count: old counts as a word list" { holds counts_vocab; }
@test "train from old counts" { holds counts_train; }
@test "train --dry-run from old counts" { holds counts_plan; }
@test "the other baselines from old counts and old vectors" { holds counts_baseline; }

# ---- Models ----------------------------------------------------------------------------------------

@test "info --verify" { holds info; }
@test "vector" { holds vector; }
@test "convert to other formats" { holds convert; }
@test "convert to a model" { holds convert_model; }
@test "similar" { holds similar; }
@test "analogy" { holds analogy; }
@test "odd-one-out" { holds odd_one_out; }
@test "compare" { holds compare; }
@test "eval" { holds eval; }
@test "extend" { holds extend; }
@test "residuals" { holds residuals; }
@test "files of residuals" { holds residual_file; }
@test "score" { holds score; }
@test "next" { holds next; }
@test "explain" { holds explain; }
@test "generate" { holds generate; }
@test "fit-temperature" { holds fit_temperature; }
@test "interaction" { holds interaction; }
@test "topics learn" { holds topics; }
@test "map" { holds map; }
@test "report" { holds report; }
@test "simulate into an old folder" { holds simulation; }

# ---- Interrupted runs ----------------------------------------------------------------------------------

# same_model RESUMED FRESH THEN: the first two models have the same words and vectors, bit for bit.
# On a machine whose arithmetic differs from that of the machine that saved the state, a resumed run
# cannot have the same bits. The uninterrupted run FRESH detects such a machine, if its bits differ
# from those in the file THEN; there it is enough that the same words are neighbours.
same_model() {
    bits "$1" >../resumed
    bits "$2" >../fresh
    cmp -s ../resumed ../fresh && return
    if cmp -s "$3" ../fresh; then
        echo "$1: an uninterrupted run has the bits of then, but going on gives others"
        return 1
    fi
    "$PSDVEC" similar "$1" ship the --tsv --top 3 -q | rows | cut -f 1-3 >../resumed
    "$PSDVEC" similar "$2" ship the --tsv --top 3 -q | rows | cut -f 1-3 >../fresh
    awk -v tolerance=0.02 -f ../near.awk ../resumed ../fresh
    echo "# $1: compared by neighbours, since this machine's arithmetic is another" >&3
}

@test "interrupted runs are resumed, and end with the bits of an uninterrupted run" {
    for version in $versions; do
        enter "$version"
        mkdir fresh
        for name in $interrupted_runs; do
            interrupted $name
            "$PSDVEC" "${arguments[@]}" fresh/$name.safetensors -q
            "$PSDVEC" "${arguments[@]}" partial/$name.safetensors -v 2>said
            # Either it resumes, or it reports why it cannot.
            grep -q "partial/$name.safetensors.partial: resuming the interrupted run found there" said ||
                grep -q "found there: it was made by another version of psdvec" said || { cat said; return 1; }
            [ ! -e partial/$name.safetensors.partial ]
            "$PSDVEC" info partial/$name.safetensors --verify -q >/dev/null
            awk -v name=$name '$1 == name { on = 1; next } /^[a-z]/ { on = 0 } on' expected/uninterrupted.txt >../then
            [ "$(wc -l <../then)" -eq 2 ]
            same_model partial/$name.safetensors fresh/$name.safetensors ../then
        done
    done
}

@test "count --resume continues in an old folder" {
    for version in $versions; do
        enter "$version"
        "$PSDVEC" "${resume_arguments[@]}" partial/resumed.counts.safetensors -v 2>said
        # 0.1.0 read other words from some files: its units are counted again.
        words=2 counts=1
        [ "$version" != 0.1.0 ] || words=0 counts=0
        grep -q "words: $words of 2 units were already finished" said
        grep -q "counts: $counts of 2 units were already finished" said
        mv resume resumed
        "$PSDVEC" "${resume_arguments[@]}" fresh.counts.safetensors -q
        "$PSDVEC" counts dump fresh.counts.safetensors --raw -q | rows >one
        "$PSDVEC" counts dump partial/resumed.counts.safetensors --raw -q | rows | cmp one -
        [ -s one ]
    done
}

# ---- Tables ----------------------------------------------------------------------------------------

# Scores and costs of all systems; the rest depends on the version that printed it. The mark of the
# best scores and the format of the known questions are of later versions.
table_rows() { grep '^|' "$1" | grep -v '^| known' | sed 's/▲//g'; }

@test "a finished table is kept: its models are not changed, and its scores are the same" {
    for version in $versions; do
        enter "$version"
        cp -R table before
        "$PSDVEC" "${table_arguments[@]}" --methods $table_methods -o table >/dev/null 2>said
        [ "$(grep -c 'from an earlier run' said)" -eq 6 ]
        run ! grep -qE 'trained again|counting' said
        for file in before/*.safetensors; do
            cmp "$file" "table/${file#before/}"
        done
        # The column of dimensions was called numbers in 0.1.0.
        table_rows before/table.md | sed 's/| numbers |/| dimensions |/' >then
        [ "$(wc -l <then)" -ge 8 ]
        table_rows table/table.md >now
        awk -v tolerance=0.002 -f ../near.awk then now
    done
}

@test "a finished table accepts another system, and keeps the others" {
    for version in $versions; do
        enter "$version"
        "$PSDVEC" "${table_arguments[@]}" --methods $table_methods,svd -o table >/dev/null 2>said
        [ "$(grep -c 'from an earlier run' said)" -eq 6 ]
        "$PSDVEC" info table/svd.safetensors --verify -q >/dev/null
    done
}

@test "a stopped table is resumed" {
    for version in $versions; do
        enter "$version"
        "$PSDVEC" "${table_arguments[@]}" --methods $stopped_methods -o table-stopped >/dev/null 2>said
        grep -A 1 'of 3  svd' said | grep -q 'from an earlier run'
        grep -A 1 'of 3  glove' said | grep -q '        resumed'
        [ -z "$(find table-stopped -name '*.partial')" ]
        "$PSDVEC" "${table_arguments[@]}" --methods glove -o fresh -q >/dev/null
        bits table/glove.safetensors >../then
        same_model table-stopped/glove.safetensors fresh/glove.safetensors ../then
        [ "$(table_rows table-stopped/table.md | grep -cE '^\| (svd|glove|cca) \|')" -eq 6 ]
    done
}
