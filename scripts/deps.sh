#!/bin/sh
# Installs the packages that a group of targets needs.
#
#   scripts/deps.sh GROUP...          install missing packages, or print how to install them
#   scripts/deps.sh --check GROUP...  check only; status 1 if something required is missing
#
# Groups: build, test, mpi, demo, site, wheel, deb, fuzz, dev. The script probes for
# commands, libraries and files. If nothing is missing, it does nothing else:
# no package manager, no network, no output.
#
# Packages are installed only where apt-get exists and the user is root or has
# sudo without a password; their names are printed first. DEPS=no prevents it
# (as does NO_INSTALL=1, its former name). Elsewhere, the missing packages are
# printed with the command that installs them. The status is 0 if everything
# that the group `build` requires is present at the end; packages that other
# groups lack are only reported.
set -u

# group | required (!) or optional (?) | probe | Debian | Fedora | Arch | Alpine | Homebrew
#   cc            a C compiler with the headers of the C library
#   cmd NAME      a command
#   lib PC HEADER a library known to pkg-config, or, without pkg-config, its header
#   linked FILE   a file in the folders where the compiler looks for libraries
#   file PATH     a file
#   fuzzer        clang with libFuzzer
table() {
    cat <<'END'
build|!|cc|gcc libc6-dev|gcc glibc-devel|gcc|gcc musl-dev|gcc
build|!|cmd pkg-config|pkg-config|pkgconf-pkg-config|pkgconf|pkgconf|pkgconf
build|!|lib libarchive archive.h|libarchive-dev|libarchive-devel|libarchive|libarchive-dev|libarchive
build|!|lib zlib zlib.h|zlib1g-dev|zlib-devel|zlib|zlib-dev|zlib
build|!|lib libutf8proc utf8proc.h|libutf8proc-dev|utf8proc-devel|libutf8proc|utf8proc-dev|utf8proc
build|!|lib expat expat.h|libexpat1-dev|expat-devel|expat|expat-dev|expat
build|!|lib libxxhash xxhash.h|libxxhash-dev|xxhash-devel|xxhash|xxhash-dev|xxhash
build|!|lib openblas cblas.h|libopenblas-serial-dev|openblas-devel|openblas|openblas-dev|openblas
build|?|linked openblas-serial/libopenblas.a|libopenblas-serial-dev||||
build|?|lib icu-uc unicode/ubrk.h|libicu-dev|libicu-devel|icu|icu-dev|icu4c
build|?|lib libedit histedit.h|libedit-dev|libedit-devel|libedit|libedit-dev|libedit
build|?|lib libmicrohttpd microhttpd.h|libmicrohttpd-dev|libmicrohttpd-devel|libmicrohttpd|libmicrohttpd-dev|libmicrohttpd
test|!|lib cmocka cmocka.h|libcmocka-dev|libcmocka-devel|cmocka|cmocka-dev|cmocka
test|?|file /usr/include/arpack/arpack.h|libarpack2-dev|arpack-devel|arpack|arpack-dev|arpack
test|?|linked openblas-pthread/libopenblas.so|libopenblas-pthread-dev||||
test|!|cmd bats|bats|bats|bash-bats|bats|bats-core
test|?|cmd cmake|cmake|cmake|cmake|cmake|cmake
test|?|cmd g++|g++|gcc-c++|gcc|g++|gcc
test|?|cmd curl|curl|curl|curl|curl|curl
test|?|cmd jq|jq|jq|jq|jq|jq
test|?|cmd zstd|zstd|zstd|zstd|zstd|zstd
test|?|cmd lz4|lz4|lz4|lz4|lz4|lz4
test|?|cmd xz|xz-utils|xz|xz|xz|xz
test|?|cmd bzip2|bzip2|bzip2|bzip2|bzip2|bzip2
test|?|cmd zip|zip|zip|zip|zip|zip
test|?|cmd unzip|unzip|unzip|unzip|unzip|unzip
test|?|cmd python3|python3|python3|python|python3|python3
test|?|file /usr/lib/python3/dist-packages/numpy/__init__.py|python3-numpy|python3-numpy|python-numpy|py3-numpy|numpy
test|?|file /usr/lib/python3/dist-packages/pytest/__init__.py|python3-pytest|python3-pytest|python-pytest|py3-pytest|pytest
test|?|linked libbz2.a|libbz2-dev||||
test|?|linked liblz4.a|liblz4-dev||||
test|?|linked liblzma.a|liblzma-dev||||
test|?|linked libnettle.a|nettle-dev||||
test|?|linked libzstd.a|libzstd-dev||||
test|?|cmd abidiff|abigail-tools|libabigail|||
test|?|cmd chromium|chromium|chromium|chromium|chromium|
test|?|cmd man|man-db|man-db|man-db|mandoc|man-db
test|?|file /usr/share/man/de/man1/ls.1.gz|manpages-de||||
test|?|file /usr/share/man/zh_CN/man1/ls.1.gz|manpages-zh||||
test|?|lib mpi-c mpi.h|libopenmpi-dev|openmpi-devel|openmpi|openmpi-dev|open-mpi
test|?|cmd mpirun|openmpi-bin|openmpi|openmpi|openmpi|open-mpi
mpi|!|lib mpi-c mpi.h|libopenmpi-dev|openmpi-devel|openmpi|openmpi-dev|open-mpi
demo|?|file /usr/share/dictd/gcide.dict.dz|dict-gcide||||
demo|?|file /usr/share/dictd/wn.dict.dz|dict-wn||||
site|!|cmd cmark-gfm|cmark-gfm||||cmark-gfm
site|!|cmd python3|python3|python3|python|python3|python3
wheel|!|cmd python3|python3|python3|python|python3|python3
wheel|!|file /usr/lib/python3/dist-packages/numpy/__init__.py|python3-numpy|python3-numpy|python-numpy|py3-numpy|numpy
wheel|!|linked openblas-serial/libopenblas.a|libopenblas-serial-dev||||
wheel|!|linked libbz2.a|libbz2-dev||||
wheel|!|linked liblz4.a|liblz4-dev||||
wheel|!|linked liblzma.a|liblzma-dev||||
wheel|!|linked libnettle.a|nettle-dev||||
wheel|!|linked libstdc++.a|g++||||
wheel|!|linked libzstd.a|libzstd-dev||||
wheel|?|file /usr/sbin/icupkg|icu-devtools||||
deb|!|cmd dpkg-buildpackage|dpkg-dev||||
deb|!|cmd dh|debhelper||||
deb|!|cmd dh_python3|dh-python||||
deb|!|cmd fakeroot|fakeroot||||
deb|!|lib libedit histedit.h|libedit-dev||||
deb|!|lib libmicrohttpd microhttpd.h|libmicrohttpd-dev||||
deb|!|lib icu-uc unicode/ubrk.h|libicu-dev||||
deb|!|linked openblas-serial/libopenblas.a|libopenblas-serial-dev||||
deb|!|lib mpi-c mpi.h|libopenmpi-dev||||
deb|!|lib cmocka cmocka.h|libcmocka-dev||||
deb|!|file /usr/lib/python3/dist-packages/numpy/__init__.py|python3-numpy||||
deb|!|file /usr/lib/python3/dist-packages/pytest/__init__.py|python3-pytest||||
deb|?|cmd lintian|lintian||||
fuzz|!|cmd clang|clang|clang|clang|clang|llvm
fuzz|!|fuzzer|libclang-rt-dev|compiler-rt|compiler-rt|compiler-rt|llvm
dev|?|cmd clang|clang|clang|clang|clang|llvm
dev|?|fuzzer|libclang-rt-dev|compiler-rt|compiler-rt|compiler-rt|llvm
dev|?|cmd clang-tidy|clang-tidy|clang-tools-extra|clang|clang-extra-tools|llvm
dev|?|cmd clang-format|clang-format|clang-tools-extra|clang|clang-extra-tools|clang-format
dev|?|cmd cppcheck|cppcheck|cppcheck|cppcheck|cppcheck|cppcheck
dev|?|cmd node|nodejs|nodejs|nodejs|nodejs|node
dev|?|cmd npm|npm|npm|npm|npm|node
dev|?|cmd lcov|lcov|lcov|lcov|lcov|lcov
dev|?|cmd shellcheck|shellcheck|ShellCheck|shellcheck|shellcheck|shellcheck
dev|?|file /usr/lib/python3/dist-packages/gensim/__init__.py|python3-gensim||||
dev|?|file /usr/lib/python3/dist-packages/scipy/__init__.py|python3-scipy|python3-scipy|python-scipy|py3-scipy|scipy
dev|?|file /usr/lib/python3/dist-packages/pandas/__init__.py|python3-pandas|python3-pandas|python-pandas|py3-pandas|
END
}

