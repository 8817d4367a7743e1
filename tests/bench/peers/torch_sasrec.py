# SPDX-License-Identifier: Apache-2.0
"""SASRec in PyTorch as recipe `sasrec` has it, on MovieLens-100K: the next item of a history by an
in-batch softmax with log-Q, leave-last-out, lists of the whole catalogue.

Sizes, batch, epochs, optimizer, negatives and history (the last 50 items of earlier seconds) are those of
the recipe. One JSON line per seed: ndcg@10 and hit@10 of the test rows after the last epoch, and the
seconds of the training steps."""

import argparse
import json
import pathlib
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

WIDTH, HEADS, UNITS, BLOCKS, LENGTH, RATE, BATCH, K = 32, 2, 64, 2, 50, 0.2, 256, 10


def load(folder):
    """Users, items from 1 and times of the rows, those of a user in order of time, then of the file."""
    rows = np.loadtxt(pathlib.Path(folder) / "u.data", dtype=np.int64)
    order = np.lexsort((np.arange(len(rows)), rows[:, 3], rows[:, 0]))
    return rows[order, 0], rows[order, 1], rows[order, 3]


def histories(users, items, times):
    """[N, LENGTH] items of earlier seconds, 0 before them, and how many there are."""
    begins = np.searchsorted(users, users)
    history = np.zeros((len(users), LENGTH), dtype=np.int64)
    counts = np.zeros(len(users), dtype=np.int64)
    end = 0
    for row in range(len(users)):
        if row == 0 or users[row] != users[row - 1] or times[row] != times[row - 1]:
            end = row  # rows of the same second are not before one another
        first = max(begins[row], end - LENGTH)
        counts[row] = end - first
        history[row, : end - first] = items[first:end]
    return history, counts


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, UNITS), nn.Linear(UNITS, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH, eps=1e-12) for _ in range(2))
        self.dropout = nn.Dropout(RATE)
        for layer in (self.qkv, self.out, self.up, self.down):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x):
        batch, length, _ = x.shape
        parts = self.qkv(self.norms[0](x)).view(batch, length, 3, HEADS, WIDTH // HEADS)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        # Positions after the last item see nothing that it sees, and nobody reads them.
        mixed = functional.scaled_dot_product_attention(
            q, k, v, is_causal=True, dropout_p=RATE if self.training else 0.0
        )
        x = x + self.dropout(self.out(mixed.transpose(1, 2).reshape(batch, length, WIDTH)))
        up = functional.gelu(self.up(self.norms[1](x)))
        return x + self.dropout(self.down(up))


class Sasrec(nn.Module):
    def __init__(self, items):
        super().__init__()
        self.items = nn.Embedding(items, WIDTH)
        self.positions = nn.Parameter(torch.empty(LENGTH, WIDTH))
        nn.init.uniform_(self.items.weight, -0.05, 0.05)
        nn.init.trunc_normal_(self.positions, std=0.02)
        self.dropout = nn.Dropout(RATE)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-8)

    def forward(self, history, counts):
        x = self.norm(self.blocks(self.dropout(self.items(history) + self.positions)))
        last = x[torch.arange(len(x)), (counts - 1).clamp(min=0)]
        return last * (counts > 0)[:, None]


def train(model, parts, log_q, arguments, seed):
    history, counts, items = parts
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003, eps=1e-7)
    generator = torch.Generator().manual_seed(seed)
    seconds = 0.0
    for _ in range(arguments.epochs):
        model.train()
        order = torch.randperm(len(items), generator=generator)
        begin = time.perf_counter()
        for first in range(0, len(items), BATCH):
            rows = order[first : first + BATCH]
            own = items[rows]
            scores = model(history[rows], counts[rows]) @ model.items(own).T
            scores = scores - log_q[own]
            hits = (own[:, None] == own[None, :]) & ~torch.eye(len(own), dtype=torch.bool)
            loss = functional.cross_entropy(
                scores.masked_fill(hits, -1e9), torch.arange(len(own))
            )
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        seconds += time.perf_counter() - begin
    return seconds


@torch.no_grad()
def measure(model, history, counts, items):
    """NDCG and hit rate of the own item among all, from the rank that it has."""
    model.eval()
    ranks = []
    for first in range(0, len(items), 1024):
        part = slice(first, first + 1024)
        scores = model(history[part], counts[part]) @ model.items.weight.T
        scores[:, 0] = -torch.inf
        own = scores.gather(1, items[part, None])
        ranks.append((scores > own).sum(1) + 1)
    rank = torch.cat(ranks).double()
    hit = (rank <= K).double()
    return (hit / torch.log2(rank + 1)).mean().item(), hit.mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    users, items, times = load(arguments.folder)
    history, counts = histories(users, items, times)
    last = np.append(users[1:] != users[:-1], True)
    held = last | np.append(last[1:], False)  # the last two rows of each user
    train_rows, test_rows = np.flatnonzero(~held), np.flatnonzero(last)
    rows = int(items.max()) + 1
    frequency = np.bincount(items[train_rows], minlength=rows).clip(min=1) / len(train_rows)
    log_q = torch.from_numpy(np.log(frequency)).float()
    tensor = torch.from_numpy
    parts = [tensor(history[train_rows]), tensor(counts[train_rows]), tensor(items[train_rows])]
    test = [tensor(history[test_rows]), tensor(counts[test_rows]), tensor(items[test_rows])]
    popular = np.argsort(-np.bincount(items[train_rows], minlength=rows), kind="stable")
    place = np.empty(rows)
    place[popular] = np.arange(1, rows + 1)
    rank = place[items[test_rows]]
    print(
        json.dumps(
            {
                "most_popular": {
                    "ndcg@10": float(np.mean((rank <= K) / np.log2(rank + 1))),
                    "hit@10": float(np.mean(rank <= K)),
                }
            }
        ),
        flush=True,
    )
    for seed in arguments.seeds:
        torch.manual_seed(seed)
        model = Sasrec(rows)
        seconds = train(model, parts, log_q, arguments, seed)
        ndcg, hit = measure(model, *test)
        print(
            json.dumps(
                {
                    "seed": seed,
                    "ndcg@10": ndcg,
                    "hit@10": hit,
                    "train_seconds": seconds,
                    "torch": torch.__version__,
                    "threads": arguments.threads,
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
