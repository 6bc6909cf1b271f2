# The documentation shows what the program does. README.md and every page of docs/tutorial and
# docs/how-to is executed block by block, as docs/steps.awk describes, in an empty folder, and the
# output on the page is compared with the actual output. The readers and the examples of
# docs/reference and docs/explanation have separate tests.
load common

setup() {
    common_setup
    ROOT=$(realpath "$HERE/../..")
    mkdir -p bin
    ln -sf "$PSDVEC" bin/psdvec
    PATH=$PWD/bin:$PATH
    LICENCES=/usr/share/common-licenses
}

# blocks LANGUAGE FILE: the contents of the fenced blocks of that language.
blocks() {
    awk -v fence="\`\`\`$1" '
        $0 == fence { inside = 1; next }
        /^```/ { if (inside) print ""; inside = 0; next }
        inside { print }' "$2"
}

need_licences() { [ -r "$LICENCES/GPL-3" ] || skip "no $LICENCES here"; }

have_icu() { echo x | psdvec tokenize --tokenizer icu >/dev/null 2>&1; }

# The Python package, where `make python` has built it.
if [ -d "${PSDVEC%/*}/python/psdvec" ] && [ -z "${SANITIZE:-}" ]; then
    export PYTHONPATH=${PSDVEC%/*}/python
fi

# python_with MODULE: the name of a Python that has the module.
python_with() {
    for python in python3 /usr/bin/python3; do
        if "$python" -c "import $1" 2>/dev/null; then
            echo "$python"
            return 0
        fi
    done
    return 1
}

python_with_numpy() { python_with numpy; }

# Makes pkg-config find the library in the folder of the program.
find_library() {
    local build
    build=$(dirname "$PSDVEC")
    [ -e "$build/libpsdvec.so" ] && [ -z "${SANITIZE:-}" ] || return 1
    command -v pkg-config >/dev/null || return 1
    cat >"$BATS_TEST_TMPDIR/bin/psdvec.pc" <<END
Name: psdvec
Description: the library of this build
Version: 0
Cflags: -I$ROOT/include
Libs: -L$build -Wl,-rpath,$build -lpsdvec
END
    export PKG_CONFIG_PATH=$BATS_TEST_TMPDIR/bin
}

# page FILE: executes a page. The folder contains the reader's own files of the pages: text.txt
# (licences), new-text.txt (another licence) and the test set my/pairs.txt. Steps that need
# something that is not installed (ICU, a library to link with, a Python module) are skipped.
# Variables and functions of one sh block are available in the next.
page() {
    local steps=$PWD/steps number step python
    cat "$LICENCES"/*GPL-[0-9]* >text.txt
    cat "$LICENCES"/MPL-[0-9]* >new-text.txt
    mkdir my "$steps"
    printf 'copy copies 9\ncopy warranty 2\nprogram programs 8\nsource object 5\nwork works 9\n' >my/pairs.txt
    awk -v folder="$steps" -f "$HERE/docs/steps.awk" "$ROOT/$1"
    find_library || sed -i -e '/^cc /d' -e '/^\.\/tour/d' "$steps"/*.sh
    have_icu || sed -i '/--tokenizer icu/d' "$steps"/*.sh
    {
        echo "cc() { command ${CC:-cc} \"\$@\"; }"
        for step in "$steps"/*; do
            number=${step##*/}
            number=${number%%.*}
            case $step in
                *.sh) echo "exec >'$steps/$number.out' 2>&1" && cat "$step" ;;
                *.file) echo "tail -n +2 '$step' >'$(head -n 1 "$step")'" ;;
                *.python)
                    python=$(python_with "$(sed -n '1s/# needs //p' "$step")") || continue
                    echo "exec >'$steps/$number.out' 2>&1"
                    echo "$python '$step'"
                    ;;
            esac
        done
    } >all.sh
    if ! bash -eu -o pipefail all.sh; then
        step=$(find "$steps" -name '*.out' | sort | tail -n 1)
        echo "$1: this step failed:"
        cat "${step%.out}".[ps]* "$step"
        return 1
    fi
    # Other releases of Debian have other licences, and other numbers.
    grep -q '^12' /etc/debian_version 2>/dev/null && have_icu || return 0
    for step in "$steps"/*.text; do
        [ -e "$step" ] || continue
        shown "$step" || { echo "so $1"; return 1; }
    done
}

# shown STEP: the output on a page equals the output of the step before it. If that was skipped,
# there is nothing to compare.
shown() {
    local before
    before=$(find "$(dirname "$1")" -name '*.sh' -o -name '*.python' | sort | awk -v here="$1" '$0 < here' | tail -n 1)
    [ -e "${before%.*}.out" ] || return 0
    awk -f "$HERE/docs/shown.awk" "${before%.*}.out" "$1" || {
        cat "$1"
        echo "but this is printed:"
        cat "${before%.*}.out"
        return 1
    }
}

@test "README.md is executed" {
    need_licences
    page README.md
    [ "$(find steps -name '*.text' | wc -l)" -ge 3 ]
}

# One test for all pages, so that a new page needs none. A page that needs more than the licences
# has a function needs_PAGE, one with more to check a function after_PAGE, both with underscores for
# dashes. PAGE=train runs a single page.
@test "every page of docs/tutorial and docs/how-to is executed" {
    need_licences
    failed='' executed=0
    for file in "$ROOT"/docs/tutorial/*.md "$ROOT"/docs/how-to/*.md; do
        name=$(basename "$file" .md)
        hook=${name//-/_}
        [ "${PAGE:-$name}" = "$name" ] || continue
        if declare -F "needs_$hook" >/dev/null && ! "needs_$hook"; then
            echo "# $name.md is left out: something that it needs is not installed" >&3
            continue
        fi
        mkdir "$BATS_TEST_TMPDIR/$name"
        cd "$BATS_TEST_TMPDIR/$name"
        # In a shell without the traps of bats, so that one failure does not end the loop.
        if ! (trap - ERR DEBUG EXIT; set +e; page "${file#"$ROOT/"}") >result 2>&1 ||
            { declare -F "after_$hook" >/dev/null &&
                ! (trap - ERR DEBUG EXIT; set -e; "after_$hook" "$file") >>result 2>&1; }; then
            echo "---- ${file#"$ROOT/"}"
            cat result
            failed="$failed $name.md"
        fi
        executed=$((executed + 1))
    done
    echo "failed:${failed:- none}"
    [ -z "$failed" ] && [ "$executed" -gt 0 ]
}

# Counts with the options of the preset give the same vectors as the text.
after_large_text() {
    psdvec train text.txt --document auto --dim 50 -o again.safetensors -q
    psdvec convert again.safetensors again.bin -q
    psdvec convert text.safetensors text.bin -q
    cmp text.bin again.bin
}

# The program prints the same results as numpy.
after_python() {
    psdvec similar text.safetensors patent --top 5 --forms --tsv | rows | cut -f2 >wanted
    [ "$(wc -l <wanted)" -eq 5 ]
    step=$(grep -l 'np.argsort' steps/*.python | head -n 1)
    [ ! -e "${step%.python}.out" ] || cut -d' ' -f1 "${step%.python}.out" | diff -u wanted -
}

after_phrases() {
    grep -q 'gnu_general_public_license' joined.txt
}

# The commands and the C program agree.
after_serve_queries() {
    find_library || return 0
    blocks c "$1" >serving.c
    # shellcheck disable=SC2046
    ${CC:-cc} -Wall -Wextra -Werror serving.c $(pkg-config --cflags --libs psdvec) -o serving
    psdvec similar gpl.safetensors free software patent --top 3 --restrict 100 --tsv | rows | cut -f 1-3 >wanted
    ./serving | sed 's/^Patent/patent/' | diff - wanted
    [ "$(wc -l <wanted)" -eq 9 ]
}

after_reproduce_the_paper() {
    psdvec info psd-unreg.safetensors | grep -qE '^  mu +0$'
    psdvec info psd-core.safetensors | grep -qE '^  words +500,'
    grep -q '"title": "PSD-25K, the 25,000 core words of psd-paper"' paper.table/table.json
    # The commands for a small text and for a large one compare the same systems.
    sed -n '/^       psdvec table/,/^$/p' "$1" >full
    grep -q -- "$(sed -n '/^psdvec table/,/^$/s/.*--methods \([^ ]*\) .*/\1/p' all.sh)" full
}

after_compare_systems() {
    grep -q 'pairs' out/table.html
}

needs_other_languages() {
    [ -r /usr/share/man/de/man1/ls.1.gz ] && [ -r /usr/share/man/zh_CN/man1/ls.1.gz ] && have_icu
}

# Words are shown as written, and found in any spelling.
after_other_languages() {
    psdvec similar de.safetensors SCHLÜSSEL --top 4 --format tsv | grep -q 'zertifikate'
    psdvec similar de.safetensors SCHLÜSSEL --top 4 --format json | grep -q '"zertifikate"'
}

@test "the simulation of docs/explanation/simulation.md recovers the true model as predicted" {
    python=$(python_with_numpy) || skip "no python3 with numpy"
    blocks sh "$ROOT/docs/explanation/simulation.md" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -eq 3 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
    blocks python "$ROOT/docs/explanation/simulation.md" >compare.py
    "$python" compare.py | tee printed
    # error E, predicted P, ratio R
    awk '{ exit !($2 < 0.03 && $6 > 0.9 && $6 < 1.15) }' printed
}

@test "the shell blocks of docs/explanation/documents.md run" {
    need_licences
    blocks sh "$ROOT/docs/explanation/documents.md" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -ge 12 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
    [ -s note.html ]
}

@test "the shell blocks of docs/reference/queries.md run" {
    need_licences
    blocks sh "$ROOT/docs/reference/queries.md" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -ge 8 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
    grep -q 'omitted: .*(--forms shows them)' output
}

# Any text that contains the word music is sufficient.
musical_text() {
    made_words
    sed 's/marble\b/music/g' words.txt >text.txt
}

@test "the shell blocks of docs/explanation/baselines.md run" {
    musical_text
    cp text.txt sample.txt
    cp text.txt sample.tok.txt
    blocks sh "$ROOT/docs/explanation/baselines.md" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -ge 11 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
    for system in ppmi svd sgns glove cca sparse; do psdvec info $system.safetensors | grep -q "$system"; done
    [ "$(head -c 3 sgns.vec | tr -d ' ')" -gt 0 ]
}

@test "the commands of docs/explanation/sparse-codes.md run" {
    musical_text
    psdvec train text.txt --dim 20 -o text.safetensors -q
    blocks sh "$ROOT/docs/explanation/sparse-codes.md" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -ge 5 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
    # The first words of the strongest dimension of a word include the word itself.
    psdvec convert text.safetensors x.npy -q
    mv x.words.txt words.txt
    direction=$(psdvec vector sparse.safetensors music --tsv | sort -t "$(printf '\t')" -k 4 -gr | awk 'NR == 1 { print $2 }')
    grep '^    xargs ' "$ROOT/docs/explanation/sparse-codes.md" | sed "s/976/$direction/" >foremost.sh
    [ "$(wc -l <foremost.sh)" -eq 1 ]
    bash -eux foremost.sh >output
    grep -q music output
}

@test "the reader of docs/reference/counts-file.md agrees with the program" {
    python=$(python_with_numpy) || skip "no python3 with numpy"
    small_text
    for options in "" "--distance linear" "--distance harmonic --subsample 1e-2"; do
        # shellcheck disable=SC2086
        psdvec count small.txt --min-count 1 $options -o small.counts.safetensors -q
        blocks python "$ROOT/docs/reference/counts-file.md" >reader.py
        [ -s reader.py ]
        "$python" reader.py small.counts.safetensors >printed
        psdvec counts dump small.counts.safetensors --raw | tail -n +2 >wanted
        diff -u wanted printed
    done
}

@test "the checksums are computed as docs/reference/counts-file.md describes" {
    python=$(python_with_numpy) || skip "no python3 with numpy"
    "$python" -c 'import xxhash' 2>/dev/null || skip "no xxhash for python3"
    small_text
    psdvec count small.txt --min-count 1 -o small.counts.safetensors -q
    blocks 'python checksums' "$ROOT/docs/reference/counts-file.md" >checksums.py
    [ -s checksums.py ]
    "$python" checksums.py small.counts.safetensors
    printf 'X' | dd of=small.counts.safetensors bs=1 seek=6000 conv=notrunc status=none
    run "$python" checksums.py small.counts.safetensors
    [ "$status" -ne 0 ]
}

@test "every row of the examples in docs/reference/tokeniser.md is what the program prints" {
    icu=yes
    echo x | psdvec tokenize --tokenizer icu >/dev/null 2>&1 || icu=no
    # Another release of ICU may have other words.
    grep -q "^12" /etc/debian_version 2>/dev/null || icu=no
    awk -F' *[|] *' '/^<!-- examples end/ { on = 0 } on && /^[|] `/ { print }
        /^<!-- examples begin/ { on = 1 }' "$ROOT/docs/reference/tokeniser.md" >rows
    [ "$(wc -l <rows)" -ge 10 ]
    while IFS='|' read -r _ text words whitespace original by_icu _; do
        text=$(code "$text")
        check_row "$text" words "$words"
        check_row "$text" whitespace "$whitespace"
        check_row "$text" original "$original"
        [ "$icu" = no ] || check_row "$text" icu "$by_icu"
    done <rows
}

