"""The simulation of power loss."""

import hashlib
import itertools
import os

from bench import Outcome
from files import different, fill, read_bytes
from judging import judge_files, run_again
from report import report_special


class Disk:
    """What a disk may hold, as the operations of a trace arrive.

    `names` are the entries of folders and `data` the contents of files as the program sees them;
    `safe_names` and `safe_data` are what a power loss cannot take away. Only fsync() moves
    something from the former to the latter: of a file its data, of a folder its entries.

    The trace identifies files and folders by their inodes. A file system gives the inode of what
    was deleted to what is created next, so `current` has the number of the file or folder to which
    an inode belongs now.
    """

    def __init__(self, folder):
        self.folder = folder
        self.names, self.data, self.folders, self.current = {}, {}, {}, {}
        self.numbers = itertools.count(1)
        for top, folders, files in os.walk(folder):
            self.folders[self.number(os.stat(top).st_ino)] = os.path.relpath(top, folder)
            for name in files + folders:
                path = os.path.join(top, name)
                if os.path.islink(path):
                    continue
                number = self.number(os.stat(path).st_ino)
                self.names[os.path.relpath(path, folder)] = number
                if os.path.isfile(path):
                    self.data[number] = read_bytes(path)
        self.safe_names, self.safe_data = dict(self.names), dict(self.data)

    def relative(self, name):
        return os.path.relpath(os.path.join(self.folder, name), self.folder)

    def number(self, inode):
        if inode not in self.current:
            self.current[inode] = next(self.numbers)
        return self.current[inode]

    def apply(self, operation, inode, offset, data, name):
        if operation in ("new", "make", "folder"):
            self.current.pop(inode, None)
        number = self.number(inode)
        content = self.data.get(number, b"")
        if operation == "data":
            content = content.ljust(offset, b"\0")
            self.data[number] = content[:offset] + data + content[offset + len(data):]
        elif operation == "size":
            self.data[number] = content[:offset].ljust(offset, b"\0")
        elif operation == "gone":
            self.names.pop(self.relative(name), None)
        elif operation in ("make", "name"):
            self.names[self.relative(name)] = number
            self.data.setdefault(number, b"")
        elif operation == "folder":
            self.names[self.relative(name)] = number
            self.folders[number] = self.relative(name)
        elif operation == "sync" and number in self.folders:
            here = self.folders[number]
            for entries in (self.safe_names, self.names):
                inside = [path for path in entries if (os.path.dirname(path) or ".") == here]
                if entries is self.safe_names:
                    for path in inside:
                        del entries[path]
                else:
                    self.safe_names.update((path, entries[path]) for path in inside)
        elif operation == "sync":
            self.safe_data[number] = content

    def states(self):
        """What may be found after a power loss: the kinds of loss, each with its files."""
        def files(names, data):
            found = {}
            for path, number in sorted(names.items()):
                parent = os.path.dirname(path)
                if parent and parent not in found:
                    continue  # its folder is lost
                found[path] = None if number in self.folders else data(number)
            return found
        yield "only what was synced", files(self.safe_names, lambda number: self.safe_data.get(number, b""))
        yield "names without data", files(self.names, lambda number: self.safe_data.get(number, b""))
        yield "names with half of the data", files(
            self.names, lambda number: self.data[number] if self.safe_data.get(number) == self.data[number]
            else self.data[number][:len(self.data[number]) // 2])


def check_disk(folder):
    """Disk must not take a new file for a deleted one with the same inode."""
    fill(folder, {"old": b"the content of the old file"})
    disk = Disk(folder)
    here, inode = os.stat(folder).st_ino, os.stat(os.path.join(folder, "old")).st_ino
    for operation in (("gone", 0, 0, b"", "old"), ("new", inode, 0, b"", ""),
                      ("data", inode, 0, b"short", ""), ("name", inode, 0, b"", "file")):
        disk.apply(*operation)
    found = [files for _, files in disk.states()]
    assert found == [{"old": b"the content of the old file"}, {"file": b""}, {"file": b"sh"}], found
    disk.apply("sync", inode, 0, b"", "")
    disk.apply("sync", here, 0, b"", "")
    disk.apply("gone", 0, 0, b"", "file")
    disk.apply("folder", inode, 0, b"", "new")
    disk.apply("make", inode + 1, 0, b"", "new/file")
    found = [files for _, files in disk.states()]
    assert found == [{"file": b"short"}, {"new": None, "new/file": b""},
                     {"new": None, "new/file": b""}], found


def read_trace(path):
    with open(path, "rb") as file:
        while line := file.readline():
            operation, inode, number, length, name = line.decode().rstrip("\n").split(" ", 4)
            yield operation, int(inode), int(number), file.read(int(length)), name


def run_power(options, bench, references):
    """Simulates a power loss after every change of a file.

    The folder is rebuilt as it may be afterwards. Outputs must be old or complete. Where the program
    keeps a state, the same command must then give the complete result. After the end of the
    program, the result must survive.
    """
    findings = 0
    folder = os.path.join(bench.work, "power")
    bench.prepare(folder, {})
    os.unlink(os.path.join(folder, "in"))
    check_disk(folder)
    for reference in references:
        case, trace = reference.case, os.path.join(bench.work, "power.trace")
        bench.prepare(folder, reference.before)
        if os.path.exists(trace):
            os.unlink(trace)
        disk = Disk(folder)
        bench.run(case, None, f"trace={trace}", again=True, folder=folder)
        problems, seen, operations = [], set(), list(read_trace(trace))
        for operation, following in zip(operations, operations[1:] + [("end", 0)]):
            disk.apply(*operation)
            if operation[0] == "gone" and following[:2] == ("name", operation[1]):
                continue  # both are one call of rename()
            for loss, files in disk.states():
                outcome = Outcome(1, b"", "", files, [], False)
                digest = hashlib.sha256(repr(sorted(files.items())).encode()).digest()
                if digest in seen:
                    continue
                seen.add(digest)
                # What a folder that is part of the result holds is judged by the next run.
                found = [f"{problem} ({loss})" for problem in judge_files(reference, outcome, True)
                         if not problem.startswith("mixed")]
                interrupted = any(name not in files for name in reference.before)
                if not found and (interrupted or case.keeps + case.caches):
                    bench.prepare(folder, files)
                    found = [f"{problem} ({loss})"
                             for problem in run_again(bench, reference, "unlink", folder)]
                problems += found
        if operations:
            loss, files = next(disk.states())
            lost = [name for name in different(files, reference.plain.files)
                    if name in reference.plain.files and not reference.kept(name) and
                    not reference.varies(name)]
            if lost:
                problems.append("not durable: a power loss after the end undoes " + ", ".join(lost))
        else:
            problems.append("no change of a file was traced")
        findings += report_special(options, f"{case.name}: power loss in {len(seen)} states after "
                                   f"{len(operations)} operations", case.name, "power", problems)
    return findings
