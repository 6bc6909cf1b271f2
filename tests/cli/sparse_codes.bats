# psdvec baseline sparse: its arguments, its output, and that its bits depend only on its inputs.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    # 200 words in 10 groups: 8 dimensions, the vector of the group plus noise.
    awk 'BEGIN {
        srand(1)
        for (group = 0; group < 10; group++)
            for (k = 0; k < 8; k++) centre[group, k] = rand() - 0.5
        for (i = 0; i < 200; i++) {
            group = i % 10
            printf "%c%s", 97 + group, substr("abcdefghijklmnopqrst", int(i / 10) + 1, 1)
            for (k = 0; k < 8; k++) printf " %.5f", centre[group, k] + 0.1 * (rand() - 0.5)
            print ""
        }
    }' >dense.txt
}

sparse() { "$PSDVEC" baseline sparse -q --epochs 5 --factor 4 --l2 1e-4 "$@"; }
entries() { "$PSDVEC" info "$1" --json | jq .entries; }

@test "operands and options are strict" {
    refused 2 "give a model" baseline sparse
    refused 2 "give an output, for example -o sparse.safetensors" baseline sparse x
    refused 2 "--factor" baseline sparse x -o y --factor x
    refused 2 "--l1" baseline sparse x -o y --l1 -1
    refused 2 "--epochs" baseline sparse x -o y --epochs 0
    refused 2 "--l1 must be a number above 0" baseline sparse dense.txt -o y --l1 0
    refused 2 "--l2 must be a number above 0" baseline sparse dense.txt -o y --l2 0
    refused 2 "--ridge" baseline sparse dense.txt -o y --ridge -1
    refused 3 "nosuch" baseline sparse nosuch -o y
    refused 6 "--factor" baseline sparse dense.txt -o y --factor 1000 --memory 20M
    [ ! -e y ] && [ ! -e y.partial ]
}

@test "too many dimensions are refused" {
    { printf x; yes ' 1' | head -n 4400000 | tr -d '\n'; echo; } >wide.txt
    refused 2 "--factor is 1000, which gives 4400000000 dimensions; that is too many" baseline sparse wide.txt -o y --factor 1000
}

@test "sparse vectors are not coded again" {
    sparse dense.txt -o one
    refused 2 "its vectors are already sparse" baseline sparse one -o two
}

@test "words of a group are similar, with few nonzero values" {
    sparse dense.txt --l1 10 -o model
    [ "$("$PSDVEC" info model --json | jq -r .method)" = sparse ]
    [ "$("$PSDVEC" info model --json | jq .dim)" -eq 32 ]
    [ "$(entries model)" -lt $((200 * 32 / 4)) ]
    "$PSDVEC" similar model ba --top 10 --tsv | rows >near
    [ "$(cut -f 2 near | grep -c '^b' || true)" -ge 9 ]
}

@test "any number of threads gives the same file, another seed another" {
    sparse dense.txt --threads 1 -o one
    sparse dense.txt --threads 3 -o three
    cmp one three
    sparse dense.txt --seed 7 -o other
    ! cmp -s one other
    [ ! -e one.partial ]
}

@test "larger penalties leave fewer nonzero values" {
    sparse dense.txt -o one
    sparse dense.txt --l1 2 -o fewer
    [ "$(entries fewer)" -lt "$(entries one)" ]
}

@test "--nonnegative has no negative values, --binary only ones" {
    sparse dense.txt -o any
    "$PSDVEC" convert any --to word2vec -o any.vec -q
    grep -q -- ' -' any.vec
    sparse dense.txt --nonnegative -o plus
    "$PSDVEC" convert plus --to word2vec -o plus.vec -q
    ! grep -q -- ' -' plus.vec
    sparse dense.txt --binary -o binary
    "$PSDVEC" convert binary --to word2vec -o binary.vec -q
    tail -n +2 binary.vec | cut -d ' ' -f 2- | tr ' ' '\n' | sort -u | tr '\n' ' ' >numbers
    [ "$(cat numbers)" = "0 1 " ]
    [ "$(entries plus)" -eq "$(entries binary)" ]
}

@test "a stopped run is resumed and ends with the same file" {
    sparse dense.txt --epochs 40 -o whole
    "$PSDVEC" baseline sparse dense.txt --epochs 40 --factor 4 --l2 1e-4 -v -o again 2>log &
    pid=$!
    for _ in $(seq 400); do
        [ -e again.partial/codes.safetensors ] && break
        sleep 0.01
    done
    kill -9 $pid || true # it may have ended before
    wait $pid || true
    sparse dense.txt --epochs 40 -o again
    cmp whole again
    [ ! -e again.partial ]
}

@test "Ctrl-C: status 130, and the message says how to resume" {
    set -m # a job in the background ignores SIGINT unless job control is on
    "$PSDVEC" baseline sparse dense.txt --epochs 10000 -o model 3>&- 2>stderr &
    process=$! status=0
    for _ in $(seq 400); do
        [ -e model.partial/codes.safetensors ] && break
        sleep 0.05
    done
    kill -INT $process
    wait $process || status=$?
    [ "$status" -eq 130 ]
    grep -q 'stopped; finished work is kept (1 file .* in model.partial), and the same command resumes from it' stderr
    [ ! -e model ]
}

@test "the summary shows the sparsity and the objective" {
    run --separate-stderr "$PSDVEC" baseline sparse dense.txt --epochs 3 -o model -v
    [ "$status" -eq 0 ]
    [[ $stderr == *"epoch 3 of 3: objective "* ]]
    [[ $stderr == *"after 3 epochs"* ]]
    [[ $stderr == *"nonzero components"* ]]
}

@test "a penalty that leaves no codes gives a warning" {
    run "$PSDVEC" baseline sparse dense.txt --l1 1000 -o none
    [ "$status" -eq 0 ]
    [[ $output == *"all codes are 0"*"--l1"* ]]
}
