# psdvec train and psdvec extend: their arguments, their output, and that an interrupted run
# ends with the same bits when it is resumed.
bats_require_minimum_version 1.5.0
load common

setup() { common_setup; }

# Text with structure: each line is about one of 20 subjects, with 30 words per subject and 300
# common words.
some_text() { # FILE LINES SEED
    awk -v lines="$2" -v seed="$3" 'BEGIN {
        srand(seed)
        for (line = 0; line < lines; line++) {
            subject = int(rand() * 20)
            for (i = 0; i < 20; i++)
                if (rand() < 0.5) printf "s%da%d ", subject, int(30 * rand() * rand())
                else printf "c%d ", int(300 * rand() * rand())
            print ""
        }
    }' | sed 's/[0-9]/&x/g; y/0123456789/bdefghijkl/' >"$1"
}

some_counts() {
    some_text text.txt 4000 1
    "$PSDVEC" count -q text.txt --preset default -o counts.st
}

train() { "$PSDVEC" train -q "$@"; }

# Long enough to be interrupted, short enough to wait for.
slow=(--dim 60 --iterations 30 --eigen-tolerance 1e-5)

# ---- The command line --------------------------------------------------------------------------

@test "operands and -o are required" {
    refused 2 "give an input: text" train
    refused 2 "give an output, for example -o wiki.safetensors" train x
    refused 2 "give a model and new text" extend x -o y
    refused 2 "give an output" extend x y
    refused 3 "nosuch" train nosuch -o m.st
    refused 3 "nosuch" extend nosuch small.txt -o m.st
    [ ! -e m.st ] && [ ! -e m.st.partial ]
}

@test "numbers and lists are strict" {
    refused 2 "--dim must be a whole number from 1 to 10000, not '0'" train x -o y --dim 0
    refused 2 "--core must be a whole number from 1 to 4294967295, or all, not '0'" \
        train x -o y --core 0
    refused 2 "or all, not 'al'" train x -o y --core al
    refused 2 "--rho-target must be a number from -100 to 100, not 'x'" train x -o y --rho-target x
    refused 2 "--core-mu must be a number from 0 to 1000000000000, not '-1'" train x -o y --core-mu -1
    for list in '' , 2, ,2 2,,4 2,x '2, 4' 2,-1 nan 2:4; do
        refused 2 "--mu must be numbers from 0 to 1000000000000, separated by commas, not '$list'" \
            train x -o y --core 5 --mu "$list"
    done
    for list in '' 0 1,2.5 1,x 1,4294967296; do
        refused 2 "--bands must be whole numbers from 1 to 4294967295, separated by commas" \
            train x -o y --core 5 --bands "$list"
    done
    refused 2 "--preset must be default or paper, not 'papers'; did you mean 'paper'?" \
        train x -o y --preset papers
    for share in x -1 11 nan OFF ""; do
        refused 2 "--order must be a number from 0 to 10, or off, not '$share'" train x -o y --order "$share"
        refused 2 "--spelling must be a number from 0 to 10, or off, not '$share'" train x -o y --spelling "$share"
    done
    refused 2 "--centre must be yes or no, not 'maybe'" train x -o y --centre maybe
    refused 2 "--min-count must be a whole number of at least 1" extend m x -o y --min-count 0
    refused 2 "--mu must be a number from 0 to 1000000000000, not '2,4'" extend m x -o y --mu 2,4
}

@test "options that contradict each other are refused, with the remedy" {
    refused 2 "use both or neither" train x -o y --weights smoothed
    refused 2 "--rho is 0.2, which requires --weights factored" train x -o y --weights raw --rho 0.2
    refused 2 "use --start 0 or --target smoothed" train x -o y --start 0.5
    refused 2 "steps of length 2.28" train x -o y --relaxation 1.9
    refused 2 "--kappa must be a number above 0" train x -o y --target smoothed --kappa 0
    refused 2 "into 3 bands, but --mu has 2 values" \
        train x -o y --core 5 --mu 1,2 --bands 6,7
    refused 2 "the ranks must be in ascending order" train x -o y --core 5 --mu 1,2,3 --bands 7,6
    refused 2 "is within the core" train x -o y --core 5 --mu 1,2 --bands 3
}

@test "options that would do nothing are refused" {
    refused 2 "--kappa has no effect here; it needs --target smoothed" train x -o y --kappa 0.1
    refused 2 "it needs --target pmi" train x -o y --preset paper --context-power 1
    refused 2 "it needs --weights factored" train x -o y --preset paper --factor-power 1
    refused 2 "it needs --weights factored and --rho above 0" train x -o y --rho 0 --rho-target 1
    refused 2 "it needs --weights raw or --weights smoothed" train x -o y --cut 0.1
    refused 2 "it needs --weights glove" train x -o y --glove-max 5
    refused 2 "it needs --core other than all" train x -o y --mu 2,4
    refused 2 "it needs --core other than all" train x -o y --unseen-weight 0.001
    refused 2 "--core-mu has no effect here; it needs --form psd" train x -o y --core-mu 1
}

@test "counts of a preset give the model of the text, others are reported" {
    some_text text.txt 300 1
    for preset in default paper; do
        "$PSDVEC" count -q text.txt --preset $preset --min-count 5 -o counts.st
        "$PSDVEC" train counts.st --preset $preset --dim 5 -o counts.safetensors 2>messages
        ! grep "made for" messages
        train text.txt --preset $preset --min-count 5 --dim 5 -o text.safetensors
        cmp counts.safetensors text.safetensors
    done
    "$PSDVEC" count -q text.txt -o counts.st
    "$PSDVEC" train counts.st --dim 5 -o counts.safetensors 2>messages
    head -n 2 messages | diff - <(printf '%s\n' \
        "The counts have a window of 5 with uniform weights. The preset default is made for a window of 10" \
        "with harmonic weights: psdvec count --preset default")
    # Given options override those of the preset.
    "$PSDVEC" count -q text.txt --preset default --window 4 -o counts.st
    "$PSDVEC" counts info counts.st --json | grep -qF '"settings": {"window":4,"distance":"harmonic"'
    "$PSDVEC" train counts.st --dim 5 -o counts.safetensors 2>&1 |
        grep -q '^The counts have a window of 4. The preset default'
}

