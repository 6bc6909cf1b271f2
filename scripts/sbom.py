"""Writes the software bill of materials of a built program as CycloneDX 1.5 JSON.

    scripts/sbom.py PROGRAM VERSION COMPILER [STATIC_ARCHIVE...] > sbom.json

PROGRAM is the program, VERSION its version, COMPILER the command that compiled it, and each
STATIC_ARCHIVE a library of which the program contains a copy. Shared libraries are those that the
dynamic loader finds, with the libraries that they need themselves. Versions come from the package
manager that owns a file (dpkg, rpm, apk), else from the name of the file. Licences come from the
table below for direct dependencies, else from the copyright file of the Debian package.

The output depends only on the input: it has no date unless SOURCE_DATE_EPOCH is set, and the serial
number is derived from the content.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import urllib.parse
import uuid

# Libraries that psdvec uses directly: SPDX expression and home page, by the beginning of the file's
# name.
KNOWN = {
    "libarchive": ("BSD-2-Clause", "https://www.libarchive.org/"),
    "libutf8proc": ("MIT AND Unicode-DFS-2015", "https://juliastrings.github.io/utf8proc/"),
    "libexpat": ("MIT", "https://libexpat.github.io/"),
    "libxxhash": ("BSD-2-Clause", "https://xxhash.com/"),
    "libz.": ("Zlib", "https://zlib.net/"),
    "libicu": ("Unicode-DFS-2016", "https://icu.unicode.org/"),
    "libopenblas": ("BSD-3-Clause AND BSD-3-Clause-Open-MPI", "https://www.openblas.net/"),
    "libmicrohttpd": ("LGPL-2.1-or-later", "https://www.gnu.org/software/libmicrohttpd/"),
    "libedit": ("BSD-3-Clause", "https://thrysoee.dk/editline/"),
    "libc.": ("LGPL-2.1-or-later", "https://www.gnu.org/software/libc/"),
    "libm.": ("LGPL-2.1-or-later", "https://www.gnu.org/software/libc/"),
    "ld-linux": ("LGPL-2.1-or-later", "https://www.gnu.org/software/libc/"),
    "libgcc_s": ("GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org/"),
    "libstdc++": ("GPL-3.0-or-later WITH GCC-exception-3.1", "https://gcc.gnu.org/"),
}


def run(*command):
    """The output of a command; empty if it fails or does not exist."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def shared_libraries(program):
    """The files that the dynamic loader maps for the program, by the name under which they are
    needed."""
    found = {}
    for line in run("ldd", program).splitlines():
        match = re.match(r"\s*(?:(\S+) => )?(/\S+) \(0x", line)
        if match:
            found[match[1] or os.path.basename(match[2])] = match[2]
    return found


def needed(path):
    """The names of the libraries that a file needs directly."""
    return re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-dW", path))


def spellings(path):
    """The names under which a package may list a file: /lib may be a link to /usr/lib."""
    real = os.path.realpath(path)
    return [path, real, real.removeprefix("/usr"), "/usr" + path]


def dpkg_packages(paths):
    """The Debian packages that own files, by path. One call for all: each reads every list."""
    asked = sorted({name for path in paths for name in spellings(path)})
    try:  # fails if a file has no owner, and still prints the others
        lines = subprocess.run(["dpkg-query", "-S", *asked], capture_output=True, text=True,
                               check=False).stdout.splitlines()
    except OSError:
        return {}
    owner = {}
    for line in lines:
        package, _, name = line.rpartition(": ")
        owner[name] = package.split(",")[0]
    shown = run("dpkg-query", "-W", "-f", "${Package}:${Architecture} ${Package} ${Version} "
                "${Architecture}\\n", *sorted(set(owner.values())))
    details = {}
    for line in shown.splitlines():
        full, *rest = line.split(" ")
        details[full] = details[full.split(":")[0]] = tuple(rest)
    found = {}
    for path in paths:
        for name in spellings(path):
            if name in owner and owner[name] in details:
                found[path] = ("deb/" + os_id(), *details[owner[name]])
    return found


def package_of(path, debian):
    """(type, name, version, architecture) of the package that owns a file, or None."""
    if path in debian:
        return debian[path]
    real = os.path.realpath(path)
    shown = run("rpm", "-qf", "--qf", "%{NAME} %{VERSION}-%{RELEASE} %{ARCH}", real).split(" ")
    if len(shown) == 3:
        return ("rpm/" + os_id(), *shown)
    match = re.search(r" owned by (\S+)-(\d\S*)$", run("apk", "info", "--who-owns", real).strip())
    if match:
        return ("apk/alpine", match[1], match[2], os.uname().machine)
    return None


