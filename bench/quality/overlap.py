#!/usr/bin/env python3
"""Compare two models by the nearest neighbours of their words.

Prints the share of the ten nearest neighbours that both models have in common, and the relative
Frobenius difference of the cosines, for a random sample of the most frequent words. Only words in
both models are compared, by the read-out if a model has one and --raw is not given. Needs numpy.
"""

import argparse
import json
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(f"{sys.argv[0]}: {sys.executable} has no numpy (Debian: python3-numpy, for /usr/bin/python3)")

TYPES = {"U8": "u1", "I8": "i1", "U64": "<u8", "F16": "<f2", "F32": "<f4"}
TOP, BLOCK, SEED = 10, 128, 7


def read_model(path, raw):
    """The words of a model and its vectors for comparing words, n x N, of length 1."""
    data = np.memmap(path, dtype=np.uint8, mode="r")
    if len(data) < 8:
        raise ValueError("not a safetensors file")
    begin = 8 + int(data[:8].view("<u8")[0])
    if begin > len(data):
        raise ValueError("not a safetensors file")
    header = json.loads(data[8:begin].tobytes())
    kind = header.get("__metadata__", {}).get("format")
    if kind != "psdvec.model":
        raise ValueError(f"not a dense psdvec model: its format is {kind}")

    def tensor(name):
        entry = header[name]
        first, end = entry["data_offsets"]
        return data[begin + first : begin + end].view(TYPES[entry["dtype"]]).reshape(entry["shape"])

    name = "readout" if "readout" in header and not raw else "vectors"
    vectors = tensor(name).astype(np.float32)
    if header[name]["dtype"] == "I8":
        vectors *= tensor("readout.scale" if name == "readout" else "scale")[:, None]
    if raw:
        vectors -= vectors.mean(axis=0)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.maximum(lengths, 1e-30)
    letters, offsets = tensor("words").tobytes(), tensor("offsets").tolist()
    words = [letters[i:j].decode() for i, j in zip(offsets, offsets[1:])]
    return words, vectors


def nearest(cosines):
    return np.argpartition(-cosines, TOP, axis=1)[:, :TOP]


def main():
    def positive(text):
        if not text.isdecimal() or int(text) < 1:
            raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1 up")
        return int(text)

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("a", metavar="A", help="a model: a file of psdvec train or a dense baseline")
    parser.add_argument("b", metavar="B", help="another model")
    parser.add_argument(
        "--words", metavar="N", type=positive, default=1000, help="words in the sample (default: 1000)"
    )
    parser.add_argument(
        "--among",
        metavar="N",
        type=positive,
        default=20000,
        help="draw them from the N most frequent words of A (default: 20000)",
    )
    parser.add_argument(
        "--raw", action="store_true", help="compare the generative vectors, centred, instead of the read-out"
    )
    options = parser.parse_args()

    models = []
    for path in (options.a, options.b):
        try:
            models.append(read_model(path, options.raw))
        except OSError as error:
            sys.exit(f"{parser.prog}: {path}: {error.strerror}")
        except (ValueError, KeyError) as error:
            sys.exit(f"{parser.prog}: {path}: {error}")
    (words_a, a), (words_b, b) = models
    row_b = {word: i for i, word in enumerate(words_b)}
    both = [(i, row_b[word]) for i, word in enumerate(words_a) if word in row_b]
    both = [(i, j) for i, j in both if a[i].any() and b[j].any()]
    if len(both) <= TOP + 1:
        sys.exit(f"{parser.prog}: the models have only {len(both)} words in common")
    a, b = a[[i for i, _ in both]], b[[j for _, j in both]]

    among = min(options.among, len(both))
    count = min(options.words, among)
    sample = np.sort(np.random.default_rng(SEED).choice(among, count, replace=False))
    common = difference = total = 0
    for begin in range(0, count, BLOCK):
        rows = sample[begin : begin + BLOCK]
        cosines_a, cosines_b = a[rows] @ a.T, b[rows] @ b.T
        own = np.arange(len(rows)), rows
        cosines_a[own] = cosines_b[own] = 0
        difference += float(np.sum((cosines_a - cosines_b) ** 2, dtype=np.float64))
        total += float(np.sum(cosines_a**2, dtype=np.float64))
        cosines_a[own] = cosines_b[own] = -2  # a word is not its own neighbour
        for x, y in zip(nearest(cosines_a), nearest(cosines_b)):
            common += len(set(x.tolist()) & set(y.tolist()))
    print(
        f"{100 * common / (TOP * count):.1f} % of the {TOP} nearest words in common, "
        f"cosines differ by {(difference / total) ** 0.5:.3f} "
        f"({count} of the {among} most frequent of {len(both)} words)"
    )


if __name__ == "__main__":
    main()
