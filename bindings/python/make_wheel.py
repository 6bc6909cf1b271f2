#!/usr/bin/env python3
"""Writes the wheel of the Python package, with the standard library only.

    make_wheel.py wheel PACKAGE LIBRARY COMPILER OUTPUT ARCHIVE...
    make_wheel.py install PACKAGE FOLDER
    make_wheel.py metadata > METADATA

PACKAGE is the folder of the package (make python), LIBRARY the libpsdvec of the wheel, which needs
only the C library, COMPILER the command that compiled it, and each ARCHIVE a static library of
which it contains a copy; the licences and the bill of materials of the wheel list them. The wheel
goes to the folder OUTPUT, and its path to standard output.

install copies PACKAGE with its metadata to a folder of Python packages, without a library.

The wheel has no compiled code for a certain version of Python, so that its tag is py3-none-PLATFORM.
PLATFORM names the oldest glibc that has every symbol that LIBRARY needs (PEP 600). The same input
gives the same bytes: entries are sorted, and their time is SOURCE_DATE_EPOCH.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REQUIRES = ["numpy"]
EXTRAS = {"pandas": ["pandas"], "plot": ["matplotlib"], "sklearn": ["scikit-learn"]}

# The values of e_machine in the header of an ELF file.
MACHINES = {62: "x86_64", 183: "aarch64"}
# The libraries of glibc, which every system with a manylinux tag has. manylinux also permits libgcc,
# libstdc++ and libraries of desktops; the wheel uses none of them.
SYSTEM_LIBRARIES = re.compile(r"(libc|libm)\.so\.6|(libpthread|libdl|librt)\.so\.[0-2]|ld-linux-.*")
# The oldest glibc for which pip knows manylinux tags on all machines.
OLDEST_GLIBC = 17
# Marks that are not the version in which a symbol appeared.
GLIBC_MARKS = {"GLIBC_ABI_DT_RELR": 36}


def version():
    """The version, which only the public header defines."""
    header = (ROOT / "include/psdvec/psdvec.h").read_text(encoding="utf-8")
    return re.search(r'^#define PSDVEC_VERSION "(.*)"', header, re.MULTILINE)[1]


def metadata(licences=("LICENSE",)):
    """METADATA of a wheel, or PKG-INFO of a source archive."""
    lines = [
        "Metadata-Version: 2.4",
        "Name: psdvec",
        f"Version: {version()}",
        "Summary: Word embeddings from a generative model",
        "Author: The psdvec authors",
        "License-Expression: Apache-2.0",
        *(f"License-File: {name}" for name in licences),
        "Keywords: word embeddings,word vectors,nlp,text",
        "Classifier: Development Status :: 4 - Beta",
        "Classifier: Intended Audience :: Science/Research",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: C",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Topic :: Text Processing :: Linguistic",
        "Classifier: Typing :: Typed",
        "Requires-Python: >=3.9",
        *(f"Requires-Dist: {name}" for name in REQUIRES),
    ]
    for extra, names in sorted(EXTRAS.items()):
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {name}; extra == "{extra}"' for name in names]
    lines.append("Description-Content-Type: text/markdown")
    description = (ROOT / "bindings/python/README.md").read_text(encoding="utf-8")
    return "\n".join(lines) + "\n\n" + description


def platform_tag(library):
    """The tag of the systems on which a library works."""
    with open(library, "rb") as file:
        head = file.read(20)
    machine = MACHINES.get(int.from_bytes(head[18:20], "little"))
    if head[:4] != b"\x7fELF" or machine is None:
        sys.exit(f"{library}: wheels are made for Linux on {' and '.join(MACHINES.values())} only")
    shown = subprocess.run(["readelf", "--dynamic", "--version-info", "--wide", library], check=True,
                           capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    foreign = [name for name in re.findall(r"\(NEEDED\).*\[(.+)\]", shown)
               if not SYSTEM_LIBRARIES.fullmatch(name)]
    if foreign:
        sys.exit(f"{library}: needs {', '.join(foreign)}, which a wheel must contain")
    minor = OLDEST_GLIBC
    for name in set(re.findall(r"Name: (\S+)", shown)):
        number = re.fullmatch(r"GLIBC_2\.(\d+)(\.\d+)?", name)
        if number is None and name not in GLIBC_MARKS:
            sys.exit(f"{library}: needs {name}, which is not a version of glibc")
        minor = max(minor, int(number[1]) if number else GLIBC_MARKS[name])
    return f"manylinux_2_{minor}_{machine}"


def licence_files(archives):
    """The licences of libraries, by their names in the wheel: the copyright files of the Debian
    packages, and the licences to which these refer."""
    sys.path.insert(0, str(ROOT / "scripts"))
    import sbom  # pylint: disable=import-outside-toplevel

    owners = sbom.dpkg_packages(archives)
    found = {}
    for archive in archives:
        if archive not in owners:
            sys.exit(f"{archive}: no Debian package owns this library, so its licence is unknown")
        package = owners[archive][1]
        text = Path(f"/usr/share/doc/{package}/copyright").read_bytes()
        found[f"{package}/copyright"] = text
        for name in re.findall(rb"/usr/share/common-licenses/([A-Za-z0-9-]+(?:\.\d+)*)", text):
            path = Path("/usr/share/common-licenses", name.decode())
            if path.exists():  # some files name licences that Debian does not have
                found[f"common-licenses/{path.name}"] = path.read_bytes()
    return found


def bill_of_materials(library, compiler, archives):
    return subprocess.run(
        [sys.executable, str(ROOT / "scripts/sbom.py"), library, version(), compiler, *archives],
        check=True, stdout=subprocess.PIPE).stdout


def package_files(package):
    """The files of the package, without the library that is built for this machine."""
    for path in sorted(Path(package).rglob("*")):
        parts = path.relative_to(package).parts
        if path.is_file() and not {"_lib", "__pycache__"} & set(parts) and parts[-1] != ".made":
            yield "/".join(parts), path.read_bytes()


def write_zip(path, entries):
    """Entries are (name, content, whether it is a library), in the order of the file."""
    epoch = max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800)  # zip begins in 1980
    when = time.gmtime(epoch)[:6]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content, executable in entries:
            info = zipfile.ZipInfo(name, when)
            info.create_system = 3  # Unix: external_attr has the mode
            info.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(info, content, zipfile.ZIP_DEFLATED, 6)


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def make_wheel(package, library, compiler, output, archives):
    if not list(Path(package).glob("*.pyi")):
        sys.exit(f"{package}: there are no type stubs, because the Python that made the package has no numpy")
    tag = f"py3-none-{platform_tag(library)}"
    name = f"psdvec-{version()}"
    info = f"{name}.dist-info"
    licences = {"LICENSE": (ROOT / "LICENSE").read_bytes()}
    licences.update(sorted(licence_files(archives).items()))
    wheel = f"Wheel-Version: 1.0\nGenerator: psdvec make_wheel ({version()})\n" \
            f"Root-Is-Purelib: false\nTag: {tag}\n"
    entries = [(f"psdvec/{file}", content, False) for file, content in package_files(package)]
    entries.append((f"psdvec/_lib/{Path(library).name}", Path(library).read_bytes(), True))
    entries += [(f"{info}/licenses/{file}", content, False) for file, content in licences.items()]
    entries += [
        (f"{info}/sboms/psdvec.cdx.json", bill_of_materials(library, compiler, archives), False),
        (f"{info}/METADATA", metadata(licences).encode(), False),
        (f"{info}/WHEEL", wheel.encode(), False),
    ]
    record = "".join(record_line(file, content) for file, content, _ in entries)
    record += f"{info}/RECORD,,\n"
    entries.append((f"{info}/RECORD", record.encode(), False))
    os.makedirs(output, exist_ok=True)
    path = os.path.join(output, f"{name}-{tag}.whl")
    write_zip(path + ".new", entries)
    os.replace(path + ".new", path)
    return path


def install(package, folder):
    """Copies the package, which then loads the library of the system."""
    info = f"psdvec-{version()}.dist-info"
    files = [(f"psdvec/{file}", content) for file, content in package_files(package)]
    files += [(f"{info}/METADATA", metadata(()).encode()), (f"{info}/INSTALLER", b"make\n")]
    for name, content in files:
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o644)


def main():
    command, *rest = sys.argv[1:] or [""]
    if command == "metadata" and not rest:
        sys.stdout.write(metadata())
    elif command == "wheel" and len(rest) >= 4:
        package, library, compiler, output, *archives = rest
        print(make_wheel(package, library, compiler, output, archives))
    elif command == "install" and len(rest) == 2:
        install(*rest)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
