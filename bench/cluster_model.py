#!/usr/bin/env python3
"""A model of the time of psdvec-mpi on a cluster; docs/explanation/scale.md explains it.

    python3 bench/cluster_model.py                       predictions, as a Markdown table
    python3 bench/cluster_model.py --check WORDS DIM PAIRS COLUMNS ITERATIONS PROCESSES BYTES
                                                         bytes of a training without words outside the
                                                         core, word order and spelling, predicted and
                                                         measured
Each node runs one process. Change the rates below to those of your cluster.
"""
import argparse
import math

CORES = 32                # per node
COUNTING = 3.5e6          # words per second and core, beyond the memory limit
SPARSE = 10e9             # flops per second and core: products with the sparse matrix
DENSE = 40e9              # the same: dense algebra, regression
BANDWIDTH = 1.25e9        # bytes per second and node (10 Gbit/s)
LATENCY, OVERHEAD = 50e-6, 2e-6  # seconds: of a message; of sending one more at the same time
DISK = 1e9                # bytes per second and node, of the file system that has the counts
CACHE = 128e9             # bytes of memory per node for pages of the counts file

DIM, DIRECTIONS, BLOCK = 300, 256, 32
FIRST, REFINED, REFINEMENTS = 2000, DIM, 3  # columns of the first iteration and of the others
WORDS_A_BLOCK = 20000                       # of the regression
MEETINGS = {True: 21, False: 9}             # exchanges per block: first iteration, refinement


def tile_rows(n):
    units = math.ceil(math.ceil(n / 64) / 512)
    return min(max(units, 1) * 512, 2048)


def shape_of(n, pairs):
    """Row i of the core has n min(1, h / i) entries; h so that there are `pairs` pairs. This is
    near what 16 million words of Wikipedia have."""
    low, high = 1e-9, float(n)
    for _ in range(100):
        h = (low + high) / 2
        if n * h * (1 + math.log(n / h)) < 2 * pairs:
            low = h
        else:
            high = h
    return h


def row_lengths(n, pairs):
    """Rows and entries of each tile."""
    h, size, tiles = shape_of(n, pairs), tile_rows(n), []

    def entries_before(i):
        return n * i if i <= h else n * h * (1 + math.log(i / h))

    for first in range(0, n, size):
        end = min(first + size, n)
        tiles.append((end - first, entries_before(end) - entries_before(first)))
    return tiles


def divide(n, dim, pairs, processes):
    """The tiles of each process: pairs of first tile and end; as src/sparse/division.c does."""
    tiles = row_lengths(n, pairs)
    cost = [rows * dim + entries / 2 for rows, entries in tiles]

    def fill(tile, most):
        total = 0
        while tile < len(cost) and total + cost[tile] <= most:
            total += cost[tile]
            tile += 1
        return tile

    shares, tile = [], 0
    for r in range(processes):
        low, high = 0.0, sum(cost)
        for _ in range(60):
            middle, end = (low + high) / 2, tile
            for _ in range(processes - r):
                end = fill(end, middle)
            low, high = (low, middle) if end == len(cost) else (middle, high)
        end = fill(tile, high * (1 + 1e-9))
        shares.append((tile, end))
        tile = end
    return shares


def nodes_of(first, end):
    """Nodes of the tree over the tiles that tiles first .. end - 1 fill."""
    count = 0
    while first < end:
        node = 1
        while node < 64 and first % (2 * node) == 0 and first + 2 * node <= end:
            node *= 2
        first += node
        count += 1
    return count


class Division:
    def __init__(self, n, dim, pairs, processes):
        self.n, self.processes = n, processes
        tiles = row_lengths(n, pairs)
        shares = divide(n, dim, pairs, processes)
        self.rows = [sum(t[0] for t in tiles[a:b]) for a, b in shares]
        self.entries = [sum(t[1] for t in tiles[a:b]) for a, b in shares]
        self.nodes = sum(nodes_of(a, b) for a, b in shares)
        self.active = sum(b > a for a, b in shares)
        # Rows that each process needs of those after it, if it has any itself.
        self.later = sum(n - sum(self.rows[:r + 1]) for r in range(self.active))
        # Rows of blocks that a process needs in single precision: as many as its widest block of 256
        # rows has dense columns. In the same text, a fifth of n / (i / h), and at most a fifth of n.
        h, self.dense, i = shape_of(n, pairs), 0, 0
        for rows in self.rows[:self.active]:
            wide = math.ceil(0.19 * n * min(1, h / i if i else 1) / 256) * 256
            self.dense += max(wide - rows, 0) if i == 0 else min(wide, i)
            i += rows

    def gram(self, cells):
        """Bytes of the sums of inner products that all processes send."""
        p = self.processes
        return 8 * cells * ((1 - 1 / p) * self.nodes + p - 1)


def core_bytes(division, dim, pairs, columns, first):
    """Sent by all processes in one iteration: blocks, inner products, vectors, residuals, state."""
    n, p = division.n, division.processes
    across = (1 - 1 / division.active) * pairs  # of words of different processes
    blocks = ((p - 1) * 2 * n + 2 * division.dense) * columns
    if first:
        basis = 1.75 * dim + 6 * BLOCK  # columns that a block is orthogonalised against
        sums = division.gram(columns * basis)
    else:
        sums = division.gram(columns * dim * 2 + 2 * dim * dim)
    sums += division.gram(3 * dim * dim)
    vectors = 4 * dim * division.later
    mirrored = (12 if first else 4) * across  # first: columns, and residuals before the first step
    state = 4 * dim * (n - division.rows[0])
    return {"blocks": blocks, "sums": sums, "vectors": vectors, "residuals": mirrored,
            "state": state}


