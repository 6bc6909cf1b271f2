# Small files that make the libraries underneath ask for much memory: it counts against --memory.
load common

setup() {
    common_setup
}

@test "every xz block counts with its dictionary" {
    python3 - <<'END'
import lzma, struct, zlib
first = lzma.compress(b"one two\n", check=lzma.CHECK_CRC32, preset=0)
second = bytearray(first)
header = 12, 12 + 4 * (second[12] + 1)
at = second.index(b"\x21\x01", *header) + 2
second[at] = 34  # 512 MiB
second[header[1] - 4:header[1]] = struct.pack("<I", zlib.crc32(second[header[0]:header[1] - 4]))
open("large.xz", "wb").write(first + second)
open("small.xz", "wb").write(first + first)
END
    "$PSDVEC" tokenize small.xz --memory 64M >words
    [ "$(wc -l <words)" -eq 2 ]
    refused 6 "decompressing large.xz: 512.0 MiB more" tokenize large.xz --memory 64M
    gzip large.xz
    refused 6 "decompressing large.xz.gz: 512.0 MiB more" tokenize large.xz.gz --memory 64M
    "$PSDVEC" tokenize large.xz.gz --memory 600M | cmp - words
}

@test "every zstd frame counts with its window" {
    frame() { printf '\x28\xb5\x2f\xfd\0%b\x41\0\0one two\n' "$1"; }
    (frame '\x40' && frame '\x40') >small.zst
    (frame '\x40' && frame '\x80') >large.zst
    "$PSDVEC" tokenize small.zst --memory 32M >words
    [ "$(wc -l <words)" -eq 2 ]
    refused 6 "decompressing large.zst: 64.0 MiB more" tokenize large.zst --memory 32M
    "$PSDVEC" tokenize large.zst --memory 80M | cmp - words
}

@test "a zip file with a method that may need any amount of memory is rejected" {
    python3 - <<'END'
import zipfile
for method, name in (zipfile.ZIP_LZMA, "lzma"), (zipfile.ZIP_BZIP2, "bzip2"):
    with zipfile.ZipFile(name + ".zip", "w", method) as archive:
        archive.writestr("a.txt", "one two\n")
END
    refused 3 "lzma.zip: a.txt: is compressed with a method other than deflate and bzip2" \
        tokenize lzma.zip
    [ "$("$PSDVEC" tokenize bzip2.zip)" = "one two" ]
}

@test "the directory of a zip file and the header of a tar member count" {
    python3 - <<'END'
import gzip, struct, tarfile
with open("many.zip", "wb") as archive:
    directory = bytearray()
    for i in range(50000):
        name = b"%d.txt" % i
        sizes = struct.pack("<IIIHH", 0, 0, 0, len(name), 0)
        directory += struct.pack("<4sHHHHHH", b"PK\1\2", 20, 20, 0, 0, 0, 33) + sizes
        directory += struct.pack("<HHHII", 0, 0, 0, 0, archive.tell()) + name
        archive.write(struct.pack("<4sHHHHH", b"PK\3\4", 20, 0, 0, 0, 33) + sizes + name)
    start = archive.tell()
    archive.write(bytes(directory) + struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 50000, 50000,
                                          len(directory), start, 0))

# A file with a million holes.
def header(name, kind, size):
    info = tarfile.TarInfo(name)
    info.type, info.size = kind, size
    return info.tobuf(tarfile.USTAR_FORMAT)
pax = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n25 GNU.sparse.name=a.txt\n" \
      b"29 GNU.sparse.realsize=99999\n"
holes = b"1000000\n" + b"0\n0\n" * 1000000
with gzip.open("sparse.tar.gz", "wb", 1) as archive:
    archive.write(header("x", b"x", len(pax)) + pax + bytes(-len(pax) % 512))
    archive.write(header("a.txt", b"0", len(holes)) + holes + bytes(-len(holes) % 512 + 1024))
END
    refused 6 "no memory for decompressing many.zip" tokenize many.zip --memory 12M
    refused 6 "no memory for decompressing sparse.tar.gz" tokenize sparse.tar.gz --memory 64M
}

@test "a Wikipedia dump that nests elements without end" {
    python3 -c 'print("<mediawiki>" + "<a>" * 1000000)' | gzip >nested.xml.gz
    refused 3 "nested.xml.gz: line 1 nests more than 100 elements" tokenize nested.xml.gz
}

@test "files that are read whole are at most a sixteenth of the memory limit" {
    small_text
    yes word | head -c 70000 >long
    refused 6 "list of words long is larger than 64.0 KiB, a sixteenth of the memory limit" \
        count small.txt --keep @long --memory 1M -o y
    refused 6 "list of words /dev/zero is larger than 1.00 MiB" \
        count small.txt --keep @/dev/zero --memory 16M -o y
    printf 'cat\r\n\nmat\n' >list
    "$PSDVEC" count small.txt --min-count 1000 --keep @list --keep dog,sat -q -o y
    "$PSDVEC" counts info y --no-verify | grep -q "^  words  *4$"
    "$PSDVEC" train small.txt --min-count 1 --dim 4 -q -o m.st
    refused 6 "/dev/zero is larger than" explain m.st --file /dev/zero --memory 16M
    refused 6 "/dev/zero is larger than" similar m.st --from /dev/zero --memory 16M
    local status=0
    "$PSDVEC" ask m.st --memory 16M </dev/zero 2>stderr || status=$?
    [ "$status" -eq 3 ]
    grep -q 'line 1 of standard input is longer than' stderr
}

# within MEBIBYTES ARGUMENT...: runs the program with this memory limit; fails if more than 24 MiB
# beside it were resident. The program, its libraries and their memory take about half of that.
within() {
    python3 - "$PSDVEC" "$@" <<'END'
import resource, subprocess, sys
program, memory, *arguments = sys.argv[1:]
subprocess.run([program, *arguments, "--memory", memory + "M"], check=True)
resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f"{memory} MiB allowed, {resident:.1f} MiB resident")
sys.exit(resident > int(memory) + 24)
END
}

# The counts have 70 MiB; with 40 MiB, the pairs are in a temporary file, too.
@test "the resident memory of training and of extending is at most --memory and 24 MiB" {
    command -v python3 >/dev/null || skip "no python3"
    [ -r /proc/self/statm ] || skip "resident pages cannot be counted"
    [ -z "${SANITIZE:-}" ] || skip "sanitizers take memory of their own"
    awk 'BEGIN {
        srand(3)
        for (n = 0; n < 3000000; n++) {
            x = int(400 / (rand() + .02))
            printf "%c%c%c%c%s", 97 + x % 26, 97 + int(x / 26) % 26, 97 + int(x / 676) % 26,
                97 + int(x / 17576), n % 500 == 499 ? "\n" : " "
        }
    }' >text
    "$PSDVEC" count text --document line --window 10 --min-count 2 -q -o counts.st
    [ "$(wc -c <counts.st)" -gt 64000000 ]
    options=(counts.st --dim 20 --core 1000 --iterations 2 -q)
    "$PSDVEC" train "${options[@]}" -o large.st
    head -n 300 text | "$PSDVEC" train - --min-count 5 --dim 20 -q -o few.st
    "$PSDVEC" extend few.st counts.st -q -o extended.st
    for memory in 40 64; do
        for threads in 1 2; do
            within $memory train "${options[@]}" --restart --threads $threads -o small.st
            cmp large.st small.st
            within $memory extend few.st counts.st -q --threads $threads -o small.st
            cmp extended.st small.st
        done
    done
}
