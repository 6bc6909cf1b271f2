# The program restricts itself: it writes only where its command line says, starts no programs and
# uses no network.
load common

setup() {
    common_setup
    mkdir elsewhere
    echo kept >elsewhere/old
    small_vectors
    unset PSDVEC_SANDBOX
}

# attempts ARGUMENT...: what the program can do after this command, in the file `seen`.
attempts() {
    env -u PSDVEC_SANDBOX "$PSDVEC" info small.safetensors -v 2>&1 | grep -q 'running without a sandbox' &&
        skip "this kernel has no sandbox"
    ldd "$PSDVEC" | grep -q 'lib.san' && skip "the sanitizers must be loaded first"
    "${CC:-cc}" -shared -fPIC "$HERE/../preload/escape.c" -o escape.so
    ESCAPE_TO=$PWD/elsewhere LD_PRELOAD=$PWD/escape.so "$PSDVEC" "$@" 2>seen
}

@test "a command cannot write elsewhere, start programs or use the network" {
    mkdir out
    attempts similar small.safetensors king -o out/neighbours.tsv
    diff - seen <<END
create: Permission denied
mkdir: Permission denied
write: Permission denied
truncate: Permission denied
unlink: Permission denied
read: possible
socket: Operation not permitted
exec: Operation not permitted
END
    [ "$(cat elsewhere/old)" = kept ]
    [ -s out/neighbours.tsv ]
}

@test "PSDVEC_SANDBOX=off lifts the restrictions" {
    PSDVEC_SANDBOX=off attempts similar small.safetensors king -o neighbours.tsv
    grep -q '^create: possible' seen
    grep -q '^socket: possible' seen
    PSDVEC_SANDBOX=off "$PSDVEC" info small.safetensors -v 2>&1 >/dev/null |
        grep -q 'running without a sandbox: PSDVEC_SANDBOX=off is set'
}

@test "outputs through links, in new folders and beside the output stay possible" {
    mkdir target state
    ln -s target/result.tsv link.tsv
    "$PSDVEC" similar small.safetensors king -o link.tsv
    ln -s target folder
    "$PSDVEC" similar small.safetensors king -o folder/b.tsv --log target/log
    [ -s target/b.tsv ] && [ -s target/log ]
    "$PSDVEC" convert small.safetensors small.npy -q
    [ -s small.npy ]
    "$PSDVEC" similar small.safetensors king -o /dev/null
    "$PSDVEC" similar small.safetensors king -o /dev/stdout | grep -q queen
    "$PSDVEC" simulate --vocab 20 --dim 3 --tokens 2000 -q -o new/
    "$PSDVEC" count new/text.txt --min-count 1 --resume state --temp-dir target -q -o "$PWD/c.st"
    [ -s new/truth.safetensors ] && [ -s c.st ]
    "$PSDVEC" fit-temperature new/truth.safetensors new/text.txt --in-place -q
    "$PSDVEC" info new/truth.safetensors | grep -q 'text used to fit T'
}
