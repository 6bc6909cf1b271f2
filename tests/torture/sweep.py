"""All faults of a command line by copies of one run."""

import bisect
import collections
import itertools
import os
import shutil
import signal
import socket
import stat
import sys

from faults import sweep_text
from files import clear, list_folder, read_bytes
from judging import judge


class Disturbed(Exception):
    """What a copy did could not be undone."""


class Sweep:
    """Runs all faults of a case with one run of the program, which is copied at every call.

    A run with a fault then takes only the time from the fault to its end. After a copy has ended,
    inject.c restores the files that the program has open, and this class the names in its folder.
    Where that is not possible, the program starts again and goes on after that call. At the end the
    program, which had no fault, must have the right result; this shows that nothing was disturbed.
    Otherwise the results are not used.
    """

    def __init__(self, bench, reference, faults):
        self.bench, self.reference = bench, reference
        self.server = bench.server(reference.case, "sweep")
        self.faults = faults  # (class, kind), in the order of the request
        self.folder = bench.folder() + "-sweep"
        self.attic = bench.folder() + "-attic"  # keeps the inodes of what a copy deletes
        self.numbers = itertools.count()
        self.snapshot, self.changes = None, None

    def run(self, todo, finish):
        """Calls finish(class, kind, number, outcome) for those of `todo` that can be copied."""
        start, left = 1, set(todo)
        self.wanted = collections.defaultdict(list)  # sorted numbers of calls
        for class_, kind, number in sorted(todo):
            self.wanted[class_, kind].append(number)
        while start and left:
            start = self.run_from(start, left, finish)

    def following(self, fault, number):
        numbers = self.wanted[fault]
        place = bisect.bisect_right(numbers, number)
        return numbers[place] if place < len(numbers) else sys.maxsize

    def run_from(self, start, left, finish):
        """Returns the number of the call from which to go on, or None at the end."""
        bench, case = self.bench, self.reference.case
        bench.prepare(self.folder, self.reference.before)
        shutil.rmtree(self.attic, ignore_errors=True)
        os.makedirs(self.attic)
        self.changes = None
        clear(self.folder + ".log")
        process = self.server.ask(bench.request(case, self.folder, f"from={start};" + ";".join(
            sweep_text(*fault) for fault in self.faults)))
        while True:
            question = self.server.question()
            if isinstance(question, int):
                outcome = bench.outcome(self.folder, question, False, list_folder(self.folder))
                if outcome.status != 0 or judge(self.reference, outcome, "unlink"):
                    raise Disturbed(f"{case.name}: the run without a fault ends with status "
                                    f"{outcome.status}: {outcome.stderr[:300]}")
                return None
            _, number, sequence, fault, changes, able = question
            key = (*self.faults[fault], number)
            following = self.following(self.faults[fault], number)
            if not able or key not in left:
                self.server.answer("s", following)
                continue
            left.discard(key)
            if changes != self.changes:
                self.take_snapshot(process)
                self.changes = changes
            clear(self.folder + ".log")
            self.server.answer("f", following)
            outcome = self.wait()
            finish(*key, outcome)
            if not self.restore(outcome.files):
                self.stop(process)
                return sequence  # further faults of this call may be left
            self.server.answer("c", following)

    def stop(self, process):
        os.kill(process, signal.SIGKILL)
        while not isinstance(self.server.question(), int):
            pass

    def wait(self):
        """The outcome of a copy."""
        child, hung = self.server.question()[1], False
        try:
            status = self.server.question(self.bench.limit)[1]
        except socket.timeout:
            hung = True
            os.kill(child, signal.SIGKILL)
            status = self.server.question()[1]
        status = os.waitstatus_to_exitcode(status)
        return self.bench.outcome(self.folder, status, hung or status == -signal.SIGXCPU,
                                  list_folder(self.folder))

    def inodes(self):
        found = {}
        for top, folders, files in os.walk(self.folder):
            for name in folders + files:
                path = os.path.join(top, name)
                found[os.path.relpath(path, self.folder)] = os.lstat(path).st_ino
        found.pop("in", None)
        return found

    def keep_nameless(self, process):
        """Links files of the process that have no name yet.

        If a copy names such a file and deletes it, the process could not name it any more.
        """
        folder = os.open(f"/proc/{process}/fd", os.O_RDONLY)
        for fd in os.listdir(folder):
            try:
                info = os.stat(fd, dir_fd=folder)
                if stat.S_ISREG(info.st_mode) and info.st_nlink == 0:
                    # Without a folder's descriptor, Python does not follow the link of /proc.
                    os.link(fd, os.path.join(self.attic, f"nameless-{info.st_ino}"),
                            src_dir_fd=folder)
            except OSError:
                pass  # closed, deleted, or on another file system
        os.close(folder)

    def take_snapshot(self, process):
        self.keep_nameless(process)
        self.snapshot, self.inode = list_folder(self.folder), self.inodes()
        for name, content in self.snapshot.items():
            kept = os.path.join(self.attic, str(self.inode[name]))
            if content is not None and not os.path.exists(kept):
                os.link(os.path.join(self.folder, name), kept)

    def restore(self, files):
        """Makes the names in the folder those of the snapshot; returns whether that was possible."""
        inode = self.inodes()
        if files == self.snapshot and inode == self.inode:
            return True
        if any(content is None and inode.get(name) != self.inode[name]
               for name, content in self.snapshot.items()):
            return False  # the program may have the folder open
        for name in sorted(inode):
            path = os.path.join(self.folder, name)
            if inode[name] != self.inode.get(name) and os.path.lexists(path):
                os.rename(path, os.path.join(self.attic, f"copy-{next(self.numbers)}"))
        for name, content in self.snapshot.items():
            path = os.path.join(self.folder, name)
            if content is None:
                continue
            if inode.get(name) != self.inode[name]:
                os.link(os.path.join(self.attic, str(self.inode[name])), path)
            if read_bytes(path) != content:
                with open(path, "r+b") as file:
                    file.truncate(0)
                    file.write(content)
        return True
