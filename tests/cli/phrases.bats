# psdvec phrases: finding phrases, joining them, and processing text with phrases.
load common

setup() { common_setup; }

# Text in which "new york" and "new york city" are phrases, and words of other scripts.
make_text() {
    awk 'BEGIN {
        srand(4)
        for (i = 0; i < 4000; i++) {
            line = ""
            for (k = 0; k < 12; k++) {
                r = rand()
                if (r < 0.05) word = "New York"
                else if (r < 0.07) word = "New York City"
                else if (r < 0.10) word = "São Paulo"
                else if (r < 0.13) word = "bank of America"
                else word = "word" sprintf("%c", 97 + int(rand() * 26)) sprintf("%c", 97 + int(rand() * 26))
                line = line word " "
            }
            print line "."
        }
    }' >text.txt
}

@test "finds phrases, lists them, and joins them" {
    make_text
    "$PSDVEC" phrases text.txt --threshold 10 -o joined.txt --list list.tsv 2>said
    grep -q 'phrases  .*joined' said
    grep -q 'written  .*list.tsv' said
    cut -f 1 list.tsv | head -n 6 | sort >first
    printf '%s\n' 'bank of' 'bank of america' 'new york' 'new york city' 'of america' 'são paulo' | sort | diff - first
    [ "$(awk -F '\t' 'NF != 3' list.tsv | wc -l)" -eq 0 ]
    grep -q 'new_york_city' joined.txt
    grep -q 'são_paulo' joined.txt
    # Joining neither removes nor adds anything.
    "$PSDVEC" tokenize text.txt >plain
    tr _ ' ' <joined.txt | diff plain -
    # The list alone gives the same text, and so does the tokeniser.
    "$PSDVEC" phrases text.txt --phrases list.tsv -o again.txt -q
    cmp joined.txt again.txt
    "$PSDVEC" tokenize text.txt --phrases list.tsv >again.txt
    cmp joined.txt again.txt
    # Joined text keeps its phrases when it is read with --underscores join.
    "$PSDVEC" tokenize joined.txt --underscores join | diff joined.txt -
}

@test "the same phrases for any number of threads and any memory limit" {
    make_text
    for k in 1 2 3 4 5 6 7 8; do cat text.txt; done >more.txt
    "$PSDVEC" phrases more.txt --threshold 10 --threads 1 --connectors of -o one --list one.tsv -q
    for how in '--threads 2' '--threads 4' '--threads 1 --memory 24M' '--threads 2 --memory 40M'; do
        [ -z "${SANITIZE:-}" ] || [[ $how != *memory* ]] || continue
        # shellcheck disable=SC2086
        "$PSDVEC" phrases more.txt --threshold 10 $how --connectors of -o other --list other.tsv -q
        cmp one other
        cmp one.tsv other.tsv
    done
    # Several files are one text.
    mkdir folder
    split -n l/3 more.txt folder/part.
    "$PSDVEC" phrases folder --threshold 10 --connectors of --list other.tsv -q
    cmp one.tsv other.tsv
}

@test "--connectors: words inside phrases, as a list or in a file" {
    make_text
    "$PSDVEC" phrases text.txt --threshold 10 --passes 1 --connectors of,the --list list.tsv -q
    grep -q '^bank of america	' list.tsv
    ! grep -q '^bank of	' list.tsv
    printf 'of\nthe\n' >connectors
    "$PSDVEC" phrases text.txt --threshold 10 --passes 1 --connectors @connectors --list other.tsv -q
    cmp list.tsv other.tsv
    refused 3 'cannot read the list of words nosuch' phrases text.txt --connectors @nosuch --list x
}

@test "a killed or interrupted run leaves no files, and keeps an old output" {
    yes 'the cat sat on the mat and so on in new york' | head -c 100000000 >text
    mkdir run
    cd run
    for delay in 0.2 0.6 1.2; do
        for signal in INT KILL; do
            echo old >y
            ended=0
            timeout --foreground --preserve-status -k 20 -s $signal $delay \
                "$PSDVEC" phrases ../text --threads 1 --memory 40M -o y --list l -q 2>/dev/null || ended=$?
            [ $ended -eq 0 ] || [ $ended -eq 130 ] || [ $ended -eq 137 ]
            [ $ended -eq 0 ] || [ "$(cat y)" = old ]
            [ $ended -eq 0 ] || rm -f l # the list may be complete before the text
            rm -f y l
            [ -z "$(ls -A)" ]
        done
    done
}

