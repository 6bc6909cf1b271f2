"""What a command line does without faults, and what is wrong with a run that had one."""

import collections
import fnmatch
import hashlib
import os
import re
import signal
import sys

from bench import NotSeen
from faults import STATUSES
from files import different, list_folder

OLD = b"the file that was here before\n"


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
        message = outcome.stderr.strip().partition("\n")[0][:200]
        problems.append(f"status {outcome.status} is not that of such a failure: {message}")
    return problems + judge_files(reference, outcome, leftovers_are_fine)


def judge_killed(reference, outcome):
    """After kill -9, outputs are old or complete."""
    if outcome.status not in (0, -signal.SIGKILL):
        return [f"status {outcome.status} instead of a kill"]
    return [problem for problem in judge_files(reference, outcome, leftovers_are_fine=True)
            if not problem.startswith("mixed")]


def must_recover(reference, outcome, kind):
    """Whether a state was kept, with which the same command must finish the work."""
    return kind == "kill" or outcome.status != 0 and any(reference.kept(name)
                                                         for name in outcome.files)


def judge_fault(reference, class_, kind, outcome, recover):
    """Calls recover() where the same command must then finish the work."""
    if kind == "kill":
        problems = judge_killed(reference, outcome)
    else:
        problems = judge(reference, outcome, class_)
    if not problems and must_recover(reference, outcome, kind):
        problems = recover()
    return problems


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
