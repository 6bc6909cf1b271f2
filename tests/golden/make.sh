#!/usr/bin/env bash
# Makes the golden files of a release: tests/golden/VERSION, with the given program.
#
#     tests/golden/make.sh build/psdvec
#
# Run it once, with the released program; afterwards the folder never changes. Needs a C compiler
# for stop.c, and `make test-tools`. README.md in this folder describes the files.
set -euo pipefail

PSDVEC=$(realpath "${1:?the program to make the files with}")
TOOLS=${TOOLS:-$(cd "$(dirname "$0")/../.." && pwd)/build/tests/tools}
export PSDVEC TOOLS LC_ALL=C.UTF-8 COLUMNS=80 TERM=dumb
[ -x "$TOOLS/st_edit" ] || { echo "make.sh: no $TOOLS/st_edit; run make test-tools" >&2; exit 1; }
cd "$(dirname "$0")"
version=$("$PSDVEC" --version | sed -n '1s/^psdvec //p')
if [ -z "$version" ] || [ -e "$version" ]; then
    echo "make.sh: $PWD/$version is there already" >&2
    exit 1
fi
# shellcheck source=tests/golden/golden.bash
. ./golden.bash

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
${CC:-cc} -shared -fPIC -o "$scratch/stop.so" stop.c -ldl
cp -R text "$scratch/text"
mkdir "$scratch/$version"
cp ./*.awk ./*.bash "$scratch"
top=$PWD
cd "$scratch/$version"
mkdir counts models residuals partial expected

psdvec() { "$PSDVEC" "$@" -q --threads 2 --seed 0; }
counts() { psdvec count "${@:2}" -o "counts/$1.counts.safetensors"; }
model() { psdvec "${@:2}" -o "models/$1.safetensors"; }
# stopped "END COUNT" ARGUMENT...: runs the command and kills it when the COUNT-th file of that name
# appears.
stopped() {
    local status=0
    read -r at after <<<"$1"
    { LD_PRELOAD=$scratch/stop.so STOP_AT=$at STOP_AFTER=$after "$PSDVEC" "${@:2}" -q --threads 1; } 2>/dev/null ||
        status=$?
    [ "$status" -eq 137 ] || { echo "make.sh: not stopped at $1: psdvec ${*:2}" >&2; exit 1; }
}

# ---- Counts ----------------------------------------------------------------------------------------
counts default ../text/text.txt --max-vocab 60
counts window ../text/text.txt --window 3 --distance harmonic --oov drop --subsample 1e-3 --min-count 8 --max-vocab 50
counts sentences ../text/text.txt --case keep --accents strip --digits zero --apostrophes split --hyphens join \
    --min-length 2 --max-length 12 --sentences --min-document-words 4 --max-vocab 40
counts whitespace ../text/text.txt --tokenizer whitespace --max-vocab 40
counts original ../text/text.txt --tokenizer original --document file --max-vocab 40
counts json ../text/lines.jsonl --json-field body --document none --max-vocab 40
counts icu ../text/icu.txt --tokenizer icu --min-count 2
counts list ../text/text.txt --vocab ../text/words.txt
counts keep ../text/text.txt --min-count 20 --keep owl,moss --document blank-line
counts new ../text/new.txt --min-count 4
psdvec counts merge counts/default.counts.safetensors counts/new.counts.safetensors -o counts/merged.counts.safetensors
imported() { psdvec counts import "${@:2}" -o "counts/$1.counts.safetensors" 2>/dev/null; }
psdvec counts export counts/window.counts.safetensors --format glove --symmetric -o x.bin --vocab-output x.vocab
imported imported-glove x.bin --format glove --vocab x.vocab --symmetric --window 3
psdvec counts export counts/original.counts.safetensors --format top2grams -o x.top2grams
imported imported-top2grams x.top2grams --format top2grams
imported wide ../text/wide.mtx --format matrix-market --vocab ../text/wide.words.txt

# ---- Models ----------------------------------------------------------------------------------------
all=counts/default.counts.safetensors
model default train $all --dim 8
model paper train $all --preset paper --core 40 --dim 8
model plain train $all --dim 8 --spelling off --order off --centre no --core 40
model bands train $all --dim 6 --core 30 --mu 1,3,9 --bands 40,50 --mu-power 0.5 --form psd
model glove-weights train $all --dim 6 --weights glove --rank-extra 1 --spelling off
model smoothed train $all --dim 6 --target smoothed --weights smoothed --core 50 --kappa 0.05 --order off
model json train ../text/lines.jsonl --json-field body --dim 6 --document none --max-vocab 60 --keep ship,bread,wave,sailor,farmer,feeds,sails
model extended extend models/paper.safetensors ../text/new.txt --min-count 4
model extended-twice extend models/extended.safetensors ../text/held.txt --min-count 2 --replace
model float16 convert models/default.safetensors --float16
model int8 convert models/default.safetensors --int8
model cut convert models/paper.safetensors --dim 5 --words 50
model normalized convert models/default.safetensors --normalize
model fitted fit-temperature models/default.safetensors ../text/held.txt --counts $all >/dev/null
model svd baseline svd $all --dim 6
model sgns baseline sgns ../text/text.txt --dim 6
model cbow baseline sgns ../text/text.txt --dim 6 --cbow
model glove baseline glove $all --dim 6 --epochs 10
model cca baseline cca $all --dim 6
model ppmi baseline ppmi $all --shift 2
model sparse baseline sparse models/default.safetensors --factor 3
model binary baseline sparse models/default.safetensors --factor 3 --binary
for name in default paper; do
    psdvec residuals models/$name.safetensors $all --top 0 -o residuals/$name.residuals.safetensors >/dev/null
done
psdvec "${simulate_arguments[@]}" simulation >/dev/null

# ---- What interrupted runs leave --------------------------------------------------------------------
set_times
for name in $interrupted_runs; do
    interrupted "$name"
    stopped "$stop" "${arguments[@]}" "partial/$name.safetensors"
done
stopped ".counts.safetensors 1" "${resume_arguments[@]}" partial/resumed.counts.safetensors

# ---- Tables ----------------------------------------------------------------------------------------
psdvec "${table_arguments[@]}" --methods $table_methods -o table >/dev/null
stopped "epoch.safetensors 4" "${table_arguments[@]}" --methods $stopped_methods -o table-stopped

rm -f x.*
# ---- What the commands print ------------------------------------------------------------------------
cp -R ../"$version" "$scratch/made"
for group in $groups; do
    bash -euo pipefail -c '. ../golden.bash; "group_$1"' bash "${group%%:*}" >"$scratch/made/expected/${group%%:*}.txt"
done
# The bits of what an uninterrupted run makes, see golden_files.bats.
for name in $interrupted_runs; do
    interrupted "$name"
    psdvec "${arguments[@]}" fresh.safetensors
    echo "$name"
    bits fresh.safetensors
done >"$scratch/made/expected/uninterrupted.txt"
cp -R "$scratch/made" "$top/$version"
