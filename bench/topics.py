#!/usr/bin/env python3
"""Classifies documents by their topics, and compares topics with LDA.

    bench/topics.py --model wiki.safetensors --train train.tsv --test test.tsv

The files have lines of a label, a tab and the text. `--spans` files, in the same order, give the part
of each text that is used: columns id, start, end. `--features` lists sets of features; `mean+topics`
joins two of them:

    bow         counts of words, as log(1 + n), with or without inverse document frequencies, each
                document scaled to length 1
    mean        mean word vectors (psdvec.sklearn.PsdvecVectorizer)
    topicvec    topics per class, with the model of TopicVec
    classes     the same with the default model of psdvec
    topics      topics that are learnt without labels

All features but those of `bow` are standardised. The classifier is a linear SVM with squared hinge
loss and an l2 penalty, one class against the rest. The penalty, the transformation of the features
and, for `classes`, the precision of residuals are chosen on the last fifth of the training documents
of each class, with topics and classifiers of the rest; the F1 there is in parentheses. (A random
fifth has answers to many posts of 20 Newsgroups, the test part has few.) `--quality` compares topics
with LDA of gensim and scikit-learn instead.

Needs the Python package of psdvec and scikit-learn; `--quality` also gensim.
"""

import argparse
import gzip
import subprocess
import sys
import time

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import precision_recall_fscore_support
from sklearn.preprocessing import Normalizer, StandardScaler
from sklearn.svm import LinearSVC

import psdvec
from psdvec.sklearn import PsdvecVectorizer

FEATURES = ("bow", "mean", "topicvec", "classes", "topics", "mean+topicvec", "mean+classes",
            "mean+topics", "bow+mean", "bow+classes")
PENALTIES = (0.3, 1.0, 3.0)  # C of LinearSVC, smallest first


def lines(path):
    """The lines of a file, which may be compressed."""
    if path.endswith(".zst"):
        data = subprocess.run(["zstdcat", path], stdout=subprocess.PIPE, check=True).stdout
    else:
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
            data = file.read()
    return data.decode("utf-8", "replace").rstrip("\n").split("\n")


def read(path, spans):
    """Labels and texts."""
    labels, texts = zip(*(line.split("\t", 1) for line in lines(path)))
    if spans:
        parts = [line.split("\t") for line in lines(spans)]
        assert len(parts) == len(texts), "the spans are not those of the texts"
        texts = [text[int(start):int(end)] for text, (_, start, end) in zip(texts, parts)]
    return list(labels), list(texts)


# ---- Features ------------------------------------------------------------------------------------

def shares(counts):
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-9)


# Transformations of evidence, and of expected counts.
SCALES = {"root shares": lambda c: np.sqrt(shares(c)), "log": np.log1p}


def standard(pair):
    """Columns of the first part get mean 0 and a common variance such that rows have a mean square
    length of 1."""
    scaler = StandardScaler().fit(pair[0])
    return [(scaler.transform(part) / np.sqrt(part.shape[1])).astype(np.float32) for part in pair]