@test "invalid arguments are refused with an error message" {
    make_text
    refused 2 'give an output: -o FILE' phrases text.txt
    refused 2 'standard input cannot be read twice' phrases - -o x
    mkfifo pipe
    refused 2 'pipe cannot be read twice' phrases pipe -o x
    refused 2 'pipe cannot be read twice' phrases text.txt pipe --passes 2 --list x
    rm pipe
    refused 2 'does not search for others' phrases text.txt --phrases list.tsv --min-count 3 -o x
    refused 2 '--phrases joins the phrases of a list' phrases text.txt --phrases list.tsv --list x
    refused 2 'the maximum of --score npmi is 1' phrases text.txt --score npmi --threshold 1 --list x
    refused 2 '--max-words' phrases text.txt --max-words 1 --list x
    refused 3 'nosuch' phrases text.txt --phrases nosuch -o x
    echo word >words
    refused 3 'words: has no phrase of two or more words' phrases text.txt --phrases words -o x
    refused 3 'nosuch' phrases nosuch --list x
    : >empty
    refused 3 'empty' phrases empty --list x
    cp text.txt copy.txt
    refused 5 'copy.txt: is both input and output' phrases copy.txt -o copy.txt
    cmp text.txt copy.txt
    [ ! -e x ]
    "$PSDVEC" phrases - --passes 1 --threshold 10 --list x -q <text.txt
    "$PSDVEC" phrases text.txt --passes 1 --threshold 10 --list y -q
    cmp x y
}

@test "with another list of phrases, the state of an interrupted run is not used" {
    make_text
    printf 'new york\n' >one
    printf 'of the\n' >two
    "$PSDVEC" count text.txt --min-count 1 --phrases one --resume kept -q -o first.counts.safetensors
    "$PSDVEC" count text.txt --min-count 1 --phrases two --resume kept -q -o second.counts.safetensors
    "$PSDVEC" count text.txt --min-count 1 --phrases two -q -o wanted.counts.safetensors
    cmp second.counts.safetensors wanted.counts.safetensors
    ! cmp -s first.counts.safetensors second.counts.safetensors
}

# Random words, and sometimes a phrase: rare enough for the default threshold.
make_sparse_text() {
    awk -v lines="${1:-4000}" 'BEGIN {
        srand(5)
        for (i = 0; i < lines; i++) {
            line = ""
            for (k = 0; k < 12; k++) {
                r = rand()
                if (r < 0.002) word = "New York"
                else if (r < 0.003) word = "New York City"
                else if (r < 0.005) word = "São Paulo"
                else word = "w" sprintf("%c", 97 + int(rand() * 26)) sprintf("%c", 97 + int(rand() * 16))
                line = line word " "
            }
            print line "."
        }
    }' >text.txt
}

