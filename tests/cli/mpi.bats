# psdvec-mpi: several processes on this machine count, train and extend together.
load common
bats_require_minimum_version 1.5.0

# Writes words of letters, of which the first is one of two: words, seed, the two, whether lines end.
random_text() {
    awk -v words="$1" -v seed="$2" -v first="$3" -v lines="$4" 'BEGIN {
        srand(seed)
        for (n = 0; n < words; n++) {
            x = int(1 / (rand() + .001))
            printf "%s%c%c%c%s", substr(first, rand() < .5 ? 1 : 2, 1), 97 + x % 26,
                97 + int(x / 26) % 26, 97 + int(x / 676), lines && rand() < .02 ? "\n" : " "
        }
    }'
}

setup_file() {
    mpi=$(dirname "$PSDVEC")/psdvec-mpi
    [ -x "$mpi" ] || skip "psdvec-mpi was not built: MPI is not installed"
    command -v mpirun >/dev/null || skip "mpirun is not installed"
    cd "$BATS_FILE_TMPDIR" || return 1
    mkdir texts
    # Lines of many lengths in files of many sizes; the last is one long document.
    for k in 1 2 3 4 5; do
        random_text $((30000 * k)) $k ab $((k < 5)) >texts/$k.txt
    done
    gzip texts/2.txt
    "$PSDVEC" count texts --min-count 2 -q -o alone.safetensors
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

@test "counts of 1, 2, 3 and 4 processes are those of psdvec" {
    for n in 1 2 3 4; do
        run processes $n count texts --min-count 2 --threads $((n % 2 + 1)) -o shared.safetensors
        [ "$status" = 0 ]
        cmp alone.safetensors shared.safetensors
        rm shared.safetensors
    done
}

@test "models of 2, 3 and 4 processes are those of psdvec" {
    for preset in default paper; do
        options=(texts --preset $preset --min-count 1 --dim 40 --iterations 3 --core 600)
        "$PSDVEC" train "${options[@]}" -q -o alone-model.safetensors
        for n in 2 3 4; do
            run processes $n train "${options[@]}" --threads $((n % 2 + 1)) -o shared-model.safetensors
            [ "$status" = 0 ]
            cmp alone-model.safetensors shared-model.safetensors
            [ ! -e shared-model.safetensors.partial ]
        done
    done
    # From counts, with the regression of new options.
    "$PSDVEC" train alone.safetensors --dim 10 -q -o alone-model.safetensors
    run processes 3 train alone.safetensors --dim 10 -o shared-model.safetensors
    [ "$status" = 0 ]
    cmp alone-model.safetensors shared-model.safetensors
}

@test "a training of which a process was killed is resumed with another number of processes" {
    options=(alone.safetensors --dim 20 --iterations 40)
    "$PSDVEC" train "${options[@]}" -q -o alone-model.safetensors
    timeout 100 mpirun --oversubscribe -n 3 "$mpi" train "${options[@]}" --threads 1 \
        -o resumed-model.safetensors >killed.log 2>&1 &
    job=$!
    for _ in $(seq 1000); do
        [ -e resumed-model.safetensors.partial/core.safetensors ] && break
        sleep 0.01
    done
    victim=$(pgrep -f "$mpi train alone.safetensors .*resumed-model" | grep -v "^$job$" | sed -n 2p)
    [ -z "$victim" ] || kill -9 "$victim" || true
    wait $job || true
    run processes 2 train "${options[@]}" -o resumed-model.safetensors
    [ "$status" = 0 ]
    cmp alone-model.safetensors resumed-model.safetensors
}

# Trains a model of few words in base.safetensors, unless it is there.
base_model() {
    [ -e base.safetensors ] ||
        "$PSDVEC" train alone.safetensors --dim 10 --core 100 --iterations 2 -q -o base.safetensors
}

@test "models extended by 2, 3 and 4 processes are those of psdvec" {
    base_model
    random_text 60000 7 ac 1 >new.txt
    "$PSDVEC" extend base.safetensors new.txt texts/1.txt -q -o alone-model.safetensors
    for n in 2 3 4; do
        run processes $n extend base.safetensors new.txt texts/1.txt --threads $((n % 2 + 1)) \
            -o shared-model.safetensors
        [ "$status" = 0 ]
        [ "$(grep -c ' new words, ' <<<"$output")" = 1 ]
        cmp alone-model.safetensors shared-model.safetensors
        [ ! -e shared-model.safetensors.partial ]
    done
    # The extended model once more, from counts.
    "$PSDVEC" count new.txt --preset default -q -o new.counts.safetensors
    "$PSDVEC" extend alone-model.safetensors new.counts.safetensors --replace -q -o twice.safetensors
    run processes 3 extend alone-model.safetensors new.counts.safetensors --replace -o shared-model.safetensors
    [ "$status" = 0 ]
    cmp twice.safetensors shared-model.safetensors
}

@test "an extension of which a process was killed can be repeated with another number of processes" {
    base_model
    "$PSDVEC" extend base.safetensors texts --min-count 2 -q -o alone-model.safetensors
    timeout 100 mpirun --oversubscribe -n 3 "$mpi" extend base.safetensors texts --min-count 2 \
        --threads 1 -o killed-model.safetensors >killed.log 2>&1 &
    job=$!
    for _ in $(seq 1000); do
        [ -e killed-model.safetensors.partial ] && break
        sleep 0.01
    done
    victim=$(pgrep -f "$mpi extend base.safetensors .*killed-model" | grep -v "^$job$" | sed -n 2p)
    [ -z "$victim" ] || kill -9 "$victim" || true
    wait $job || true
    run processes 2 extend base.safetensors texts --min-count 2 -o killed-model.safetensors
    [ "$status" = 0 ]
    cmp alone-model.safetensors killed-model.safetensors
    [ ! -e killed-model.safetensors.partial ]
}

@test "an extension that fails has one message and the exit status of psdvec" {
    base_model
    run processes 3 extend nowhere.safetensors texts -o none.safetensors
    [ "$status" = 3 ]
    [ "$(grep -c '^psdvec extend: nowhere.safetensors' <<<"$output")" = 1 ]
    run processes 2 extend base.safetensors - -o none.safetensors </dev/null
    [ "$status" = 2 ]
    [ "$(grep -c 'standard input can be read by one process only' <<<"$output")" = 1 ]
    run processes 3 extend base.safetensors texts --memory 1M --threads 1 -o none.safetensors
    [ "$status" = 6 ]
    [ "$(grep -c '^psdvec extend: ' <<<"$output")" = 1 ]
    [ ! -e none.safetensors ]
    [ ! -e none.safetensors.partial ]
}

@test "process 0 prints the report, once, and writes the log" {
    run --separate-stderr processes 3 count texts --min-count 2 -v --log log.jsonl -o shared.safetensors
    [ "$status" = 0 ]
    [ "$(grep -c 'distinct pairs' <<<"$stderr")" = 1 ]
    [[ "$stderr" == *"3 processes exchanged "*" bytes in "*" messages"* ]]
    [ "$(grep -c '"event": *"start"' log.jsonl)" = 1 ]
    [ "$(grep -c '"event": *"end"' log.jsonl)" = 1 ]
}

@test "warnings of all processes are printed" {
    mkdir -p bad
    cp texts/5.txt bad/1.txt
    head -c 200000 texts/5.txt >bad/2.txt
    printf 'caf\351 and t\351l\351phone ' >>bad/2.txt
    head -c 600000 texts/5.txt >>bad/2.txt
    run processes 3 count bad --min-count 2 -o shared.safetensors
    [ "$status" = 0 ]
    [ "$(grep -c 'warning: bad/2.txt' <<<"$output")" = 1 ]
}

@test "an error has one message and the exit status of psdvec" {
    run processes 3 count texts nowhere.txt -o none.safetensors
    [ "$status" = 3 ]
    [ "$(grep -c '^psdvec count: nowhere.txt' <<<"$output")" = 1 ]
    [ ! -e none.safetensors ]
    run processes 2 count texts --min-count 999999999 -o none.safetensors
    [ "$status" = 3 ]
    [ "$(grep -c 'lower --min-count' <<<"$output")" = 1 ]
    run processes 2 count --nothing
    [ "$status" = 2 ]
    [ "$(grep -c 'no option --nothing' <<<"$output")" = 1 ]
    run processes 2 info alone.safetensors
    [ "$status" = 2 ]
    [ "$(grep -c "'info' is not divided among processes" <<<"$output")" = 1 ]
}

@test "a process with other inputs, options or permissions is reported" {
    cat >other.sh <<'END'
#!/bin/sh
# Runs the program with other arguments in process 1.
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && exec $OTHER
exec $ALL
END
    chmod +x other.sh
    common="$mpi count texts -o none.safetensors"
    export ALL="$common" OTHER="$common --window 3"
    run timeout 60 mpirun --oversubscribe -n 3 ./other.sh
    [ "$status" = 4 ]
    [ "$(grep -c 'the options of process 1 and of process 0 differ' <<<"$output")" = 1 ]
    OTHER="$mpi count texts/1.txt -o none.safetensors"
    run timeout 60 mpirun --oversubscribe -n 3 ./other.sh
    [ "$(grep -c 'the names or sizes of the inputs of process 1' <<<"$output")" = 1 ]
    OTHER="$mpi count nowhere -o none.safetensors"
    run timeout 60 mpirun --oversubscribe -n 3 ./other.sh
    [ "$(grep -c 'psdvec count: nowhere: .*(process 1 of 3 on ' <<<"$output")" = 1 ]
    base_model
    common="$mpi extend base.safetensors texts -o none.safetensors"
    ALL="$common" OTHER="$common --mu 7"
    run timeout 60 mpirun --oversubscribe -n 3 ./other.sh
    [ "$status" = 4 ]
    [ "$(grep -c 'the options, the model or the inputs of process 1 and of process 0 differ' <<<"$output")" = 1 ]
    ALL="$mpi count texts -o none.safetensors"
    # An error before the library begins.
    OTHER="$mpi count texts --vocab -o none.safetensors"
    run timeout 60 mpirun --oversubscribe -n 3 ./other.sh
    [ "$status" = 2 ]
    [ "$(grep -c 'process 1 of 3 on .* ended with exit status 2' <<<"$output")" = 1 ]
    [ ! -e none.safetensors ]
}

@test "standard input is refused" {
    run processes 2 count - -o none.safetensors </dev/null
    [ "$status" = 2 ]
    [[ "$output" == *"standard input can be read by one process only"* ]]
}

@test "a run of which a process was killed is resumed with another number of processes" {
    for attempt in 1 2 3; do
        timeout 60 mpirun --oversubscribe -n 3 "$mpi" count texts --min-count 2 --threads 1 \
            --resume state -o resumed.safetensors >killed.log 2>&1 &
        job=$!
        # Kill one process as soon as the state has a file, or later.
        for _ in $(seq 200); do
            [ -n "$(ls state 2>/dev/null)" ] && break
            sleep 0.02
        done
        victim=$(pgrep -f "$mpi count texts .*resumed.safetensors" | grep -v "^$job$" | sed -n 2p)
        [ -z "$victim" ] || kill -9 "$victim" || true
        wait $job || true
    done
    run processes 2 count texts --min-count 2 --resume state -o resumed.safetensors
    [ "$status" = 0 ]
    cmp alone.safetensors resumed.safetensors
}

@test "processes stay within their memory limit" {
    run processes 3 count texts --min-count 1 --memory 20M --threads 1 -o small.safetensors
    [ "$status" = 0 ]
    "$PSDVEC" count texts --min-count 1 -q -o whole.safetensors
    cmp whole.safetensors small.safetensors
    run processes 3 count texts --min-count 1 --memory 1M --threads 1 -o none.safetensors
    [ "$status" = 6 ]
    [ "$(grep -c 'psdvec count: ' <<<"$output")" = 1 ]
    [ ! -e none.safetensors ]
}

@test "three processes train what does not fit the memory limit of one" {
    awk 'BEGIN {
        srand(9)
        for (n = 0; n < 150000; n++) {
            x = int(20 / (rand() + .008))
            printf "%c%c%c%s", 97 + x % 26, 97 + int(x / 26) % 26, 97 + int(x / 676),
                rand() < .02 ? "\n" : " "
        }
    }' >many.txt
    "$PSDVEC" count many.txt --min-count 2 -q -o many.safetensors
    options=(many.safetensors --dim 100 --iterations 2 --order off --spelling off --threads 1)
    run "$PSDVEC" train "${options[@]}" --memory 8M -o divided-model.safetensors
    [ "$status" = 6 ]
    run processes 3 train "${options[@]}" --memory 8M -o divided-model.safetensors
    [ "$status" = 0 ]
    "$PSDVEC" train "${options[@]}" -q -o alone-model.safetensors
    cmp alone-model.safetensors divided-model.safetensors
    run processes 3 train "${options[@]}" --memory 3M -o none.safetensors
    [ "$status" = 6 ]
    [ "$(grep -c 'MiB of memory in one of 3 processes' <<<"$output")" = 1 ]
    [ ! -e none.safetensors ]
}
