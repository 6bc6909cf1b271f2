#!/usr/bin/env python3
"""Compares two models of the same text that were trained on different machines or by different
kernels: python3 scripts/compare_models.py ONE TWO. Needs numpy.

Prints the largest difference of a cosine between two of the 2,000 most frequent words, the share of
their ten nearest neighbours that are the same, and the smallest cosine between a word's vectors in
the two models (the signs of components may differ). The vectors are those that `psdvec similar`
compares: the read-out, if there is one."""
import json
import struct
import sys

import numpy as np

WORDS, NEIGHBOURS = 2000, 10


def unit_vectors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    tensor = header.get("readout") or header["vectors"]
    if tensor["dtype"] != "F32":
        sys.exit(f"{path}: expected float32, found {tensor['dtype']}")
    begin, end = tensor["data_offsets"]
    vectors = np.frombuffer(data[8 + length + begin : 8 + length + end], dtype="<f4")
    vectors = vectors.reshape(tensor["shape"])[:WORDS].astype(np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def neighbours(cosines):
    cosines = cosines.copy()
    np.fill_diagonal(cosines, -2)
    return np.argsort(-cosines, axis=1, kind="stable")[:, :NEIGHBOURS]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    one, two = (unit_vectors(path) for path in sys.argv[1:])
    if one.shape != two.shape:
        sys.exit(f"the models have different sizes: {one.shape} and {two.shape}")
    first, second = one @ one.T, two @ two.T
    same = [len(set(a) & set(b)) for a, b in zip(neighbours(first), neighbours(second))]
    signs = np.where((one * two).sum(axis=0) < 0, -1, 1)
    print(
        f"largest difference {np.abs(first - second).max():.6f}, "
        f"same neighbours {np.mean(same) / NEIGHBOURS:.4%}, "
        f"smallest cosine {(one * (two * signs)).sum(axis=1).min():.6f}"
    )


if __name__ == "__main__":
    main()
