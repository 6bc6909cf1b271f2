#!/usr/bin/env python3
"""Counts the failure branches that an instrumented run reached.

    scripts/failure_branches.py FOLDER [NUMBER]

FOLDER has the objects and counters of `make coverage`. Two kinds of lines of src/ and cli/ count:
lines that report a failure (pv_fail, pv_failure, goto done, out_of_memory and so on), reached if
they were executed; and lines that pass one on (PV_TRY), reached if both directions of their branch
were taken. With NUMBER, lists the files with the most that were not reached.
"""
import collections
import json
import os
import re
import subprocess
import sys

REPORT = re.compile(r"\b(pv_fail|pv_fail_errno|pv_failure|no_memory|out_of_memory|run_error|"
                    r"run_failed|fail_\w+)\(|\bgoto done\b|\breturn PSDVEC_ERR_")
PASS_ON = re.compile(r"\bPV_TRY(_DONE)?\(")


def lines_of(folder):
    """For each source file, its lines with how often they ran, and their branches."""
    found = collections.defaultdict(dict)
    for top, _, names in os.walk(folder):
        objects = [os.path.join(top, name) for name in names if name.endswith(".gcno")]
        if not objects or "/tests" in top or "/bench" in top:
            continue
        output = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout",
                                 *objects], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                check=True, text=True).stdout
        for document in output.splitlines():
            for file in json.loads(document)["files"]:
                for line in file["lines"]:
                    known = found[file["file"]].setdefault(line["line_number"], [0, []])
                    known[0] += line["count"]
                    counts = [branch["count"] for branch in line["branches"]]
                    if len(known[1]) == len(counts):
                        counts = [a + b for a, b in zip(known[1], counts)]
                    known[1] = counts
    return found


def main():
    folder = sys.argv[1]
    totals, missed = collections.Counter(), collections.Counter()
    for name, lines in lines_of(folder).items():
        if not re.match(r"(src|cli)/", name) or not os.path.exists(name):
            continue
        with open(name, encoding="utf-8") as file:
            source = file.read().splitlines()
        for number, (count, branches) in lines.items():
            text = source[number - 1] if number <= len(source) else ""
            if text.startswith(("#", "static", "psdvec_status", "void", "int ", "bool ")):
                continue
            kind = reached = None
            if PASS_ON.search(text) and len(branches) >= 2:
                kind, reached = "passed on", all(branches)
            elif REPORT.search(text):
                kind, reached = "reported", count > 0
            if kind:
                totals[kind] += 1
                totals[kind, "reached"] += reached
                missed[name] += not reached
    for kind in ("reported", "passed on"):
        share = 100 * totals[kind, "reached"] / max(1, totals[kind])
        print(f"failures {kind}: {totals[kind, 'reached']} of {totals[kind]} branches ({share:.0f} %)")
    for name, count in missed.most_common(int(sys.argv[2]) if len(sys.argv) > 2 else 0):
        print(f"{count:5} not reached in {name}")


if __name__ == "__main__":
    main()
