#!/bin/sh
# Checks `make install`: everything is installed, a program builds against it through pkg-config and
# through CMake with the shared and with the static library, only psdvec_* is exported, no call of
# the library changes the state of the process, and `make uninstall` leaves no files. Prints TAP.
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
# While the major version is 0, every minor version may change the interface.
case $version in
0.*) soversion=${version%.*} other_version=0.$((${soversion#0.} - 1)) ;;
*) soversion=${version%%.*} other_version=99 ;;
esac
# A program that calls little, but links everything.
cat >"$scratch/user.c" <<'END'
#define PSDVEC_EXPERIMENTAL
#include <psdvec/psdvec.h>
#include <stdio.h>
typedef void any(void);
static any *const volatile linked[] = {
    (any *)psdvec_train_text, (any *)psdvec_baseline_text, (any *)psdvec_eval,
    (any *)psdvec_scorer_text, (any *)psdvec_simulate, (any *)psdvec_counts_import,
};
int main(void)
{
    psdvec_context *ctx;
    if (psdvec_context_new(NULL, &ctx) != PSDVEC_OK || !linked[0])
        return 1;
    psdvec_context_free(ctx);
    puts(psdvec_version());
    return 0;
}
END

# MAKEFLAGS passes on the variables of the calling make.
installs() { $make --no-print-directory WERROR=1 BUILD="$build" PREFIX=/opt/psdvec DESTDIR="$stage" install; }
pc() {
    PKG_CONFIG_PATH=$stage/opt/psdvec/lib/pkgconfig pkg-config --define-variable=prefix="$stage/opt/psdvec" "$@" psdvec
}
# shellcheck disable=SC2046,SC2086
uses_shared() {
    $CC -std=c11 "$scratch/user.c" $(pc --cflags) -o "$scratch/user" $(pc --libs) &&
        [ "$(LD_LIBRARY_PATH=$stage/opt/psdvec/lib "$scratch/user")" = "$version" ]
}
# If only the static library is installed, one call of pkg-config links it, with the shared
# libraries that it needs.
# shellcheck disable=SC2046,SC2086
uses_static() {
    rm -rf "$scratch/static" && cp -R "$stage/opt/psdvec" "$scratch/static" &&
        rm -f "$scratch"/static/lib/libpsdvec.so* || return 1
    flags=$(PKG_CONFIG_PATH=$scratch/static/lib/pkgconfig \
        pkg-config --define-variable=prefix="$scratch/static" --static --cflags --libs psdvec) || return 1
    $CC -std=c11 "$scratch/user.c" -o "$scratch/user-static" $flags &&
        [ "$("$scratch/user-static")" = "$version" ]
}
# A fully static program needs static versions of all libraries and of their dependencies, which
# their packages list. ICU is written in C++.
all_packages=libarchive
pkg-config --exists icu-uc && all_packages="$all_packages icu-uc"
# shellcheck disable=SC2046,SC2086
has_static_twins() {
    echo 'int main(void) { return 0; }' >"$scratch/nothing.c"
    $CC -static "$scratch/nothing.c" -o "$scratch/nothing" \
        $(pkg-config --static --libs $all_packages) -lutf8proc -lexpat -lxxhash -lstdc++ 2>/dev/null
}
# shellcheck disable=SC2046,SC2086
uses_no_shared_library() {
    $CC -std=c11 -static "$scratch/user.c" -o "$scratch/user-alone" \
        $(PKG_CONFIG_PATH=$scratch/static/lib/pkgconfig pkg-config \
            --define-variable=prefix="$scratch/static" --static --cflags --libs psdvec $all_packages) \
        -lstdc++ && [ "$("$scratch/user-alone")" = "$version" ]
}
cat >"$scratch/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.10)
project(user C)
find_package(psdvec ${version%.*} REQUIRED)
add_executable(with-shared user.c)
target_link_libraries(with-shared PRIVATE psdvec::psdvec)
add_executable(with-static user.c)
target_link_libraries(with-static PRIVATE psdvec::static)
END
uses_cmake() {
    cmake -S "$scratch" -B "$scratch/cmake" -DCMAKE_C_COMPILER="${CC%% *}" \
        -DCMAKE_PREFIX_PATH="$stage/opt/psdvec" && cmake --build "$scratch/cmake" || return 1
    for program in with-shared with-static; do
        [ "$("$scratch/cmake/$program")" = "$version" ] || return 1
    done
    # The shared library is loaded, the static one is not.
    nm -D "$scratch/cmake/with-shared" | grep -q ' U psdvec_version' &&
        ! nm -D "$scratch/cmake/with-static" | grep -q ' U psdvec_version'
}
cmake_finds() { # version
    rm -rf "$scratch/finds" && mkdir -p "$scratch/finds"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(user C)' \
        "find_package(psdvec $1 REQUIRED)" >"$scratch/finds/CMakeLists.txt"
    cmake -S "$scratch/finds" -B "$scratch/finds/build" -DCMAKE_C_COMPILER="${CC%% *}" \
        -DCMAKE_PREFIX_PATH="$stage/opt/psdvec"
}
cmake_chooses() {
    cmake_finds "${version%%.*}" && cmake_finds "$version" && ! cmake_finds 99 && ! cmake_finds "$other_version"
}
# Each header alone, in strict C11, with every warning.
# shellcheck disable=SC2046,SC2086
headers_alone() {
    for header in include/psdvec/*.h; do
        echo "#include <psdvec/${header##*/}>" >"$scratch/alone.c"
        $CC -std=c11 -pedantic -Wall -Wextra -Werror -fsyntax-only $(pc --cflags) "$scratch/alone.c" ||
            return 1
    done
}
# The example finds the library by pkg-config, like a user's program.
builds_example() {
    command -v c++ >/dev/null || { echo "no C++ compiler"; return 0; }
    PKG_CONFIG_PATH=$stage/opt/psdvec/lib/pkgconfig $make --no-print-directory -C examples \
        PKG_CONFIG="pkg-config --define-variable=prefix=$stage/opt/psdvec" OUT="$scratch" CXXFLAGS=-Werror
}
exports_prefix() {
    nm -D --defined-only "$stage/opt/psdvec/lib/libpsdvec.so.$version" >"$scratch/symbols" || return 1
    grep -q ' psdvec_version$' "$scratch/symbols" || return 1
    ! awk '{ print $NF }' "$scratch/symbols" | grep -v '^psdvec_'
}
# A program may link its own BLAS together with the static library.
defines_prefix() {
    nm --defined-only "$stage/opt/psdvec/lib/libpsdvec.a" | awk 'NF == 3 && $2 ~ /[A-Z]/ { print $3 }' >"$scratch/symbols"
    grep -q '^psdvec_version$' "$scratch/symbols" || return 1
    ! grep -v '^psdvec_\|^pv_' "$scratch/symbols"
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
links() { [ "$(readlink "$stage/opt/psdvec/lib/libpsdvec.so")" = "libpsdvec.so.$soversion" ]; }
# A program records this name, and does not start with a library of another interface.
has_soname() {
    readelf -d "$stage/opt/psdvec/lib/libpsdvec.so" | grep -q "SONAME.*\[libpsdvec\.so\.$soversion\]" &&
        readelf -d "$scratch/user" | grep -q "NEEDED.*\[libpsdvec\.so\.$soversion\]" || return 1
    mkdir -p "$scratch/other" && cp "$stage/opt/psdvec/lib/libpsdvec.so" "$scratch/other/libpsdvec.so.$other_version"
    ! LD_LIBRARY_PATH=$scratch/other "$scratch/user"
}
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || python=python3
# The installed package has no library of its own.
uses_python() {
    $make --no-print-directory BUILD="$build" DESTDIR="$stage" PYTHONDIR=/opt/psdvec/python install-python || return 1
    found=$(cd "$scratch" && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$stage/opt/psdvec/python \
        LD_LIBRARY_PATH=$stage/opt/psdvec/lib "$python" -c '
import importlib.metadata, psdvec, psdvec._library as library
print(library.path, psdvec.__version__, importlib.metadata.version("psdvec"))') || return 1
    echo "$found"
    [ "$found" = "libpsdvec.so.$soversion $version $version" ]
}
installs_mpi() {
    $make --no-print-directory WERROR=1 BUILD="$build" PREFIX=/opt/psdvec DESTDIR="$stage" install-mpi &&
        has_files bin/psdvec-mpi share/man/man1/psdvec-mpi.1 &&
        ! ldd "$stage/opt/psdvec/bin/psdvec" | grep libmpi
}
# `make uninstall` leaves what other targets installed.
uninstalls() {
    set -- BUILD="$build" PREFIX=/opt/psdvec PYTHONDIR=/opt/psdvec/python DESTDIR="$stage"
    $make --no-print-directory "$@" uninstall uninstall-python || return 1
    if [ -x "$build/psdvec-mpi" ]; then
        has_files bin/psdvec-mpi share/man/man1/psdvec-mpi.1 || return 1
    fi
    $make --no-print-directory "$@" uninstall-mpi && ! find "$stage" ! -type d | grep .
}

check "make install works with PREFIX and DESTDIR" installs
check "the library, the headers and psdvec.pc arrive" has_files lib/libpsdvec.a \
    "lib/libpsdvec.so.$version" "lib/libpsdvec.so.$soversion" include/psdvec/psdvec.h \
    include/psdvec/context.h include/psdvec/model.h include/psdvec/options/train.def lib/pkgconfig/psdvec.pc
check "the links of the shared library form a chain" links
check "the description of the interface arrives where pkg-config says" \
    cmp "$build/psdvec-api.json" "$(pc --variable=api)"
check "pkg-config knows the version" [ "$(pc --modversion 2>&1)" = "$version" ]
check "each header compiles alone in strict C11" headers_alone
check "a program uses the shared library" uses_shared
if command -v readelf >/dev/null; then
    check "a program asks for the version of the interface" has_soname
fi
check "a program uses the static library alone, through pkg-config --static" uses_static
if has_static_twins; then
    check "a program uses no shared library at all" uses_no_shared_library
fi
if command -v cmake >/dev/null; then
    check "a CMake project uses both libraries" uses_cmake
    check "a CMake project gets the version that it wants, and is refused another" cmake_chooses
fi
check "the example in C++ builds by its own Makefile" builds_example
check "only psdvec_ names are exported" exports_prefix
check "only psdvec_ and pv_ names are defined in the static library" defines_prefix
check "nothing is called that changes a host's process" leaves_the_process_alone
if [ -x "$build/psdvec" ]; then
    check "the manual and the completions arrive" has_files bin/psdvec share/man/man1/psdvec.1 \
        share/man/man1/psdvec-count.1 share/bash-completion/completions/psdvec \
        share/zsh/site-functions/_psdvec share/fish/vendor_completions.d/psdvec.fish
    check "the installed program tells the version" program_runs
fi
if [ -d "$build/python" ] && "$python" -c 'import numpy' 2>/dev/null; then
    check "the installed Python package uses the installed library" uses_python
fi
if [ -x "$build/psdvec-mpi" ]; then
    check "make install-mpi installs psdvec-mpi; psdvec itself does not need MPI" installs_mpi
fi
check "make uninstall leaves no file" uninstalls
echo "1..$number"
[ $failed = no ]