# The content of a table cell in backticks; an empty one means no words.
code() { echo "$1" | sed -e 's/^ *`\{0,1\}//' -e 's/`\{0,1\} *$//'; }

check_row() {
    local wanted got
    wanted=$(code "$3")
    got=$(printf '%s\n' "$1" | psdvec tokenize --tokenizer "$2")
    if [ "$got" != "$wanted" ]; then
        echo "$2 of: $1"
        echo "  the table says $wanted"
        echo "  the program    $got"
        return 1
    fi
}

@test "every row of the options in docs/reference/tokeniser.md is what the program prints" {
    awk '/^<!-- options end/ { on = 0 } on && /^[|] `/ { print } /^<!-- options begin/ { on = 1 }' \
        "$ROOT/docs/reference/tokeniser.md" >rows
    [ "$(wc -l <rows)" -ge 8 ]
    while IFS='|' read -r _ options text wanted _; do
        # shellcheck disable=SC2046
        got=$(code "$text" | psdvec tokenize $(code "$options"))
        if [ "$got" != "$(code "$wanted")" ]; then
            echo "$options of $text: the table says $wanted, the program $got"
            return 1
        fi
    done <rows
}

@test "the table of --digits in docs/reference/tokeniser.md is what the program prints" {
    # shellcheck disable=SC2016
    sed -n '/^| `--digits` |/,/^$/p' "$ROOT/docs/reference/tokeniser.md" >table
    # shellcheck disable=SC2016
    text=$(sed -n '1s/.*| `\(.*\)` |$/\1/p' table)
    [ -n "$text" ]
    for digits in drop mixed keep zero; do
        wanted=$(sed -n "s/^| \`$digits\`.*| \`\(.*\)\` |\$/\1/p" table)
        got=$(echo "$text" | psdvec tokenize --digits $digits)
        [ "$got" = "$wanted" ] || { echo "$digits: the table says $wanted, the program $got"; return 1; }
    done
}

