# shellcheck shell=bash disable=SC2034,SC2086,SC2094
# The contents of a folder of golden files, and the commands that are run on it. make.sh uses this
# file to make the folder of a version, tests/cli/golden_files.bats to check all of them with the
# program under test.
#
# Everything runs inside the folder of a version; the texts are in ../text.

# ---- The files -------------------------------------------------------------------------------------

# Keys of interrupted runs and records of tables contain the times of files, which git does not
# store.
set_times() {
    find ../text . -exec env TZ=UTC touch -t 202401010000.00 {} +
}

# interrupted NAME: sets `arguments` to the command whose interrupted run left partial/NAME.*, and
# `stop` to how it was stopped: the end of a file name, and the number of such files that had been
# renamed to their final names. The arguments end with -o, so that the result can be written
# elsewhere.
interrupted_runs="train paper text sgns cbow glove sparse"
interrupted() {
    local counts=counts/default.counts.safetensors
    case $1 in
    train) arguments=(train "$counts" --dim 6 --iterations 6) stop="core.safetensors 3" ;;
    paper) arguments=(train "$counts" --preset paper --core 30 --dim 6) stop="block-000001.safetensors 1" ;;
    text) arguments=(train ../text/text.txt --dim 6 --max-vocab 40) stop="core.safetensors 1" ;;
    sgns) arguments=(baseline sgns ../text/text.txt --dim 6 --epochs 4) stop="epoch.safetensors 2" ;;
    cbow) arguments=(baseline sgns ../text/text.txt --cbow --dim 6 --epochs 4) stop="epoch.safetensors 2" ;;
    glove) arguments=(baseline glove "$counts" --dim 6 --epochs 6) stop="epoch.safetensors 3" ;;
    sparse) arguments=(baseline sparse models/default.safetensors --factor 3 --epochs 4) stop="codes.safetensors 2" ;;
    esac
    arguments+=(-o)
}
resume_arguments=(count ../text/text.txt ../text/held.txt --max-vocab 50 --resume resume -o)
table_arguments=(table ../text/text.txt --dim 4 --max-vocab 70 --sets ../text/sets --resamples 100)
table_methods=psd,psd-paper,ppmi,sgns,glove,sparse-psd
stopped_methods=svd,glove,cca
simulate_arguments=(simulate --vocab 30 --dim 4 --tokens 600 --document-words 20 --seed 1 -o)

# ---- Output of the commands
# -------------------------------------------------------------------------

# headless ARGUMENT...: runs the command, and removes the header line of tab-separated values, which
# few commands of 0.1.0 had when the expected outputs were written; it did not exclude forms either.
headless() {
    case $1 in similar | analogy) set -- "$@" --forms ;; esac
    case " $* " in
    *" --format "*) "$PSDVEC" "$@" ;;
    *" --tsv "* | " counts dump "*) "$PSDVEC" "$@" | tail -n +2 ;;
    *) "$PSDVEC" "$@" ;;
    esac
}

# say ARGUMENT...: prints the command and its output. Fails if the program fails, or gives any
# warning except about words with spelling vectors and similar spellings.
say() {
    printf '== psdvec %s\n' "$*"
    if ! headless "$@" -q 2>stderr </dev/null || grep -qvE 'not in the model; its vector comes from its spelling|did you mean' stderr; then
        printf 'psdvec %s: %s\n' "$*" "$(cat stderr)" >&2
        return 1
    fi
}

# digest FILE: one line that depends on all bytes.
digest() { printf '%s %s\n' "$(cksum <"$1")" "$1"; }

all_counts() { (cd counts && printf '%s\n' *.counts.safetensors); }
all_models() { (cd models && printf '%s\n' *.safetensors); }
# Trained models that have probabilities.
probable="default paper plain bands glove-weights smoothed json extended extended-twice float16 int8 fitted"
dense="$probable cut normalized svd sgns cbow glove cca"
sparse="ppmi sparse binary"

# Every group is a function that prints; after its name is the kind of comparison:
#   exact       the same text
#   NUMBER      numbers may differ by that much, see near.awk
#   members     the same for JSON, where new members are allowed
groups="counts_info:members=1e-9 counts_dump:exact counts_show:1e-9 counts_merge:exact counts_export:exact
        counts_vocab:exact counts_train:0.01 counts_baseline:0.01 counts_plan:exact
        info:members=1e-9 vector:exact convert:exact convert_model:1e-6
        similar:1e-5 analogy:1e-5 odd_one_out:1e-5 compare:members=1e-4 eval:1e-4
        extend:1e-3 residuals:1e-4 residual_file:1e-4 score:1e-4 next:1e-4 explain:members=1e-4 generate:members=1e-9
        fit_temperature:members=1e-3 interaction:1e-6 topics:1e-3 map:exact report:1e-3 simulation:exact"

