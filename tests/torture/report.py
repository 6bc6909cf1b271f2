"""Results of runs: those that are kept, those that are known, and how they are shown."""

import collections
import contextlib
import io
import json
import os
import re
import subprocess
import threading

from cases import HERE, sources
from files import digest_of


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


class Store:
    """Results of earlier runs with the same program."""

    def __init__(self, bench, path):
        self.done, self.path, self.lock = {}, path, threading.Lock()
        heading = json.dumps({"program": digest_of(bench.program, bench.library, *sources())})
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


def repeat_line(options, what):
    return (f"python3 {os.path.relpath(os.path.join(HERE, 'torture.py'))} --program {options.program} "
            f"--library {options.library} --work {options.work} --one {what}")


def show_finding(options, entries):
    entry, chain, why, problem = entries[0]
    print(f"\n{problem}\n  {len(entries)} times, first: {' '.join(map(str, entry['key']))}" +
          (f"\n  known: {why}" if why else ""))
    for frame in chain[:9]:
        print(f"    {frame}")
    for line in entry.get("stderr", "").splitlines()[:12 if "sanitizer" in problem else 3]:
        print(f"  | {line}")
    print("  repeat: " + repeat_line(options, ":".join(map(str, entry["key"]))))


def tap_line(options, passed, title):
    options.tap_lines += 1
    print(f"{'ok' if passed else 'not ok'} {options.tap_lines} - {title}", flush=True)


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
