#!/usr/bin/env python3
"""Runs the program with injected faults and judges what it does.

For every command line of commands.txt, every class of calls and every call, the program runs in a
fresh folder with inject.c preloaded, which makes that call fail. The program must not crash, hang
or leak; it must say what failed and return a failure, or finish with the right result; an output
that existed before must be the old one or the complete new one; and no other file may remain.

    torture.py --program build/asan/psdvec --library build/tests/torture/inject.so --work DIR

--slice runs the lines with the tag main only, each call site once in all. The tests of kill -9 and
of power loss are described at their functions. Results are kept in DIR/results.jsonl, so a run that
was interrupted continues; a change of the program starts from the beginning.
"""

import argparse
import bisect
import bz2
import collections
import concurrent.futures
import contextlib
import errno
import fnmatch
import gzip
import hashlib
import io
import itertools
import json
import lzma
import os
import random
import re
import resource
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tarfile
import threading
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
USE_ERROR = 2
OLD = b"the file that was here before\n"

# The faults of each class: a name, and what inject.c is told. The slice uses those marked True.
FAULTS = {
    "alloc": [("ENOMEM", "", True), ("ENOMEM-on", "again=1", False)],
    "map": [("ENOMEM", "", True), ("ENOMEM-on", "again=1", False)],
    "open": [("EMFILE", "", True), ("EACCES", "", False), ("EMFILE-on", "again=1", False)],
    "read": [("EIO", "", True), ("EIO-on", "again=1", False), ("short", "kind=short", True),
             ("short-on", "kind=short;again=1", False), ("EINTR", "", True),
             ("EINTR-on", "again=1", False)],
    "write": [("ENOSPC", "", True), ("EIO", "", False), ("ENOSPC-on", "again=1", False),
              ("short", "kind=short", True), ("short-on", "kind=short;again=1", False),
              ("EINTR", "", True), ("EINTR-on", "again=1", False)],
    "stdio": [("EIO", "", True), ("ENOSPC-on", "again=1", False)],
    "sync": [("EIO", "", True), ("EIO-on", "again=1", False)],
    "close": [("EIO", "", True)],
    "rename": [("EACCES", "", True), ("EIO-on", "again=1", False)],
    "link": [("EIO", "", True), ("ENOSPC-on", "again=1", False)],
    "unlink": [("EACCES", "", True), ("EACCES-on", "again=1", False)],
    "mkdir": [("EACCES", "", True), ("ENOSPC", "", False)],
    "truncate": [("ENOSPC", "", True)],
    "stat": [("EIO", "", True), ("EACCES-on", "again=1", False)],
    "lock": [("ENOLCK", "", True)],
    "thread": [("EAGAIN", "", True), ("EAGAIN-on", "again=1", False)],
}


# The exit statuses for a failure of a class, where only some fit: 5 is that of outputs, 6 that of
# memory and other resources (docs/reference/exit-status.md).
STATUSES = {"alloc": (6,), "map": (6,), "thread": (6,), "write": (5,), "sync": (5,),
            "rename": (5,), "link": (5,), "mkdir": (5,), "truncate": (5,)}
CLASSES = [*FAULTS, "kill", "power"]
# Where kill -9 strikes: before a call that changes a file or a folder.
KILL_CLASSES = ("open", "write", "sync", "close", "link", "rename", "unlink", "mkdir", "truncate")


def fault_text(class_, kind, at):
    if kind == "kill":
        return f"class={class_};at={at};kind=kill"
    how = next(how for name, how, _ in FAULTS[class_] if name == kind)
    number = getattr(errno, kind.removesuffix("-on"), 0)
    return f"class={class_};at={at};error={number}" + (";" + how if how else "")


def sweep_text(class_, kind):
    """The same for a sweep."""
    number = getattr(errno, kind.removesuffix("-on"), 0)
    what = kind.removesuffix("-on") if kind.startswith(("short", "kill")) else "fail"
    return f"sweep={class_}:{number}:{what}:{int(kind.endswith('-on'))}"


# ---- Inputs --------------------------------------------------------------------------------------

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
    psdvec("train", "text.txt", "--min-count", "1", "--dim", "4", "-o", "model.safetensors")
    psdvec("topics", "learn", "model.safetensors", "text.txt", "--topics", "2", "--iterations", "2", "-o",
           "topics.st")
    psdvec("counts", "export", "counts.st", "--format", "glove", "--symmetric", "--vocab-output",
           "glove.txt", "-o", "glove.bin")
    psdvec("counts", "export", "counts.st", "--format", "matrix-market", "--vocab-output",
           "counts.words", "-o", "counts.mtx")
    psdvec("counts", "export", "counts.st", "--format", "top2grams", "--vocab-output",
           "top1grams.txt", "-o", "top2grams.txt")