# $CC may contain options ("ccache gcc", "gcc -m32"), so it is not quoted.
has_header() {
    # shellcheck disable=SC2086
    printf '#include <%s>\n' "$1" | ${CC:-cc} -E -x c - >/dev/null 2>&1
}

# The compiler prints the full path of a file that it finds, otherwise the name as given.
has_linked() {
    # shellcheck disable=SC2086
    found=$(${CC:-cc} -print-file-name="$1" 2>/dev/null)
    test -r "$found"
}

has_fuzzer() {
    out=${TMPDIR:-/tmp}/psdvec-fuzzer-$$
    printf 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n);\n%s\n' \
        'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n ? 0 : 0; }' |
        clang -x c -fsanitize=fuzzer -o "$out" - >/dev/null 2>&1
    found=$?
    rm -f "$out"
    return $found
}

probe() {
    case $1 in
    cc) has_header stdio.h ;;
    cmd) command -v "$2" >/dev/null 2>&1 ;;
    lib)
        if command -v pkg-config >/dev/null 2>&1; then
            pkg-config --exists "$2" 2>/dev/null
        else
            has_header "$3"
        fi
        ;;
    linked) has_linked "$2" ;;
    file) test -r "$2" ;;
    fuzzer) has_fuzzer ;;
    esac
}

