# SPDX-License-Identifier: Apache-2.0
"""SASRec in PyTorch as its authors train it: a user's events in order are one sequence, and every position
predicts the events that follow. Leave-last-out, lists of the whole catalogue.

Windows, sizes, optimizer and the shared uniform negatives are those that the options say; a row is predicted
from the rows of earlier times, at most LENGTH of them. One JSON line per seed: ndcg@10 and hit@10 of the test
rows after the last epoch, the seconds of the training steps, sequences and targets of an epoch, and the
largest memory of the process."""

import argparse
import json
import pathlib
import resource
import time

import numpy as np
import torch
from torch import nn
from torch.nn import functional

K = 10


def load(path):
    """Users, items from 1 and times of the rows, those of a user in order of time, then of the file. A folder
    of MovieLens-100K, or a file of lines user, item, time with tabs between."""
    path = pathlib.Path(path)
    if path.is_dir():
        rows = np.loadtxt(path / "u.data", dtype=np.int64)[:, [0, 1, 3]]
    else:
        rows = np.loadtxt(path, dtype=np.int64, delimiter="\t")
    order = np.lexsort((np.arange(len(rows)), rows[:, 2], rows[:, 0]))
    return tuple(rows[order].T)


def earlier(users, times):
    """How many rows of its user are at an earlier time than each row."""
    begins = np.searchsorted(users, users)
    counts = np.zeros(len(users), dtype=np.int64)
    for row in range(1, len(users)):
        if users[row] != users[row - 1]:
            continue
        tie = times[row] == times[row - 1]
        counts[row] = counts[row - 1] if tie else row - begins[row]
    return begins, counts


def windows(users, items, begins, before, held, length):
    """Items, predicted items and the positions that predict them, [sequences, length] each with 0 behind the
    last. They are cut from the newest training row on, at most `length` predicted rows each."""
    sequences, targets = [], []
    row = len(users) - 1
    while row >= 0:
        if held[row] or before[row] == 0:
            row -= 1
            continue
        end = begins[row] + before[row]  # of its sequence
        first = max(begins[row], end - length)
        of, predicted = row, []
        while of >= begins[row] and row - of < length and before[of] > 0:
            position = begins[of] + before[of] - 1
            if position < first:
                break
            predicted.append((items[of], position - first))
            of -= 1
        sequences.append(items[first:end])
        targets.append(np.array(predicted))
        row = of
    padded = np.zeros((3, len(sequences), length), dtype=np.int64)
    for index, (sequence, predicted) in enumerate(zip(sequences, targets)):
        padded[0, index, : len(sequence)] = sequence
        padded[1:, index, : len(predicted)] = predicted.T
    return torch.from_numpy(padded)


