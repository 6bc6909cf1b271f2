# What surrounds the process: limits on its address space and its stack.
bats_require_minimum_version 1.5.0

setup() {
    load common
    common_setup
    [ -z "${SANITIZE:-}" ] || skip "a sanitizer needs more address space and stack"
}

# A text of 200 words in 300 lines, the same every time.
some_text() {
    awk 'BEGIN { for (i = 0; i < 300; i++) { line = ""
        for (k = 0; k < 12; k++) { seed = (seed * 1103515245 + 12345) % 2147483648
            line = line " w" int(seed / 65536) % 200 }
        print line } }' | tr '0-9' 'a-j' >text
}

@test "training without address space for OpenBLAS is refused" {
    some_text
    (
        ulimit -v 150000
        refused 6 "OpenBLAS needs a work buffer with" train text --dim 5 --threads 2 -o model
    )
    [ ! -e model ] && [ ! -e model.partial ]
}

@test "training succeeds with address space for one work buffer, on any number of threads" {
    some_text
    "$PSDVEC" train text --dim 5 --min-count 1 --threads 1 -o expected -q
    (
        ulimit -v 320000
        "$PSDVEC" train text --dim 5 --min-count 1 --memory 40M --threads 1 -o one -q
        "$PSDVEC" train text --dim 5 --min-count 1 --memory 40M --threads 2 -o two -q
    )
    cmp expected one
    cmp expected two
}

@test "a stack limit that is too small is refused, or raised where that is allowed" {
    some_text
    (
        ulimit -s 32
        refused 6 "the stack is limited to 32 KiB, and at least 64 KiB are needed" train text -o model
    )
    (
        ulimit -S -s 32
        "$PSDVEC" train text --dim 5 --threads 2 -o model -q
    )
}

@test "commands run with a stack of 64 KiB, on several threads" {
    some_text
    gzip -k text
    printf '<html><body><p>%s</p></body></html>' "$(head -n 50 text)" >text.html
    (
        ulimit -s 64
        for threads in 1 4; do
            "$PSDVEC" train text --dim 60 --threads $threads -o model$threads -q
        done
        "$PSDVEC" count text.gz text.html -o counts -q
        "$PSDVEC" tokenize --tokenizer icu text >/dev/null || [ $? -lt 128 ]
        "$PSDVEC" eval model1 >/dev/null || [ $? -lt 128 ]
        "$PSDVEC" similar model1 waaa wbbb >/dev/null || [ $? -lt 128 ]
        "$PSDVEC" simulate --vocab 100 --dim 8 --tokens 1000 -o simulated -q
    )
    cmp model1 model4
}