class Task:
    """Learns from the first part and is tested with the second; each is labels and texts."""

    def __init__(self, options, model, train, test):
        self.options, self.model = options, model
        self.labels, self.texts = train
        self.test_labels, self.test_texts = test
        self.kept = {}

    def inner(self):
        """A task with four fifths of the training part, tested with the rest."""
        if "inner" not in self.kept:
            picks, labels = ([], []), np.array(self.labels)
            for label in np.unique(labels):
                places = np.flatnonzero(labels == label)
                cut = len(places) * 4 // 5
                picks[0].extend(places[:cut])
                picks[1].extend(places[cut:])
            self.kept["inner"] = Task(self.options, self.model, *(
                ([self.labels[d] for d in pick], [self.texts[d] for d in pick]) for pick in picks))
        return self.kept["inner"]

    def learn(self, kind="", **settings):
        """Topics of the documents, transformed in several ways."""
        began = time.process_time()
        found = psdvec.learn_topics(self.model, self.texts, labels=self.labels,
                                    threads=self.options.threads, progress=False, **settings)
        print(f"  {len(found)} topics, {time.process_time() - began:.1f} s", file=sys.stderr)
        sets = {}
        for what in self.options.numbers.split(","):
            pair = [np.maximum(found.transform(texts, **{what: True}), 0).astype(np.float64)
                    for texts in (self.texts, self.test_texts)]
            sets.update({f"{kind}{what}, {name}": standard([scale(part) for part in pair])
                         for name, scale in SCALES.items()})
        return sets

    def mean(self):
        vectorizer = PsdvecVectorizer(model=self.model, norm=None).fit(self.texts)
        pair = [vectorizer.transform(texts) for texts in (self.texts, self.test_texts)]
        return {"": standard(pair)}

    def bow(self):
        vectorizer = CountVectorizer(min_df=2)
        pair = [vectorizer.fit_transform(self.texts), vectorizer.transform(self.test_texts)]
        counts = np.asarray((pair[0] > 0).sum(axis=0)).ravel()
        weights = {"plain": np.ones_like(counts), "idf": np.log(len(self.texts) / counts)}
        return {name: [Normalizer().transform(part.astype(np.float64).log1p() @ sparse.diags(weight))
                       for part in pair] for name, weight in weights.items()}

    def topicvec(self):
        return self.learn(by="label", topics=self.options.per_class + 1, preset="topicvec",
                           vocabulary="documents", steps="newton", start="clusters")

    def classes(self):
        found = {}
        for precision in self.options.residual_precision.split(","):
            found.update(self.learn(f"precision {precision}, ", by="label",
                                     topics=self.options.per_class, residual_precision=precision))
        return found

    def topics(self):
        return self.learn(topics=self.options.topics)

    def features(self, name):
        """Sets of features of both parts, to choose from."""
        if name not in self.kept:
            found = {"": None}
            for part in name.split("+"):
                if part not in self.kept:
                    self.kept[part] = getattr(self, part)()
                found = {", ".join(filter(None, (before, kind))): join(pair, other)
                         for before, pair in found.items()
                         for kind, other in self.kept[part].items()}
            self.kept[name] = found
        return self.kept[name]

    def score(self, pair, penalties):
        """Macro precision, recall and F1, and accuracy, for each penalty."""
        return [[100 * x for x in (*precision_recall_fscore_support(
            self.test_labels, predicted, average="macro", zero_division=0)[:3],
            np.mean(predicted == np.array(self.test_labels)))]
            for predicted in classify(pair, self.labels, penalties)]

    def classify(self, name):
        inner = self.inner()
        tried = [(scores[2], kind, penalty) for kind, pair in inner.features(name).items()
                 for penalty, scores in zip(PENALTIES, inner.score(pair, PENALTIES))]
        chosen, kind, penalty = max(tried)
        found = self.score(self.features(name)[kind], [penalty])[0]
        print(f"| {name} | " + " | ".join(f"{x:.1f}" for x in found)
              + f" | {kind}{', ' if kind else ''}C = {penalty:g} ({chosen:.1f}) |", flush=True)


def join(pair, other):
    if pair is None:
        return other
    stack = sparse.hstack if any(map(sparse.issparse, (pair[0], other[0]))) else np.hstack
    return [stack(parts, format="csr") if stack is sparse.hstack else stack(parts)
            for parts in zip(pair, other)]


# ---- The classifier ------------------------------------------------------------------------------

def classify(pair, labels, penalties):
    """Predicted labels for each penalty."""
    if not sparse.issparse(pair[0]):
        return classify_dense(pair, labels, penalties)
    return (LinearSVC(C=penalty, tol=1e-2, random_state=1).fit(pair[0], labels).predict(pair[1])
            for penalty in penalties)


def classify_dense(pair, labels, penalties):
    """The same for dense features, where liblinear is slow: all classes are learnt together, with
    products of matrices."""
    names = np.unique(labels)
    signs = np.where(np.array(labels)[:, None] == names, 1, -1).astype(np.float32)
    x, size = pair[0], (pair[0].shape[1] + 1, len(names))

    def loss(flat, penalty):
        weights = flat.reshape(size).astype(np.float32)
        gap = np.maximum(0, 1 - signs * (x @ weights[:-1] + weights[-1]))
        pull = -2 * penalty * signs * gap
        slope = np.vstack([weights[:-1] + x.T @ pull, pull.sum(axis=0)])
        return (0.5 * (weights[:-1] ** 2).sum(dtype=np.float64)
                + penalty * (gap ** 2).sum(dtype=np.float64), slope.ravel().astype(np.float64))
    flat = np.zeros(size).ravel()
    for penalty in penalties:
        flat = minimize(loss, flat, (np.float32(penalty),), "L-BFGS-B", jac=True,
                        options={"maxiter": 100, "ftol": 1e-6}).x
        weights = flat.reshape(size)
        yield names[np.argmax(pair[1] @ weights[:-1] + weights[-1], axis=1)]


# ---- Quality of topics --------------------------------------------------------------------------

def perplexity(distributions, mixtures, hidden):
    """Of the hidden half: distributions (topics x words), mixtures (documents x topics)."""
    total = 0.0
    for d in range(hidden.shape[0]):
        row = hidden[d]
        total += row.data @ np.log(np.maximum(mixtures[d] @ distributions[:, row.indices], 1e-38))
    return np.exp(-total / hidden.sum())


def halves(counts):
    """Each document divided in two: occurrences in turn, as psdvec topics compare does."""
    first, second = counts.copy(), counts.copy()
    for d in range(counts.shape[0]):
        span = slice(counts.indptr[d], counts.indptr[d + 1])
        place = np.concatenate([[0], np.cumsum(counts.data[span])[:-1]]).astype(int)
        hidden = (counts.data[span] + (place & 1)) // 2
        second.data[span], first.data[span] = hidden, counts.data[span] - hidden
    first.eliminate_zeros()
    second.eliminate_zeros()
    return first, second


