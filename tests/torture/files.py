"""Contents of files and folders."""

import hashlib
import os


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


def clear(path):
    with open(path, "wb"):
        pass


def digest_of(*paths):
    digest = hashlib.sha256()
    for path in paths:
        digest.update(read_bytes(path))
    return digest.hexdigest()


def list_folder(folder):
    """Everything in the folder: the content of files, None for folders."""
    found = {}
    for top, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(top, name)
            relative = os.path.relpath(path, folder)
            if relative == "in":
                continue
            if os.path.isdir(path) and not os.path.islink(path):
                found[relative] = None
            else:
                found[relative] = read_bytes(path)
    return found


def different(files, others):
    return sorted(name for name in files.keys() | others.keys()
                  if name not in files or name not in others or files[name] != others[name])


def fill(folder, files):
    for name, content in sorted(files.items()):
        path = os.path.join(folder, name)
        if content is None:
            os.makedirs(path, exist_ok=True)
        else:
            with open(path, "wb") as file:
                file.write(content)
