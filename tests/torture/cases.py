"""The command lines of commands.txt."""

import os
import shlex
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


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


def sources():
    """The files of the driver, with the command lines."""
    return [os.path.join(HERE, name) for name in sorted(os.listdir(HERE))
            if name.endswith(".py") or name == "commands.txt"]


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
