# SPDX-License-Identifier: Apache-2.0
"""One epoch of the ranking model of `movielens-ranking` in PyTorch: two embeddings of 32 side by
side, 64 -> 256 -> 64 -> 1, mean squared error, Adam on the tables, Adagrad on the layers. The
variants are ways in which one would write it:

  dense     nn.Embedding, torch.optim.Adam and torch.optim.Adagrad as they come
  foreach   the same with foreach=True
  fused     the same with fused=True
  compiled  fused, with forward and loss through torch.compile
  lazy      nn.Embedding(sparse=True), torch.optim.SparseAdam: other semantics, rows of the batch only
"""

import argparse

import torch

from common import Budget, load_ratings, measure, report

DIM = 32
LEARNING_RATE = 0.001
INITIAL_ACCUMULATOR = 0.1
EPSILON = 1e-7


class Ranking(torch.nn.Module):
    def __init__(self, user_count, item_count, sparse):
        super().__init__()
        self.user = torch.nn.Embedding(user_count, DIM, sparse=sparse)
        self.item = torch.nn.Embedding(item_count, DIM, sparse=sparse)
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(2 * DIM, 256),
            torch.nn.ReLU(),
            torch.nn.Linear(256, 64),
            torch.nn.ReLU(),
            torch.nn.Linear(64, 1),
        )

    def forward(self, users, items):
        vectors = torch.cat([self.user(users), self.item(items)], 1)
        return self.layers(vectors).squeeze(1)


def make_step(variant, user_count, item_count):
    """Returns step(users, items, ratings) -> loss as a number."""
    model = Ranking(user_count, item_count, variant == "lazy")
    choice = {"foreach": {"foreach": True}, "fused": {"fused": True}, "compiled": {"fused": True}}
    options = choice.get(variant, {})
    tables = [model.user.weight, model.item.weight]
    if variant == "lazy":
        of_tables = torch.optim.SparseAdam(tables, lr=LEARNING_RATE)
    else:
        of_tables = torch.optim.Adam(tables, lr=LEARNING_RATE, eps=EPSILON, **options)
    of_layers = torch.optim.Adagrad(
        model.layers.parameters(),
        lr=LEARNING_RATE,
        initial_accumulator_value=INITIAL_ACCUMULATOR,
        eps=EPSILON,
        **options,
    )
    criterion = torch.nn.MSELoss()

    def loss_of(users, items, ratings):
        return criterion(model(users, items), ratings)

    if variant == "compiled":
        loss_of = torch.compile(loss_of)

    def step(users, items, ratings):
        of_tables.zero_grad(set_to_none=True)
        of_layers.zero_grad(set_to_none=True)
        loss = loss_of(users, items, ratings)
        loss.backward()
        of_tables.step()
        of_layers.step()
        return loss.item()

    return step


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("variant", choices=["dense", "foreach", "fused", "compiled", "lazy"])
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--data", required=True, help="MovieLens-100K folder")
    Budget.add_to(parser)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(0)

    users, items, ratings, user_count, item_count = load_ratings(arguments.data)
    columns = [torch.from_numpy(column) for column in (users, items, ratings)]
    whole = len(users) // arguments.batch * arguments.batch
    batches = list(zip(*(column[:whole].split(arguments.batch) for column in columns)))
    step = make_step(arguments.variant, user_count, item_count)
    losses = []

    def epoch():
        losses.append(sum(step(*batch) for batch in batches) / len(batches))

    seconds = measure(Budget(arguments), epoch)
    report(
        seconds,
        threads=torch.get_num_threads(),
        microseconds_per_step=sorted(seconds)[len(seconds) // 2] / len(batches) * 1e6,
        first_loss=losses[0],
        last_loss=losses[-1],
    )


if __name__ == "__main__":
    main()