# The lines of the table that belong to the groups and whose probe fails.
missing() {
    table | while IFS='|' read -r group need what debian fedora arch alpine brew; do
        case " $groups " in *" $group "*) ;; *) continue ;; esac
        # shellcheck disable=SC2086
        probe $what || echo "$group|$need|$what|$debian|$fedora|$arch|$alpine|$brew"
    done
}

# Column $1 of the missing lines, as words, each once.
packages() {
    printf '%s\n' "$lacking" |
        awk -F'|' -v column="$1" '{
            n = split($column, word, " ")
            for (i = 1; i <= n; i++)
                if (!seen[word[i]]++) printf "%s%s", (count++ ? " " : ""), word[i]
        }'
}

say() { printf '%s\n' "$*" >&2; }

# 'command' if this system is one of $1 or unknown, and there is something to install.
advise() { # identifiers | name | command | packages
    [ -n "$4" ] || return 0
    case "$system" in
    "") ;;
    *) for id in $1; do case " $system " in *" $id "*) say "    $3 $4"; return 0 ;; esac; done; return 0 ;;
    esac
    say "    $2: $3 $4"
}

explain() {
    say "Missing:"
    printf '%s\n' "$lacking" | while IFS='|' read -r group need what debian rest; do
        case $what in
        cc) what="a C compiler" ;;
        cmd*) what="the command ${what#cmd }" ;;
        lib*) what=${what#lib } && what="the library ${what%% *}" ;;
        linked*) what=${what#linked } ;;
        file*) what=${what#file } ;;
        fuzzer) what="libFuzzer for clang" ;;
        esac
        case $need in
        !) say "  - $what (needed for '$group')" ;;
        *) say "  - $what (optional, for '$group')" ;;
        esac
    done
    system=
    if [ -r /etc/os-release ]; then
        # shellcheck disable=SC1091
        system=$(. /etc/os-release && echo "${ID:-} ${ID_LIKE:-}")
    elif [ "$(uname -s)" = Darwin ]; then
        system=macos
    fi
    case " $system " in
    *" debian "* | *" ubuntu "* | *" fedora "* | *" rhel "* | *" arch "* | *" alpine "* | *" macos "*) ;;
    *) system= ;;
    esac
    say "Install with:"
    advise "debian ubuntu" "Debian, Ubuntu" "sudo apt-get install" "$(packages 4)"
    advise "fedora rhel" "Fedora" "sudo dnf install" "$(packages 5)"
    advise "arch" "Arch" "sudo pacman -S" "$(packages 6)"
    advise "alpine" "Alpine" "sudo apk add" "$(packages 7)"
    advise "macos" "macOS with Homebrew" "brew install" "$(packages 8)"
}

apt() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 "$@" \
        >>"$log" 2>&1 </dev/null
}

apt_install() { apt install -y --no-install-recommends "$@"; }

# Installs all packages in one call; if that fails, again with fresh lists; if
# that fails too, one by one, so that an unknown name does not affect the others.
install_packages() {
    log=${TMPDIR:-/tmp}/psdvec-deps-$$.log
    : >"$log"
    list=$(packages 4)
    say "Installing missing packages with apt-get (set DEPS=no to prevent this):"
    say "    $list"
    # shellcheck disable=SC2086
    if ! { ls /var/lib/apt/lists/*_Packages* >/dev/null 2>&1 && apt_install $list; }; then
        apt update
        apt_install $list || for name in $list; do apt_install "$name"; done
    fi
    lacking=$(missing)
    if [ -n "$lacking" ]; then
        say "apt-get could not install all packages; the end of its output:"
        tail -n 15 "$log" >&2
    fi
    rm -f "$log"
}

check_only=no
if [ "${1:-}" = --check ]; then
    check_only=yes
    shift
fi
groups=${*:-build}
lacking=$(missing)
[ -n "$lacking" ] || exit 0

may_install=yes
[ -z "${NO_INSTALL:-}" ] || may_install=no
case ${DEPS:-} in
"" | yes) ;;
no) may_install=no ;;
*)
    say "DEPS must be yes or no, not $DEPS"
    exit 2
    ;;
esac
if [ $check_only = no ] && [ $may_install = yes ] && [ -n "$(packages 4)" ] &&
    command -v apt-get >/dev/null 2>&1; then
    as_root=
    if [ "$(id -u)" = 0 ]; then
        install_packages
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
        install_packages
    fi
fi
[ -n "$lacking" ] || exit 0

# A missing optional package of the build is neither an error nor reported.
if [ $check_only = yes ]; then
    lacking=$(printf '%s\n' "$lacking" | grep -F '|!|')
    [ -n "$lacking" ] || exit 0
    explain
    say "or, if apt-get is available: make deps"
    exit 1
fi
explain
! printf '%s\n' "$lacking" | grep -q '^build|!|'
