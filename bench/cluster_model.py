#!/usr/bin/env python3
"""A model of the time of psdvec-mpi on a cluster; docs/explanation/scale.md explains it.

    python3 bench/cluster_model.py                       predictions, as a Markdown table
    python3 bench/cluster_model.py --half --divided      with blocks in half precision, and pairs
                                                         divided among the processes
    python3 bench/cluster_model.py --check WORDS DIM PAIRS COLUMNS BYTES MESSAGES PROCESSES
                                                         bytes of one iteration, predicted and measured
Each node runs one process. Change the rates below to those of your cluster.
"""
import argparse

CORES = 32                # per node
COUNTING = 3.5e6          # words per second and core, beyond the memory limit
SPARSE = 10e9             # flops per second and core: products with the sparse matrix
DENSE = 40e9              # the same: dense algebra, regression
BANDWIDTH = 1.25e9        # bytes per second and node (10 Gbit/s)
LATENCY, OVERHEAD = 50e-6, 2e-6  # seconds: of a message; of sending one more at the same time
DISK = 1e9                # bytes per second, of the file system that has the counts

DIM, BLOCK = 300, 32
FIRST, REFINED, REFINEMENTS = 2000, DIM, 3  # columns of the first iteration and of the others
EXCHANGES = {True: 11, False: 5}            # per block of columns: first iteration, refinement
MESSAGES = 3                                # per exchange and other process


def bytes_received(n, dim, pairs, columns, processes, half=False, divided=False):
    """By one process in one iteration."""
    block = (2 if half else 4) * n * columns
    vectors = 4 * n * dim
    products = 0 if divided else 4 * pairs
    return (1 - 1 / processes) * (block + vectors + products)


def exchange_time(processes):
    return MESSAGES * (LATENCY + (processes - 1) * OVERHEAD)


def counting(words, bigrams_of, nodes):
    own = bigrams_of(words / nodes)
    work = words / nodes / CORES / COUNTING
    network = 4 * own / BANDWIDTH
    leader = 5 * bigrams_of(words) / BANDWIDTH + 12 * bigrams_of(words) / DISK
    return work, network, leader


def core(n, pairs, nodes, half, divided):
    columns = FIRST + REFINEMENTS * REFINED
    iterations = 1 + REFINEMENTS
    work = (4 * pairs * columns + iterations * 6 * pairs * DIM) / (nodes * CORES * SPARSE)
    work += 6 * n * DIM * columns / (nodes * CORES * DENSE)
    network = 0
    for first in [True] + [False] * REFINEMENTS:
        count = FIRST if first else REFINED
        network += bytes_received(n, DIM, pairs, count, nodes, half, divided) / BANDWIDTH
        network += EXCHANGES[first] * count / BLOCK * exchange_time(nodes)
    return work, network


def others(words, n, pairs_each, nodes):
    flops = pairs_each * DIM ** 2 + DIM ** 3 / 3
    return max(words - n, 0) * flops / (nodes * CORES * DENSE) + 4 * DIM * words / BANDWIDTH


def leader_rest(bigrams):
    """Margins, pairs, joint probability and word order: passes over the counts by one node."""
    return 4 * 12 * bigrams / DISK + (2 * DIM + 4 * 256) * bigrams / (CORES * SPARSE)


def predictions(half, divided):
    # Measured at 10^9 and 2 x 10^9 words, and continued with the same exponents.
    def bigrams_of(words):
        return 574e6 * (words / 1e9) ** 0.867

    def vocabulary_of(words):
        return 184460 * (words / 1e9) ** 0.709

    n, pairs_of = 250_000, {1e10: 1.5e9, 1e11: 5e9}
    print("| words | nodes | count: work | network | process 0 | core: work | network | "
          "regression | rest of process 0 | all, s | pairs per node, GB |")
    print("|--:|" + "--:|" * 10)
    for words, pairs in pairs_of.items():
        for nodes in (16, 64, 256):
            count = counting(words, bigrams_of, nodes)
            solve = core(n, pairs, nodes, half, divided)
            rest = others(vocabulary_of(words), n, 1500, nodes)
            end = leader_rest(bigrams_of(words))
            parts = [*count, *solve, rest, end]
            memory = 28 * pairs / (nodes if divided else 1) / 1e9
            print(f"| 10^{len(str(int(words))) - 1} | {nodes} | "
                  + " | ".join(f"{x:,.0f}" if x >= 10 else f"{x:.1f}" for x in parts)
                  + f" | {sum(parts):,.0f} | {memory:,.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--divided", action="store_true")
    parser.add_argument("--check", nargs=7, type=float)
    given = parser.parse_args()
    if given.check:
        n, dim, pairs, columns, measured, messages, processes = given.check
        predicted = processes * bytes_received(n, dim, pairs, columns, processes,
                                               given.half, given.divided)
        each = messages / processes / (processes - 1)
        print(f"{processes:.0f} processes: {predicted / 2**20:.1f} MiB predicted, "
              f"{measured / 2**20:.1f} MiB measured, {each:.1f} messages per pair of processes")
        return
    predictions(given.half, given.divided)


if __name__ == "__main__":
    main()
