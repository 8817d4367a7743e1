# SPDX-License-Identifier: Apache-2.0
"""One epoch of the two-tower model of `movielens-retrieval` in PyTorch: 80 batches of 1,000,
embeddings of 32, mean squared error, Adagrad. The variants are ways in which one would write it:

  dense     nn.Embedding, torch.optim.Adagrad
  foreach   the same with foreach=True
  fused     the same with fused=True
  sparse    nn.Embedding(sparse=True), torch.optim.Adagrad
  compiled  dense, with forward and loss through torch.compile
  manual    no autograd and no optimizer object: gradients by hand, index_add_, addcdiv_
"""

import argparse

import torch

from common import Budget, load_ratings, measure, report

DIM = 32
BATCH = 1000
LEARNING_RATE = 0.2
INITIAL_ACCUMULATOR = 0.1
EPSILON = 1e-7


def autograd_step(variant, user_count, item_count):
    """Returns step(users, items, ratings) -> loss as a number."""
    sparse = variant == "sparse"
    user = torch.nn.Embedding(user_count, DIM, sparse=sparse)
    item = torch.nn.Embedding(item_count, DIM, sparse=sparse)
    for table in (user, item):
        torch.nn.init.uniform_(table.weight, -0.05, 0.05)
    choice = {"foreach": {"foreach": True}, "fused": {"fused": True}}.get(variant, {})
    optimizer = torch.optim.Adagrad(
        [user.weight, item.weight],
        lr=LEARNING_RATE,
        initial_accumulator_value=INITIAL_ACCUMULATOR,
        eps=EPSILON,
        **choice,
    )
    criterion = torch.nn.MSELoss()

    def loss_of(users, items, ratings):
        return criterion((user(users) * item(items)).sum(1), ratings)

    if variant == "compiled":
        loss_of = torch.compile(loss_of)

    def step(users, items, ratings):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(users, items, ratings)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def manual_step(user_count, item_count):
    """The same by hand, in as few tensor operations as there are."""
    tables = [torch.empty(count, DIM).uniform_(-0.05, 0.05) for count in (user_count, item_count)]
    accumulators = [torch.full_like(table, INITIAL_ACCUMULATOR) for table in tables]
    gradients = [torch.zeros_like(table) for table in tables]

    @torch.no_grad()
    def step(users, items, ratings):
        ids = (users, items)
        user, item = (table.index_select(0, rows) for table, rows in zip(tables, ids))
        error = (user * item).sum(1) - ratings
        scale = (error * (2.0 / len(error))).unsqueeze(1)
        for gradient, rows, other in zip(gradients, ids, (item, user)):
            gradient.zero_().index_add_(0, rows, other * scale)
        for table, accumulator, gradient in zip(tables, accumulators, gradients):
            accumulator.addcmul_(gradient, gradient)
            table.addcdiv_(gradient, (accumulator + EPSILON).sqrt_(), value=-LEARNING_RATE)
        return (error.dot(error) / len(error)).item()

    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "variant", choices=["dense", "foreach", "fused", "sparse", "compiled", "manual"]
    )
    parser.add_argument("--data", required=True, help="MovieLens-100K folder")
    Budget.add_to(parser)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)

    users, items, ratings, user_count, item_count = load_ratings(arguments.data)
    columns = [torch.from_numpy(column).split(BATCH) for column in (users, items, ratings)]
    batches = list(zip(*columns))
    if arguments.variant == "manual":
        step = manual_step(user_count, item_count)
    else:
        step = autograd_step(arguments.variant, user_count, item_count)
    losses = []

    def epoch():
        losses.append(sum(step(*batch) for batch in batches) / len(batches))

    seconds = measure(Budget(arguments), epoch)
    report(
        seconds,
        threads=torch.get_num_threads(),
        examples_per_second=len(users) / sorted(seconds)[len(seconds) // 2],
        first_loss=losses[0],
        last_loss=losses[-1],
    )


if __name__ == "__main__":
    main()