group_counts_info() {
    for file in $(all_counts); do
        say counts info "counts/$file" --json
    done
}
group_counts_dump() {
    for file in $(all_counts); do
        say counts dump "counts/$file" --raw >dump
        digest dump
        head -n 20 dump
    done
    say counts dump counts/window.counts.safetensors --word ship --format jsonl
    say counts dump counts/wide.counts.safetensors --top 3
}
# Without the bars, which depend on the terminal.
group_counts_show() {
    for file in default window original list merged; do
        say counts show "counts/$file.counts.safetensors" ship bread --top 4 | LC_ALL=C tr -d '\200-\377' |
            tr -s ' '
    done
}
# Counts of the old version merged with those of the program under test.
group_counts_merge() {
    "$PSDVEC" count ../text/held.txt -o held.counts.safetensors -q
    say counts merge counts/default.counts.safetensors held.counts.safetensors -o both.counts.safetensors
    headless counts dump both.counts.safetensors --raw -q >dump
    digest dump
    head -n 40 dump
    say counts merge counts/wide.counts.safetensors counts/wide.counts.safetensors -o twice.counts.safetensors
    headless counts dump twice.counts.safetensors --raw -q
}
group_counts_export() {
    for file in default window list wide; do
        say counts export counts/$file.counts.safetensors --format matrix-market -o out.mtx --vocab-output out.words
        grep -v '^%' out.mtx >out.numbers
        digest out.numbers
        digest out.words
        say counts export counts/$file.counts.safetensors --format glove --symmetric -o out.bin --vocab-output out.vocab
        digest out.bin
        digest out.vocab
    done
    say counts export counts/original.counts.safetensors --format top2grams -o out.top2grams
    grep -v '^#' out.top2grams >out.numbers
    digest out.numbers
}
# Counts as a word list.
group_counts_vocab() {
    say count ../text/held.txt --vocab counts/default.counts.safetensors --subsample 1e-2 -o held.counts.safetensors
    headless counts dump held.counts.safetensors --raw -q >dump
    digest dump
    head -n 40 dump
}
# Only the neighbours: the last digits of vectors depend on the processor.
near_ship() {
    say "$@"
    local last=${*: -1}
    headless similar "$last" ship the --tsv --top 3 -q | cut -f 1-3
}
group_counts_train() {
    near_ship train counts/default.counts.safetensors --dim 8 --exact-iterations all --readout-power 0.5 -o out.safetensors
    near_ship train counts/window.counts.safetensors --dim 8 --exact-iterations all --readout-power 0.5 --spelling off -o out.safetensors
    near_ship train counts/default.counts.safetensors --preset paper --core 40 --dim 8 -o out.safetensors
    near_ship train counts/merged.counts.safetensors --dim 8 --exact-iterations all --readout-power 0.5 -o out.safetensors
    near_ship train counts/imported-glove.counts.safetensors --dim 8 --exact-iterations all --readout-power 0.5 --order off -o out.safetensors
    near_ship train counts/imported-top2grams.counts.safetensors --dim 8 --exact-iterations all --readout-power 0.5 -o out.safetensors
}
group_counts_baseline() {
    near_ship baseline svd counts/default.counts.safetensors --dim 8 -o out.safetensors
    near_ship baseline glove counts/default.counts.safetensors --dim 8 -o out.safetensors
    near_ship baseline cca counts/default.counts.safetensors --dim 8 -o out.safetensors
    near_ship baseline svd counts/window.counts.safetensors --dim 8 -o out.safetensors
    near_ship baseline ppmi counts/default.counts.safetensors -o out.safetensors
    near_ship baseline sparse models/default.safetensors --factor 3 --epochs 3 -o out.safetensors
    near_ship baseline sparse models/glove.safetensors --factor 3 --epochs 3 --nonnegative -o out.safetensors
}
group_counts_plan() {
    "$PSDVEC" train counts/default.counts.safetensors --dry-run --dim 8 -q -o out.safetensors --log log >/dev/null
    grep -o '"words": [0-9]*, "core_words": [0-9]*, "dim": [0-9]*, "pairs": [0-9]*' log
}