@test "counts files and models contain their phrases" {
    make_sparse_text
    printf 'new york\nnew york city\nSão Paulo\n' >list
    "$PSDVEC" count text.txt --phrases list -q -o x.counts.safetensors
    "$PSDVEC" counts info x.counts.safetensors | grep -q '^  phrases  *3, joined in the text'
    "$PSDVEC" counts info --json x.counts.safetensors | grep -q '"phrases": *3'
    "$PSDVEC" train x.counts.safetensors --dim 5 -q -o x.safetensors
    "$PSDVEC" info x.safetensors | grep -q '^  phrases  *3, joined in the text'
    "$PSDVEC" info --json x.safetensors | grep -q '"phrases": *3'
    # Both can serve as lists.
    "$PSDVEC" tokenize text.txt --phrases list >wanted
    for file in x.counts.safetensors x.safetensors; do
        "$PSDVEC" tokenize text.txt --phrases $file | cmp - wanted
    done
    # A file without phrases has none of this, and cannot serve as a list.
    "$PSDVEC" count text.txt -q -o plain.counts.safetensors
    "$PSDVEC" counts info plain.counts.safetensors >plain
    [ "$(grep -c phrases plain)" -eq 0 ]
    refused 4 'has no phrases' tokenize text.txt --phrases plain.counts.safetensors
    # Merging.
    "$PSDVEC" counts merge x.counts.safetensors x.counts.safetensors -q -o twice.counts.safetensors
    "$PSDVEC" counts info twice.counts.safetensors | grep -q '^  phrases  *3,'
    refused 4 'they have different phrases (3 and 0)' \
        counts merge x.counts.safetensors plain.counts.safetensors -o z.counts.safetensors
    # Other methods, and converted models.
    "$PSDVEC" baseline sgns text.txt --phrases list --dim 5 --epochs 1 -q -o sgns.safetensors
    "$PSDVEC" baseline ppmi x.counts.safetensors -q -o ppmi.safetensors
    "$PSDVEC" convert x.safetensors half.safetensors --precision float16 -q
    "$PSDVEC" convert ppmi.safetensors less.safetensors --words 100 -q
    for model in sgns ppmi half less; do
        "$PSDVEC" info $model.safetensors --verify | grep -q '^  phrases  *3,'
    done
}

@test "a damaged list of phrases is detected" {
    make_sparse_text 500
    printf 'new york\nwaa wab\n' >list
    "$PSDVEC" count text.txt --min-count 1 --phrases list -q -o x.counts.safetensors
    "$PSDVEC" train x.counts.safetensors --dim 5 -q -o x.safetensors
    for file in x.counts.safetensors x.safetensors; do
        sed 's/new york$/zew york/' $file >bad.safetensors
        [ "$(cmp $file bad.safetensors | wc -l)" -eq 1 ]
        refused 4 'the list of phrases is damaged' tokenize text.txt --phrases bad.safetensors
    done
    refused 4 'the list of phrases is not as it was written' similar bad.safetensors waa
    sed 's/new york$/zew york/' x.counts.safetensors >bad.counts.safetensors
    refused 4 'the list of phrases is not as it was written' counts info bad.counts.safetensors
}

@test "text and queries for a model are joined by its phrases" {
    make_sparse_text
    printf 'new york\nnew york city\nsão paulo\n' >list
    printf 'new york\n' >other
    "$PSDVEC" train text.txt --phrases list --dim 5 -q -o x.safetensors
    for query in 'New York' new_york 'NEW YORK'; do
        "$PSDVEC" similar x.safetensors "$query" --top 1 | head -n 1 | grep -q '^new_york  '
    done
    echo 'waa New York City wab' >new.txt
    "$PSDVEC" score x.safetensors new.txt --json | grep -q '"words": *3'
    "$PSDVEC" score x.safetensors new.txt >wanted
    "$PSDVEC" score x.safetensors new.txt --phrases list | cmp - wanted
    "$PSDVEC" score x.safetensors new.txt --phrases x.safetensors | cmp - wanted
    refused 4 'x.safetensors: the model has 3 phrases of its own, which differ from those of other' \
        score x.safetensors new.txt --phrases other
    refused 4 'leave out --phrases' fit-temperature x.safetensors text.txt --phrases other
    refused 2 '--phrases auto finds phrases in text that is counted' score x.safetensors new.txt --phrases auto
    "$PSDVEC" next x.safetensors 'waa New York' | head -n 1 | grep -q 'waa new_york'
    "$PSDVEC" explain x.safetensors 'waa New York City' | grep -q '^new_york_city'
    # All commands give the same results as for text that was joined before.
    "$PSDVEC" tokenize text.txt --phrases list >joined.txt
    "$PSDVEC" train joined.txt --underscores join --dim 5 -q -o y.safetensors
    "$PSDVEC" fit-temperature x.safetensors text.txt >one
    "$PSDVEC" fit-temperature y.safetensors joined.txt >two
    cmp one two
    "$PSDVEC" interaction text.txt --model x.safetensors --min-count 2 >one
    "$PSDVEC" interaction joined.txt --model y.safetensors --min-count 2 >two
    cmp one two
    # New words next to phrases.
    awk 'NR % 40 == 0 { sub(/New York/, "blorp New York") } { print }' text.txt >more.txt
    sed 's/^/blorp /' new.txt | awk '{ for (i = 0; i < 20; i++) print }' >>more.txt
    "$PSDVEC" extend x.safetensors more.txt -q -o longer.safetensors
    "$PSDVEC" tokenize more.txt --phrases list >joined.txt
    "$PSDVEC" extend y.safetensors joined.txt -q -o other.safetensors
    "$PSDVEC" info longer.safetensors | grep -q '^  phrases  *3,'
    "$PSDVEC" vector longer.safetensors blorp >one
    "$PSDVEC" vector other.safetensors blorp >two
    cmp one two
    # Counts without phrases are reported.
    "$PSDVEC" count more.txt -q -o more.counts.safetensors
    "$PSDVEC" extend x.safetensors more.counts.safetensors -o z.safetensors 2>&1 | grep -q 'phrases (0, not 3)'
}

