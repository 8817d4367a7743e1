# SPDX-License-Identifier: Apache-2.0
"""In-batch softmax of queries and candidates, B x D each, with both gradients. Variants:

  cross_entropy  scores = Q C^T / T, torch.nn.functional.cross_entropy, backward
  log-Q          the same with log Q subtracted and a batch's further rows of the own item masked
  manual         no autograd: softmax in place, its diagonal less one, two products
"""

import argparse

import torch

from common import Budget, measure, report

TEMPERATURE = 0.5


def autograd(loss_of, queries, candidates):
    def step():
        queries.grad = candidates.grad = None
        loss_of().backward()

    return step


def work_of(variant, rows, dim):
    queries = (torch.rand(rows, dim) - 0.5).requires_grad_()
    candidates = (torch.rand(rows, dim) - 0.5).requires_grad_()
    own = torch.arange(rows)
    # Every item eight times, as bench_engine has it.
    items = torch.arange(rows) // 8
    log_q = torch.rand(rows)

    def plain():
        return torch.nn.functional.cross_entropy(queries @ candidates.T / TEMPERATURE, own)

    def corrected():
        scores = queries @ candidates.T / TEMPERATURE - log_q
        hits = items[:, None] == items[None, :]
        hits.fill_diagonal_(False)
        return torch.nn.functional.cross_entropy(scores.masked_fill(hits, float("-inf")), own)

    def manual():
        with torch.inference_mode():
            share = torch.mm(queries, candidates.T).div_(TEMPERATURE).softmax(1)
            share.diagonal().sub_(1)
            share.div_(rows * TEMPERATURE)
            return torch.mm(share, candidates), torch.mm(share.T, queries)

    if variant == "manual":
        return manual
    if variant == "log-Q":
        return autograd(corrected, queries, candidates)
    return autograd(plain, queries, candidates)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", choices=["cross_entropy", "log-Q", "manual"])
    parser.add_argument("--rows", type=int, nargs="+", default=[8192])
    parser.add_argument("--dim", type=int, default=64)
    Budget.add_to(parser)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)
    for rows in arguments.rows:
        work = work_of(arguments.variant, rows, arguments.dim)
        seconds = measure(Budget(arguments), work)
        report(seconds, rows=rows, dim=arguments.dim, threads=torch.get_num_threads())


if __name__ == "__main__":
    main()
