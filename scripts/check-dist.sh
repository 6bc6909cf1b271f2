#!/bin/sh
# Checks the source archive (make sdist; that of make dist differs in compression): that it has every
# tracked file, and that the build backend for pip writes the same archive from the unpacked one,
# which has no git. Prints TAP.
#
# MAKE and PYTHON are the tools.
#
# The checks are called by name (SC2317).
# shellcheck disable=SC2317
set -u
make=${MAKE:-make}
python=${PYTHON:-/usr/bin/python3}
root=$(realpath "$(dirname "$0")/..")
[ -x "$python" ] || python=python3
command -v "$python" >/dev/null || {
    echo "1..1"
    echo "ok 1 - the source archive # SKIP there is no Python"
    exit 0
}

scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
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
version=$(sed -n 's/^#define PSDVEC_VERSION "\(.*\)"/\1/p' "$root/include/psdvec/psdvec.h")
name=psdvec-$version
makes() { (cd "$root" && $make --no-print-directory BUILD="$scratch/build" DIST_DIR="$scratch/first" sdist); }
unpacks() { tar -xf "$scratch/first/$name.tar.gz" -C "$scratch"; }
has_files() {
    if [ -e "$root/.git" ]; then
        (cd "$root" && git ls-files -z | xargs -0 ls -d 2>/dev/null)
    else
        (cd "$root" && find include src cli server mpi bindings debian mk scripts docs tests -type f ! -path '*/__pycache__/*')
    fi | sort >"$scratch/tracked"
    (cd "$scratch/$name" && find . -type f | sed 's/^\.\///' | sort) >"$scratch/unpacked"
    [ -s "$scratch/tracked" ] && ! comm -23 "$scratch/tracked" "$scratch/unpacked" | grep . &&
        [ -x "$scratch/$name/debian/rules" ] && grep -qx "Version: $version" "$scratch/$name/PKG-INFO"
}
backend_writes() {
    mkdir "$scratch/second"
    (cd "$scratch/$name" && umask 077 && TZ=Asia/Tokyo MAKE=$make PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=bindings/python "$python" -c \
        'import psdvec_build, sys; print(psdvec_build.build_sdist(sys.argv[1]))' "$scratch/second") &&
        cmp "$scratch/first/$name.tar.gz" "$scratch/second/$name.tar.gz"
}

check "make sdist works" makes
check "the archive unpacks" unpacks
check "the archive has every tracked file, and PKG-INFO" has_files
check "the build backend writes the same archive, without git" backend_writes
echo "1..$number"
[ $failed = no ]
