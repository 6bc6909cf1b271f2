#!/usr/bin/env python3
"""Writes a source archive: the tracked files in a folder of their own.

    scripts/source_archive.py NAME OUTPUT [EXTRA_NAME=FILE]...

NAME is the folder in the archive, OUTPUT ends with .tar.xz or .tar.gz, and each FILE is added as
EXTRA_NAME. Outside a git repository, for example in an unpacked archive, the tracked files are all
files except those of the build. The same files give the same bytes: entries are sorted, belong to
root and have the time SOURCE_DATE_EPOCH.
"""

import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def tracked_files(left_out):
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True,
                                stdout=subprocess.PIPE).stdout.decode()
        # A deleted file is tracked until the deletion is committed.
        return [name for name in listed.split("\0") if name and os.path.lexists(ROOT / name)]
    found = []
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name != "__pycache__"
                      and os.path.join(folder, name) not in left_out]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in files]
    return [name for name in found if name != "PKG-INFO"]


def compressed(output):
    if output.endswith(".tar.xz"):
        return lzma.open(output, "wb", preset=9)
    return gzip.GzipFile(filename="", mode="wb", fileobj=open(output, "wb"), compresslevel=9,
                         mtime=int(os.environ.get("SOURCE_DATE_EPOCH", 0)))


def add(archive, name, path):
    info = tarfile.TarInfo(name)
    info.mtime = int(os.environ.get("SOURCE_DATE_EPOCH", 0))
    if os.path.islink(path):
        info.type, info.linkname = tarfile.SYMTYPE, os.readlink(path)
        archive.addfile(info)
        return
    content = Path(path).read_bytes()
    info.size = len(content)
    info.mode = 0o755 if os.access(path, os.X_OK) else 0o644
    archive.addfile(info, io.BytesIO(content))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    folder, output = sys.argv[1:3]
    build = os.path.abspath(os.environ.get("BUILD", "build"))
    entries = {name: ROOT / name for name in tracked_files({build, str(ROOT / "build")})}
    entries.update(extra.split("=", 1) for extra in sys.argv[3:])
    os.makedirs(os.path.dirname(output) or ".", exist_ok=True)
    with compressed(output + ".new.tar" + output.rpartition(".tar")[2]) as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for name in sorted(entries):
                add(archive, f"{folder}/{name}", entries[name])
    os.replace(output + ".new.tar" + output.rpartition(".tar")[2], output)


main()
