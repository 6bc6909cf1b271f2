#!/usr/bin/env python3
"""Quality of a map of words: how well neighbours and distances of the vectors are kept.

    bench/map.py MODEL --words 5000 [--seeds 3] [--tsne] [--umap] [--pacmap FOLDER]

Compares the map of psdvec (program psdvec in $PSDVEC or build/psdvec) with scikit-learn's t-SNE, umap-learn
and, if FOLDER has its source, the reference implementation of PaCMAP and LocalMAP
(https://github.com/YingfanWang/PaCMAP, folder source; needs numba), which gets exact neighbours. All get the
same vectors of length 1. Shown are means, and below them the standard deviation between seeds.

    trust   trustworthiness with 10 neighbours (Venna and Kaski 2001)
    kept    share of the 10 nearest neighbours that are among the 10 nearest on the map
    order   share of random triplets of which the map keeps which distance is smaller
    CPU     user and system time of making a map, without compilation by numba
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
import types

import numpy as np
from sklearn.manifold import TSNE
from sklearn.neighbors import NearestNeighbors


def vectors(program, model, words, folder):
    """The read-out of the most frequent words, as rows of length 1."""
    path = os.path.join(folder, "vectors.npy")
    subprocess.run([program, "convert", model, path, "--words", str(words), "-q"], check=True)
    rows = np.load(path).astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1)


def psdvec(program, model, words, folder, options):
    path = os.path.join(folder, "map.tsv")
    subprocess.run([program, "map", model, "--restrict", str(words), "-o", path, "-q", *options], check=True)
    with open(path, newline="", encoding="utf-8") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return np.array([[float(row["x"]), float(row["y"])] for row in table])


def reference(folder, rows, seed, name):
    """PaCMAP or LocalMAP by its authors; the library that it finds neighbours with is replaced."""
    sys.path.insert(0, folder)
    sys.modules.setdefault("faiss", types.ModuleType("faiss"))
    import pacmap.pacmap as source

    def exact(x, count, *_):
        search = NearestNeighbors(n_neighbors=count + 1, algorithm="brute").fit(x)
        distances, found = search.kneighbors(x)
        return None, found[:, 1:].astype(np.int32), distances[:, 1:].astype(np.float32)

    source.compute_nearest_neighbors = exact
    return getattr(source, name)(n_components=2, n_neighbors=None, random_state=seed).fit_transform(rows.copy(), init="pca")


def umap(rows, seed):
    from umap import UMAP

    return UMAP(random_state=seed).fit_transform(rows)


def neighbours(rows):
    return NearestNeighbors(n_neighbors=11, algorithm="auto").fit(rows).kneighbors(rows, return_distance=False)[:, 1:]


def trustworthiness(rows, here):
    """As sklearn.manifold.trustworthiness, but only the ranks that it needs are computed."""
    n, k, sum_, squares = len(rows), here.shape[1], 0, np.einsum("ij,ij->i", rows, rows)
    for first in range(0, n, 500):
        block = np.arange(first, min(n, first + 500))
        distances = squares - 2 * rows[block] @ rows.T
        distances[block - first, block] = -np.inf  # a word itself has the rank 0
        for column in here[block].T:
            ranks = np.sum(distances < distances[block - first, column][:, None], axis=1)
            sum_ += np.sum(np.maximum(ranks - k, 0))
    return 1 - 2 * sum_ / (n * k * (2 * n - 3 * k - 1))


def measure(rows, near, points):
    here = neighbours(points)
    kept = np.mean([len(np.intersect1d(a, b)) / 10 for a, b in zip(near, here)])
    i, j, k = np.random.default_rng(1).integers(0, len(rows), (3, 200000))
    apart = lambda x, a, b: np.linalg.norm(x[a] - x[b], axis=1)
    order = np.mean((apart(rows, i, j) < apart(rows, i, k)) == (apart(points, i, j) < apart(points, i, k)))
    return trustworthiness(rows, here), kept, order


def spent():
    return sum(os.times()[:4])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--words", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=1, help="maps of each kind, of which the mean is shown")
    parser.add_argument("--tsne", action="store_true")
    parser.add_argument("--umap", action="store_true")
    parser.add_argument("--pacmap", metavar="FOLDER")
    arguments = parser.parse_args()
    program = os.environ.get("PSDVEC", "build/psdvec")
    with tempfile.TemporaryDirectory() as folder:
        rows = vectors(program, arguments.model, arguments.words, folder)
        kinds = {
            "psdvec": lambda seed: psdvec(program, arguments.model, arguments.words, folder, ["--seed", str(seed)]),
            "psdvec --local": lambda seed: psdvec(program, arguments.model, arguments.words, folder,
                                                  ["--seed", str(seed), "--local"])}
        if arguments.pacmap:
            for name in ("PaCMAP", "LocalMAP"):
                kinds[name] = lambda seed, name=name: reference(arguments.pacmap, rows, seed, name)
                reference(arguments.pacmap, rows[:500], 0, name)  # compiles
        if arguments.umap:
            kinds["UMAP"] = lambda seed: umap(rows, seed)
            umap(rows[:500], 0)
        if arguments.tsne:
            kinds["t-SNE"] = lambda seed: TSNE(init="pca", random_state=seed).fit_transform(rows)
        near = neighbours(rows)
        print(f"{'map':16}{'trust':>8}{'kept':>8}{'order':>8}{'CPU':>10}")
        for name, make in kinds.items():
            results, times = [], []
            for seed in range(arguments.seeds):
                begin = spent()
                points = make(seed)
                times.append(spent() - begin)
                results.append(measure(rows, near, points))
            print(f"{name:16}" + "".join(f"{x:8.4f}" for x in np.mean(results, axis=0)) + f"{np.mean(times):8.1f} s")
            print(" " * 16 + "".join(f"{x:8.4f}" for x in np.std(results, axis=0, ddof=1 if arguments.seeds > 1 else 0)), flush=True)


if __name__ == "__main__":
    main()