@test "values of a preset that contradict given options are ignored" {
    some_counts
    for options in "--weights raw" "--weights glove --glove-max 20" "--preset paper --target pmi" \
        "--target smoothed --weights smoothed" "--preset paper --weights factored --core all"; do
        # shellcheck disable=SC2086
        train counts.st $options --dim 5 --iterations 1 -o m.st
    done
}

@test "with a counts file, options about text are refused" {
    small_text
    "$PSDVEC" count -q small.txt --min-count 1 -o c.st
    refused 2 "--window applies to text, and c.st is a counts file" \
        train c.st --window 3 -o m.st
    refused 2 "--sentences applies to text" train c.st --sentences -o m.st
    refused 2 "--keep applies to text" train c.st --keep the -o m.st
    refused 2 "c.st is a counts file, and a counts file must be the only input" train c.st small.txt -o m.st
    refused 2 "counts merge" train c.st c.st -o m.st
}

@test "files that are neither text nor counts are refused" {
    small_text
    "$PSDVEC" count -q small.txt --min-count 1 -o c.st
    head -c 500 c.st >cut.st
    refused 4 "cut.st" train cut.st -o m.st
    head -c 1000 /dev/urandom >noise
    printf '\0\0\0' >>noise
    refused 3 "noise" train noise -o m.st
    [ ! -e m.st ] && [ ! -e m.st.partial ]
}

# damaged FILE HOW: counts.st with the tensor `indices` changed: one bit (bit), or a column beyond the
# vocabulary in a file without checksums (column).
damaged() {
    python3 - counts.st "$1" "$2" <<'END'
import json, sys
data = bytearray(open(sys.argv[1], "rb").read())
end = 8 + int.from_bytes(data[:8], "little")
header = json.loads(bytes(data[8:end]))
at = end + header["indices"]["data_offsets"][0]
if sys.argv[3] == "bit":
    data[at + 4000] ^= 64
else:
    data[at + 4000:at + 4004] = b"\xff\xff\xff\x7f"
    meta = header["__metadata__"]
    header["__metadata__"] = {k: v for k, v in meta.items() if not k.startswith("xxh3")}
    text = json.dumps(header).encode()
    assert len(text) <= end - 8
    data[8:end] = text.ljust(end - 8)
open(sys.argv[2], "wb").write(data)
END
}

@test "damaged counts are detected before they are used" {
    command -v python3 >/dev/null || skip "no python3"
    some_counts
    some_text more.txt 100 2
    train counts.st --dim 5 --iterations 1 -o old.st
    damaged bit.st bit
    damaged column.st column
    refused 4 'bit.st: tensor "indices" is damaged' train bit.st -o m.st
    refused 4 "column.st: the counts are damaged: the columns of a row" train column.st -o m.st
    for file in bit.st column.st; do
        refused 4 "$file: " train $file --core 50 -o m.st
        refused 4 "$file: " train $file --dry-run -o m.st
        refused 4 "$file: " extend old.st $file -o m.st
    done
    [ ! -e m.st ] && [ ! -e m.st.partial ]
}

@test "text without a pair of words gives an error message, and no files are left" {
    echo hello >one
    yes alone | head -n 20 >same
    printf 'a\nb\na\nb\n' >apart
    for text in one same apart; do
        refused 3 "no two different words co-occur" train $text --min-count 1 -o m.st
        [ ! -e m.st ] && [ ! -e m.st.partial ]
    done
    some_counts
    for preset in default paper; do
        refused 3 "a larger --core" train counts.st --core 1 --preset $preset -o m.st
    done
    [ ! -e m.st.partial ]
}

@test "a core of few words: vectors of as many dimensions, and no empty ones" {
    echo hello world >two
    "$PSDVEC" train two --min-count 1 -o m.st 2>stderr
    grep -q 'the core has 2 words, so the vectors have 2 dimensions, not 500' stderr
    grep -Eq '^  model +2 words, 2 dimensions$' stderr
    grep -Eq '^  eigenvalues +1 positive, 1 negative$' stderr
    some_counts
    "$PSDVEC" train counts.st --core 20 --dim 10000 --iterations 2 -o m.st 2>stderr
    grep -Eq '^  model +[0-9,]+ words, 20 dimensions$' stderr
    "$PSDVEC" info m.st --verify >/dev/null
}

@test "a word list in another order: the core is its beginning, with a warning" {
    some_text text.txt 1000 1
    tr ' ' '\n' <text.txt | grep . | sort | uniq -c | sort -rn | awk '{ print $2 }' >sorted
    { tail -n +11 sorted && head -n 10 sorted; } >turned
    options=(--core 50 --dim 5 --iterations 1 -o m.st)
    train text.txt --vocab turned "${options[@]}" 2>stderr
    grep -q 'warning: the core is the first 50 words of the list, but 10 of the words after it' stderr
    train text.txt --vocab sorted "${options[@]}" 2>stderr
    [ ! -s stderr ]
}

@test "priors of any size" {
    some_counts
    "$PSDVEC" train counts.st --core-mu 1e12 --form psd --dim 5 --iterations 2 -o m.st 2>stderr
    grep -q 'warning: the last 5 of the 5 components of every vector are 0' stderr
    grep -Eq '^  eigenvalues +0 positive, 0 negative$' stderr
    train counts.st --core 50 --mu 1e12 --mu-power 10 --core-mu 1e12 --form psd --dim 5 --iterations 2 -o m.st
    refused 2 "--core-mu must be a number from 0 to 1000000000000" train counts.st --core-mu 1e30 -o m.st
    refused 2 "--mu must be numbers from 0 to 1000000000000" train counts.st --core 50 --mu 1,1e30 -o m.st
    refused 2 "--mu must be a number from 0 to 1000000000000" extend m.st text.txt --mu 1e30 -o x.st
}

