"""What several tests use: a text of some subjects, and a model of it."""

import os
import random

import pytest

import psdvec


def make_documents(lines=1500, seed=1):
    """Documents about one of ten subjects each, with words of the subject and common words."""
    dice = random.Random(seed)
    letters = "abcdefghij"
    documents = []
    for _ in range(lines):
        subject = dice.randrange(10)
        words = []
        for _ in range(20):
            if dice.random() < 0.5:
                words.append("s" + letters[subject] + "x" + letters[int(10 * dice.random() ** 2)])
            else:
                words.append("c" + letters[dice.randrange(10)] + letters[int(10 * dice.random() ** 2)])
        documents.append(" ".join(words))
    return documents


def make_story(lines=400, seed=1):
    """Sentences about people at court and elsewhere, in which king is to man as queen is to woman."""
    dice = random.Random(seed)
    people = [("king", "his", "he", 1), ("queen", "her", "she", 1), ("prince", "his", "he", 1),
              ("man", "his", "he", 0), ("woman", "her", "she", 0), ("boy", "his", "he", 0),
              ("girl", "her", "she", 0)]
    verbs = [["walks with", "buys", "carries", "washes"], ["rules with", "wears", "commands", "inherits"]]
    things = [["dog", "bread", "basket", "coat", "horse", "apple"],
              ["crown", "throne", "castle", "army", "land", "sword"]]
    sentences = []
    for _ in range(lines):
        who, whose, again, royal = dice.choice(people)
        sentences.append(f"the {who} {dice.choice(verbs[royal])} {whose} {dice.choice(things[royal])} "
                         f"and {again} {dice.choice(verbs[royal])} the {dice.choice(things[royal])}")
    return sentences


@pytest.fixture(scope="session")
def story():
    return make_story()


@pytest.fixture(scope="session")
def documents():
    return make_documents()


@pytest.fixture(scope="session")
def model(documents, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "m.safetensors"
    return psdvec.train(documents, path, dim=20, min_count=1, progress=False)


# ---- TAP, for tests/run.sh --------------------------------------------------------------------
if os.environ.get("TAP"):
    count = 0

    def pytest_runtest_logreport(report):
        global count
        if report.when != "call" and report.passed:
            return
        count += 1
        word = "not ok" if report.failed else "ok"
        skipped = f" # SKIP {report.longrepr[2]}" if report.skipped else ""
        print(f"\n{word} {count} - {report.nodeid}{skipped}")
        if report.failed:
            print("".join(f"# {line}\n" for line in str(report.longrepr).splitlines()))

    def pytest_sessionfinish(session, exitstatus):
        print(f"\n1..{count}")
        if exitstatus > pytest.ExitCode.TESTS_FAILED:  # nothing was run, or not everything
            print(f"Bail out! pytest ended with the status {int(exitstatus)}")