@test "docs/reference/c-api.md names headers and functions that exist, and every header" {
    page=$ROOT/docs/reference/c-api.md
    for header in "$ROOT"/include/psdvec/*.h; do
        grep -q "^| \`$(basename "$header")\` |" "$page" || { echo "no row for $header"; return 1; }
    done
    # shellcheck disable=SC2016
    sed -n 's/^| `\([a-z_]*\.h\)` .*/\1/p' "$page" >headers
    while read -r header; do [ -e "$ROOT/include/psdvec/$header" ]; done <headers
    # Functions in tables; structs of options; all other names in the text and the program.
    sed -n 's/^| \(`psdvec_[^|]*\) |.*/\1/p' "$page" | grep -oE 'psdvec_[a-z0-9_]+' | sort -u >functions
    [ "$(wc -l <functions)" -ge 100 ]
    while read -r name; do
        grep -qE "(^|[ *])$name\\(" "$ROOT"/include/psdvec/*.h || { echo "no function $name"; return 1; }
    done <functions
    grep -oE '(psdvec|PSDVEC)_[A-Za-z0-9_]+' "$page" | sort -u >names
    while read -r name; do
        grep -qw "$name" "$ROOT"/include/psdvec/*.h || { echo "no $name in the headers"; return 1; }
    done <names
    cat "$ROOT"/include/psdvec/*.h | grep -oE '^} psdvec_[a-z]+_options;' | tr -d '};' | sort -u >structs
    while read -r name; do
        grep -q "\`$name\`" "$page" || { echo "$name is missing"; return 1; }
    done <structs
}

@test "the program of docs/reference/c-api.md finds the neighbours that psdvec finds" {
    need_licences
    find_library || skip "no shared library, or no pkg-config"
    blocks c "$ROOT/docs/reference/c-api.md" >neighbours.c
    # shellcheck disable=SC2046
    ${CC:-cc} -Wall -Wextra -Werror neighbours.c $(pkg-config --cflags --libs psdvec) -o neighbours
    ./neighbours "$LICENCES/GPL-3" gpl.safetensors Software | cut -f1 >printed
    psdvec similar gpl.safetensors software --forms --tsv | rows | cut -f2 >wanted
    [ "$(wc -l <wanted)" -eq 10 ]
    diff -u wanted printed
    run ./neighbours missing.txt gpl.safetensors software
    [ "$status" -eq 1 ]
    [[ "$output" == *missing.txt* ]]
    run ./neighbours "$LICENCES/GPL-3" gpl.safetensors xyzzyx
    [ "$status" -eq 1 ]
}

# The anchors of a document's headings, as on GitHub.
anchors() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed -e 's/[^a-z0-9 _-]//g' -e 's/ /-/g'
}

@test "links between the documents are valid" {
    for file in "$ROOT"/*.md "$ROOT"/docs/*.md "$ROOT"/docs/*/*.md; do
        folder=$(dirname "$file")
        grep -o ']([^)]*)' "$file" | sed -e 's/^](//' -e 's/)$//' -e '/^http[a-z]*:/d' | sort -u >links || continue
        while read -r link; do
            path=${link%%#*} target=$file
            [ -z "$path" ] || target=$folder/$path
            if [ ! -e "$target" ]; then
                echo "${file#"$ROOT"/}: $link"
            elif [ "$link" != "$path" ]; then
                echo "${link#*#} $target $link"
            fi
        done <links
    done >found
    # All headings are read once.
    cut -d ' ' -f 2 found | sort -u | while read -r target; do
        anchors "$target" | sed "s|\$| $target|"
    done >headings
    grep -q '^[^ ]' headings && ! awk 'NR == FNR { known[$0]; next } /^[^ ]*: / || !($1 " " $2 in known) { print }' headings found | grep .
}

@test "the exit statuses of docs/reference/exit-status.md are those of the program" {
    page=$ROOT/docs/reference/exit-status.md
    psdvec help count | sed -n '/^Exit status:/,$ s/^  \([0-9][0-9, ]*[0-9]\|[0-9]\)  .*/\1/p' >wanted
    sed -n '/^## Exit statuses/,/^## Status codes/ s/^| \([0-9][0-9, ]*\) |.*/\1/p' "$page" >listed
    [ "$(wc -l <wanted)" -ge 8 ]
    diff -u wanted listed
}

@test "the status codes of docs/reference/exit-status.md are those of status.h" {
    sed -n 's/^    \(PSDVEC_[A-Z0-9_]*\) = \([0-9]*\).*/\2 \1/p' "$ROOT/include/psdvec/status.h" >wanted
    # shellcheck disable=SC2016
    sed -n 's/^| \([0-9]*\) | `\(PSDVEC_[A-Z0-9_]*\)` .*/\1 \2/p' "$ROOT/docs/reference/exit-status.md" >listed
    [ "$(wc -l <wanted)" -ge 20 ]
    diff -u wanted listed
}

@test "docs/reference/log.md names every event and member of the log" {
    made_words
    psdvec count words.txt -o words.counts --log count.log -q
    psdvec train words.counts --dim 5 -o words.safetensors --log train.log -q
    psdvec train words.txt --dim 5 --dry-run -o x.safetensors --log plan.log -q
    psdvec train words.counts --dim 5 --dry-run -o x.safetensors --log plan2.log -q
    psdvec baseline svd words.counts --dim 5 -o svd.safetensors --log baseline.log -q
    run psdvec train missing.txt -o x.safetensors --log error.log -q
    [ "$status" -eq 3 ]
    # The members of "settings" are options, those of "operands" arguments.
    sed 's/"settings": .*//' ./*.log | grep -oE '"[a-z_]+":' | tr -d '":' | sort -u >members
    grep -hoE '"event": "[a-z]+"' ./*.log | sed 's/.*: //' | tr -d '"' | sort -u >events
    [ "$(wc -l <events)" -ge 6 ]
    [ "$(wc -l <members)" -ge 40 ]
    while read -r name; do
        grep -qF -- "\`$name\`" "$ROOT/docs/reference/log.md" || { echo "log.md lacks $name"; return 1; }
    done < <(cat members events)
}

@test "every source file starts with a comment that describes its purpose" {
    "$ROOT/scripts/list-files.sh" >list
    [ "$(wc -l <list)" -eq "$(find "$ROOT"/{src,cli,server,mpi} -name '*.[ch]' | wc -l)" ]
    grep -q '^src/solve/eigen.h .*Leading eigenpairs' list
}

# The steps are lines such as "1. `src/count/count.c`, `psdvec_count`: ...".
@test "the steps in ARCHITECTURE.md name files and functions that exist" {
    cd "$ROOT"
    for walk in '## A word, ' '## A pair, '; do
        awk -v walk="$walk" '/^## / { on = index($0, walk) == 1 } on && /^[0-9]+\. / { sub(/:.*/, ""); print }' \
            ARCHITECTURE.md | tr -d '`,' >"$BATS_TEST_TMPDIR/steps"
        [ "$(wc -l <"$BATS_TEST_TMPDIR/steps")" -ge 12 ]
        [ "$(cut -d' ' -f2 "$BATS_TEST_TMPDIR/steps" | sort -u | wc -l)" -le 15 ]
        while read -r _ file functions; do
            for function in $functions; do
                grep -Eq "(^|[ *])$function\\(" "$file" || { echo "$file has no $function"; return 1; }
            done
        done <"$BATS_TEST_TMPDIR/steps"
    done
}

# Sentences with words that share beginnings and endings.
made_words() {
    awk 'BEGIN {
        split("read write think drink play", stem); split("er ing able less", end)
        split("the a my your", article); split("is was seems", verb)
        split("marble marbles marbly garble", stone) # "marble" is a row of its own, "marbl" and "arble" others
        for (i = 0; i < 600; i++) {
            w = stem[i % 5 + 1] end[int(i / 5) % 4 + 1]
            print article[i % 4 + 1], w, verb[i % 3 + 1], "un" stem[int(i / 7) % 5 + 1] "able", "and",
                stem[int(i / 3) % 5 + 1], article[int(i / 11) % 4 + 1], stone[int(i / 13) % 4 + 1], w
        }
    }' >words.txt
}

@test "the reader of docs/reference/model-file.md compares by read-out, unseen words by spelling" {
    python=$(python_with_numpy) || skip "no python3 with numpy"
    made_words
    blocks python "$ROOT/docs/reference/model-file.md" >reader.py
    psdvec train words.txt --dim 12 -o trained.safetensors -q
    psdvec convert trained.safetensors --float16 half.safetensors -q
    psdvec convert trained.safetensors --int8 bytes.safetensors -q
    psdvec convert trained.safetensors --dim 7 cut.safetensors -q
    psdvec train words.txt --dim 12 --centre no --order off --spelling off -o plain.safetensors -q
    for model in trained half bytes cut plain; do
        for word in reader unthinkable rethinkable marbled; do
            case $model-$word in plain-rethinkable | plain-marbled) continue ;; esac
            "$python" reader.py $model.safetensors $word >printed
            psdvec similar $model.safetensors $word --forms --tsv 2>/dev/null | rows | cut -f2,3 >wanted
            [ "$(wc -l <wanted)" -eq 10 ]
            # The last digits of cosines differ because of another precision.
            paste wanted printed | awk -F'\t' '$1 != $3 || $2 - $4 > 2e-4 || $4 - $2 > 2e-4 { print; bad = 1 }
                END { exit bad }' || { echo "$model $word"; return 1; }
        done
    done
    run "$python" reader.py plain.safetensors rethinkable
    [ "$status" -ne 0 ]
}

@test "the read-out of an added word is computed as docs/reference/model-file.md describes" {
    python=$(python_with_numpy) || skip "no python3 with numpy"
    made_words
    for _ in 1 2 3 4 5; do echo "my rethinkable play is unreadable and think the rethinkable"; done >new.txt
    psdvec train words.txt --dim 12 --spelling 0.7 -o trained.safetensors -q
    psdvec extend trained.safetensors new.txt -o more.safetensors -q
    blocks python "$ROOT/docs/reference/model-file.md" | sed '/^t, meta = read_model/,$d' >later.py
    cat >>later.py <<'END'
t, meta = read_model("more.safetensors")
words = [w.decode("utf-8") for w in strings(t["words"], t["offsets"])]
i = words.index("rethinkable")
c = t["vectors"][i] - t["readout.mean"]
b = c / np.linalg.norm(c) @ t["readout.map"]
share = json.loads(meta["settings"])["spelling"]
assert share == 0.7
made = b / np.linalg.norm(b) + share * spell(t, meta, "rethinkable")
assert np.abs(made - t["readout"][i]).max() < 1e-5, (made, t["readout"][i])
END
    "$python" later.py
}

@test "the commands of docs/explanation/spelling.md run" {
    need_licences
    cat "$LICENCES"/*GPL-[0-9]* >text.txt
    blocks sh "$ROOT/docs/explanation/spelling.md" | grep '^psdvec' >all.sh
    [ "$(wc -l <all.sh)" -eq 3 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
}

@test "the diagrams of docs/images are those that the script draws, and the counts in them are right" {
    command -v python3 >/dev/null || skip "no python3"
    mkdir drawn
    PYTHONDONTWRITEBYTECODE=1 python3 "$ROOT/scripts/draw_diagrams.py" -o drawn
    [ "$(find drawn -name '*.svg' | wc -l)" -eq 2 ]
    for diagram in drawn/*.svg; do cmp "$diagram" "$ROOT/docs/images/${diagram##*/}"; done
    sed -n '/^    printf/,/^    psdvec counts/p' "$ROOT/scripts/draw_diagrams.py" | sed 's/\\\\n/\\n/g' >window.sh
    bash -eu -o pipefail window.sh | awk -F'\t' '$2 == "ship" { print $1, $3 }' | sort >counted
    # 1/3 is printed with two digits.
    grep -o 'x([a-z]*, ship) += [0-9/]*' drawn/window.svg | sed 's/x(\(.*\), ship) += /\1 /' |
        awk '{ split($2, part, "/"); printf "%s %.2g\n", $1, part[1] / (part[2] ? part[2] : 1) }' | sort >shown
    [ "$(wc -l <shown)" -eq 4 ]
    diff -u counted shown
}

@test "the figures of docs/images are those of the measurements in docs/data" {
    command -v python3 >/dev/null || skip "no python3"
    mkdir drawn
    python3 "$ROOT/scripts/plot_quality.py" -o drawn
    [ "$(find drawn -name '*.svg' | wc -l)" -eq 5 ]
    for figure in drawn/*.svg; do cmp "$figure" "$ROOT/docs/images/${figure##*/}"; done
}
