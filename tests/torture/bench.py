"""Runs the program with a fault, in a process that is forked before main()."""

import os
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading

from cases import HERE, Case, sources
from files import clear, digest_of, fill, list_folder, read_bytes
from inputs import make_inputs


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
        """Makes the inputs, unless the same program and driver have made them here."""
        made, digest = os.path.join(self.work, "in.made"), digest_of(self.program, *sources())
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
