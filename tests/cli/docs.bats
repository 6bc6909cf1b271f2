# What the documentation shows is what the program does: every block marked "sh" in
# the README is run, in order, in an empty folder; so are its C program, the commands of
# other guides and the Python readers; the table of docs/reference/tokeniser.md is compared with the program's output.
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

python_with_numpy() {
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import numpy' 2>/dev/null; then
            echo "$python"
            return 0
        fi
    done
    return 1
}

# Makes pkg-config find the library that lies beside the program.
find_library() {
    local build
    build=$(dirname "$PSDVEC")
    [ -e "$build/libpsdvec.so" ] && [ -z "${SANITIZE:-}" ] || return 1
    command -v pkg-config >/dev/null || return 1
    cat >bin/psdvec.pc <<END
Name: psdvec
Description: the library of this build
Version: 0
Cflags: -I$ROOT/include
Libs: -L$build -Wl,-rpath,$build -lpsdvec
END
    export PKG_CONFIG_PATH=$PWD/bin
}

@test "the shell blocks of the README run in order" {
    need_licences
    blocks sh "$ROOT/README.md" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -ge 15 ]
    if find_library; then
        blocks c "$ROOT/README.md" >tour.c
        [ -s tour.c ]
        sed "s|^cc |${CC:-cc} |" all.sh >blocks.sh
    else
        grep -v -e '^cc ' -e '^\./tour' all.sh >blocks.sh
    fi
    # Some of the examples need a build with ICU.
    if ! echo x | psdvec tokenize --tokenizer icu >/dev/null 2>&1; then
        sed -i '/--tokenizer icu/d' blocks.sh
    fi
    bash -eux -o pipefail blocks.sh >output 2>&1 || { cat output; return 1; }
    grep -q "it's a well known café isn't it" output
    grep -q "it's a well-known cafe isn't it" output
}

@test "the output that the README shows is what the program prints" {
    need_licences
    # Other releases have other licences, and other numbers.
    grep -q '^12' /etc/debian_version 2>/dev/null || skip "not Debian 12"
    psdvec count "$LICENCES"/*-[0-9]* --document file -o l.counts -q
    psdvec counts show l.counts software --top 3 >printed
    # Indented by four spaces in the README, and cut with dots at the end.
    awk '/^    software  / { on = 1 } on && /^    \.\.\./ { exit } on { print substr($0, 5) }' \
        "$ROOT/README.md" >shown
    [ "$(wc -l <shown)" -eq 5 ]
    diff -u printed shown
    # Of the neighbours only the words: the last digits are the processor's.
    psdvec train "$LICENCES"/*GPL-[0-9]* --document file --dim 50 -o l.safetensors -q
    psdvec similar l.safetensors patent --top 3 --tsv | rows | cut -f2 >printed
    awk '/^    patent  / { on = 1; next } on && /^      \.\.\./ { exit } on { print $1 }' \
        "$ROOT/README.md" >shown
    [ "$(wc -l <shown)" -eq 3 ]
    diff -u printed shown
}

@test "the Python of the README finds the neighbours that the program finds" {
    need_licences
    python=$(python_with_numpy) || skip "no python3 with numpy"
    psdvec train "$LICENCES"/GPL-[123] --document file --dim 20 -o licences.safetensors -q
    psdvec convert licences.safetensors licences.npy -q
    blocks python "$ROOT/README.md" >tour.py
    "$python" tour.py | cut -d' ' -f1 >printed
    psdvec similar licences.safetensors patent --top 5 --tsv | rows | cut -f2 >wanted
    [ "$(wc -l <wanted)" -eq 5 ]
    diff -u wanted printed
}

@test "the shell and Python blocks of docs/how-to/train.md run" {
    need_licences
    cat "$LICENCES"/*GPL-[0-9]* >text.txt
    cat "$LICENCES"/MPL-[0-9]* >new-text.txt
    blocks sh "$ROOT/docs/how-to/train.md" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -ge 12 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
    # Counted by hand as the preset would, the vectors are the same.
    psdvec train text.txt -o again.safetensors -q
    psdvec convert again.safetensors again.bin -q
    cmp text.bin again.bin
    python=$(python_with_numpy) || skip "no python3 with numpy"
    blocks python "$ROOT/docs/how-to/train.md" >tour.py
    "$python" tour.py
}

@test "the commands and the program of docs/how-to/serve-queries.md agree" {
    need_licences
    blocks sh "$ROOT/docs/how-to/serve-queries.md" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -eq 4 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
    find_library || skip "no shared library, or no pkg-config"
    blocks c "$ROOT/docs/how-to/serve-queries.md" >serving.c
    # shellcheck disable=SC2046
    ${CC:-cc} -Wall -Wextra -Werror serving.c $(pkg-config --cflags --libs psdvec) -o serving
    psdvec similar gpl.safetensors free software patent --top 3 --restrict 100 --tsv | rows | cut -f 1-3 >wanted
    ./serving | sed 's/^Patent/patent/' | diff - wanted
    [ "$(wc -l <wanted)" -eq 9 ]
}

@test "the commands of docs/how-to/phrases.md run, and the list begins as it says" {
    need_licences
    blocks sh "$ROOT/docs/how-to/phrases.md" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -ge 5 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
    blocks text "$ROOT/docs/how-to/phrases.md" | head -n 4 | diff - <(head -n 4 phrases.tsv)
    grep -q 'gnu_general_public_license' joined.txt
}

@test "the simulation of docs/explanation/simulation.md finds the truth again, as predicted" {
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
    grep -q 'left out: .*(--forms shows them)' output
}

@test "the paper is reproduced on a small text as docs/how-to/reproduce-the-paper.md says" {
    need_licences
    blocks sh "$ROOT/docs/how-to/reproduce-the-paper.md" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -eq 7 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
    psdvec info psd-unreg.safetensors | grep -qE '^  mu +0$'
    psdvec info psd-core.safetensors | grep -qE '^  words +500,'
    grep -q '"title": "PSD-25K, the 25,000 core words of psd-paper"' paper.table/table.json
    # The text and the commands for a large one set the same options.
    sed -n '/^       psdvec table/,/^$/p' "$ROOT/docs/how-to/reproduce-the-paper.md" >full
    grep -q -- "$(sed -n '/^psdvec table/,/^$/s/.*--methods \([^ ]*\) .*/\1/p' all.sh)" full
}

