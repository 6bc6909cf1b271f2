#!/usr/bin/env python3
"""Measure how good the vectors of rare words are, without a test set.

    rare_words.py hide TEXT HIDDEN LIST     writes a text in which pseudo-words replace a few
                                            occurrences of known words, and the list of them
    rare_words.py score LIST MODEL...       prints how near each pseudo-word is to its original

A pseudo-word stands for 5, 10, 20 or 50 occurrences of a word that occurs 1,000 to 20,000 times in
the text; the other occurrences keep the word. So the best possible neighbour of a pseudo-word is its
original. The score is the share of pseudo-words whose original is among their 1 and 10 nearest
neighbours of all words, and the median rank of the original. The letters of a pseudo-word say nothing
about it: train with `--spelling off`, or see how well a model copes with misleading letters. Words are
lower-case ASCII, texts are split at blanks, and capitals keep a word from being replaced. Scoring needs
numpy.
"""

import argparse
import random
import re
import sys
from collections import Counter

COUNTS = (5, 10, 20, 50)
WORD = re.compile(r"(?<![\w'’-])[a-z]{4,}(?![\w'’-])")


def pseudo_word(number):
    """zqabcdzq: four letters by the number, between two rare pairs of letters."""
    letters = ""
    for _ in range(4):
        number, digit = divmod(number, 20)
        letters += "bcdfghjklmnprstvwxyz"[digit]
    return f"zq{letters}zq"


def hide(arguments):
    frequency = Counter()
    with open(arguments.text, encoding="utf-8") as text:
        for line in text:
            frequency.update(WORD.findall(line))
    dice = random.Random(arguments.seed)
    known = sorted(w for w, f in frequency.items() if 1000 <= f <= 20000)
    chosen = dice.sample(known, min(arguments.words, len(known)))
    hidden, seen = {}, Counter()
    with open(arguments.list, "w", encoding="utf-8") as out:
        for k, word in enumerate(chosen):
            count = COUNTS[k % len(COUNTS)]
            places = frozenset(dice.sample(range(frequency[word]), count))
            hidden[word] = (pseudo_word(k), places)
            out.write(f"{pseudo_word(k)}\t{word}\t{count}\n")

    def replaced(match):
        word = match.group()
        if word not in hidden:
            return word
        seen[word] += 1
        pseudo, places = hidden[word]
        return pseudo if seen[word] - 1 in places else word

    with open(arguments.text, encoding="utf-8") as text, open(arguments.hidden, "w", encoding="utf-8") as out:
        for line in text:
            out.write(WORD.sub(replaced, line))


def score(arguments):
    from overlap import np, read_model

    with open(arguments.list, encoding="utf-8") as text:
        rows = [line.rstrip("\n").split("\t") for line in text]
    print("model\toccurrences\twords\tfirst\tamong_10\tmedian_rank")
    for path in arguments.models:
        words, vectors = read_model(path, arguments.raw)
        number = {word: i for i, word in enumerate(words)}
        ranks = {}
        for pseudo, word, count in rows:
            if pseudo not in number or word not in number:
                continue
            cosines = vectors @ vectors[number[pseudo]]
            cosines[number[pseudo]] = -2
            rank = int((cosines > cosines[number[word]]).sum()) + 1
            ranks.setdefault(int(count), []).append(rank)
        for count, of_count in sorted(ranks.items()):
            all_ranks = np.array(of_count)
            print(
                f"{path}\t{count}\t{len(all_ranks)}\t{(all_ranks == 1).mean():.3f}"
                f"\t{(all_ranks <= 10).mean():.3f}\t{np.median(all_ranks):.0f}"
            )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="hide|score")
    command = commands.add_parser("hide", help="write a text with pseudo-words")
    command.add_argument("text", metavar="TEXT")
    command.add_argument("hidden", metavar="HIDDEN", help="the new text")
    command.add_argument("list", metavar="LIST", help="the list of pseudo-words")
    command.add_argument("--words", metavar="N", type=int, default=800, help="pseudo-words (default: 800)")
    command.add_argument("--seed", metavar="S", type=int, default=1)
    command.set_defaults(run=hide)
    command = commands.add_parser("score", help="rank the originals")
    command.add_argument("list", metavar="LIST")
    command.add_argument("models", metavar="MODEL", nargs="+", help="a file of psdvec")
    command.add_argument("--raw", action="store_true", help="use the generative vectors, centred")
    command.set_defaults(run=score)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[0]}: {error}")
