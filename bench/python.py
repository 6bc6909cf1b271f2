#!/usr/bin/env python3
"""Benchmarks of the Python package, against gensim, as a Markdown table.

    make python
    PYTHONPATH=build/python /usr/bin/python3 bench/python.py [TEXT] [--words N] [--threads N]

TEXT is a text with a document per line; without it, a text is drawn at random. Needs gensim. All
figures are from one run; compare ratios, not seconds.
"""

import argparse
import itertools
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import psdvec

DIM, WORDS = 300, 70000


def seconds(function, rounds=1, clock=time.perf_counter):
    """The median time of a call, and its last result."""
    taken = []
    for _ in range(rounds):
        began = clock()
        result = function()
        taken.append(clock() - began)
    return statistics.median(taken), result


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def shown(value):
    return f"{1000 * value:.3g} ms" if value < 1 else f"{value:.3g} s"


# ---- Text ------------------------------------------------------------------------------------------
def make_text(path, words):
    """Text with word frequencies by Zipf's law, in documents of 200 words."""
    dice = random.Random(1)
    names = ["w" + "".join(chr(97 + (k // 26**p) % 26) for p in range(4)) for k in range(30000)]
    weights = list(itertools.accumulate(1 / (k + 2) for k in range(len(names))))
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(words // 200):
            file.write(" ".join(dice.choices(names, cum_weights=weights, k=200)) + "\n")


def take_text(source, path, words):
    """The first words of a file, tokenized, a document per line."""
    left = words
    with open(source, encoding="utf-8", errors="replace") as lines, \
            open(path, "w", encoding="utf-8") as file:
        for line in lines:
            tokens = psdvec.tokenize(line)[:left]
            if tokens:
                file.write(" ".join(tokens) + "\n")
            left -= len(tokens)
            if left <= 0:
                return


# ---- Loading and queries --------------------------------------------------------------------------
MEMORY = """
import sys
def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])
if sys.argv[1] == "psdvec":
    import psdvec
    before = resident()
    model = psdvec.load(sys.argv[2])
else:
    from gensim.models import KeyedVectors
    before = resident()
    model = KeyedVectors.load(sys.argv[2])
print((resident() - before) / 1024)
"""


def memory(program, path):
    """The memory in MiB that loading a model adds to a fresh process."""
    return float(subprocess.run([sys.executable, "-c", MEMORY, program, path], check=True, text=True,
                                capture_output=True).stdout)


def bench_vectors(folder, gensim):
    from gensim.models import KeyedVectors
    dice = np.random.default_rng(1)
    words = [f"word{k}" for k in range(WORDS)]
    theirs = KeyedVectors(DIM)
    theirs.add_vectors(words, dice.standard_normal((WORDS, DIM)).astype(np.float32))
    paths = {name: os.path.join(folder, name) for name in ("m.safetensors", "m.kv", "m.bin")}
    psdvec.from_gensim(theirs).save(paths["m.safetensors"])
    theirs.save(paths["m.kv"])
    theirs.save_word2vec_format(paths["m.bin"], binary=True)

    ours, model = seconds(lambda: psdvec.load(paths["m.safetensors"]), 20)
    native, theirs = seconds(lambda: KeyedVectors.load(paths["m.kv"]), 5)
    binary, _ = seconds(lambda: KeyedVectors.load_word2vec_format(paths["m.bin"], binary=True))
    size = f"{WORDS:,} x {DIM}"
    row(f"load a model, {size}", shown(ours), f"`KeyedVectors.load`: {shown(native)}",
        f"{native / ours:.1f}")
    row(f"load a model, {size}", shown(ours), f"`load_word2vec_format`: {shown(binary)}",
        f"{binary / ours:.0f}")
    mine, other = (memory(p, paths[n]) for p, n in (("psdvec", "m.safetensors"), ("gensim", "m.kv")))
    row("memory that loading adds", f"{mine:.1f} MiB", f"`KeyedVectors.load`: {other:.1f} MiB",
        f"{other / mine:.1f}")

    asked = words[::WORDS // 1000][:1000]
    theirs.most_similar(asked[0]), model.most_similar(asked[0])  # normalise once
    at_once, a = seconds(lambda: model.most_similar_many(asked, topn=10), 3)
    one_by_one, b = seconds(lambda: [theirs.most_similar(word, topn=10) for word in asked])
    same = sum([w for w, _ in x] == [w for w, _ in y] for x, y in zip(a, b))
    assert same >= 990, f"only {same} of 1,000 answers are the same"
    row("nearest 10 of 1,000 words", f"in one call: {shown(at_once)}",
        f"one by one: {shown(one_by_one)}", f"{one_by_one / at_once:.1f}")
    single, _ = seconds(lambda: [model.most_similar(word, topn=10) for word in asked])
    row("nearest 10 of 1,000 words", f"one by one: {shown(single)}",
        f"one by one: {shown(one_by_one)}", f"{one_by_one / single:.1f}")


# ---- Training and iterables ------------------------------------------------------------------------
def bench_training(path, threads, dim, min_count, epochs=5):
    """As bench_iterables."""
    from gensim.models import Word2Vec
    clock, name = (time.process_time, ", CPU time") if threads == 1 else (time.perf_counter, "")
    with open(path, encoding="utf-8") as file:
        tokens = [line.split() for line in file]
    count = sum(map(len, tokens))
    ours, model = seconds(lambda: psdvec.train(tokens, dim=dim, min_count=min_count,
                                               threads=threads, progress=False), clock=clock)
    for method, sg in (("skip-gram", 1), ("CBOW", 0)):
        theirs, _ = seconds(lambda: Word2Vec(tokens, vector_size=dim, min_count=min_count, sg=sg,
                                             epochs=epochs, workers=threads), clock=clock)
        row(f"train on {count:,} tokens in lists, {len(model):,} words, {dim} dimensions, "
            f"{threads} thread{'s' * (threads > 1)}{name}", shown(ours),
            f"`Word2Vec`, {method}, {epochs} epochs: {shown(theirs)}", f"{theirs / ours:.1f}")


def bench_iterables(path, threads):
    """CPU time with one thread, which other programs on the machine do not disturb."""
    clock, counted = (time.process_time, "count, CPU time") if threads == 1 \
        else (time.perf_counter, "count")
    with open(path, encoding="utf-8") as file:
        texts = file.read().splitlines()
    tokens = [text.split() for text in texts]
    options = {"window": 5, "min_count": 5, "threads": threads, "progress": False}
    file_words, reference = seconds(lambda: psdvec.count(path, **options), 5, clock)
    file_tokens, _ = seconds(lambda: psdvec.count(path, tokenizer="whitespace", **options), 5, clock)
    for name, source, compared in (
            ("list of str", lambda: texts, file_words),
            ("generator of str", lambda: (text for text in texts), file_words),
            ("numpy array of objects", lambda: np.array(texts, dtype=object), file_words),
            ("list of token lists", lambda: tokens, file_tokens),
            ("generator of token lists", lambda: (t for t in tokens), file_tokens)):
        taken, counts = seconds(lambda: psdvec.count(source(), **options), 5, clock)
        assert counts.info["tokens"] == reference.info["tokens"]
        row(f"{counted}: {name}", shown(taken), f"a file: {shown(compared)}",
            f"{compared / taken:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", nargs="?", help="a text with a document per line")
    parser.add_argument("--words", type=int, default=2000000, help="words of the text to use")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--dim", type=int, default=100, help="dimensions for training")
    parser.add_argument("--min-count", type=int, default=5, help="vocabulary for training")
    parser.add_argument("--only", choices=["vectors", "training", "iterables"])
    asked = parser.parse_args()
    import gensim
    row("task", "psdvec", "compared with", "ratio")
    row("---", "--:", "--:", "--:")
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "text.txt")
        if asked.only in (None, "vectors"):
            bench_vectors(folder, gensim)
        if asked.only != "vectors":
            take_text(asked.text, path, asked.words) if asked.text else make_text(path, asked.words)
        if asked.only in (None, "training"):
            bench_training(path, asked.threads, asked.dim, asked.min_count)
        if asked.only in (None, "iterables"):
            bench_iterables(path, asked.threads)


if __name__ == "__main__":
    main()