def os_id():
    try:
        with open("/etc/os-release", encoding="utf-8") as file:
            return re.search(r"^ID=\"?([a-z0-9._-]+)", file.read(), re.MULTILINE)[1]
    except (OSError, TypeError):
        return "unknown"


def upstream(version):
    """The upstream part of a package version: 3.6.2 of 1:3.6.2+dfsg-1+deb12u3."""
    return re.sub(r"([.+~-](deb|dfsg|ds|really|git).*|-[^-]*)$", "", version.split(":", 1)[-1])


def debian_licences(package):
    """The licences that a machine-readable copyright file names, as free text."""
    try:
        with open(f"/usr/share/doc/{package}/copyright", encoding="utf-8", errors="replace") as file:
            names = re.findall(r"^License: *(\S.*)$", file.read(), re.MULTILINE)
    except OSError:
        return None
    return ", ".join(sorted(set(name.strip() for name in names))) or None


def licences(name, package):
    for beginning, (expression, _) in KNOWN.items():
        if name.startswith(beginning):
            return [{"expression": expression}]
    text = debian_licences(package[1]) if package else None
    return [{"license": {"name": text}}] if text else []


def library(name, path, linkage, debian):
    package = package_of(path, debian)
    stem = re.sub(r"(-r?\d+(\.\d+)+)?\.(so|a|dylib)\b.*$", "", name)
    component = {"type": "library", "name": stem}
    if package:
        kind, package_name, version, architecture = package
        component["version"] = upstream(version)
        quoted = [urllib.parse.quote(part, safe=":~") for part in (package_name, version)]
        component["purl"] = f"pkg:{kind}/{quoted[0]}@{quoted[1]}?arch={architecture}"
    else:
        match = re.search(r"[-.]r?(\d+(\.\d+)+)", os.path.basename(os.path.realpath(path)))
        component["version"] = match[1] if match else "unknown"
    component["bom-ref"] = f"{stem}@{component['version']}"
    component["scope"] = "required"
    component["hashes"] = [{"alg": "SHA-256", "content": sha256(path)}]
    found = licences(name, package)
    if found:
        component["licenses"] = found
    for beginning, (_, home) in KNOWN.items():
        if name.startswith(beginning):
            component["externalReferences"] = [{"type": "website", "url": home}]
    component["properties"] = [{"name": "psdvec:linkage", "value": linkage}]
    return component


def compiler_component(command):
    """The compiler, which is used for building and not contained in the program."""
    first = run(*command.split(), "--version").splitlines()[:1]
    text = first[0] if first else command
    version = re.search(r"(\d+(\.\d+)+)", text)
    name = "clang" if "clang" in text else "gcc" if re.search(r"gcc|\bcc\b", text) else command
    number = version[1] if version else "unknown"
    return {
        "type": "application",
        "bom-ref": f"{name}@{number}",
        "name": name,
        "version": number,
        "description": text,
        "scope": "excluded",
    }


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, version, compiler = sys.argv[1:4]
    shared = shared_libraries(program)
    debian = dpkg_packages([*shared.values(), *sys.argv[4:]])
    components = {name: library(name, path, "dynamic", debian)
                  for name, path in sorted(shared.items())}
    archives = {os.path.basename(path): library(os.path.basename(path), path, "static", debian)
                for path in sys.argv[4:]}
    main_ref = f"psdvec@{version}"
    root = {
        "type": "application",
        "bom-ref": main_ref,
        "name": "psdvec",
        "version": version,
        "description": "word embeddings from a generative model",
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "purl": f"pkg:generic/psdvec@{version}",
        "hashes": [{"alg": "SHA-256", "content": sha256(program)}],
    }
    refs = {name: component["bom-ref"] for name, component in components.items()}
    direct = [refs[name] for name in needed(program) if name in refs]
    direct += [component["bom-ref"] for component in archives.values()]
    graph = [{"ref": main_ref, "dependsOn": sorted(set(direct))}]
    for name, path in sorted(shared.items()):
        uses = sorted({refs[other] for other in needed(path) if other in refs} - {refs[name]})
        graph.append({"ref": refs[name], "dependsOn": uses})
    graph += [{"ref": component["bom-ref"]} for component in archives.values()]
    metadata = {
        "tools": {"components": [{"type": "application", "name": "scripts/sbom.py", "version": version}]},
        "component": root,
        "lifecycles": [{"phase": "build"}],
    }
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch:
        when = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc)
        metadata["timestamp"] = when.strftime("%Y-%m-%dT%H:%M:%SZ")
    builder = compiler_component(compiler)
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": metadata,
        "components": [*archives.values(), *components.values(), builder],
        "dependencies": [*graph, {"ref": builder["bom-ref"]}],
    }
    content = json.dumps(bill, sort_keys=True)
    bill["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}"
    json.dump(bill, sys.stdout, indent=2, sort_keys=True, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