def agreement_time(processes):
    return LATENCY + (processes - 1) * OVERHEAD


def counting(words, bigrams_of, nodes):
    own = bigrams_of(words / nodes)
    work = words / nodes / CORES / COUNTING
    network = 4 * own / BANDWIDTH
    leader = 5 * bigrams_of(words) / BANDWIDTH + 12 * bigrams_of(words) / DISK
    return work + network, leader


def core(n, pairs, nodes):
    """Work, with the largest part of a process, and network."""
    division = Division(n, DIM, pairs, nodes)
    columns = FIRST + REFINEMENTS * REFINED
    iterations = 1 + REFINEMENTS
    largest = max(division.entries) / 2
    work = (4 * largest * columns + iterations * 6 * largest * DIM) / (CORES * SPARSE)
    work += 6 * max(division.rows) * 1.75 * DIM * columns / (CORES * DENSE)
    network = 0
    for first in [True] + [False] * REFINEMENTS:
        count = FIRST if first else REFINED
        parts = core_bytes(division, DIM, pairs, count, first)
        # A process receives all rows of a block, and process 0 the state and most vectors.
        received = (parts["blocks"] + parts["sums"] + parts["residuals"]) / nodes
        received += 4 * DIM * n + parts["state"]
        network += received / BANDWIDTH
        network += MEETINGS[first] * count / BLOCK * agreement_time(nodes)
    return work, network, division


def reading(words, n, bigrams):
    """Every process reads the counts, or the parts of its columns, which are on most pages."""
    size = 12 * bigrams
    passes = 6  # checksums, margins, pairs (twice), joint probability, word order
    blocks = max(words - n, 0) / WORDS_A_BLOCK
    if size <= CACHE:
        return size / DISK
    return (passes * size + blocks * min(size, n * 8 * 4096)) / DISK


def others(words, n, pairs_each, nodes):
    flops = pairs_each * DIM ** 2 / 4 + DIM ** 3 / 3
    return max(words - n, 0) * flops / (nodes * CORES * DENSE) + 4 * DIM * words / BANDWIDTH


def readout(words, bigrams, nodes):
    work = 2 * 2 * DIRECTIONS * bigrams / (nodes * CORES * SPARSE)
    work += 2 * words * (DIM + DIRECTIONS) ** 2 / (nodes * CORES * DENSE)
    joint = 2 * DIM * bigrams / (nodes * CORES * SPARSE)
    # The first columns of all vectors, once for the words that follow and once for those that
    # precede; process 0 gets all rows.
    return work + joint + (4 * DIM + 8 * DIRECTIONS) * words / BANDWIDTH


def writing(words):
    return 8 * DIM * words / DISK


def predictions():
    # Measured at 10^9 and 2 x 10^9 words, and continued with the same exponents.
    def bigrams_of(words):
        return 574e6 * (words / 1e9) ** 0.867

    def vocabulary_of(words):
        return 184460 * (words / 1e9) ** 0.709

    n, pairs_of = 250_000, {1e10: 1.5e9, 1e11: 5e9}
    print("| words | nodes | counting | writing the counts | reading the counts | core: work | "
          "core: network | regression | read-out | writing the model | all, s | pairs of a node, GB |")
    print("|--:|" + "--:|" * 11)
    for words, pairs in pairs_of.items():
        for nodes in (16, 64, 256):
            bigrams, vocabulary = bigrams_of(words), vocabulary_of(words)
            work, network, division = core(n, pairs, nodes)
            parts = [*counting(words, bigrams_of, nodes), reading(vocabulary, n, bigrams), work,
                     network, others(vocabulary, n, 1500, nodes), readout(vocabulary, bigrams, nodes),
                     writing(vocabulary)]
            memory = 14 * max(division.entries) / 1e9
            print(f"| 10^{len(str(int(words))) - 1} | {nodes} | "
                  + " | ".join(f"{x:,.0f}" if x >= 10 else f"{x:.1f}" for x in parts)
                  + f" | {sum(parts):,.0f} | {memory:,.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", nargs=7, type=float)
    given = parser.parse_args()
    if not given.check:
        predictions()
        return
    n, dim, pairs, columns, iterations, processes, measured = given.check
    n, dim, processes = int(n), int(dim), int(processes)
    division = Division(n, dim, pairs, processes)
    total = {}
    for k in range(int(iterations)):
        for name, count in core_bytes(division, dim, pairs, columns if k == 0 else dim,
                                      k == 0).items():
            total[name] = total.get(name, 0) + count
    total["vectors"] += 4 * dim * (n - division.rows[0])  # the result, to process 0
    predicted = sum(total.values())
    print(f"{processes} processes, {division.active} with rows: {predicted / 2**20:.1f} MiB predicted ("
          + ", ".join(f"{name} {count / 2**20:.1f}" for name, count in total.items())
          + f"), {measured / 2**20:.1f} measured, {predicted / measured:.2f}")


if __name__ == "__main__":
    main()
