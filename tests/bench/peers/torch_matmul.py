# SPDX-License-Identifier: Apache-2.0
"""Products c = op(a) op(b) with torch.mm into a buffer that is kept. Shapes as 8192x64x8192:TN:
m x n x k, then N or T (stored transposed) for a and b."""

import argparse

import torch

from common import Budget, measure, report


def operand(rows, columns, stored):
    """A [rows, columns] matrix; T: a view of one that is stored the other way round."""
    if stored == "T":
        return (torch.rand(columns, rows) - 0.5).T
    return torch.rand(rows, columns) - 0.5


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shapes", nargs="+")
    Budget.add_to(parser)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    for shape in arguments.shapes:
        sizes, stored = shape.split(":")
        m, n, k = map(int, sizes.split("x"))
        a, b, c = operand(m, k, stored[0]), operand(k, n, stored[1]), torch.empty(m, n)
        with torch.inference_mode():
            seconds = measure(Budget(arguments), lambda: torch.mm(a, b, out=c))
        median = sorted(seconds)[len(seconds) // 2]
        report(
            seconds,
            shape=shape,
            threads=torch.get_num_threads(),
            gflops=2 * m * n * k / median / 1e9,
        )


if __name__ == "__main__":
    main()