def describe(distributions, train, test, words=10, relevance=0.25):
    """Coherence in both parts, and diversity: the share of distinct words among describing words,
    which are chosen as psdvec does."""
    base = np.asarray(train.sum(axis=0)).ravel() / train.sum()
    rare = min(40 / train.sum(), 1e-4)
    lists = [np.argsort(-(np.log(p + 1e-300) - (1 - relevance) * np.log(base + rare)),
                        kind="stable")[:words] for p in distributions]
    return (coherence(lists, train), coherence(lists, test),
            len({w for chosen in lists for w in chosen}) / sum(map(len, lists)))


def coherence(lists, counts):
    """Mean NPMI of pairs of words of a list, by the documents that have them."""
    present = (counts > 0).astype(np.float64).tocsc()
    n, values = counts.shape[0], []
    for chosen in lists:
        part = present[:, chosen]
        both = (part.T @ part).toarray() / n
        for a in range(len(chosen)):
            for b in range(a):
                p = both[a, b]
                values.append(-1 if p == 0 else
                              1 if p == 1 else np.log(p / both[a, a] / both[b, b]) / -np.log(p))
    return np.mean(values)


def quality(task):
    """psdvec and LDA on the same vocabulary."""
    from gensim.matutils import Sparse2Corpus
    from gensim.models import LdaModel
    from sklearn.decomposition import LatentDirichletAllocation
    k = task.options.topics
    print("| | perplexity | coherence in training documents | in test documents | diversity | CPU s |"
          "\n|---|---|---|---|---|---|")

    def line(name, values, seconds):
        print(f"| {name} | {values[0]:.0f} | {values[1]:.3f} | {values[2]:.3f} | {values[3]:.2f} "
              f"| {seconds:.1f} |", flush=True)
    for iterations in (5, 60):
        began = time.process_time()
        topics = psdvec.learn_topics(task.model, task.texts, topics=k, threads=1, progress=False,
                                     iterations=iterations)
        seconds = time.process_time() - began
        held_out, seen = topics.evaluate(task.test_texts), topics.evaluate(task.texts)
        line(f"psdvec, {topics.info['iterations']} iterations",
             (held_out.perplexity, seen.coherence, held_out.coherence, held_out.diversity), seconds)
    vocabulary = topics.vocabulary
    vectorizer = CountVectorizer(vocabulary=vocabulary, lowercase=False, analyzer=lambda words: words)
    train, test = (vectorizer.transform(psdvec.tokenize_documents(texts))
                   for texts in (task.texts, task.test_texts))
    first, second = halves(test)
    for iterations in (10, 30):
        lda = LatentDirichletAllocation(k, doc_topic_prior=.1, topic_word_prior=.01,
                                        learning_method="batch", max_iter=iterations, random_state=1)
        began = time.process_time()
        lda.fit(train)
        seconds = time.process_time() - began
        words = lda.components_ / lda.components_.sum(axis=1, keepdims=True)
        line(f"LDA, scikit-learn, {iterations} iterations",
             (perplexity(words, lda.transform(first), second), *describe(words, train, test)),
             seconds)
    corpus = Sparse2Corpus(train, documents_columns=False)
    for passes in (5, 20):
        began = time.process_time()
        lda = LdaModel(corpus, k, id2word=dict(enumerate(vocabulary)), passes=passes,
                       alpha=[.1] * k, eta=.01, random_state=1)
        seconds = time.process_time() - began
        words = lda.get_topics()
        gamma, _ = lda.inference(list(Sparse2Corpus(first, documents_columns=False)))
        mixtures = gamma / gamma.sum(axis=1, keepdims=True)
        line(f"LDA, gensim, {passes} passes",
             (perplexity(words, mixtures, second), *describe(words, train, test)), seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--train", required=True)
    parser.add_argument("--test", required=True)
    parser.add_argument("--train-spans")
    parser.add_argument("--test-spans")
    parser.add_argument("--per-class", type=int, default=15, help="topics of each class")
    parser.add_argument("--topics", type=int, default=50, help="topics without classes")
    parser.add_argument("--residual-precision", default="3", help="of `classes`, to choose from")
    parser.add_argument("--numbers", default="evidence", help="of topics: evidence, counts or both")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--features", default=",".join(FEATURES))
    parser.add_argument("--quality", action="store_true")
    options = parser.parse_args()
    task = Task(options, psdvec.load(options.model), read(options.train, options.train_spans),
                read(options.test, options.test_spans))
    print(f"{len(task.texts)} documents, {len(set(task.labels))} classes; "
          f"{len(task.test_texts)} to test", file=sys.stderr)
    if task.options.quality:
        return quality(task)
    print("| features | precision | recall | F1 | accuracy | chosen |\n|---|---|---|---|---|---|",
          flush=True)
    for name in task.options.features.split(","):
        task.classify(name)
    print(f"CPU time: {time.process_time():.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