@test "the output is not one of the inputs" {
    some_counts
    cp counts.st kept
    refused 5 "counts.st" train counts.st -o counts.st
    cmp counts.st kept
    cp text.txt kept
    refused 5 "text.txt" train text.txt -o text.txt
    cmp text.txt kept
    [ ! -e counts.st.partial ] && [ ! -e text.txt.partial ]
}

@test "the log starts with the values of the preset" {
    refused 3 nosuch train nosuch -o y --log a.jsonl
    sed -n 1p a.jsonl | grep -q '"preset": "default", "dim": 500, "form": "symmetric", "core": 0'
    sed -n 1p a.jsonl | grep -q '"mu": \[2\]'
    sed -n 1p a.jsonl | grep -q '"window": 10, "distance": "harmonic", "oov": "drop"'
    refused 3 nosuch train nosuch -o y --preset paper --dim 50 --bands 30000,40000 --log b.jsonl
    sed -n 1p b.jsonl | grep -q '"preset": "paper", "dim": 50, "form": "psd", "core": 25000'
    sed -n 1p b.jsonl | grep -q '"mu": \[2, 4, 8\], "bands": \[30000, 40000\]'
    sed -n 1p b.jsonl | grep -q '"window": 3, "distance": "uniform", "oov": "keep"'
    sed -n 1p b.jsonl | grep -q '"min-count": 100'
}

# ---- Plans ------------------------------------------------------------------------------------

@test "--dry-run prints a plan and writes nothing" {
    some_counts
    ls -A >before
    "$PSDVEC" train counts.st --dry-run -o m.st >plan
    rm plan && ls -A | grep -v '^before$' | diff <(grep -v '^before$' before) -
    "$PSDVEC" train counts.st --dry-run -o m.st --core 100 --dim 20 >plan
    grep -q '^Plan for m.st from counts.st$' plan
    grep -Eq '^  words +[0-9,]+, 100 solved together, the others by regression$' plan
    grep -Eq '^  dimensions +20$' plan
    grep -Eq '^  pairs +[0-9,]+ of core words at most$' plan
    grep -Eq '^  memory +.*iB with everything in memory, .*iB with the pairs on disk$' plan
    grep -Eq '^  disk +.* for the model' plan
    grep -Eq '^  time +' plan
    grep -q 'interrupted none' plan
    refused 2 "--window applies to text" train counts.st --dry-run --window 3 -o m.st
}

@test "--dry-run on text is an estimate, and says so" {
    some_text text.txt 4000 1
    mkdir folder
    cp text.txt folder
    gzip -c text.txt >folder/more.txt.gz
    "$PSDVEC" train text.txt folder --dry-run -o m.st >plan 2>stderr
    [ ! -s stderr ]
    grep -q '^Estimate for m.st, from the size of the text alone$' plan
    for label in text words dimensions pairs memory disk time interrupted; do
        grep -Eq "^  $label +" plan
    done
    grep -q 'For a better estimate, count the text first and run psdvec train COUNTS --dry-run' plan
    refused 3 "cannot read nosuch: No such file" train text.txt nosuch --dry-run -o m.st
    refused 2 "cannot estimate the size of standard input" train - --dry-run -o m.st
    refused 2 "--vocab and --keep cannot be combined" train text.txt --vocab x --keep y --dry-run -o m
}

# ---- Training ---------------------------------------------------------------------------------