class Block(nn.Module):
    def __init__(self, arguments):
        super().__init__()
        width, units = arguments.width, arguments.units
        self.heads, self.rate = arguments.heads, arguments.rate
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, units), nn.Linear(units, width)
        self.norms = nn.ModuleList(nn.LayerNorm(width, eps=1e-12) for _ in range(2))
        self.dropout = nn.Dropout(self.rate)
        for layer in (self.qkv, self.out, self.up, self.down):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.norms[0](x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        # Positions after the last item see nothing that it sees, and nobody reads them.
        mixed = functional.scaled_dot_product_attention(
            q, k, v, is_causal=True, dropout_p=self.rate if self.training else 0.0
        )
        x = x + self.dropout(self.out(mixed.transpose(1, 2).reshape(batch, length, width)))
        up = functional.gelu(self.up(self.norms[1](x)))
        return x + self.dropout(self.down(up))


class Sasrec(nn.Module):
    def __init__(self, items, arguments):
        super().__init__()
        self.items = nn.Embedding(items, arguments.width)
        self.positions = nn.Parameter(torch.empty(arguments.length, arguments.width))
        nn.init.uniform_(self.items.weight, -0.05, 0.05)
        nn.init.trunc_normal_(self.positions, std=0.02)
        self.dropout = nn.Dropout(arguments.rate)
        self.blocks = nn.Sequential(*(Block(arguments) for _ in range(arguments.blocks)))
        self.norm = nn.LayerNorm(arguments.width, eps=1e-8)

    def forward(self, history):
        x = self.items(history) + self.positions[: history.shape[1]]
        return self.norm(self.blocks(self.dropout(x)))


def train(model, sequences, arguments, seed):
    """Seconds of the training steps of each epoch."""
    history, predicted, positions = sequences
    optimizer = torch.optim.Adam(model.parameters(), lr=arguments.rate_of_learning, eps=1e-7)
    batches = -(-len(history) // arguments.batch)
    steps = arguments.epochs * batches if arguments.cosine else None
    schedule = steps and torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    generator = torch.Generator().manual_seed(seed)
    items = model.items.num_embeddings
    epochs = []
    for _ in range(arguments.epochs):
        model.train()
        order = torch.randperm(len(history), generator=generator)
        begin = time.perf_counter()
        for first in range(0, len(history), arguments.batch):
            chosen = order[first : first + arguments.batch]
            rows, columns = predicted[chosen].nonzero(as_tuple=True)
            own = predicted[chosen][rows, columns]
            query = model(history[chosen])[rows, positions[chosen][rows, columns]]
            drawn = torch.randint(1, items, (arguments.negatives,), generator=generator)
            negative = query @ model.items(drawn).T
            negative = negative.masked_fill(own[:, None] == drawn[None, :], -torch.inf)
            positive = (query * model.items(own)).sum(1, keepdim=True)
            scores = torch.cat([positive, negative], dim=1)
            loss = functional.cross_entropy(scores, torch.zeros(len(own), dtype=torch.long))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            if schedule:
                schedule.step()
        epochs.append(time.perf_counter() - begin)
    return epochs


@torch.no_grad()
def measure(model, users, items, begins, before, rows, length):
    """NDCG and hit rate of the own item of some rows among all, from the rank that it has."""
    model.eval()
    ranks = []
    for first in range(0, len(rows), 512):
        part = rows[first : first + 512]
        history = np.zeros((len(part), length), dtype=np.int64)
        counts = np.minimum(before[part], length)
        for index, row in enumerate(part):
            end = begins[row] + before[row]
            history[index, : counts[index]] = items[end - counts[index] : end]
        x = model(torch.from_numpy(history))
        counts = torch.from_numpy(counts)
        last = x[torch.arange(len(x)), (counts - 1).clamp(min=0)] * (counts > 0)[:, None]
        scores = last @ model.items.weight.T
        scores[:, 0] = -torch.inf
        own = scores.gather(1, torch.from_numpy(items[part])[:, None])
        ranks.append((scores > own).sum(1) + 1)
    rank = torch.cat(ranks).double()
    hit = (rank <= K).double()
    return (hit / torch.log2(rank + 1)).mean().item(), hit.mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--threads", type=int, default=2)
    for name, default in {"width": 32, "heads": 2, "units": 64, "blocks": 2, "length": 50, "batch": 128, "negatives": 256}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--rate", type=float, default=0.2, help="of dropped values")
    parser.add_argument("--rate-of-learning", type=float, default=0.003)
    parser.add_argument("--cosine", action="store_true", help="let the rate fall to 0 over the run")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    users, items, times = load(arguments.data)
    begins, before = earlier(users, times)
    last = np.append(users[1:] != users[:-1], True)
    held = last | np.append(last[1:], False)  # the last two rows of each user
    sequences = windows(users, items, begins, before, held, arguments.length)
    for seed in arguments.seeds:
        torch.manual_seed(seed)
        model = Sasrec(int(items.max()) + 1, arguments)
        epochs = train(model, sequences, arguments, seed)
        ndcg, hit = measure(
            model, users, items, begins, before, np.flatnonzero(last), arguments.length
        )
        result = {
            "seed": seed,
            "ndcg@10": ndcg,
            "hit@10": hit,
            "train_seconds": sum(epochs),
            "epoch_seconds": min(epochs),
            "sequences": sequences.shape[1],
            "targets": int((sequences[1] > 0).sum()),
            "max_rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "torch": torch.__version__,
            "threads": arguments.threads,
        }
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