@test "the shell blocks of docs/how-to/compare-systems.md run" {
    made_words
    mv words.txt text.txt
    mkdir my
    printf 'reader writer 9\nreader marble 1\nplayer drinker 8\nthinking drinking 7\nis marbly 0\n' >my/pairs.txt
    blocks sh "$ROOT/docs/how-to/compare-systems.md" | sed 's| -o out/ *#| --dim 20 -o out/ #|' >all.sh
    grep -q -- '--dim 20' all.sh
    [ "$(grep -c '^psdvec' all.sh)" -eq 2 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
    grep -q 'pairs' out/table.html
}

# Any text will do that has the word music.
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
    # The foremost words of the strongest direction of a word, which is one of them.
    psdvec convert text.safetensors x.npy -q
    mv x.words.txt words.txt
    direction=$(psdvec vector sparse.safetensors music --tsv | sort -t "$(printf '\t')" -k 4 -gr | awk 'NR == 1 { print $2 }')
    grep '^    xargs ' "$ROOT/docs/explanation/sparse-codes.md" | sed "s/976/$direction/" >foremost.sh
    [ "$(wc -l <foremost.sh)" -eq 1 ]
    bash -eux foremost.sh >output
    grep -q music output
}

@test "the examples of docs/how-to/other-languages.md print what the page shows" {
    [ -r /usr/share/man/de/man1/ls.1.gz ] && [ -r /usr/share/man/zh_CN/man1/ls.1.gz ] || skip "no manual pages in German and Chinese"
    echo x | psdvec tokenize --tokenizer icu >/dev/null 2>&1 || skip "no ICU"
    page=$ROOT/docs/how-to/other-languages.md
    blocks sh "$page" >all.sh
    [ "$(grep -c '^psdvec' all.sh)" -ge 4 ]
    bash -eux -o pipefail all.sh >output 2>log || { cat log; return 1; }
    grep -qx "l' homme qu' il voit" output
    grep -qx "我 喜欢 自然 语言 处理" output
    # Words are shown as they are written, and found however they are.
    grep -q '^  Zertifikate ' output
    psdvec similar de.safetensors SCHLÜSSEL --top 4 --format tsv | grep -q 'zertifikate'
    psdvec similar de.safetensors SCHLÜSSEL --top 4 --format json | grep -q '"zertifikate"'
    grep -q '^  路径 ' output
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

@test "the checksums are made as docs/reference/counts-file.md says" {
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
    # Another release of ICU may know other words.
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

# The content of a table cell in backticks; an empty one stands for no words.
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

# The anchors of a document's headings, as forges make them.
anchors() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed -e 's/[^a-z0-9 _-]//g' -e 's/ /-/g'
}

@test "links between the documents lead somewhere" {
    missing=0
    for file in "$ROOT"/*.md "$ROOT"/docs/*.md "$ROOT"/docs/*/*.md; do
        grep -o ']([^)]*)' "$file" | sed -e 's/^](//' -e 's/)$//' >links || continue
        while read -r link; do
            case $link in http*://*) continue ;; esac
            path=${link%%#*} target=$file
            [ -z "$path" ] || target=$(dirname "$file")/$path
            if [ ! -e "$target" ]; then
                echo "${file#"$ROOT"/}: $link"
                missing=1
            elif [ "$link" != "$path" ] && ! anchors "$target" | grep -qxF -- "${link#*#}"; then
                echo "${file#"$ROOT"/}: $link has no such heading"
                missing=1
            fi
        done <links
    done
    [ "$missing" -eq 0 ]
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

@test "every source file begins with a comment that says what it is for" {
    "$ROOT/scripts/list-files.sh" >list
    [ "$(wc -l <list)" -eq "$(find "$ROOT/src" "$ROOT/cli" -name '*.[ch]' | wc -l)" ]
    grep -q '^src/solve/eigen.h .*Leading eigenpairs' list
}

# The steps of a walk are lines such as "1. `src/count/count.c`, `psdvec_count`: ...".
@test "the walks of ARCHITECTURE.md lead through files and functions that exist" {
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

# Sentences with words that share their beginnings and endings.
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

@test "the reader of docs/reference/model-file.md compares words by the read-out, unseen ones by their letters" {
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
            # The last digits of cosines are rounded in another precision.
            paste wanted printed | awk -F'\t' '$1 != $3 || $2 - $4 > 2e-4 || $4 - $2 > 2e-4 { print; bad = 1 }
                END { exit bad }' || { echo "$model $word"; return 1; }
        done
    done
    run "$python" reader.py plain.safetensors rethinkable
    [ "$status" -ne 0 ]
}

@test "the read-out of a word that arrives later is made as docs/reference/model-file.md says" {
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

@test "the word that the README's text does not have, and the commands of docs/explanation/spelling.md" {
    need_licences
    grep -q '^12' /etc/debian_version 2>/dev/null || skip "not Debian 12"
    psdvec train "$LICENCES"/*GPL-[0-9]* --document file --dim 50 -o l.safetensors -q
    psdvec similar l.safetensors redistributors --top 3 | awk '{ print $1 }' >printed
    awk '/^    redistributors$/ { on = 1 } on && /^$/ { exit } on { print $1 }' "$ROOT/README.md" >shown
    [ "$(wc -l <shown)" -eq 5 ]
    diff -u printed shown
    cat "$LICENCES"/*GPL-[0-9]* >text.txt
    blocks sh "$ROOT/docs/explanation/spelling.md" | grep '^psdvec' >all.sh
    [ "$(wc -l <all.sh)" -eq 3 ]
    bash -eux -o pipefail all.sh >output 2>&1 || { cat output; return 1; }
}

@test "the figures of docs/images are those of the measurements in docs/data" {
    command -v python3 >/dev/null || skip "no python3"
    mkdir drawn
    python3 "$ROOT/scripts/plot_quality.py" -o drawn
    [ "$(find drawn -name '*.svg' | wc -l)" -eq 3 ]
    for figure in drawn/*.svg; do cmp "$figure" "$ROOT/docs/images/${figure##*/}"; done
}
