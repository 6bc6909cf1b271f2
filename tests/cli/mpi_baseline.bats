# psdvec-mpi baseline: several processes on this machine train other systems together.
load common
bats_require_minimum_version 1.5.0

setup_file() {
    mpi=$(dirname "$PSDVEC")/psdvec-mpi
    [ -x "$mpi" ] || skip "psdvec-mpi was not built: MPI is not installed"
    command -v mpirun >/dev/null || skip "mpirun is not installed"
    cd "$BATS_FILE_TMPDIR" || return 1
    # Words with a Zipf-like distribution, two kinds of which occur in alternating lines.
    awk 'BEGIN {
        srand(3)
        for (line = 0; line < 8000; line++) {
            for (k = 0; k < 20; k++) {
                x = int(20 / (rand() + .008))
                printf "%s%c%c%c ", line % 2 ? "e" : "o", 97 + x % 26, 97 + int(x / 26) % 26,
                    97 + int(x / 676)
            }
            print ""
        }
    }' >text.txt
    "$PSDVEC" count text.txt --document line --min-count 1 -q -o counts.safetensors
    "$PSDVEC" baseline svd counts.safetensors --dim 20 -q -o vectors.safetensors
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    mpi=$(dirname "$PSDVEC")/psdvec-mpi
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}

# Runs psdvec-mpi in as many processes as the first argument says.
processes() {
    local count=$1
    shift
    timeout 120 mpirun --oversubscribe -n "$count" "$mpi" "$@"
}

# same ARGUMENT...: the model of `baseline ARGUMENT...` is the same with 2, 3 and 4 processes.
same() {
    "$PSDVEC" baseline "$@" -q -o alone.safetensors
    for n in 2 3 4; do
        run processes $n baseline "$@" --threads $((n % 2 + 1)) -o shared.safetensors
        [ "$status" = 0 ]
        cmp alone.safetensors shared.safetensors
        [ ! -e shared.safetensors.partial ]
        rm shared.safetensors
    done
}

@test "PPMI of 2, 3 and 4 processes is that of psdvec" {
    same ppmi counts.safetensors
    same ppmi text.txt --document line --shift 1.5
}

@test "singular vectors of 2, 3 and 4 processes are those of psdvec" {
    same svd counts.safetensors --dim 30
    same svd text.txt --document line --dim 10 --add-contexts yes --eigenvalue-power 1
    same cca counts.safetensors --dim 30
}

@test "GloVe vectors of 2, 3 and 4 processes are those of psdvec" {
    same glove counts.safetensors --dim 10 --epochs 3 --x-max 10
    same glove text.txt --document line --min-count 2 --dim 10 --epochs 2 --x-max 10
}

@test "sparse codes of 2, 3 and 4 processes are those of psdvec" {
    same sparse vectors.safetensors --factor 3 --epochs 3
    same sparse vectors.safetensors --factor 3 --epochs 1 --binary
}

# resumes SYSTEM STATE ARGUMENT...: a run of three processes, of which one is killed once the state
# exists, is resumed by two, and by psdvec.
resumes() {
    local system=$1 state=$2
    shift 2
    "$PSDVEC" baseline "$system" "$@" -q -o alone.safetensors
    for n in 2 0; do
        rm -f resumed.safetensors
        timeout 100 mpirun --oversubscribe -n 3 "$mpi" baseline "$system" "$@" --threads 1 \
            -o resumed.safetensors >killed.log 2>&1 &
        job=$!
        for _ in $(seq 3000); do
            [ -e resumed.safetensors.partial/$state.safetensors ] && break
            sleep 0.01
        done
        victim=$(pgrep -f "$mpi baseline $system .*resumed.safetensors" | grep -v "^$job$" | sed -n 2p)
        [ -z "$victim" ] || kill -9 "$victim" || true
        wait $job || true
        [ ! -e resumed.safetensors ]
        [ -e resumed.safetensors.partial/$state.safetensors ]
        if [ $n = 0 ]; then
            run "$PSDVEC" baseline "$system" "$@" -o resumed.safetensors
        else
            run processes $n baseline "$system" "$@" -o resumed.safetensors
        fi
        [ "$status" = 0 ]
        [ "$(grep -c 'resuming after epoch' <<<"$output")" = 1 ]
        cmp alone.safetensors resumed.safetensors
    done
}

@test "a run of which a process was killed is resumed with another number of processes" {
    resumes glove epoch counts.safetensors --dim 20 --epochs 60 --x-max 10
    resumes sparse codes vectors.safetensors --factor 3 --epochs 40
}

@test "a baseline that fails has one message and the exit status of psdvec" {
    run processes 3 baseline svd nowhere.safetensors -o none.safetensors
    [ "$status" = 3 ]
    [ "$(grep -c '^psdvec baseline svd: nowhere.safetensors' <<<"$output")" = 1 ]
    run processes 2 baseline ppmi - -o none.safetensors </dev/null
    [ "$status" = 2 ]
    [ "$(grep -c 'standard input can be read by one process only' <<<"$output")" = 1 ]
    run processes 3 baseline glove counts.safetensors --memory 1M --threads 1 -o none.safetensors
    [ "$status" = 6 ]
    [ "$(grep -c '^psdvec baseline glove: ' <<<"$output")" = 1 ]
    [ ! -e none.safetensors ]
    [ ! -e none.safetensors.partial ]
}

@test "word2vec is refused" {
    for cbow in "" --cbow; do
        run processes 2 baseline sgns text.txt $cbow -o none.safetensors
        [ "$status" = 2 ]
        [ "$(grep -c 'is not divided among processes' <<<"$output")" = 1 ]
    done
    [ ! -e none.safetensors ]
    [ ! -e none.safetensors.partial ]
}

@test "a process with other options is reported" {
    cat >other.sh <<'END'
#!/bin/sh
# Runs the program with other arguments in process 1.
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && exec $OTHER
exec $ALL
END
    chmod +x other.sh
    common="$mpi baseline svd counts.safetensors -o none.safetensors"
    export ALL="$common" OTHER="$common --shift 3"
    run timeout 60 mpirun --oversubscribe -n 3 ./other.sh
    [ "$status" = 4 ]
    [ "$(grep -c 'the options or inputs of process 1 and of process 0 differ' <<<"$output")" = 1 ]
    [ ! -e none.safetensors ]
}