@test "--phrases auto finds the phrases first" {
    make_sparse_text
    "$PSDVEC" phrases text.txt --list list.tsv -q
    grep -q '^new york city	' list.tsv
    "$PSDVEC" count text.txt --phrases list.tsv -q -o wanted.counts.safetensors
    for how in '--threads 1' '--threads 2' '--threads 2 --memory 40M' '--resume units' '--resume units'; do
        [ -z "${SANITIZE:-}" ] || [[ $how != *memory* ]] || continue
        # shellcheck disable=SC2086
        "$PSDVEC" count text.txt --phrases auto $how -o x.counts.safetensors 2>said
        cmp wanted.counts.safetensors x.counts.safetensors
    done
    "$PSDVEC" count text.txt --phrases auto -o x.counts.safetensors 2>said
    grep -q "$(wc -l <list.tsv) phrases found in the text" said
    "$PSDVEC" train text.txt --phrases list.tsv --dim 5 -q -o wanted.safetensors
    "$PSDVEC" train text.txt --phrases auto --dim 5 -q -o x.safetensors
    cmp wanted.safetensors x.safetensors
    "$PSDVEC" baseline sgns text.txt --phrases list.tsv --dim 5 --epochs 1 -q -o wanted.safetensors
    "$PSDVEC" baseline sgns text.txt --phrases auto --dim 5 --epochs 1 -q -o x.safetensors
    cmp wanted.safetensors x.safetensors
    # A folder that contains the counts of an earlier run.
    mkdir folder
    cp text.txt folder
    for run in 1 2; do
        "$PSDVEC" count folder --phrases auto -q -o folder/x.counts.safetensors
        mv folder/x.counts.safetensors $run
        cp $run folder/x.counts.safetensors
    done
    cmp 1 2
    "$PSDVEC" train text.txt --phrases auto --dry-run -o z.safetensors | grep -q '^  phrases  *found in the text first'
    mkfifo pipe
    for command in count train 'baseline sgns'; do
        # shellcheck disable=SC2086
        refused 2 'standard input cannot be read twice, and --phrases auto' \
            $command - --phrases auto -o z.safetensors
        # shellcheck disable=SC2086
        refused 2 'pipe cannot be read twice, and --phrases auto' \
            $command pipe --phrases auto -o z.safetensors
    done
    [ ! -e z.safetensors ] && [ ! -e z.safetensors.partial ]
}

@test "an interrupted run is resumed with the phrases that it found" {
    make_sparse_text 60000
    "$PSDVEC" train text.txt --phrases auto --dim 50 -q -o wanted.safetensors
    "$PSDVEC" train text.txt --phrases auto --dim 50 -q -o x.safetensors &
    started=$!
    for ((k = 0; k < 2000; k++)); do
        [ ! -e x.safetensors.partial/phrases.safetensors ] || break
        sleep 0.01
    done
    kill -KILL $started
    wait $started || true
    [ -e x.safetensors.partial/phrases.safetensors ]
    "$PSDVEC" train text.txt --phrases auto --dim 50 -o x.safetensors 2>said
    grep -q 'of an interrupted run' said
    [ "$(grep -c 'phrases found in the text' said)" -eq 0 ]
    cmp wanted.safetensors x.safetensors
}
