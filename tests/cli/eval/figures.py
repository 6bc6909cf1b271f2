#!/usr/bin/env python3
"""Vectors and test sets for the tests of psdvec eval, and gensim's scores of them.

    figures.py make FOLDER STEMS DIM SEED   vectors.vec, similarity.txt and analogies.txt
    figures.py corpus FOLDER STEMS SEED     corpus.txt and the two sets, for training
    figures.py gensim FOLDER [VECTORS]      figures.tsv on standard output

A word is a stem and one of five forms. Its vector is that of the stem plus that of the form plus
noise, so that words of one stem are similar and most analogies between forms hold. Some questions
have unknown words, some are in capitals.

The figures are of gensim's KeyedVectors.evaluate_word_pairs and evaluate_word_analogies, which
answers by 3CosAdd; those of 3CosMul, which gensim does not evaluate, are computed by the formula in
docs/how-to/evaluate.md.
"""
import random
import sys

FORMS = ["", "s", "ed", "ing", "or"]
SECTIONS = [("plural-of-what", 0, 1), ("who-does-it", 0, 4), ("gram1-past", 0, 2), ("gram2-going-on", 2, 3)]


def stems(count, rng):
    found = []
    while len(found) < count:
        stem = "".join(rng.choice("bdfgklmnprtvz") + rng.choice("aeiou") for _ in range(rng.choice([2, 3])))
        stem += rng.choice("kmnprt")
        if stem not in found:
            found.append(stem)
    return found


def write_sets(folder, names, rng, likeness):
    """`likeness` of two words, each a pair of the number of its stem and of its form."""
    count = len(names)

    def word(stem, form):
        return names[stem] + FORMS[form]

    with open(folder + "/similarity.txt", "w") as out:
        for k in range(4 * count):
            a = (rng.randrange(count), rng.randrange(5))
            same = rng.random() < 0.4
            b = (a[0], rng.randrange(5)) if same else (rng.randrange(count), rng.choice([a[1], rng.randrange(5)]))
            if a == b:
                b = (a[0], (a[1] + 1) % 5)  # of a word and itself, gensim's cosine is not quite 1
            one, two = word(*a), word(*b)
            if k % 9 == 4:
                two = "un" + two  # unknown
            if k % 7 == 2:
                one = one.capitalize()
            # One digit after the decimal point, so that there are ties.
            out.write("%s\t%s\t%.1f\n" % (one, two, min(10, max(0, 5 + 5 * likeness(a, b) + rng.gauss(0, 1.5)))))
    with open(folder + "/analogies.txt", "w") as out:
        for title, f, g in SECTIONS:
            out.write(": %s\n" % title)
            for k in range(2 * count):
                a, c = rng.sample(range(count), 2)
                line = [word(a, f), word(a, g), word(c, f), word(c, g)]
                if k % 11 == 5:
                    line[k % 4] += "ness"  # unknown
                if k % 8 == 3:
                    line = [w.upper() for w in line]
                out.write(" ".join(line) + "\n")


def make(folder, count, dim, seed):
    rng = random.Random(seed)
    names = stems(count, rng)
    stem_vectors = [[rng.gauss(0, 1) for _ in range(dim)] for _ in names]
    form_vectors = [[rng.gauss(0, 0.7) for _ in range(dim)] for _ in FORMS]
    vectors = {}
    for s in range(count):
        for f in range(5):
            vectors[s, f] = [round(x + y + rng.gauss(0, 0.32), 3) for x, y in zip(stem_vectors[s], form_vectors[f])]
    order = list(vectors)
    rng.shuffle(order)
    with open(folder + "/vectors.vec", "w") as out:
        out.write("%d %d\n" % (len(order), dim))
        for s, f in order:
            out.write(names[s] + FORMS[f] + " " + " ".join("%g" % x for x in vectors[s, f]) + "\n")

    def cosine(a, b):
        u, v = vectors[a], vectors[b]
        lengths = sum(x * x for x in u) * sum(x * x for x in v)
        return sum(x * y for x, y in zip(u, v)) / lengths ** 0.5

    write_sets(folder, names, rng, cosine)


def corpus(folder, count, seed):
    """Sentences in which most stems and forms occur with words specific to them."""
    rng = random.Random(seed)
    names = stems(4 * count + 115, rng)
    about, forms, other = names[count:4 * count], names[4 * count:4 * count + 15], names[4 * count + 15:]
    with open(folder + "/corpus.txt", "w") as out:
        for _ in range(100 * count):
            s, f = rng.randrange(count), rng.randrange(5)
            line = [about[s * 3 + rng.randrange(3)], forms[f * 3 + rng.randrange(3)], names[s] + FORMS[f],
                    forms[f * 3 + rng.randrange(3)], about[s * 3 + rng.randrange(3)]]
            line = [w if k == 2 or rng.random() < 0.4 else rng.choice(other) for k, w in enumerate(line)]
            out.write(" ".join(line) + "\n")
    write_sets(folder, names[:count], rng, lambda a, b: 0.6 * (a[0] == b[0]) + 0.3 * (a[1] == b[1]))


def cosmul(vectors, path, restrict, zero):
    """3CosMul by its formula: the right answers and questions of sections and of the complete set."""
    import numpy as np
    keys = vectors.index_to_key[:restrict or None]
    number = {w: k for k, w in enumerate(keys)}
    units = vectors.get_normed_vectors()[:len(keys)].astype(float)
    sections = []
    for line in open(path):
        if line.startswith(": "):
            sections.append([line[2:].strip(), 0, 0])
            continue
        words = [number.get(w, number.get(w.lower())) for w in line.split()]
        if None not in words:
            a, b, c = (units @ units[w] + 1 for w in words[:3])
            scores = b * c / (a + 0.001)
            scores[words[:3]] = -1
            sections[-1][2] += 1
            sections[-1][1] += int(np.argmax(scores)) == words[3]
        elif zero:
            sections[-1][2] += 1
    return sections + [["", sum(s[1] for s in sections), sum(s[2] for s in sections)]]


def figures(folder, path):
    from gensim.models import KeyedVectors
    vectors = KeyedVectors.load_word2vec_format(path, binary=False)
    limit = len(vectors) * 4 // 5
    for unknown in "drop", "zero":
        zero = unknown == "zero"
        _, spearman, _ = vectors.evaluate_word_pairs(folder + "/similarity.txt", dummy4unknown=zero)
        print("%s\t0\tsimilarity\t\tspearman\t%.6f" % (unknown, spearman[0]))
        for restrict in 0, limit:
            analogies = folder + "/analogies.txt"
            _, sections = vectors.evaluate_word_analogies(analogies, dummy4unknown=zero,
                                                          restrict_vocab=restrict or len(vectors))
            for s in sections:
                right, of = len(s["correct"]), len(s["correct"]) + len(s["incorrect"])
                name = "" if s["section"] == "Total accuracy" else s["section"]
                print("%s\t%d\tanalogies\t%s\t3cosadd\t%.6f" % (unknown, restrict, name, right / of))
            for name, right, of in cosmul(vectors, analogies, restrict, zero):
                print("%s\t%d\tanalogies\t%s\t3cosmul\t%.6f" % (unknown, restrict, name, right / of))


if __name__ == "__main__":
    what, where, rest = sys.argv[1], sys.argv[2], sys.argv[3:]
    if what == "make":
        make(where, int(rest[0]), int(rest[1]), int(rest[2]))
    elif what == "corpus":
        corpus(where, int(rest[0]), int(rest[1]))
    else:
        figures(where, rest[0] if rest else where + "/vectors.vec")