@test "a run reports its progress, and the log has it in machine-readable form" {
    some_counts
    "$PSDVEC" train counts.st --dim 20 --core 200 --iterations 3 -o m.st --log log >stdout 2>stderr
    [ ! -s stdout ]
    [ "$(grep -c '^iteration' stderr)" -eq 3 ]
    for label in model core eigenvalues pairs objective time memory written; do
        grep -Eq "^  $label +" stderr
    done
    grep -Eq '^  model +[0-9,]+ words, 20 dimensions$' stderr
    grep -Eq '^  eigenvalues +[0-9]+ positive, [0-9]+ negative$' stderr
    grep -Eq '^  objective +[0-9.e+]+ after 3 iterations$' stderr
    grep -Eq '^  log joint +-[0-9.e+]+, of which the text -[0-9.e+]+$' stderr
    grep -Eq '^  priors +residuals -[0-9.e+]+, background -[0-9.e+]+, vectors -[0-9.e+]+$' stderr
    grep -Eq '^  written +m.st \(.*B\)$' stderr
    [ "$(grep -c '"event": "step", .*"iteration' log)" -eq 3 ]
    grep '"event": "result"' log | grep -q '"dim": 20.*"objective": .*"solve_seconds"'
    if command -v python3 >/dev/null; then
        python3 -c 'import json; [json.loads(line) for line in open("log")]'
    fi
    "$PSDVEC" train counts.st --dim 20 --core 200 --iterations 3 -o m.st -q 2>stderr
    [ ! -s stderr ]
}

@test "info shows the joint probability, and its terms add up to the value of train" {
    some_counts
    "$PSDVEC" train counts.st --dim 20 --core 200 -o m.st 2>stderr
    "$PSDVEC" info m.st >sheet
    sed -n '/^Log joint probability/,/^$/p' sheet >joint
    for label in 'text' 'text: words' 'text: products' 'text: residuals' 'text: shifts' "residual prior" \
        background "vector prior"; do
        grep -q "^  $label  *-*[0-9]" joint
    done
    [ "$(wc -L <joint)" -le 80 ]
    command -v jq >/dev/null || skip "no jq"
    "$PSDVEC" info m.st --json >json
    jq -e '.joint | .tokens > 0 and .pairs > 0 and .words - .free_words > 0' json
    said=$(sed -n 's/^  log joint *\(-[0-9.e+]*\),.*/\1/p' stderr)
    jq -e --argjson said "$said" '.joint | .unigrams + .products + .residuals + .shifts + .residual_prior +
        .background + .vector_prior | . / $said - 1 | fabs < 1e-4' json
    small_vectors
    [ "$("$PSDVEC" info small.safetensors | grep -c "^Log joint")" -eq 0 ]
    [ "$("$PSDVEC" info small.safetensors --json | jq .joint)" = null ]
}

@test "info lists the settings that had an effect" {
    some_counts
    train counts.st --dim 20 -o m.st
    "$PSDVEC" info m.st | sed -n '/^Training/,/^$/p' >sheet
    grep -qE '^  core +all$' sheet
    grep -qE '^  factor power +0.3$' sheet
    run ! grep -qE '^  (kappa|glove|cut|mu  |bands|unseen|core mu|constants)' sheet
    train counts.st --dim 20 --preset paper --core 200 -o m.st
    "$PSDVEC" info m.st | sed -n '/^Training/,/^$/p' >sheet
    grep -qE '^  core +200$' sheet
    grep -qE '^  kappa +0.02$' sheet
    grep -qE '^  mu +2, 4, 8$' sheet
    run ! grep -qE '^  (context power|factor power|glove)' sheet
    command -v jq >/dev/null || skip "no jq"
    "$PSDVEC" info m.st --json >json
    jq -e '.settings.glove_max == 10 and (.in_force | has("glove_max") | not) and .in_force.order == "off"' json
}

@test "on a terminal the progress line has the objective" {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal to be had"
    some_counts
    run script -qec "stty cols 120; TERM=xterm '$PSDVEC' train counts.st ${slow[*]} -o m.st" /dev/null </dev/null
    [[ $output == *$'\r\033[K'*"% "*"  objective "* ]]
}

@test "the progress line has a bar at 80 and at 40 columns, and never wraps" {
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no terminal to be had"
    some_counts
    for columns in 80 40; do
        script -qec "stty cols $columns; TERM=xterm '$PSDVEC' train counts.st ${slow[*]} -o m.st" /dev/null \
            </dev/null >screen
        tr '\r' '\n' <screen | sed 's/\x1b\[K//' | grep '^solving' >lines
        [ "$(wc -l <lines)" -ge 3 ]
        [ "$(grep -vc '^solving ▕.*▏ *[0-9]*%' lines)" -eq 0 ]
        [ "$(wc -L <lines)" -lt $columns ]
    done
    script -qec "stty cols 20; TERM=xterm '$PSDVEC' train counts.st ${slow[*]} -o m.st" /dev/null </dev/null >screen
    tr '\r' '\n' <screen | sed 's/\x1b\[K//' | grep '^solving' >lines
    [ "$(grep -vc '^solving *[0-9]*%' lines)" -eq 0 ]
    [ "$(wc -L <lines)" -lt 20 ]
}

# final MODEL: the objective after the last iteration.
final() { "$PSDVEC" info "$1" --json | jq '.iterations[-1].objective'; }

@test "--start random: depends on the seed, and iterations make it as good as the other starts" {
    command -v jq >/dev/null || skip "no jq"
    some_counts
    many=(--dim 10 --iterations 60)
    for preset in "" "--preset paper --core 200 --relaxation 1.9 --rank-extra 0"; do
        # shellcheck disable=SC2086
        train counts.st "${many[@]}" $preset -o usual.st
        # shellcheck disable=SC2086
        train counts.st "${many[@]}" $preset --start random -o one.st
        # shellcheck disable=SC2086
        train counts.st "${many[@]}" $preset --start random --threads 1 -o same.st
        # shellcheck disable=SC2086
        train counts.st "${many[@]}" $preset --start random --seed 7 -o other.st
        cmp one.st same.st
        run ! cmp -s one.st other.st
        jq -en --argjson a "$(final usual.st)" --argjson b "$(final one.st)" --argjson c "$(final other.st)" \
            '[$b / $a, $c / $a] | all(. > 0.97 and . < 1.03)'
    done
    "$PSDVEC" info one.st | grep -qE '^  start +random$'
    refused 2 "--start must be" train counts.st --start -1 -o y
}

@test "training from text gives the same bits as counting and training" {
    some_counts
    train counts.st --dim 20 -o a.st
    train text.txt --dim 20 -o b.st
    cmp a.st b.st
    run "$PSDVEC" train text.txt --dim 20 -o b.st
    [[ $output == *"  read "*" words in 4,000 documents"* ]]
    [[ $output == *"  of which    counting "* ]]
    [ "$(ls -A)" = "$(printf 'a.st\nb.st\ncounts.st\ntext.txt')" ]
}

@test "the same bits for any number of threads, and for any memory limit" {
    some_counts
    for options in "" "--preset paper --core 200 --dim 20" "--core 200 --dim 20 --mu 2,4"; do
        # shellcheck disable=SC2086
        train counts.st $options --threads 1 -o one.st
        for threads in 2 4; do
            # shellcheck disable=SC2086
            train counts.st $options --threads $threads -o many.st
            cmp one.st many.st
        done
        # shellcheck disable=SC2086
        train counts.st $options --threads 1 --memory 64M -o less.st
        cmp one.st less.st
    done
}

@test "too little memory is refused before any work, with the amount that is enough" {
    [ -z "${SANITIZE:-}" ] || skip "sanitizers need memory of their own"
    some_counts
    for options in "" "--core 100 --dim 50 --threads 30" "--preset paper --dim 50"; do
        for memory in 100K 1M 4M; do
            # shellcheck disable=SC2086
            run "$PSDVEC" train counts.st $options --memory $memory -o m.st
            [ "$status" -eq 6 ]
            [[ $output == *"needs at least"*"set --memory "* ]]
            [ ! -e m.st ] && [ ! -e m.st.partial ]
            enough=${output#*set --memory }
            # shellcheck disable=SC2086
            train counts.st $options --iterations 1 --memory "${enough%%,*}" -o m.st
            rm m.st
        done
    done
}

@test "lack of disk space for the model is detected before the work" {
    some_counts
    mkdir small
    mount -t tmpfs -o size=100k none small 2>/dev/null || skip "only root can make a full disk"
    run "$PSDVEC" train counts.st -o small/m.st
    left=$(ls -A small)
    umount small
    [ "$status" -eq 5 ]
    [[ $output == *"small/m.st: needs "*" MiB, but only 0.1 MiB are free there"* ]]
    [[ $output != *iteration* ]]
    [ -z "$left" ]
}

# ---- Interrupted runs ---------------------------------------------------------------------------

@test "a run killed at any time is resumed and ends with the same bits" {
    some_counts
    train counts.st "${slow[@]}" --threads 1 -o direct.st
    for delay in 0.05 0.1 0.2 0.3 0.5 0.8; do
        "$PSDVEC" train -q counts.st "${slow[@]}" --threads 1 -o resumed.st 3>&- &
        sleep $delay
        kill -9 $! 2>/dev/null || true
        wait $! 2>/dev/null || true
        [ -z "$(find . -maxdepth 1 -name '.*psdvec*')" ]
    done
    train counts.st "${slow[@]}" -o resumed.st
    cmp direct.st resumed.st
    [ ! -e resumed.st.partial ]
}

@test "the same from text, and in the regression of noncore words" {
    some_text text.txt 4000 1
    options=(--dim 60 --core 50 --iterations 30 --eigen-tolerance 1e-5 --mu 2,4)
    train text.txt "${options[@]}" --threads 1 -o direct.st
    for delay in 0.03 0.1 0.2 0.4 0.8; do
        "$PSDVEC" train -q text.txt "${options[@]}" --threads 1 -o resumed.st 3>&- &
        sleep $delay
        kill -9 $! 2>/dev/null || true
        wait $! 2>/dev/null || true
    done
    train text.txt "${options[@]}" -o resumed.st
    cmp direct.st resumed.st
    [ "$(ls -A)" = "$(printf 'direct.st\nresumed.st\ntext.txt')" ]
}

# A text of 6,000 words of which the first lines are enough for a core: most of the time is spent in
# the read-out.
many_words() {
    awk 'BEGIN {
        split("ba de fi go ku la me ni po ru", part, " ")
        for (round = 0; round < 3; round++)
            for (w = 0; w < 6000; w++)
                printf "%s%s%s%s%s%s", part[w % 10 + 1], part[int(w / 10) % 10 + 1],
                    part[int(w / 100) % 10 + 1], part[int(w / 1000) + 1],
                    part[(w * 7 + int(w / 13)) % 10 + 1], (w * (round + 3)) % 17 ? " " : " the a\n"
    }' >text.txt
    options=(text.txt --min-count 1 --core 200 --dim 200 --threads 1)
}

# stop_in_readout SIGNAL: sends it when the regression is complete.
stop_in_readout() {
    : >stderr # messages of the last run must not be mistaken for those of this run
    "$PSDVEC" train "${options[@]}" -o m.st 3>&- 2>stderr &
    local process=$! tries=0
    while ! grep -q 'words by regression' stderr; do
        sleep 0.01
        tries=$((tries + 1))
        [ $tries -lt 3000 ]
    done
    kill "-$1" $process
    status=0
    wait $process || status=$?
}

@test "killed or stopped in the read-out, a run is resumed and ends with the same bits" {
    many_words
    train "${options[@]}" -o direct.st
    set -m
    for signal in KILL INT; do
        stop_in_readout $signal
        [ "$status" -eq $([ $signal = KILL ] && echo 137 || echo 130) ]
        [ -d m.st.partial ] && [ ! -e m.st ]
        run "$PSDVEC" train "${options[@]}" -o m.st
        [ "$status" -eq 0 ]
        [[ $output == *"using the counts of an interrupted run"* ]]
        [[ $output == *"read-out of "*" words"* ]]
        cmp direct.st m.st
        [ "$(ls -A)" = "$(printf 'direct.st\nm.st\nstderr\ntext.txt')" ]
        rm m.st
    done
}

@test "the default preset: the same bits for 1, 2 and 5 threads" {
    many_words
    train "${options[@]}" -o one.st
    for threads in 2 5; do
        train "${options[@]}" --threads $threads -o more.st
        cmp one.st more.st
    done
}

@test "the kernels of BLAS are the same on all x86-64 processors with AVX2" {
    grep -qsw avx2 /proc/cpuinfo && grep -qsw fma /proc/cpuinfo || skip "no AVX2 and FMA"
    ldd "$PSDVEC" | grep -q openblas && skip "this build uses the system's OpenBLAS"
    OPENBLAS_VERBOSE=2 "$PSDVEC" --version 2>&1 | grep -qx 'Core: Haswell'
}

@test "with kernels for other processors, cosines differ by less than .01" {
    ldd "$PSDVEC" | grep -q openblas && skip "this build uses the system's OpenBLAS"
    [ "$(uname -m)" = x86_64 ] || skip "these kernels are for x86-64"
    some_counts
    word=$(tr " " "\n" <text.txt | head -n 1)
    train counts.st --dim 30 -o m.st
    OPENBLAS_CORETYPE=Prescott train counts.st --dim 30 -o old.st
    if cmp -s m.st old.st; then false; fi # otherwise there is nothing to compare
    for model in m old; do
        "$PSDVEC" similar $model.st "$word" --top 100 --format tsv | rows | cut -f 1,2 | sort >$model
    done
    join -t "$(printf '\t')" m old |
        awk -F '\t' '{ d = $2 - $3; if (d < 0) d = -d; if (d > most) most = d } END { exit !(NR >= 95 && most < .01) }'
}

# interrupt OPTION...: leaves the state of a run stopped by Ctrl-C, its messages in stderr.
interrupt() {
    rm -f stderr
    "$PSDVEC" train counts.st "${slow[@]}" --iterations 10000 -o m.st "$@" 3>&- 2>stderr &
    local process=$! tries=0
    while [ ! -e m.st.partial ] || ! grep -qs "^iteration" stderr; do
        sleep 0.05
        tries=$((tries + 1))
        [ $tries -lt 400 ]
    done
    kill -INT $process
    local status=0
    wait $process || status=$?
    [ "$status" -eq 130 ]
}

@test "Ctrl-C: status 130, and the message says how to resume" {
    some_counts
    # A background job ignores SIGINT unless job control is on.
    set -m
    interrupt
    grep -Eq 'stopped; finished work is kept \([0-9]+ files? .* in m.st.partial\), and the same command resumes from it' stderr
    [ -d m.st.partial ]
    [ ! -e m.st ]
    "$PSDVEC" train counts.st "${slow[@]}" --iterations 10000 -o m.st --dry-run >plan
    grep -Eq 'interrupted [0-9]+ files? \(.*\) in m.st.partial; with the same options and input, the run resumes from it' plan
    interrupt --restart
    grep -q 'the same command without --restart resumes' stderr
}

@test "other options after an interruption start again, with a warning and without stale state" {
    some_counts
    train counts.st --dim 30 -o direct.st
    set -m
    interrupt
    run "$PSDVEC" train counts.st --dim 30 -o m.st
    [ "$status" -eq 0 ]
    [[ $output == *"discarding the interrupted run found there"* ]]
    cmp direct.st m.st
    [ ! -e m.st.partial ]
    # Another input of the same name starts again, too.
    interrupt
    cp counts.st old.st
    some_text text.txt 4000 2
    "$PSDVEC" count -q text.txt --preset default -o counts.st
    train counts.st "${slow[@]}" --iterations 2 -o direct.st
    train counts.st "${slow[@]}" --iterations 2 -o m.st 2>stderr
    cmp direct.st m.st
}

@test "--restart discards the saved state" {
    some_counts
    set -m
    interrupt
    run "$PSDVEC" train counts.st "${slow[@]}" --iterations 2 -o m.st --restart
    [ "$status" -eq 0 ]
    [[ $output != *warning* ]]
    [ ! -e m.st.partial ]
}

@test "two runs with the same output: the second is refused" {
    some_counts
    "$PSDVEC" train counts.st "${slow[@]}" --iterations 10000 -o m.st 3>&- 2>stderr.first &
    first=$!
    while [ ! -e m.st.partial/lock ]; do sleep 0.05; done
    refused 5 "another run is writing this output" train counts.st --dim 20 -o m.st
    kill -9 $first
    wait $first || true
    train counts.st --dim 20 -o m.st 2>/dev/null
    [ ! -e m.st.partial ]
}

@test "a damaged saved state is not used" {
    some_text text.txt 4000 1
    train text.txt "${slow[@]}" -o direct.st
    for state in counts core; do
        "$PSDVEC" train text.txt "${slow[@]}" -o m.st 3>&- 2>stderr &
        process=$!
        while ! grep -q '^iteration 3 ' stderr; do sleep 0.02; done
        kill -9 $process
        wait $process || true
        printf xyz | dd of=m.st.partial/$state.safetensors bs=1 seek=5000 conv=notrunc 2>/dev/null
        "$PSDVEC" train text.txt "${slow[@]}" -o m.st 2>stderr
        grep -q "warning: m.st.partial/$state.safetensors: not used: " stderr
        cmp direct.st m.st
    done
}

@test "another word list in the same file invalidates the saved state" {
    some_text text.txt 4000 1
    options=("${slow[@]}" --vocab list --threads 1)
    tr ' ' '\n' <text.txt | grep . | sort -u >all
    tac all >list
    train text.txt "${options[@]}" -o direct.st
    cp all list
    "$PSDVEC" train text.txt "${options[@]}" -o m.st 3>&- 2>stderr &
    process=$!
    while ! grep -q '^iteration 3 ' stderr; do sleep 0.02; done
    kill -9 $process
    wait $process || true
    tac all >list
    train text.txt "${options[@]}" -o m.st 2>stderr
    cmp direct.st m.st
}

@test "an unrelated folder in the place of the state is refused and kept" {
    some_counts
    mkdir m.st.partial
    echo dear >m.st.partial/own.safetensors
    refused 5 "m.st.partial: should be the folder for the state of an interrupted run" train counts.st --dim 20 -o m.st
    [ "$(ls -A m.st.partial)" = own.safetensors ]
}

# ---- Extending --------------------------------------------------------------------------------

# vectors FILE: its words and numbers as text, for comparison.
vectors() {
    "$PSDVEC" convert -q "$@" "$1.txt"
    tail -n +2 "$1.txt"
}

# A model of the text without the words of subject "sbx".
old_model() {
    some_text all.txt 4000 1
    grep -v sbx all.txt >old.txt
    grep sbx all.txt >new.txt
    train old.txt --dim 20 --core 200 --mu 2 "$@" -o old.st
}

@test "extend adds words, and the old vectors keep their bits" {
    old_model
    "$PSDVEC" extend old.st new.txt -o new.st 2>stderr
    grep -Eq '^  model +[0-9,]+ new words, [0-9,]+ unchanged$' stderr
    grep -Eq '^  core +[0-9,]+ of the model.s core words occur in the new text$' stderr
    grep -Eq '^  written +new.st' stderr
    for set in "" --raw; do # the read-out, and the generative vectors
        # shellcheck disable=SC2086
        vectors old.st $set >a
        # shellcheck disable=SC2086
        vectors new.st $set >b
        [ "$(wc -l <b)" -gt "$(wc -l <a)" ]
        head -n "$(wc -l <a)" b | cmp - a
    done
    "$PSDVEC" extend -q old.st new.txt -o again.st --threads 1
    cmp new.st again.st
}

@test "extend refuses a model that does not fit into memory before it reads the text" {
    seq 30000 | awk '{ printf("w%d a b c%s", $1, NR % 7 ? " " : "\n") }' >many.txt
    "$PSDVEC" train -q many.txt --min-count 1 --tokenizer whitespace --dim 100 --core 120 --iterations 1 \
        --spelling off --order off -o many.st
    refused 6 "which has 30003 words, needs more than 24 MiB of memory" extend many.st nosuch -o x.st --memory 20M
    "$PSDVEC" extend -q many.st many.txt -o x.st --min-count 1 --memory 48M
}

@test "extend takes a counts file too" {
    old_model
    "$PSDVEC" count -q new.txt --window 10 --distance harmonic --oov drop --subsample 1e-3 -o new.counts.st
    "$PSDVEC" extend -q old.st new.counts.st -o new.st
    vectors old.st >a
    vectors new.st >b
    head -n "$(wc -l <a)" b | cmp - a
}

@test "new text may have another form than the text of the model" {
    for i in {1..60}; do echo "{\"text\": \"one two three four five six$((i % 7))\"}"; done >old.jsonl
    for _ in {1..20}; do echo "one two new-word three"; done >lines.txt
    sed 's/.*/{"body": "&"}/' lines.txt >lines.jsonl
    "$PSDVEC" train -q old.jsonl --json-field text --dim 4 --min-count 1 -o old.st
    "$PSDVEC" extend -q old.st lines.txt --plain-text -o plain.st
    "$PSDVEC" extend -q old.st lines.jsonl --json-field body -o json.st
    cmp <(vectors plain.st) <(vectors json.st)
    ! cmp -s <(vectors plain.st) <("$PSDVEC" extend -q old.st lines.txt --plain-text --document none -o none.st && vectors none.st)
    "$PSDVEC" extend -q old.st lines.txt --plain-text --tokenized -o tokens.st
    vectors tokens.st | grep -q '^new-word '
    iconv -t UTF-16 lines.txt >wide.txt
    "$PSDVEC" extend -q old.st wide.txt --plain-text --encoding utf-16 -o wide.st
    cmp <(vectors plain.st) <(vectors wide.st)
}

@test "extend refuses options of text together with a counts file" {
    old_model
    "$PSDVEC" count -q new.txt -o new.counts.st
    for option in "--document line" "--json-field x" --plain-text "--encoding utf-8" --tokenized; do
        # shellcheck disable=SC2086
        refused 2 "new.counts.st is a counts file, so ${option%% *} has no effect" extend old.st new.counts.st $option -o x.st
    done
}

@test "words of an earlier extension are an error, unless --replace" {
    old_model
    "$PSDVEC" extend -q old.st new.txt -o new.st
    run "$PSDVEC" extend new.st new.txt -o newer.st
    [ "$status" -ne 0 ]
    [[ $output == *--replace* ]]
    [ ! -e newer.st ]
    run "$PSDVEC" extend new.st new.txt --replace -o newer.st
    [ "$status" -eq 0 ]
    [[ $output == *" replaced"* ]]
}

@test "a larger mu makes shorter vectors, and fewer words pass a higher --min-count" {
    old_model
    "$PSDVEC" extend -q old.st new.txt --mu 0.1 -o loose.st
    "$PSDVEC" extend -q old.st new.txt --mu 1000 -o tight.st
    length() {
        vectors "$1" --raw | awk '/^sbx/ { for (k = 2; k <= NF; k++) sum += $k * $k } END { print sum }'
    }
    awk -v a="$(length loose.st)" -v b="$(length tight.st)" 'BEGIN { exit !(a > 2 * b) }'
    "$PSDVEC" extend -q old.st new.txt --min-count 200 -o few.st
    [ "$(vectors few.st | wc -l)" -lt "$(vectors loose.st | wc -l)" ]
}

@test "extend refuses files that are not models, and an output that is an input" {
    old_model
    run "$PSDVEC" extend new.txt old.txt -o x.st
    [ "$status" -eq 3 ] || [ "$status" -eq 4 ]
    [[ $output == *new.txt* ]]
    cp old.st kept
    refused 5 "old.st" extend old.st new.txt -o old.st
    cmp old.st kept
    refused 3 "nosuch" extend old.st nosuch -o x.st
    [ ! -e x.st ]
}

@test "extend reads standard input, and the model records that" {
    old_model
    "$PSDVEC" extend -q old.st new.txt --min-count 2 -o file.st
    "$PSDVEC" extend -q old.st - --min-count 2 -o pipe.st <new.txt
    "$PSDVEC" info pipe.st | grep -Eq '^  first .*, from -$'
    [ ! -e pipe.st.partial ]
    "$PSDVEC" convert -q file.st file.txt
    "$PSDVEC" convert -q pipe.st pipe.txt
    cmp file.txt pipe.txt
}

@test "extend reads pipes, and the model records them" {
    old_model
    lines=$(wc -l <new.txt)
    head -n $((lines / 2)) new.txt >first.txt
    tail -n +$((lines / 2 + 1)) new.txt >second.txt
    "$PSDVEC" extend -q old.st first.txt second.txt --min-count 2 -o file.st
    mkfifo pipe
    timeout 60 sh -c 'cat second.txt >pipe' 3>&- &
    "$PSDVEC" extend -q old.st <(cat first.txt) pipe --min-count 2 -o pipe.st
    wait
    "$PSDVEC" info pipe.st | grep -Eq '^  first .*, from /dev/fd, from pipe$'
    [ ! -e pipe.st.partial ]
    "$PSDVEC" convert -q file.st file.txt
    "$PSDVEC" convert -q pipe.st pipe.txt
    cmp file.txt pipe.txt
    # Compressed text, whose format is recognised in the copy
    "$PSDVEC" extend -q old.st <(gzip <first.txt) - --min-count 2 -o pipe.st <second.txt
    "$PSDVEC" info pipe.st | grep -Eq '^  first .*, from /dev/fd, from -$'
    "$PSDVEC" convert -q pipe.st pipe.txt
    cmp file.txt pipe.txt
    refused 3 'the input is empty' extend old.st <(:) -o x.st
}

@test "extend warns of counts with other settings" {
    old_model
    "$PSDVEC" count -q new.txt --window 10 --distance harmonic --oov drop --subsample 1e-3 -o alike.st
    "$PSDVEC" count -q new.txt --window 3 --distance harmonic --subsample 1e-3 -o other.st
    "$PSDVEC" extend -q old.st alike.st -o m.st 2>stderr
    [ ! -s stderr ]
    "$PSDVEC" extend -q old.st other.st -o m.st 2>stderr
    grep -q 'warning: other.st: was counted in another way than the text of old.st: window 3, not 10; oov "keep", not "drop"; the' stderr
    "$PSDVEC" info m.st >info
    grep -Eq '^  first [0-9,]+, words [0-9,]+, .*, from new.txt$' info
}

@test "a damaged model is neither extended nor converted, and a normalised one not extended" {
    old_model
    cp old.st bad.st
    printf xyz | dd of=bad.st bs=1 seek=9000 conv=notrunc 2>/dev/null
    refused 4 "bad.st" extend bad.st new.txt -o m.st
    refused 4 "bad.st" convert bad.st m.safetensors
    refused 4 "bad.st" convert bad.st m.txt
    "$PSDVEC" convert -q old.st unit.safetensors --normalize
    refused 4 "were normalised to length 1" extend unit.safetensors new.txt -o m.st
    [ ! -e m.st ] && [ ! -e m.txt ] && [ ! -e m.safetensors ]
}

# ---- The temperature ---------------------------------------------------------------------------

@test "training from text fits T and e to held-out text" {
    some_text text.txt 6000 2
    some_text other.txt 300 3
    "$PSDVEC" train text.txt --dim 40 -o fitted.st 2>stderr
    grep -q '^  fitted      T = [0-9.]*, e = [-0-9.]* for score, next, explain and generate$' stderr
    grep -q 'held-out words, unigrams' stderr
    for options in "--threads 1" "--threads 3 --memory 60M"; do
        # shellcheck disable=SC2086
        train text.txt --dim 40 $options -o again.st
        cmp fitted.st again.st
    done
    "$PSDVEC" train text.txt --dim 40 --hold-out 0 -o plain.st 2>stderr
    grep -q '^  not fitted' stderr
    grep -q 'psdvec fit-temperature plain.st TEXT --in-place' stderr
    # On similar text, nearly as good as if T and e were fitted to it, and better than T = 1.
    perplexity() { "$PSDVEC" score "$@" -q --format jsonl 2>/dev/null | tail -n 1 | jq .perplexity; }
    "$PSDVEC" fit-temperature plain.st other.txt -o best.st -q
    awk -v best="$(perplexity best.st other.txt)" -v held="$(perplexity fitted.st other.txt)" \
        -v one="$(perplexity plain.st other.txt)" \
        'BEGIN { print best, held, one; exit !(held < 1.03 * best && held < one) }'
}

@test "counts with held-out text fit T and e, too" {
    some_counts
    train text.txt --dim 20 -o text.st
    train counts.st --dim 20 -o counted.st
    for model in text counted; do "$PSDVEC" info $model.st --json | jq -c '[.temperature, .self, .fit]' >$model.fit; done
    cmp text.fit counted.fit
    [ "$("$PSDVEC" info text.st --json | jq '.temperature > 0')" = true ]
    "$PSDVEC" counts info counts.st | grep -q '^  held out *[0-9]* words'
    # Merged counts have no held-out text, nor have those of a run that is counted in parts.
    "$PSDVEC" counts merge counts.st counts.st -o twice.st -q
    "$PSDVEC" counts info twice.st --json | jq -e '.held_out == 0'
    "$PSDVEC" count text.txt --hold-out 5000 --resume parts -o parts.st -q
    "$PSDVEC" counts info parts.st --json | jq -e '.held_out == 0'
}

@test "a training killed after counting fits the same T and e" {
    some_text text.txt 4000 1
    train text.txt "${slow[@]}" -o whole.st
    "$PSDVEC" train text.txt "${slow[@]}" -o killed.st 2>talk &
    pid=$!
    until grep -q '^iteration 2 of' talk || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
    kill -9 $pid
    wait $pid || true
    [ ! -e killed.st ] && [ -d killed.st.partial ]
    train text.txt "${slow[@]}" -o killed.st
    cmp whole.st killed.st
    [ "$("$PSDVEC" info killed.st --json | jq '.temperature > 0')" = true ]
}

@test "score, next, explain and generate say that a model is not fitted" {
    some_text text.txt 300 1
    train text.txt --dim 10 -o small.st
    for command in "score small.st text.txt" "next small.st the" "explain small.st the" "generate small.st --length 2"; do
        # shellcheck disable=SC2086
        "$PSDVEC" $command >stdout 2>stderr
        grep -q 'small.st: T and e are not fitted.*psdvec fit-temperature small.st TEXT --in-place' stderr
        # shellcheck disable=SC2086
        "$PSDVEC" $command --temperature 1 >stdout 2>stderr
        run ! grep -q 'not fitted' stderr
    done
}

@test "training ends with suggested commands, with the name of the file and words of the text" {
    for k in 1 2 3 4 5 6 7 8; do
        echo "the river and the ship and the sea are of the old and the new and of the harbour"
        echo "the king and the queen and the castle are of the old and the new and of the crown"
    done >own.txt
    "$PSDVEC" train own.txt --dim 4 -o "my model.safetensors" 2>said
    sed -n '/^Try next:$/,$p' said >next
    [ "$(wc -l <next)" -eq 4 ]
    grep -Eq "^  psdvec similar 'my model.safetensors' (river|ship|harbour|king|queen|castle|crown)$" next
    grep -Eq "^  psdvec compare 'my model.safetensors' [a-z]+ [a-z]+$" next
    grep -Fxq "  psdvec eval 'my model.safetensors'" next
    mkdir bin
    ln -s "$PSDVEC" bin/psdvec
    sed 1d next | PATH=$PWD/bin:$PATH bash -e >/dev/null
    "$PSDVEC" train own.txt --dim 4 --threads 1 -o "my model.safetensors" 2>&1 | sed -n '/^Try next:$/,$p' | cmp - next
    "$PSDVEC" train own.txt --dim 4 -q -o "my model.safetensors" 2>said
    [ ! -s said ]
}

@test "--dry-run on text gives a tight upper bound on the memory of the run" {
    cat "$HERE"/../../docs/*.md >text.txt
    for dim in 200 300; do
        "$PSDVEC" train text.txt --dim $dim --dry-run -q -o m.st --log plan.log >/dev/null
        "$PSDVEC" train text.txt --dim $dim -q -o m.st --log run.log 2>/dev/null
        plan=$(jq -s 'map(select(.event == "plan"))[0].memory' plan.log)
        peak=$(jq -s 'map(select(.peak_memory))[0].peak_memory' run.log)
        echo "$dim dimensions: $plan planned, $peak used"
        [ "$peak" -le "$plan" ]
        [ "$plan" -le $((peak * 2)) ]
    done
}