group_info() {
    for file in $(all_models) ../simulation/truth.safetensors; do
        say info "models/$file" --verify --json
    done
}
group_vector() {
    for model in $dense; do
        say vector models/$model.safetensors the ship
        say vector models/$model.safetensors the ship --raw
    done
    say vector models/default.safetensors sailors
    say vector models/extended.safetensors lighthouse
    for model in $sparse; do
        say vector models/$model.safetensors the ship --tsv
    done
}
group_convert() {
    for model in $dense $sparse; do
        say convert models/$model.safetensors out.vec
        digest out.vec
        say convert models/$model.safetensors out.bin --words 20
        digest out.bin
    done
    for model in default paper int8; do
        say convert models/$model.safetensors out.glove --raw --digits 5
        digest out.glove
        say convert models/$model.safetensors out.npy
        digest out.npy
        digest out.words.txt
    done
}
# From a model to a model, which then gives the same answers as its source.
group_convert_model() {
    for model in default paper extended float16 int8 glove; do
        for how in "" "--float16" "--int8" "--dim 4 --words 50" "--normalize"; do
            say convert models/$model.safetensors out.safetensors $how
            "$PSDVEC" info out.safetensors --verify -q >/dev/null
            "$PSDVEC" vector out.safetensors ship -q
        done
    done
    for model in $sparse; do
        say convert models/$model.safetensors out.safetensors --words 40 --dim 20
        headless vector out.safetensors ship --tsv -q
    done
}
group_similar() {
    for model in $dense $sparse; do
        say similar models/$model.safetensors ship Bread --tsv --top 5
    done
    say similar models/default.safetensors sailors --tsv --top 3
    say similar models/extended.safetensors kettle --tsv --top 3
    say similar simulation/truth.safetensors "$(head -n 1 simulation/text.txt | cut -d ' ' -f 1)" --tsv --top 3
}
group_analogy() {
    for model in $dense $sparse; do
        say analogy models/$model.safetensors farmer feeds sailor --tsv --top 3
    done
}
group_odd_one_out() {
    for model in $dense $sparse; do
        say odd-one-out models/$model.safetensors ship wave bread sailor --tsv
    done
}
group_compare() {
    for model in $dense $sparse; do
        say compare models/$model.safetensors ship wave --json
    done
    say compare models/default.safetensors ship wave --counts counts/default.counts.safetensors --json
    say compare models/paper.safetensors ship wave --counts counts/default.counts.safetensors --json
}
group_eval() {
    for model in $dense $sparse; do
        say eval models/$model.safetensors ../text/sets/alike.txt ../text/sets/analogies.txt --format tsv --resamples 50
    done
    say eval models/default.safetensors models/paper.safetensors models/ppmi.safetensors ../text/sets/alike.txt \
        --format tsv --resamples 50
    say eval models/default.safetensors --model models/int8.safetensors ../text/sets/alike.txt --unknown spelling --format tsv \
        --resamples 0
}
# Adds new words to an old model, from text and from counts.
group_extend() {
    for model in default paper plain bands smoothed glove-weights float16 int8 fitted; do
        say extend models/$model.safetensors ../text/new.txt --min-count 4 -o out.safetensors
        "$PSDVEC" vector out.safetensors lighthouse kettle -q
        "$PSDVEC" vector out.safetensors lighthouse --raw -q
    done
    say extend models/json.safetensors ../text/new.jsonl --min-count 3 -o out.safetensors
    headless similar out.safetensors lighthouse --tsv --top 3 -q
    say extend models/extended.safetensors ../text/new.txt --min-count 4 --replace -o out.safetensors
    "$PSDVEC" vector out.safetensors lighthouse -q
    "$PSDVEC" count ../text/new.txt --min-count 4 -o new.counts.safetensors -q
    say extend models/default.safetensors new.counts.safetensors -o out.safetensors
    "$PSDVEC" vector out.safetensors lighthouse -q
    say extend models/plain.safetensors counts/new.counts.safetensors --mu 1 -o out.safetensors
    "$PSDVEC" vector out.safetensors lighthouse -q
}
group_residuals() {
    for model in default paper plain bands glove-weights smoothed float16 int8 fitted extended; do
        say residuals models/$model.safetensors counts/default.counts.safetensors --tsv --min-count 3 --top 8
    done
}
# A file of residuals is read only by the readers in docs/explanation/residuals.md. The current
# output must equal the old one, and other commands must report what kind of file it is.
group_residual_file() {
    local tensors="words offsets indptr indices values" file
    for model in default paper; do
        file=residuals/$model.residuals.safetensors
        "$PSDVEC" residuals models/$model.safetensors counts/default.counts.safetensors --top 0 -o out.safetensors \
            -q >/dev/null
        "$TOOLS/st_edit" check "$file"
        for key in format version target unseen model counts; do
            printf '%s %s %s\n' $model $key "$("$TOOLS/st_edit" get "$file" $key || echo none)"
            printf '%s %s %s\n' $model $key "$("$TOOLS/st_edit" get out.safetensors $key || echo none)"
        done
        "$TOOLS/st_edit" print "$file" $tensors >before
        "$TOOLS/st_edit" print out.safetensors $tensors >after
        awk -v tolerance=1e-5 -f ../near.awk before after
        "$PSDVEC" info "$file" >/dev/null 2>stderr && return 1
        grep -o 'its format is "psdvec.residuals"' stderr
    done
}
group_score() {
    for model in $probable; do
        say score models/$model.safetensors ../text/held.txt --format tsv | tail -n 4
    done
    for model in default paper fitted; do
        say score models/$model.safetensors ../text/held.txt --counts counts/default.counts.safetensors --format tsv |
            tail -n 4
    done
    say score models/default.safetensors models/json.safetensors ../text/held.txt --format tsv | tail -n 4
    say score models/json.safetensors ../text/lines.jsonl --json-field body --format tsv | tail -n 2
}
# Version 0.1.0 read the text of the command line as JSON lines if the model's text was JSON lines.
group_next() {
    for model in ${probable/json/}; do
        say next models/$model.safetensors "the old ship" --tsv --top 5
    done
    say next models/fitted.safetensors "the old ship" --counts counts/default.counts.safetensors --tsv --top 5
}
group_explain() {
    for model in $probable; do
        say explain models/$model.safetensors "the sailor sails" --json
    done
    say explain models/paper.safetensors "the sailor sails" --counts counts/default.counts.safetensors --json
    say explain models/default.safetensors --html page.html "the sailor sails the ship"
}
group_generate() {
    for model in ${probable/json/}; do
        say generate models/$model.safetensors --prompt "the old" --length 12 --seed 3 --top all --no-repeat 0 --json
    done
    say generate models/fitted.safetensors --counts counts/default.counts.safetensors --length 12 --top 10 --no-repeat 0 --json
}
# Without the durations.
untimed() { sed -E 's/, "(rounds|seconds)": [^,}]*//g'; }
group_fit_temperature() {
    for model in default paper fitted int8; do
        say fit-temperature models/$model.safetensors ../text/held.txt --json | untimed
    done
    say fit-temperature models/default.safetensors ../text/held.txt --counts counts/default.counts.safetensors \
        -o out.safetensors --json | untimed
    say next out.safetensors "the old ship" --json --top 2
}
# The columns of 0.1.0; later versions have more after them.
group_interaction() {
    for model in default paper plain svd ppmi; do
        say interaction ../text/text.txt -M models/$model.safetensors --tsv --top 4 | cut -f 1-13
    done
    say interaction ../text/text.txt -M models/int8.safetensors the old ship --tsv | cut -f 1-13
}
group_topics() {
    for model in default plain int8; do
        say topics learn models/$model.safetensors ../text/text.txt --topics 2 --iterations 3 -o topics
        "$PSDVEC" topics show topics --words 4 --format tsv
    done
}
# The words alone: places depend on the last digits of the processor's results.
group_map() {
    for model in default svd int8; do
        say map models/$model.safetensors --iterations 20 -o map.tsv
        cut -f 1 map.tsv | head -n 12
        wc -l <map.tsv
    done
}
# Without the settings, whose descriptions may be reworded.
group_report() {
    for model in default svd int8 cbow; do
        say report models/$model.safetensors --map no --builtin no --samples 3 --top 3 --format text -o report.txt
        sed -n '/^Training$/,/^What to cite$/p' report.txt
    done
    rm report.txt
}
# The folder is recognised as that of a simulation, and is replaced by another one.
group_simulation() {
    cp -R simulation again
    say "${simulate_arguments[@]}" again
    wc -w <again/text.txt
    "$PSDVEC" info again/truth.safetensors --verify -q >/dev/null
    rm -r again
}

# ---- The bits of a model ------------------------------------------------------------------------------

# The words and both sets of vectors, without the provenance.
bits() {
    "$PSDVEC" convert "$1" bits.vec -q
    digest bits.vec
    "$PSDVEC" convert "$1" bits.vec --raw -q
    digest bits.vec
}
