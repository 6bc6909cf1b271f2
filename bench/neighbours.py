"""Finds the ten nearest neighbours of blocks of 256 vectors with numpy, in queries per second.

    neighbours.py VECTORS.npy SECONDS

A float32 matrix product, argpartition for the best ten, and a sort of these: the usual
implementation without a library. Vectors are normalised to length 1 before the measurement. Prints
the best round. bench/neighbours.sh compares it with similar_many.
"""

import sys
import time

import numpy as np

TOP, BLOCK = 10, 256

vectors = np.load(sys.argv[1]).astype(np.float32)
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
queries = vectors[:: max(1, len(vectors) // 1024)][:1024].copy()
transposed = np.ascontiguousarray(vectors.T)
best = 1e30
for right in (vectors.T, transposed):  # the faster layout counts
    until = time.perf_counter() + float(sys.argv[2]) / 2
    at = 0
    while time.perf_counter() < until:
        began = time.perf_counter()
        block = queries[at : at + BLOCK]
        cosines = block @ right
        top = np.argpartition(cosines, -TOP, axis=1)[:, -TOP:]
        found = np.take_along_axis(cosines, top, axis=1)
        order = np.argsort(-found, axis=1)
        top = np.take_along_axis(top, order, axis=1)
        best = min(best, (time.perf_counter() - began) / len(block))
        at = (at + BLOCK) % len(queries)
print(f"{1 / best:.1f}")