# ---- The table of command lines ------------------------------------------------------------------

class Case:
    def __init__(self, name, tags, arguments):
        self.name = name
        self.tags = {tag.partition("=")[0] for tag in tags.split()}
        values = [tag.partition("=")[::2] for tag in tags.split()]
        self.input = next((value for key, value in values if key == "input"), None)
        self.keeps = [value for key, value in values if key == "keeps"]
        self.has = [value for key, value in values if key == "has"]
        self.caches = [value for key, value in values if key == "cache"]
        self.varies = [value for key, value in values if key == "varies"]
        self.arguments = shlex.split(arguments)
        self.own_arguments = list(self.arguments)
        self.arguments.append("--quiet")
        if "--threads" not in self.arguments:
            self.arguments += ["--threads", "1"]


def read_cases():
    cases = []
    with open(os.path.join(HERE, "commands.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                cases.append(Case(*(part.strip() for part in line.split(":", 2))))
    names = [case.name for case in cases]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        sys.exit(f"torture: commands.txt has two lines with the name {twice[0]}")
    return cases


def check_commands(program, cases, folder):
    """Every command of the program must have a line."""
    os.makedirs(folder, exist_ok=True)
    subprocess.run([program, "internal-man", folder], check=True)
    commands = {name[len("psdvec-"):-len(".1")] for name in os.listdir(folder)
                if name.startswith("psdvec-")}
    shutil.rmtree(folder)
    have = {"-".join(case.own_arguments[:words]) for case in cases for words in (1, 2)}
    missing = sorted(commands - have)
    if missing or len(commands) < 20:
        sys.exit("torture: commands.txt has no line for: " + ", ".join(missing))


# ---- One run -------------------------------------------------------------------------------------

class Outcome:
    def __init__(self, status, stdout, stderr, files, log, hung):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.files, self.log, self.hung = files, log, hung

    def hit(self):
        """The addresses of the call that failed, the innermost first, or None."""
        for line in self.log:
            if line.startswith("hit "):
                return tuple(line.split()[3:])
        return None

    def through(self):
        """The functions of other libraries between the program and that call."""
        return next((line.split()[1:] for line in self.log if line.startswith("through ")), [])


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


class NotSeen(Exception):
    """The library does not see the calls of the program."""


class Server:
    """A process of the program that forks before main() for every run of a case.

    Loading the program takes longer than most runs.
    """

    def __init__(self, bench, case):
        self.case = case
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = bench.start(case, bench.work, f"serve={theirs.fileno()}",
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, pass_fds=[theirs.fileno()])

    def number(self):
        answer = self.socket.recv(4)
        if len(answer) != 4:
            raise NotSeen
        return struct.unpack("i", answer)[0]

    def ask(self, request):
        """Returns the new process."""
        self.socket.settimeout(None)
        try:
            self.socket.send(request.encode())
        except OSError as error:
            raise NotSeen from error
        return self.number()

    def run(self, request, limit):
        """Returns the exit status, negative for a signal, and whether the time limit ended it."""
        child, hung = self.ask(request), False
        self.socket.settimeout(limit)
        try:
            status = self.number()
        except socket.timeout:
            hung = True
            os.kill(child, signal.SIGKILL)
            self.socket.settimeout(None)
            status = self.number()
        status = os.waitstatus_to_exitcode(status)
        return status, hung or status == -signal.SIGXCPU

    def question(self, limit=None):
        """The next question of a sweep (struct question in inject.c), or its exit status."""
        self.socket.settimeout(limit)
        answer = self.socket.recv(64)
        if len(answer) == 4:
            return os.waitstatus_to_exitcode(struct.unpack("i", answer)[0])
        if not answer:
            raise NotSeen
        return struct.unpack("6l", answer)

    def answer(self, letter, following):
        """`following` is the number of the next call at which the fault is wanted."""
        self.socket.send(struct.pack("2l", ord(letter), following))

    def end(self):
        self.socket.close()
        self.process.wait()


class Bench:
    """Runs the program in folders of its own, one per worker thread."""

    def __init__(self, options):
        self.program = os.path.abspath(options.program)
        self.library = os.path.abspath(options.library)
        self.work = os.path.abspath(options.work)
        self.limit = options.time_limit
        self.processor_limit = options.processor_limit
        self.inputs = os.path.join(self.work, "in")
        self.local = threading.local()
        self.numbers = iter(range(10 ** 6))
        self.lock = threading.Lock()
        self.servers = []  # one per worker thread and use at most
        self.environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8", "TERM": "dumb",
            "COLUMNS": "80", "MALLOC_PERTURB_": "165",
            "ASAN_OPTIONS": "detect_leaks=1:allocator_may_return_null=1:verify_asan_link_order=0:"
                            "abort_on_error=0:exitcode=99:detect_stack_use_after_return=0",
            "LSAN_OPTIONS": "suppressions=" + os.path.join(os.path.dirname(HERE), "lsan.supp") +
                            ":print_suppressions=0:exitcode=99",
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1:exitcode=99",
        }
        for name in ("GCOV_PREFIX", "GCOV_PREFIX_STRIP", "PSDVEC_SANDBOX"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def folder(self):
        if not hasattr(self.local, "folder"):
            with self.lock:
                self.local.folder = os.path.join(self.work, f"run-{next(self.numbers)}")
        return self.local.folder

    def make_inputs(self):
        """Makes the inputs, unless the same program and script have made them here."""
        made, digest = os.path.join(self.work, "in.made"), digest_of(self.program, __file__)
        if os.path.exists(made) and read_bytes(made).decode() == digest:
            return
        clear(made)
        self.make_inputs_anew()
        with open(made, "w", encoding="ascii") as file:
            file.write(digest)

    def make_inputs_anew(self):
        shutil.rmtree(self.inputs, ignore_errors=True)
        os.makedirs(self.inputs)
        make_inputs(self.inputs, self.program)
        # An interrupted run.
        case = Case("interrupted", "", "train text.txt --min-count 1 --dim 3 -o out.safetensors")
        process = self.start(case, self.inputs, "class=link;at=4;kind=kill")
        process.communicate()
        if not os.path.exists(os.path.join(self.inputs, "out.safetensors.partial")):
            sys.exit("torture: the interrupted run left no state")

    def prepare(self, folder, before):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        os.symlink(self.inputs, os.path.join(folder, "in"))
        fill(folder, before)

    def input_path(self, case):
        return os.path.join(self.inputs, case.input) if case.input else os.devnull

    def start(self, case, folder, fault, **more):
        environment = dict(self.environment)
        environment["PSDVEC_FAULT"] = fault
        environment["LD_PRELOAD"] = self.library
        with open(self.input_path(case), "rb") as stdin:
            return subprocess.Popen([self.program, *case.arguments], cwd=folder, env=environment,
                                    **{"stdin": stdin, "stdout": subprocess.PIPE,
                                       "stderr": subprocess.PIPE, **more})

    def server(self, case, use="run"):
        """The server of this worker thread for the case and the use."""
        mine = getattr(self.local, use, None)
        if not mine or mine.case is not case:
            fresh = Server(self, case)
            with self.lock:
                if mine:
                    self.servers.remove(mine)
                self.servers.append(fresh)
            if mine:
                mine.end()
            mine = fresh
            setattr(self.local, use, fresh)
        return mine

    def end(self):
        for server in self.servers:
            server.end()

    def run(self, case, before, fault="", again=False, folder=None, limit=None):
        """Runs the program; with `again`, in the folder as the last run left it."""
        folder = folder or self.folder()
        if not again:
            self.prepare(folder, before)
        clear(folder + ".log")
        status, hung = self.server(case).run(self.request(case, folder, fault), limit or self.limit)
        return self.outcome(folder, status, hung, list_folder(folder))

    def request(self, case, folder, fault):
        return "\n".join((folder, self.input_path(case), folder + ".out", folder + ".err",
                          f"log={folder}.log;cpu={self.processor_limit};{fault}"))

    def outcome(self, folder, status, hung, files):
        return Outcome(status, read_bytes(folder + ".out"),
                       read_bytes(folder + ".err").decode("utf-8", "replace"), files,
                       read_bytes(folder + ".log").decode("ascii").splitlines(), hung)

    def shell_line(self, case, folder, fault):
        return (f"cd {shlex.quote(folder)} && PSDVEC_FAULT={shlex.quote('log=/dev/stderr;' + fault)} "
                f"LD_PRELOAD={shlex.quote(self.library)} " +
                " ".join(f"{name}={shlex.quote(value)}" for name, value in self.environment.items()
                         if name.endswith("SAN_OPTIONS")) +
                f" {shlex.quote(self.program)} {shlex.join(case.arguments)}" +
                (f" <in/{case.input}" if case.input else ""))


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


# ---- Judging -------------------------------------------------------------------------------------

class Reference:
    """What the program does with a case when nothing fails."""

    def __init__(self, bench, case):
        inputs = list_folder(bench.inputs)
        given = {name: content for name, content in inputs.items()
                 if any(name == has or name.startswith(has + "/") for has in case.has)}
        self.case, self.before = case, given
        first = bench.run(case, given)
        if "new" not in case.tags:
            self.before = given | {name: OLD for name, content in first.files.items()
                                   if content is not None and name in case.own_arguments}
        self.plain = bench.run(case, self.before)
        self.dry = bench.run(case, self.before, "sites=1")
        for outcome in (first, self.plain, self.dry):
            if outcome.status != 0 or outcome.hung:
                sys.exit(f"torture: {case.name} fails even without a fault (status "
                         f"{outcome.status}):\n{outcome.stderr}")
            if not self.is_complete(outcome.files) or not self.same_output(outcome):
                changed = different(outcome.files, self.plain.files)
                sys.exit(f"torture: {case.name} does not give the same result twice: "
                         f"{changed or 'standard output'}")
        self.recovered = {}  # what run_again_with() found
        self.calls, self.sites = {}, collections.defaultdict(list)
        for line in self.dry.log:
            words = line.split()
            if words[0] == "calls":
                self.calls[words[1]] = int(words[2])
            elif words[0] == "site":
                self.sites[words[1]].append((int(words[2]), tuple(words[4:])))
        if not self.calls.get("alloc"):
            raise NotSeen

    def is_complete(self, files):
        def known(listing):
            return {name: None if self.varies(name) else content
                    for name, content in listing.items() if not self.cached(name)}
        return known(files) == known(self.plain.files)

    def same_output(self, outcome):
        return self.varies("stdout") or outcome.stdout == self.plain.stdout

    def varies(self, name):
        return any(fnmatch.fnmatch(name, pattern) for pattern in self.case.varies)

    def cached(self, name):
        return any(name == cache or name.startswith(cache + "/") for cache in self.case.caches)

    def kept(self, name):
        """After a failure it may be there or not."""
        return self.cached(name) or any(name == keep or name.startswith(keep + "/")
                                        for keep in self.case.keeps)


def judge_end(outcome):
    """What is wrong in any case, whatever the fault was."""
    problems = []
    found = re.search(r"(ERROR: \w+Sanitizer: [\w-]+|runtime error: .*)", outcome.stderr)
    if found:
        problems.append("sanitizer: " + found.group(1))
    elif outcome.hung:
        problems.append("hang")
    elif outcome.status < 0:
        problems.append(f"crash: {signal.Signals(-outcome.status).name}")
    if any(line.startswith("unwritten") for line in outcome.log):
        problems.append("unflushed: main() ended with unwritten standard output")
    return problems


def set_aside(name, files):
    """The old and the new file of a set, where a kill interrupted its replacement.

    docs/reference/output.md, "Files that belong together".
    """
    folder, base = os.path.split(name)
    beside = [os.path.join(folder, f".{base}.psdvec-{suffix}") for suffix in ("old", "new")]
    return [files[path] for path in beside if path in files]


def judge_files(reference, outcome, leftovers_are_fine=False):
    problems = []
    before, complete, after = reference.before, reference.plain.files, outcome.files
    for name in sorted(before.keys() | after.keys()):
        if reference.kept(name) or reference.varies(name):
            continue
        if name not in after:
            if not leftovers_are_fine or before[name] not in set_aside(name, after):
                problems.append(f"lost: {name}")
        elif name in before or name in complete:
            if after[name] not in [files[name] for files in (before, complete) if name in files]:
                problems.append(f"damaged: {name}")
        elif not leftovers_are_fine:
            problems.append("leftover: " + re.sub(r"\d+|\.\w{6}$", "N", name))
    results = [name for name in complete if complete[name] is not None and
               not reference.kept(name) and not reference.varies(name)]
    new = [name for name in results if name in after and after[name] == complete[name] and
           before.get(name) != complete[name]]
    if 0 < len(new) < len(results) and not problems:
        problems.append(f"mixed: {', '.join(new)} without the rest")
    return problems


def judge(reference, outcome, class_):
    """The list of what the program did wrong."""
    problems = judge_end(outcome)
    if problems:
        return problems
    # A file that cannot be deleted remains.
    leftovers_are_fine = class_ == "unlink"
    if outcome.status == 0:
        # So may a state, with a warning.
        warned = bool(outcome.stderr.strip())
        if not reference.is_complete({name: content for name, content in outcome.files.items()
                                      if name in reference.plain.files or not (
                                          leftovers_are_fine or warned and reference.kept(name))}):
            problems = judge_files(reference, outcome, leftovers_are_fine)
            problems = problems or ["false success: status 0 without the complete result"]
        # A session reports the query that failed and goes on.
        reported = "session" in reference.case.tags and warned
        if not reference.same_output(outcome) and not reported:
            problems.append("false success: standard output differs")
        return problems
    if not outcome.stderr.strip():
        problems.append(f"silent: status {outcome.status} without a message")
    if outcome.status not in STATUSES.get(class_, (3, 4, 5, 6)):
        problems.append(f"status {outcome.status} is not that of such a failure")
    return problems + judge_files(reference, outcome, leftovers_are_fine)


def must_recover(reference, outcome, kind):
    """Whether a state was kept, with which the same command must finish the work."""
    return kind == "kill" or outcome.status != 0 and any(reference.kept(name)
                                                         for name in outcome.files)


def run_again(bench, reference, class_, folder=None):
    """In the folder as the last run left it."""
    second = bench.run(reference.case, None, again=True, folder=folder)
    problems = judge_end(second)
    if second.status != 0:
        problems.append(f"no recovery: the same command ends with status {second.status}: " +
                        second.stderr.strip()[:200])
    elif not reference.same_output(second) or not reference.is_complete(
            {name: content for name, content in second.files.items()
             if class_ != "unlink" or name in reference.plain.files}):
        wrong = different(second.files, reference.plain.files)
        problems.append(f"no recovery: the same command leaves {', '.join(wrong)}")
    return problems


def run_again_with(bench, reference, class_, files):
    """In a folder with these files, once for the same files."""
    digest = hashlib.sha256(repr((class_ == "unlink", sorted(files.items()))).encode()).digest()
    if digest not in reference.recovered:
        bench.prepare(bench.folder(), files)
        reference.recovered[digest] = run_again(bench, reference, class_)
    return reference.recovered[digest]


# ---- Names of call sites -------------------------------------------------------------------------

class Names:
    """Function names of addresses in the program."""

    def __init__(self, program):
        self.program, self.known = program, {}

    def chain(self, addresses):
        unknown = [address for address in addresses if address not in self.known]
        if unknown:
            before_return = [hex(int(address, 16) - 1) for address in unknown]
            lines = subprocess.run(["addr2line", "-f", "-s", "-e", self.program, *before_return],
                                   stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
            for number, address in enumerate(unknown):
                place = lines[2 * number + 1].split(" ")[0]
                self.known[address] = f"{lines[2 * number]} ({place})"
        return [self.known[address] for address in addresses]


class Known:
    """Findings of known.txt, which do not fail a run."""

    def __init__(self):
        self.rows = []
        with open(os.path.join(HERE, "known.txt"), encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    self.rows.append([part.strip() for part in line.split(";", 4)])

    def reason(self, name, class_, problem, chain):
        for names, classes, problems, functions, why in self.rows:
            if (re.fullmatch(names, name) and re.fullmatch(classes, class_) and
                    re.search(problems, problem) and
                    (not functions or any(re.search(functions, frame) for frame in chain))):
                return why
        return None


# ---- All runs ------------------------------------------------------------------------------------

class Store:
    """Results of earlier runs with the same program."""

    def __init__(self, bench, path):
        self.done, self.path, self.lock = {}, path, threading.Lock()
        heading = json.dumps({"program": digest_of(bench.program, bench.library, __file__,
                                                   os.path.join(HERE, "commands.txt"))})
        try:
            with open(path, encoding="utf-8") as file:
                if file.readline().strip() == heading:
                    for line in file:
                        try:
                            entry = json.loads(line)
                        except ValueError:
                            break  # the last line of a run that was stopped
                        self.done[tuple(entry["key"])] = entry
        except FileNotFoundError:
            pass
        self.file = open(path, "w", encoding="utf-8")
        print(heading, file=self.file)
        for entry in self.done.values():
            print(json.dumps(entry), file=self.file)
        self.file.flush()

    def add(self, entry):
        with self.lock:
            self.done[tuple(entry["key"])] = entry
            print(json.dumps(entry), file=self.file, flush=True)


def plan_faults(options, references):
    """What to run: (reference, class, kind, number of the call)."""
    seen, plan = set(), []
    for reference in references:
        for class_, faults in FAULTS.items():
            kinds = [kind for kind, _, chosen in faults if chosen or not options.slice]
            if not options.has(class_):
                kinds = []
            if class_ in KILL_CLASSES and options.has("kill") and (
                    "kill" in reference.case.tags if options.slice
                    else reference.plain.files != reference.before):
                kinds.append("kill")
            if options.slice and not ("every" in reference.case.tags and class_ == "alloc"):
                for first, chain in sorted(reference.sites.get(class_, [])):
                    for kind in kinds:
                        site = (class_, kind, chain[:options.depth])
                        if site not in seen:
                            seen.add(site)
                            plan.append((reference, class_, kind, first))
                continue
            total = reference.calls.get(class_, 0)
            numbers = range(1, total + 1)
            if options.most and total > options.most:
                numbers = sorted({1 + round(step * (total - 1) / (options.most - 1))
                                  for step in range(options.most)})
            plan += [(reference, class_, kind, at) for kind in kinds for at in numbers]
    return plan


def judge_fault(reference, class_, kind, outcome, recover):
    """Calls recover() where the same command must then finish the work."""
    if kind == "kill":
        problems = judge_killed(reference, outcome)
    else:
        problems = judge(reference, outcome, class_)
    if not problems and must_recover(reference, outcome, kind):
        problems = recover()
    return problems


def run_fault(bench, reference, class_, kind, at, folder=None):
    outcome = bench.run(reference.case, reference.before, fault_text(class_, kind, at), folder=folder)
    return outcome, judge_fault(reference, class_, kind, outcome, lambda: run_again(
        bench, reference, "kill" if kind == "kill" else class_, folder))


class Disturbed(Exception):
    """What a copy did could not be undone."""


class Sweep:
    """Runs all faults of a case with one run of the program, which is copied at every call.

    A run with a fault then takes only the time from the fault to its end. After a copy has ended,
    inject.c restores the files that the program has open, and this class the names in its folder.
    Where that is not possible, the program starts again and goes on after that call. At the end the
    program, which had no fault, must have the right result; this shows that nothing was disturbed.
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
                self.take_snapshot()
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

    def take_snapshot(self):
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


def judge_killed(reference, outcome):
    """After kill -9, outputs are old or complete."""
    if outcome.status not in (0, -signal.SIGKILL):
        return [f"status {outcome.status} instead of a kill"]
    return [problem for problem in judge_files(reference, outcome, leftovers_are_fine=True)
            if not problem.startswith("mixed")]


def run_plan(options, bench, store, plan):
    names, known = Names(bench.program), Known()
    total = len(plan)
    todo = [item for item in plan if (item[0].case.name, *item[1:]) not in store.done]
    progress = {"done": total - len(todo), "time": time.monotonic()}
    if total > len(todo) and not options.tap:
        print(f"{total - len(todo)} of {total} results are from an earlier run", flush=True)

    def add(reference, class_, kind, at, outcome, problems):
        chain = outcome.hit() or ()
        entry = {"key": [reference.case.name, class_, kind, at], "status": outcome.status,
                 "hit": chain, "problems": problems}
        if problems:
            entry["stderr"], entry["through"] = outcome.stderr[-4000:], outcome.through()
        store.add(entry)
        with bench.lock:
            progress["done"] += 1
            now = time.monotonic()
            if now - progress["time"] > options.progress and not options.tap:
                progress["time"] = now
                print(f"{progress['done']} of {total} runs, now {reference.case.name} {class_} {kind}",
                      flush=True)

    def sweep(reference, items):
        def finish(class_, kind, at, outcome):
            problems = judge_fault(reference, class_, kind, outcome, lambda: run_again_with(
                bench, reference, "kill" if kind == "kill" else class_, outcome.files))
            add(reference, class_, kind, at, outcome, problems)
        faults = list(dict.fromkeys((class_, kind) for _, class_, kind, _ in items))
        Sweep(bench, reference, faults).run([item[1:] for item in items], finish)

    def one(item):
        reference, class_, kind, at = item
        add(reference, class_, kind, at, *run_fault(bench, reference, class_, kind, at))

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(sweep, reference, list(items)) for reference, items in
                       itertools.groupby(todo, lambda item: item[0])]:
            future.result()
        # What could not be copied.
        todo = [item for item in todo if (item[0].case.name, *item[1:]) not in store.done]
        for future in [pool.submit(one, item) for item in todo]:
            future.result()
    return report(options, store, plan, names, known)


def show_finding(options, entries):
    entry, chain, why, problem = entries[0]
    print(f"\n{problem}\n  {len(entries)} times, first: {' '.join(map(str, entry['key']))}" +
          (f"\n  known: {why}" if why else ""))
    for frame in chain[:9]:
        print(f"    {frame}")
    for line in entry.get("stderr", "").splitlines()[:12 if "sanitizer" in problem else 3]:
        print(f"  | {line}")
    print("  repeat: " + repeat_line(options, ":".join(map(str, entry["key"]))))


def print_tap(options, table, findings):
    for name in dict.fromkeys(name for name, _ in table):
        rows = [row for (other, _), row in table.items() if other == name]
        runs, wrong = (sum(row[key] for row in rows) for key in ("runs", "findings"))
        tap_line(options, not wrong, f"{name} survives {runs} faults")
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            for entries in findings.values():
                here = [item for item in entries if item[0]["key"][0] == name and not item[2]]
                if here:
                    show_finding(options, here)
        for line in shown.getvalue().splitlines():
            print(f"# {line}")


def report(options, store, plan, names, known):
    table = collections.defaultdict(collections.Counter)
    findings = collections.OrderedDict()
    for reference, class_, kind, at in plan:
        entry = store.done[(reference.case.name, class_, kind, at)]
        row = table[reference.case.name, class_]
        row["runs"] += 1
        row["not reached"] += not entry["hit"]
        row["refused"] += entry["status"] != 0
        for problem in entry["problems"]:
            chain = entry["through"] + names.chain(entry["hit"])
            why = known.reason(reference.case.name, "kill" if kind == "kill" else class_, problem,
                               chain)
            row["known" if why else "findings"] += 1
            if not why or options.all:
                key = (problem.partition(":")[0], tuple(chain[:3]))
                findings.setdefault(key, []).append((entry, chain, why, problem))
    if not options.brief and not options.tap:
        print(f"{'command line':24} {'class':9} {'runs':>6} {'refused':>8} {'completed':>10} "
              f"{'known':>6} {'findings':>9}")
        for (name, class_), row in table.items():
            print(f"{name:24} {class_:9} {row['runs']:6} {row['refused']:8} "
                  f"{row['runs'] - row['refused']:10} {row['known']:6} {row['findings']:9}")
    for entries in list(findings.values())[:options.shown] if not options.tap else ():
        show_finding(options, entries)
    if len(findings) > options.shown and not options.tap:
        print(f"\n{len(findings) - options.shown} more; --shown {len(findings)} shows them all")
    total = sum((row for row in table.values()), collections.Counter())
    if options.tap:
        print_tap(options, table, findings)
        return total["findings"]
    print(f"\n{total['runs']} runs with a fault: {total['refused']} refused, "
          f"{total['runs'] - total['refused']} completed, {total['known']} known findings, "
          f"{total['findings']} findings")
    return total["findings"]


# ---- Kills at random times -----------------------------------------------------------------------

def run_random_kills(options, bench, references):
    """Kills the program at random times and runs it again, until it ends by itself."""
    findings = 0
    chance = random.Random(options.seed)
    folder = os.path.join(bench.work, "killed")
    for reference in references:
        case = reference.case
        began = time.monotonic()
        bench.run(case, reference.before, folder=folder)
        took = time.monotonic() - began
        problems = []
        killed = 0
        for number in range(options.kills):
            # In between, the next run continues what the last one left.
            outcome = bench.run(case, reference.before, again=number % 5 != 0, folder=folder,
                                limit=chance.uniform(1e-4, took))
            killed += outcome.status == -signal.SIGKILL
            problems += [problem for problem in judge_files(reference, outcome, True)
                         if not problem.startswith("mixed")]
            if number % 5 == 4 and not problems:
                problems += run_again(bench, reference, "kill", folder)
        findings += report_special(options, f"{case.name}: {killed} kills at random times in "
                                   f"{options.kills} runs", case.name, "kill", problems)
    return findings


def tap_line(options, passed, title):
    options.tap_lines += 1
    print(f"{'ok' if passed else 'not ok'} {options.tap_lines} - {title}", flush=True)


def report_special(options, title, name, class_, problems):
    known, unique = Known(), list(dict.fromkeys(problems))
    fresh = [problem for problem in unique if not known.reason(name, class_, problem, [])]
    if options.tap:
        tap_line(options, not fresh, title)
        for problem in fresh:
            print(f"# {problem}")
        return len(fresh)
    print(f"{title}: " + ("; ".join(fresh) or "nothing found") +
          (f" ({len(unique) - len(fresh)} known)" if len(unique) > len(fresh) else ""), flush=True)
    return len(fresh)


# ---- Power loss ----------------------------------------------------------------------------------

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


def repeat_line(options, what):
    return (f"python3 {os.path.relpath(__file__)} --program {options.program} "
            f"--library {options.library} --work {options.work} --one {what}")


def run_one(options, bench, cases, text):
    """Repeats one run, shows it and leaves its folder."""
    name, class_, kind, at = text.split(":")
    case = next((case for case in cases if case.name == name), None)
    if not case:
        sys.exit(f"torture: commands.txt has no line {name}")
    bench.make_inputs()
    reference = Reference(bench, case)
    folder = os.path.join(bench.work, "one")
    outcome, problems = run_fault(bench, reference, class_, kind, int(at), folder)
    for frame in outcome.through() + Names(bench.program).chain(outcome.hit() or ()):
        print(f"    {frame}")
    print(outcome.stderr, end="")
    print(f"status {outcome.status}; " + ("; ".join(problems) or "nothing is wrong"))
    bench.prepare(folder, reference.before)
    print(bench.shell_line(case, folder, fault_text(class_, kind, int(at))))
    return len(problems)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--work", required=True, help="folder for inputs, runs and results")
    parser.add_argument("--slice", action="store_true", help="each call site of the main lines once")
    parser.add_argument("--depth", type=int, default=4, help="addresses that make a call site (4)")
    parser.add_argument("--command", help="regular expression: only lines with this name")
    parser.add_argument("--classes",
                        help="only these, separated by commas: " + ", ".join(CLASSES))
    parser.add_argument("--most", type=int, default=0, help="at most N calls per line and fault")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--time-limit", type=float, default=60, help="seconds per run (60)")
    parser.add_argument("--processor-limit", type=int, default=5,
                        help="seconds of processor time per run (5)")
    parser.add_argument("--progress", type=float, default=30, help="seconds between reports (30)")
    parser.add_argument("--all", action="store_true", help="show known findings too")
    parser.add_argument("--brief", action="store_true", help="no table")
    parser.add_argument("--shown", type=int, default=30, help="show at most N findings (30)")
    parser.add_argument("--tap", action="store_true", help="print the Test Anything Protocol")
    parser.add_argument("--kills", type=int, default=50,
                        help="kills at random times per line that writes a file (50); none with --slice")
    parser.add_argument("--seed", type=int, default=1, help="of the random times (1)")
    parser.add_argument("--one", metavar="NAME:CLASS:KIND:NUMBER", help="repeat one run")
    options = parser.parse_args()
    options.tap_lines = 0
    classes = options.classes.split(",") if options.classes else CLASSES
    for class_ in classes:
        if class_ not in CLASSES:
            sys.exit(f"torture: unknown class {class_}; the classes are {', '.join(CLASSES)}")
    options.has = lambda class_: class_ in classes

    os.makedirs(options.work, exist_ok=True)
    bench = Bench(options)
    cases = read_cases()
    if options.one:
        return 1 if run_one(options, bench, cases, options.one) else 0
    check_commands(bench.program, cases, os.path.join(bench.work, "man"))
    chosen = [case for case in cases if (not options.slice or "main" in case.tags) and
              (not options.command or re.fullmatch(options.command, case.name))]
    if not chosen:
        sys.exit("torture: no line of commands.txt is chosen")
    bench.make_inputs()
    try:
        # Without ICU, for example.
        chosen = [case for case in chosen if "optional" not in case.tags or
                  bench.run(case, {}).status != USE_ERROR]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            references = list(pool.map(lambda case: Reference(bench, case), chosen))
    except NotSeen:
        why = ("the library does not see the calls of the program: its sanitizer runtime is "
               "linked statically, or the C library is not glibc")
        if not options.tap:
            sys.exit("torture: " + why)
        print(f"1..1\nok 1 - the main commands survive faults # SKIP {why}")
        return 0
    store = Store(bench, os.path.join(bench.work, "results.jsonl"))
    findings = 0
    writing = [reference for reference in references if reference.plain.files != reference.before]
    if options.has("kill") and not options.slice:
        findings += run_random_kills(options, bench, writing)
    if options.has("power"):
        findings += run_power(options, bench, [reference for reference in writing
                                               if "power" in reference.case.tags or not options.slice])
    plan = plan_faults(options, references)
    if plan:
        try:
            findings += run_plan(options, bench, store, plan)
        except Disturbed as error:
            sys.exit(f"torture: {error}")
    bench.end()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    print(f"# {used.ru_utime + used.ru_stime + own.ru_utime + own.ru_stime:.0f} s of processor time")
    if options.tap:
        print(f"1..{options.tap_lines}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
