"""The input files of the command lines."""

import bz2
import gzip
import json
import lzma
import os
import random
import struct
import subprocess
import tarfile
import zipfile

WORDS = ("the of music art hall king man woman book folk popular and fill song play city river "
         "house road tree green red blue small large old new york paris london").split()


def sentences(seed, count, words=WORDS):
    chance = random.Random(seed)
    weights = [1 / (rank + 1) ** 0.7 for rank in range(len(words))]
    lines = []
    for number in range(count):
        lines.append(" ".join(chance.choices(words, weights, k=12)).capitalize() + ".\n")
        if number % 10 == 9:
            lines.append("\n")
    return "".join(lines)


def zstd_frame(data):
    """A zstd frame with one block that is not compressed."""
    return (struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data)) +
            struct.pack("<I", len(data) << 3 | 1)[:3] + data)


def make_inputs(folder, program):
    def write(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def psdvec(*arguments):
        subprocess.run([program, *arguments, "--quiet", "--threads", "1"], cwd=folder, check=True)

    text, second = sentences(1, 60), sentences(2, 30, WORDS + ["bridge", "garden"])
    write("text.txt", text)
    write("second.txt", second)
    write("large.txt", sentences(3, 600, [f"{a}{b}" for a in WORDS for b in WORDS]))
    write("text.txt.xz", lzma.compress(text.encode()))
    write("text.txt.zst", zstd_frame(text.encode()))
    write("latin.txt", (text + "Caf\u00e9 m\u00fcsli na\u00efve d\u00e9j\u00e0 vu.\n" * 5).encode("latin-1"))
    write("utf16.txt", second.encode("utf-16"))
    write("chinese.txt", "\u6211\u4eec\u559c\u6b22\u97f3\u4e50\u548c\u827a\u672f\u3002\n"
                         "\u4ed6\u4eec\u559c\u6b22\u57ce\u5e02\u548c\u6cb3\u6d41\u3002\n" * 20)
    write("labelled.tsv", "".join(f"{'ab'[number % 2]}\t{1990 + number % 20}\t{line}\n" for number,
                                  line in enumerate(text.splitlines())))
    write("posts.jsonl", "".join(json.dumps({"id": number, "text": line}) + "\n"
                                 for number, line in enumerate(second.splitlines()) if line))
    with tarfile.open(os.path.join(folder, "texts.tar.gz"), "w:gz") as archive:
        for name in ("text.txt", "second.txt"):
            archive.add(os.path.join(folder, name), name)
    with zipfile.ZipFile(os.path.join(folder, "texts.zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("text.txt", text)
    pages = "".join(f"<page><title>Page {number}</title><ns>0</ns><id>{number}</id><revision><id>"
                    f"{number}</id><text>'''{line}''' [[art|music]] {{{{cite}}}}</text></revision>"
                    "</page>\n" for number, line in enumerate(second.splitlines()) if line)
    write("dump.xml", '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">\n' + pages +
          "</mediawiki>\n")
    os.mkdir(os.path.join(folder, "pages"))
    os.mkdir(os.path.join(folder, "folder"))
    write("folder/one.txt", text)
    write("folder/two.txt.gz", gzip.compress(second.encode(), mtime=0))
    write("folder/three.txt.bz2", bz2.compress(second.encode()))
    write("words.txt", "music\nart\nriver\n")
    write("map.tsv", "word\tx\ty\nmusic\t1\t2\nart\t-1\t0.5\nriver\t3\t-2\n")
    write("queries.txt", "music\nman : king :: woman\ninfo\nking man woman book\n")
    write("pairs.txt", "king man 7\nMusic Art 8.5\nking hall 2\nbook art 5\nriver road 3\n")
    write("analogies.txt", ": family\nking man king woman\n: gram1-plural\nbook art hall music\n")
    chance = random.Random(4)
    write("vectors.vec", f"{len(WORDS)} 6\n" + "".join(
        word + "".join(f" {chance.gauss(0, 1):.4f}" for _ in range(6)) + "\n" for word in WORDS))
    psdvec("count", "text.txt", "--min-count", "1", "-o", "counts.st")
    psdvec("count", "second.txt", "--min-count", "1", "-o", "second.st")
    psdvec("count", "large.txt", "--min-count", "1", "-o", "large.st")
    psdvec("count", "text.txt", "--min-count", "1", "--window", "1", "-o", "bigrams.st")
    psdvec("train", "text.txt", "--min-count", "1", "--dim", "4", "-o", "model.safetensors")
    psdvec("topics", "learn", "model.safetensors", "text.txt", "--topics", "2", "--iterations", "2", "-o",
           "topics.st")
    psdvec("counts", "export", "counts.st", "--format", "glove", "--symmetric", "--vocab-output",
           "glove.txt", "-o", "glove.bin")
    psdvec("counts", "export", "counts.st", "--format", "matrix-market", "--vocab-output",
           "counts.words", "-o", "counts.mtx")
    psdvec("counts", "export", "counts.st", "--format", "top2grams", "--vocab-output",
           "top1grams.txt", "-o", "top2grams.txt")
