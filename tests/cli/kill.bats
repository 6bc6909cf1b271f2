# A command that is killed at any moment leaves the old files or the new ones, and the same command
# works again and leaves nothing else.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cat >old.vec <<-'EOF'
	3 2
	old 1 0
	older 0 1
	oldest 1 1
	EOF
    sed 's/old/new/; s/ 1 0/ 2 3/' old.vec >new.vec
    printf 'old words\nof old\n' >old.txt
    printf 'the new words\nof the new\n' >new.txt
    for age in old new; do
        "$PSDVEC" count $age.txt --min-count 1 -q -o $age.counts
    done
}

setup() {
    common_setup
    KILL=$(realpath "${BUILD:-build}/tests/tools/kill_at.so" 2>/dev/null ||
        realpath "$HERE/../../build/tests/tools/kill_at.so")
    IN=$BATS_FILE_TMPDIR
    [ "$(uname)" = Linux ] || skip "needs LD_PRELOAD"
    [ -z "${SANITIZE:-}" ] || skip "the runtime of a sanitizer must be loaded first"
}

# each_kill COMMAND...: kills it before its first change, before the second, and so on until it
# survives. Before each run: fresh. After it: check, then the same command without a kill, and
# check_new.
each_kill() {
    local k status
    for ((k = 1; k < 60; k++)); do
        rm -rf work && mkdir work
        fresh
        status=0
        (cd work && KILL_AT=$k LD_PRELOAD=$KILL "$PSDVEC" "$@" -q 2>../said) 2>/dev/null || status=$?
        if [ $status -ne 0 ] && [ $status -ne 137 ]; then
            echo "status $status at call $k: $(cat said)"
            return 1
        fi
        (cd work && check) || { echo "mixed after a kill at call $k: $(ls -A work)"; return 1; }
        (cd work && LD_PRELOAD=$KILL "$PSDVEC" "$@" -q && check_new) ||
            { echo "not repaired after a kill at call $k: $(ls -A work)"; return 1; }
        if [ $status -eq 0 ]; then
            [ $k -gt 2 ]
            return
        fi
    done
    return 1
}

# names FILE...: the folder has exactly these, in the order of ls.
names() { [ "$(ls -A | tr '\n' ' ')" = "$* " ]; }

@test "convert to npy: numbers and words belong together" {
    fresh() { (cd work && "$PSDVEC" convert "$IN/old.vec" x.npy -q); }
    check() {
        if [ -e x.npy ]; then
            "$PSDVEC" convert x.npy ../back.vec -q
            cmp -s ../back.vec "$IN/old.vec" || cmp -s ../back.vec "$IN/new.vec"
        elif [ -e .x.npy.psdvec-new ]; then
            refused 3 "was interrupted, run that command again" info x.npy && rm stdout stderr
        fi
    }
    check_new() { names x.npy x.words.txt && "$PSDVEC" convert x.npy ../back.vec -q && cmp ../back.vec "$IN/new.vec"; }
    each_kill convert "$IN/new.vec" x.npy
    NO_TMPFILE=1 each_kill convert "$IN/new.vec" x.npy
    fresh() { :; } # nothing to replace
    each_kill convert "$IN/new.vec" x.npy
}

@test "counts export: counts and words belong together, also in two folders" {
    export_counts=(counts export "$IN/new.counts" --format glove --vocab-output words/v -o x.bin)
    fresh() {
        (cd work && mkdir words && "$PSDVEC" counts export "$IN/old.counts" --format glove \
            --vocab-output words/v -o x.bin -q && cp x.bin ../old.bin)
    }
    check() {
        case $(head -n 1 words/v),$([ ! -e x.bin ] || cmp -s x.bin ../old.bin && [ -e x.bin ] && echo old) in
        'old '*,old) ;;
        *,old) return 1 ;;
        esac
        [ -e x.bin ] || refused 3 "was interrupted, run that command again" counts import x.bin \
            --format glove --vocab words/v -o ../y
        rm -f stdout stderr
    }
    check_new() { names words x.bin && ! cmp -s x.bin ../old.bin && (cd words && names v && grep -q new v); }
    each_kill "${export_counts[@]}"
}

@test "simulate: the four files belong together, and the command is never refused" {
    local small=(simulate --vocab 50 --dim 3 --tokens 200 --window 1)
    "$PSDVEC" "${small[@]}" --seed 1 -q -o old
    "$PSDVEC" "${small[@]}" --seed 2 -q -o new
    fresh() { cp -r old work/sim; }
    check() { [ ! -e sim/truth.json ] || diff -rq -x '.*' sim ../old || diff -rq -x '.*' sim ../new; }
    check_new() { diff -r sim ../new; }
    each_kill "${small[@]}" --seed 2 -o sim
    fresh() { :; }
    each_kill "${small[@]}" --seed 2 -o sim
}

@test "one file: text, counts, a model" {
    fresh() { echo old >work/x; }
    check() { [ "$(cat x)" = old ] || check_new; }
    check_new() { names x && cmp x ../whole; }
    "$PSDVEC" tokenize "$IN/new.txt" -q >whole
    each_kill tokenize "$IN/new.txt" -o x
    NO_TMPFILE=1 each_kill tokenize "$IN/new.txt" -o x
    "$PSDVEC" count "$IN/new.txt" --min-count 1 -q -o whole
    each_kill count "$IN/new.txt" --min-count 1 -o x
    "$PSDVEC" convert "$IN/new.vec" --to model -q -o whole
    each_kill convert "$IN/new.vec" --to model -o x
}

@test "count --resume leaves only files that the next run uses" {
    fresh() { :; }
    check() { :; }
    "$PSDVEC" count "$IN/new.txt" "$IN/old.txt" --min-count 1 --resume units -q -o whole
    check_new() { names units x && cmp x ../whole && diff -r units ../units; }
    each_kill count "$IN/new.txt" "$IN/old.txt" --min-count 1 --resume units -o x
}

@test "a command waits for another one that replaces the same files, and does not sweep them" {
    command -v flock >/dev/null || skip "no flock"
    "$PSDVEC" convert "$IN/old.vec" x.npy -q
    cp x.words.txt before
    echo other >.x.npy.psdvec-new
    exec 9<.x.npy.psdvec-new
    flock 9
    "$PSDVEC" convert "$IN/new.vec" x.npy -q 9<&- &
    sleep 0.5
    cmp before x.words.txt
    [ "$(cat .x.npy.psdvec-new)" = other ]
    flock -u 9
    exec 9<&-
    wait $!
    "$PSDVEC" convert x.npy back.vec -q
    cmp back.vec "$IN/new.vec"
    [ "$(ls -A | tr '\n' ' ')" = "back.vec before x.npy x.words.txt " ]
}
