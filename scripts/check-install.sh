#!/bin/sh
# Checks `make install`: that everything arrives, that a program builds against it
# through pkg-config with the shared and with the static library, that nothing but
# psdvec_* is exported, that no call of ours changes the process of a host, and that
# `make uninstall` leaves nothing. Prints TAP.
set -u
make=${MAKE:-make}
CC=${CC:-cc}
build=${BUILD:-build}
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
stage=$scratch/stage
number=0 failed=no
check() { # description, command...
    number=$((number + 1))
    what=$1
    shift
    if "$@" >"$scratch/out" 2>&1; then
        echo "ok $number - $what"
    else
        echo "not ok $number - $what"
        sed 's/^/# /' "$scratch/out"
        failed=yes
    fi
}

version=$(sed -n 's/^#define PSDVEC_VERSION "\(.*\)"/\1/p' include/psdvec/psdvec.h)
cat >"$scratch/user.c" <<'END'
#include <psdvec/psdvec.h>
#include <stdio.h>
int main(void)
{
    psdvec_context *ctx;
    if (psdvec_context_new(NULL, &ctx) != PSDVEC_OK)
        return 1;
    psdvec_context_free(ctx);
    puts(psdvec_version());
    return 0;
}
END

# The variables that the calling make was given come along in MAKEFLAGS.
installs() { $make --no-print-directory WERROR=1 BUILD="$build" PREFIX=/opt/psdvec DESTDIR="$stage" install; }
pc() {
    PKG_CONFIG_PATH=$stage/opt/psdvec/lib/pkgconfig pkg-config --define-variable=prefix="$stage/opt/psdvec" "$@" psdvec
}
# shellcheck disable=SC2046,SC2086
uses_shared() {
    $CC -std=c11 "$scratch/user.c" $(pc --cflags) -o "$scratch/user" $(pc --libs) &&
        [ "$(LD_LIBRARY_PATH=$stage/opt/psdvec/lib "$scratch/user")" = "$version" ]
}
# Our archive with the shared libraries it rests on: a program static to the last
# byte would need static twins of all of those, which few systems have.
# shellcheck disable=SC2046,SC2086
uses_static() {
    $CC -std=c11 "$scratch/user.c" $(pc --cflags) -o "$scratch/user-static" \
        "$stage/opt/psdvec/lib/libpsdvec.a" \
        $(pkg-config --libs $(pc --print-requires-private)) -pthread -lm &&
        [ "$("$scratch/user-static")" = "$version" ]
}
# Each alone, in strict C11, with every warning.
# shellcheck disable=SC2046,SC2086
headers_alone() {
    for header in include/psdvec/*.h; do
        echo "#include <psdvec/${header##*/}>" >"$scratch/alone.c"
        $CC -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only $(pc --cflags) "$scratch/alone.c" ||
            return 1
    done
}
exports_prefix() {
    nm -D --defined-only "$stage/opt/psdvec/lib/libpsdvec.so.$version" >"$scratch/symbols" || return 1
    grep -q ' psdvec_version$' "$scratch/symbols" || return 1
    ! awk '{ print $NF }' "$scratch/symbols" | grep -v '^psdvec_'
}
# The private copy of OpenBLAS, openblas.o, can print and exit if it is called wrongly.
global_calls='_?exit|_Exit|quick_exit|abort|atexit|on_exit|v?printf|puts|putchar|perror|stdout|stderr
stdin|setvbuf|setbuf|setlinebuf|signal|sigaction|sigprocmask|pthread_sigmask|raise|kill|alarm
setlocale|umask|setenv|putenv|unsetenv|clearenv|chdir|fchdir|fork|vfork|system|pthread_atfork
__register_atfork|setrlimit|setpriority|nice|sched_setaffinity|fesetround|fesetenv|feenableexcept
srand|rand|srandom|random|strtok|localtime|gmtime|openlog|syslog'
leaves_the_process_alone() {
    cp "$stage/opt/psdvec/lib/libpsdvec.a" "$scratch/ours.a" && ar d "$scratch/ours.a" openblas.o || return 1
    nm -u "$scratch/ours.a" | awk '$1 == "U" { print $2 }' | sed 's/^__\(.*\)_chk$/\1/' | sort -u >"$scratch/calls"
    grep -qx read "$scratch/calls" || return 1
    ! grep -Ex "$(echo "$global_calls" | tr '\n' '|' | sed 's/|$//')" "$scratch/calls"
}
program_runs() { [ "$("$stage/opt/psdvec/bin/psdvec" --version | grep -c "$version")" -ge 1 ]; }
has_files() {
    for file in "$@"; do
        [ -s "$stage/opt/psdvec/$file" ] || { echo "$file is missing or empty"; return 1; }
    done
}
links() { [ "$(readlink "$stage/opt/psdvec/lib/libpsdvec.so")" = "libpsdvec.so.${version%%.*}" ]; }
uninstalls() {
    $make --no-print-directory BUILD="$build" PREFIX=/opt/psdvec DESTDIR="$stage" uninstall &&
        ! find "$stage" ! -type d | grep .
}

check "make install works with PREFIX and DESTDIR" installs
check "the library, the headers and psdvec.pc arrive" has_files lib/libpsdvec.a \
    "lib/libpsdvec.so.$version" "lib/libpsdvec.so.${version%%.*}" include/psdvec/psdvec.h \
    include/psdvec/context.h include/psdvec/model.h include/psdvec/options/train.def lib/pkgconfig/psdvec.pc
check "the links of the shared library form a chain" links
check "pkg-config knows the version" [ "$(pc --modversion 2>&1)" = "$version" ]
check "each header compiles alone in strict C11" headers_alone
check "a program uses the shared library" uses_shared
check "a program uses the static library" uses_static
check "only psdvec_ names are exported" exports_prefix
check "nothing is called that changes a host's process" leaves_the_process_alone
if [ -x "$build/psdvec" ]; then
    check "the manual and the completions arrive" has_files bin/psdvec share/man/man1/psdvec.1 \
        share/man/man1/psdvec-count.1 share/bash-completion/completions/psdvec \
        share/zsh/site-functions/_psdvec share/fish/vendor_completions.d/psdvec.fish
    check "the installed program tells the version" program_runs
fi
check "make uninstall leaves no file" uninstalls
echo "1..$number"
[ $failed = no ]
