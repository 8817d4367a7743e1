# SPDX-License-Identifier: Apache-2.0
"""What the peers share: ratings, vectors, measuring, and the JSON line that the harness reads."""

import json
import pathlib
import time

import numpy as np

TRAIN_ROWS = 80_000
SPLIT_SEED = 42


class Budget:
    """How long a piece of work is repeated: at least `runs` times and for `seconds`."""

    def __init__(self, arguments):
        self.seconds = arguments.seconds
        self.runs = arguments.runs

    @staticmethod
    def add_to(parser):
        parser.add_argument("--threads", type=int, default=1)
        parser.add_argument("--seconds", type=float, default=1.0)
        parser.add_argument("--runs", type=int, default=5)


def measure(budget, work):
    """Seconds of each run of `work`, after one that warms up and is not counted."""
    work()
    seconds = []
    start = time.perf_counter()
    while len(seconds) < budget.runs or time.perf_counter() - start < budget.seconds:
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return seconds


def report(seconds, **fields):
    """One JSON line with the median, best and worst of `seconds`."""
    ordered = sorted(seconds)
    line = {
        "seconds": ordered[len(ordered) // 2],
        "best_seconds": ordered[0],
        "worst_seconds": ordered[-1],
        "runs": len(ordered),
    }
    print(json.dumps(line | fields), flush=True)


def load_ratings(folder):
    """Training users [80000], items [80000] and scaled ratings [80000] of a MovieLens-100K folder,
    shuffled once, with the sizes of both vocabularies (row 0 is nobody)."""
    folder = pathlib.Path(folder)
    rows = np.loadtxt(folder / "u.data", dtype=np.int64)
    order = np.random.default_rng(SPLIT_SEED).permutation(len(rows))[:TRAIN_ROWS]
    users, items, ratings = rows[order, 0], rows[order, 1], rows[order, 2]
    user_count = int(rows[:, 0].max()) + 1
    item_count = sum(1 for _ in open(folder / "u.item", encoding="latin-1")) + 1
    return users, items, ((ratings - 1) / 4).astype(np.float32), user_count, item_count


def load_vectors(path, dim):
    """The float32 vectors [N, dim] of a file that bench_engine wrote."""
    return np.fromfile(path, dtype=np.float32).reshape(-1, dim)


def write_lists(path, rows, scores):
    """[[[row, score], ...] of the first query, ...]."""
    lists = [
        [[int(row), float(score)] for row, score in zip(*query)] for query in zip(rows, scores)
    ]
    pathlib.Path(path).write_text(json.dumps(lists))
