# SPDX-License-Identifier: Apache-2.0
"""Exact top-10 by inner product with faiss.IndexFlatIP."""

import argparse

import faiss

from common import Budget, load_vectors, measure, report, write_lists


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", required=True)
    parser.add_argument("--queries", required=True)
    parser.add_argument("--dim", type=int, required=True)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--lists")
    Budget.add_to(parser)
    arguments = parser.parse_args()
    faiss.omp_set_num_threads(arguments.threads)

    index = faiss.IndexFlatIP(arguments.dim)
    index.add(load_vectors(arguments.candidates, arguments.dim))
    queries = load_vectors(arguments.queries, arguments.dim)[: arguments.count]
    seconds = measure(Budget(arguments), lambda: index.search(queries, 10))
    if arguments.lists:
        scores, rows = index.search(queries, 10)
        write_lists(arguments.lists, rows, scores)
    report(seconds, threads=faiss.omp_get_max_threads(), options=faiss.get_compile_options())


if __name__ == "__main__":
    main()
