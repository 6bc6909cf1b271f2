"""Kills at random times."""

import os
import random
import signal
import time

from judging import judge_files, run_again
from report import report_special


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
