# scripts/deps.sh: packages are named before they are installed, and DEPS=no installs none.
bats_require_minimum_version 1.5.0
load common

setup() {
    common_setup
    root=$(realpath "$HERE/../..")
    mkdir bin
    # The program id reports root, and apt-get records its calls and whether packages were named
    # before.
    printf '#!/bin/sh\necho 0\n' >bin/id
    printf '#!/bin/sh\ngrep -q gcc said && echo "after it was said: $*" >>calls || echo "$*" >>calls\n' >bin/apt-get
    chmod +x bin/id bin/apt-get
}

# deps [VARIABLE=VALUE]... [ARGUMENT]...: runs the script on a system without a compiler.
deps() { env PATH="$PWD/bin:$PATH" TMPDIR="$PWD" CC=/bin/false "$@" 2>said; }

@test "packages are named before they are installed" {
    run ! deps sh "$root/scripts/deps.sh" build
    head -n 1 said | grep -Fxq 'Installing missing packages with apt-get (set DEPS=no to prevent this):'
    sed -n 2p said | grep -q '^    gcc libc6-dev'
    grep -q '^after it was said: .*install .*gcc' calls
    ! grep -v '^after it was said' calls
}

@test "DEPS=no and NO_INSTALL=1 install nothing and say what is missing" {
    for forbidden in DEPS=no NO_INSTALL=1; do
        run ! deps "$forbidden" sh "$root/scripts/deps.sh" build
        [ ! -e calls ]
        grep -q 'a C compiler' said
        ! grep -q 'will now be installed' said
    done
    run ! deps DEPS=maybe sh "$root/scripts/deps.sh" build
    [ ! -e calls ]
    grep -Fxq 'DEPS must be yes or no, not maybe' said
}

@test "make passes DEPS on" {
    run ! deps "$MAKE" -C "$root" DEPS=no BUILD="$PWD/build" CC=/bin/false deps
    [ ! -e calls ]
    grep -q 'a C compiler' said
    run ! deps "$MAKE" -C "$root" NO_INSTALL=1 BUILD="$PWD/build" CC=/bin/false deps
    [ ! -e calls ]
}
