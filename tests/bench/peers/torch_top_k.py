# SPDX-License-Identifier: Apache-2.0
"""Exact top-10 by inner product in PyTorch.

matmul  torch.topk of queries @ candidates.T, in blocks of queries whose scores fit 1 GB
mv      torch.topk of torch.mv(candidates, query): one query
"""

import argparse

import numpy as np
import torch

from common import Budget, load_vectors, measure, report, write_lists

SCORE_BYTES = 1 << 30


def search_by_matmul(candidates, queries, k):
    block = max(1, min(len(queries), SCORE_BYTES // (4 * len(candidates))))

    def search():
        parts = [torch.topk(part @ candidates.T, k) for part in queries.split(block)]
        return torch.cat([part.indices for part in parts]), torch.cat(
            [part.values for part in parts]
        )

    return search


def search_by_mv(candidates, queries, k):
    assert len(queries) == 1, "mv takes one query"

    def search():
        best = torch.topk(torch.mv(candidates, queries[0]), k)
        return best.indices[None], best.values[None]

    return search


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", choices=["matmul", "mv"])
    parser.add_argument("--candidates", required=True)
    parser.add_argument("--queries", required=True)
    parser.add_argument("--dim", type=int, required=True)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--lists")
    Budget.add_to(parser)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)

    candidates = torch.from_numpy(load_vectors(arguments.candidates, arguments.dim))
    queries = torch.from_numpy(load_vectors(arguments.queries, arguments.dim)[: arguments.count])
    make = search_by_matmul if arguments.variant == "matmul" else search_by_mv
    search = make(candidates, queries, 10)
    with torch.inference_mode():
        seconds = measure(Budget(arguments), search)
        rows, scores = search()
    if arguments.lists:
        write_lists(arguments.lists, np.asarray(rows), np.asarray(scores))
    report(seconds, threads=torch.get_num_threads())


if __name__ == "__main__":
    main()
