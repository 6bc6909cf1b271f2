#!/usr/bin/env python3
"""Runs the program with injected faults and judges what it does.

For every command line of commands.txt, every class of calls and every call, the program runs in a
fresh folder with inject.c preloaded, which makes that call fail. The program must not crash, hang
or leak; it must say what failed and return a failure, or finish with the right result; an output
that existed before must be the old one or the complete new one; and no other file may remain.

    torture.py --program build/asan/psdvec --library build/tests/torture/inject.so --work DIR

--slice runs the lines with the tag main only, each call site once in all. --sites runs all lines,
but of the calls that a loop makes from one place only the first. The tests of kill -9 and of power
loss are in kills.py and power.py. Results are kept in DIR/results.jsonl, so a run that was
interrupted continues; a change of the program starts from the beginning.
"""

import argparse
import concurrent.futures
import itertools
import os
import re
import resource
import sys
import time

sys.dont_write_bytecode = True  # the build writes to its own folder only

from bench import Bench, NotSeen
from cases import check_commands, read_cases
from faults import CLASSES, FAULTS, KILL_CLASSES, fault_text
from judging import Reference, judge_fault, run_again, run_again_with
from kills import run_random_kills
from power import run_power
from report import Known, Names, Store, report
from sweep import Disturbed, Sweep

USE_ERROR = 2


def plan_faults(options, references):
    """What to run: (reference, class, kind, number of the call)."""
    seen, plan = set(), []
    for reference in references:
        for class_, faults in FAULTS.items():
            every = (not options.slice and not options.sites or
                     "every" in reference.case.tags and class_ == "alloc")
            kinds = [kind for kind, _, chosen in faults if chosen or not options.slice or every]
            if not options.has(class_):
                kinds = []
            if class_ in KILL_CLASSES and options.has("kill") and (
                    "kill" in reference.case.tags if options.slice
                    else reference.plain.files != reference.before):
                kinds.append("kill")
            if not every:
                for first, chain in sorted(reference.sites.get(class_, [])):
                    for kind in kinds:
                        site = (class_, kind, chain[:options.depth])
                        if options.sites or site not in seen:
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


def run_fault(bench, reference, class_, kind, at, folder=None):
    outcome = bench.run(reference.case, reference.before, fault_text(class_, kind, at), folder=folder)
    return outcome, judge_fault(reference, class_, kind, outcome, lambda: run_again(
        bench, reference, "kill" if kind == "kill" else class_, folder))


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
        found = []

        def finish(class_, kind, at, outcome):
            problems = judge_fault(reference, class_, kind, outcome, lambda: run_again_with(
                bench, reference, "kill" if kind == "kill" else class_, outcome.files))
            found.append((reference, class_, kind, at, outcome, problems))
            if len(found) % 1000 == 0 and not options.tap:
                print(f"{reference.case.name}: {len(found)} of {len(items)} faults", flush=True)
        faults = list(dict.fromkeys((class_, kind) for _, class_, kind, _ in items))
        try:
            Sweep(bench, reference, faults).run([item[1:] for item in items], finish)
        except Disturbed as error:
            print(f"# {error}# All faults of this line get runs of their own.", flush=True)
            return
        for result in found:
            add(*result)

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
    parser.add_argument("--sites", action="store_true",
                        help="of all lines, each call site with all its addresses once per line")
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
        findings += run_plan(options, bench, store, plan)
    bench.end()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = resource.getrusage(resource.RUSAGE_SELF)
    print(f"# {used.ru_utime + used.ru_stime + own.ru_utime + own.ru_stime:.0f} s of processor time")
    if options.tap:
        print(f"1..{options.tap_lines}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
