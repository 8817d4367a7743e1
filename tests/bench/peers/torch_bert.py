# SPDX-License-Identifier: Apache-2.0
"""A training step of BERT-tiny as a masked language model in PyTorch: texts of equal lengths, so
that nothing is padded, hidden states gathered at the masked positions before the head, AdamW."""

import argparse
import resource

import torch
from torch import nn
from torch.nn import functional

from common import Budget, measure, report

WIDTH, HEADS, UNITS, BLOCKS, PIECES, RATE = 128, 2, 512, 2, 30_522, 0.1


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.up = nn.Linear(WIDTH, UNITS)
        self.down = nn.Linear(UNITS, WIDTH)
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH, eps=1e-12) for _ in range(2))
        self.dropout = nn.Dropout(RATE)

    def forward(self, x):
        batch, length, _ = x.shape
        parts = self.qkv(x).view(batch, length, 3, HEADS, WIDTH // HEADS)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        rate = RATE if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(q, k, v, dropout_p=rate)
        mixed = mixed.transpose(1, 2).reshape(batch, length, WIDTH)
        x = self.norms[0](x + self.dropout(self.out(mixed)))
        up = functional.gelu(self.up(x), approximate="tanh")
        return self.norms[1](x + self.dropout(self.down(up)))


class Bert(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.words = nn.Embedding(PIECES, WIDTH)
        self.positions = nn.Parameter(torch.empty(length, WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = nn.Dropout(RATE)
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.dense = nn.Linear(WIDTH, WIDTH)
        self.head_norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.bias = nn.Parameter(torch.zeros(PIECES))
        for weight in (self.words.weight, self.positions):
            nn.init.trunc_normal_(weight, std=0.02)

    def forward(self, ids, masked):
        x = self.blocks(self.dropout(self.norm(self.words(ids) + self.positions)))
        hidden = x.flatten(0, 1)[masked]
        hidden = self.head_norm(functional.gelu(self.dense(hidden)))
        return functional.linear(hidden, self.words.weight, self.bias)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--length", type=int, default=128)
    parser.add_argument("--masked", type=int, default=20)
    parser.add_argument("--bf16", action="store_true")
    Budget.add_to(parser)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    model = Bert(arguments.length)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01, fused=True)
    ids = torch.randint(5, PIECES, (arguments.batch, arguments.length))
    places = torch.rand(arguments.batch, arguments.length).topk(arguments.masked).indices
    masked = (places + torch.arange(arguments.batch)[:, None] * arguments.length).flatten()
    labels = ids.flatten()[masked]

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=arguments.bf16):
            loss = functional.cross_entropy(model(ids, masked), labels)
        loss.backward()
        optimizer.step()

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = measure(Budget(arguments), step)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report(
        seconds,
        torch=torch.__version__,
        threads=arguments.threads,
        peak_mib=peak // 1024,
        library_mib=before // 1024,
    )


if __name__ == "__main__":
    main()
