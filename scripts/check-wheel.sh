#!/bin/sh
# Checks the wheel (make wheel): its tag and metadata, that its library needs only the C library and
# exports only psdvec_*, and that the package of the unpacked wheel uses that library, with the same
# results as the program. Prints TAP.
#
# BUILD is the folder of a finished build, MAKE, CC and PYTHON its tools.
#
# The checks are called by name (SC2317).
# shellcheck disable=SC2317
set -u
make=${MAKE:-make}
build=$(realpath "${BUILD:-build}")
python=${PYTHON:-/usr/bin/python3}
root=$(realpath "$(dirname "$0")/..")
[ -x "$python" ] || python=python3

skip() {
    echo "1..1"
    echo "ok 1 - the wheel # SKIP $*"
    exit 0
}
"$python" -c 'import numpy' 2>/dev/null || skip "$python has no numpy"
CC=${CC:-cc} sh "$root/scripts/deps.sh" --check wheel 2>/dev/null || skip "packages of the group wheel are missing"
[ -z "${SANITIZE:-}" ] || skip "the library is built with a sanitizer"

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
finish() {
    echo "1..$number"
    [ $failed = no ]
    exit
}
# Python without the environment of the caller, in a folder that has no package.
clean_python() { (cd "$scratch" && env -u PSDVEC_LIBRARY -u LD_LIBRARY_PATH PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$unpacked" "$python" "$@"); }

# MAKEFLAGS passes on the variables of the calling make.
makes() { (cd "$root" && $make --no-print-directory DEPS=no WERROR=1 BUILD="$build" WHEEL_DIR="$1" run-wheel); }
unpacked=$scratch/unpacked
unpacks() { wheel=$(echo "$scratch"/wheel/*.whl) && "$python" -m zipfile -e "$wheel" "$unpacked"; }
same_again() { (umask 077 && TZ=Asia/Tokyo LC_ALL=C makes "$scratch/again") && cmp "$wheel" "$scratch/again/${wheel##*/}"; }
tag_is_right() {
    newest=$(objdump -T "$library" | grep -o 'GLIBC_2\.[0-9]*' | sort -Vu | tail -n 1)
    echo "newest version of a symbol: $newest; wheel: ${wheel##*/}"
    version=${newest#GLIBC_2.}
    [ "$version" -ge 17 ] || version=17
    case ${wheel##*/} in
    psdvec-*-py3-none-manylinux_2_"${version}_$(uname -m)".whl) ;;
    *) return 1 ;;
    esac
}
needs_only_libc() {
    env -u LD_LIBRARY_PATH ldd "$library" >"$scratch/ldd" && cat "$scratch/ldd" &&
        ! awk '{ print $1 }' "$scratch/ldd" | grep -v 'linux-vdso\.so\|/ld-linux-\|^libc\.so\.6$\|^libm\.so\.6$'
}
exports_prefix() {
    nm -D --defined-only "$library" | awk '{ print $NF }' >"$scratch/symbols"
    grep -qx psdvec_version "$scratch/symbols" && ! grep -v '^psdvec_' "$scratch/symbols"
}
cat >"$scratch/metadata.py" <<'END'
import base64, csv, email, hashlib, pathlib, sys, zipfile

wheel = pathlib.Path(sys.argv[1])
name, version, *tag = wheel.stem.split("-")
info = f"{name}-{version}.dist-info"
with zipfile.ZipFile(wheel) as archive:
    content = {entry: archive.read(entry) for entry in archive.namelist()}
listed = {path: (digest, size) for path, digest, size
          in csv.reader(content[f"{info}/RECORD"].decode().splitlines())}
assert set(listed) == set(content), set(listed) ^ set(content)
for path, (digest, size) in listed.items():
    if path != f"{info}/RECORD":
        expected = base64.urlsafe_b64encode(hashlib.sha256(content[path]).digest())
        assert digest == "sha256=" + expected.decode().rstrip("="), path
        assert int(size) == len(content[path]), path
about = email.message_from_bytes(content[f"{info}/WHEEL"])
assert about.get_all("Tag") == ["-".join(tag)] and about["Root-Is-Purelib"] == "false", about
metadata = email.message_from_bytes(content[f"{info}/METADATA"])
assert (metadata["Name"], metadata["Version"]) == (name, version)
assert [line for line in metadata.get_all("Requires-Dist") if "extra" not in line] == ["numpy"]
extras = metadata.get_all("Provides-Extra")
assert {"pandas", "plot", "sklearn"} <= set(extras), extras
for licence in metadata.get_all("License-File"):
    assert content[f"{info}/licenses/{licence}"], licence
licences = " ".join(metadata.get_all("License-File"))
for library in ("archive", "expat", "openblas", "zstd", "zlib", "nettle", "LGPL"):
    assert library in licences, f"no licence of {library}: {licences}"
assert "psdvec/py.typed" in content and "psdvec/_operations.pyi" in content, sorted(content)
assert not [path for path in content if "__pycache__" in path or path.endswith(".made")]
END
uses_its_library() {
    found=$(clean_python -c 'import psdvec._library as found; print(found.path)') &&
        echo "$found" && [ "$found" = "$library" ]
}
cat >"$scratch/train.py" <<'END'
import pathlib, sys, psdvec
psdvec.train(pathlib.Path(sys.argv[1]), sys.argv[2], dim=10, min_count=1, progress=False, **eval(sys.argv[3]))
END
# The same model as the program, which uses the shared libraries of the system.
same_model() { # options of the program | of Python | file
    rm -f "$scratch"/model-*.safetensors
    # shellcheck disable=SC2086
    (cd "$scratch" && "$build/psdvec" train -q "$3" -o model-program.safetensors --dim 10 --min-count 1 $1) &&
        clean_python train.py "$3" model-wheel.safetensors "$2" &&
        cmp "$scratch/model-program.safetensors" "$scratch/model-wheel.safetensors"
}
# Dictionaries of ICU divide these languages into words: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
segments_alike() {
    for i in 1 2 3; do
        echo "我们在北京大学学习自然语言处理 東京都の天気は晴れです ภาษาไทยไม่มีช่องว่างระหว่างคำ"
        echo "ພາສາລາວບໍ່ມີຊ່ອງວ່າງ ភាសាខ្មែរមិនមានចន្លោះ မြန်မာဘာသာစကား ordinary words, don't they?"
    done >"$scratch/scripts.txt"
    same_model "--tokenizer icu" 'dict(tokenizer="icu")' scripts.txt
}
reads_formats() {
    for i in 1 2 3 4; do echo "one two three four five $i one three five two"; done >"$scratch/plain.txt"
    (cd "$scratch" && tar -cf plain.tar plain.txt)
    formats=plain.tar
    for tool in gzip bzip2 xz zstd lz4; do
        command -v "$tool" >/dev/null || continue
        $tool <"$scratch/plain.txt" >"$scratch/plain.$tool" && formats="$formats plain.$tool"
    done
    "$python" -m zipfile -c "$scratch/plain.zip" "$scratch/plain.txt"
    for file in $formats plain.zip; do
        same_model "" "{}" "$file" || { echo "$file is read differently"; return 1; }
    done
}
# numpy may have an OpenBLAS, too.
leaves_numpy_alone() {
    clean_python -c '
import numpy, psdvec
a = numpy.random.default_rng(1).standard_normal((300, 300))
before = a @ a
psdvec.train([["a", "b", "c", "d"]] * 9, dim=2, min_count=1, progress=False)
assert (a @ a == before).all()'
}
names_paths() {
    mv "$library" "$library.away"
    clean_python -c 'import psdvec' && return 1
    mv "$library.away" "$library"
    grep -q "$library: " "$scratch/out" && grep -q "^  ${library##*/}: " "$scratch/out" && grep -q PSDVEC_LIBRARY "$scratch/out"
}
pip_installs() {
    "$python" -m pip install --no-index --no-deps --quiet --root-user-action ignore --target "$scratch/target" "$wheel" &&
        [ -f "$scratch/target/psdvec/_lib/${library##*/}" ]
}

check "make wheel works" makes "$scratch/wheel"
check "the wheel unpacks" unpacks
[ $failed = no ] || finish
library=$(echo "$unpacked"/psdvec/_lib/libpsdvec.so.*)
check "the tag has the version of glibc that the library needs" tag_is_right
check "RECORD, METADATA, WHEEL and the licences are right" "$python" "$scratch/metadata.py" "$wheel"
check "the library needs only the C library" needs_only_libc
check "only psdvec_ names are exported" exports_prefix
check "the package uses the library of the wheel" uses_its_library
check "dictionaries divide text as in the program" segments_alike
check "compressed files and archives are read as by the program" reads_formats
check "numpy's products keep their bits" leaves_numpy_alone
check "without a library, the error names every path that was tried" names_paths
if "$python" -m pip --version >/dev/null 2>&1; then
    check "pip installs the wheel" pip_installs
fi
check "a second wheel has the same bytes" same_again
finish
