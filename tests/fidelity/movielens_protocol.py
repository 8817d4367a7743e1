#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the recipe movielens-retrieval-learned by the protocol of Microsoft's recommenders
benchmark on MovieLens-100K, once for each seed, which draws the split and the training.

  75 % of each user's ratings train, 25 % test; every rating is positive; lists of 10 of all items but
  the user's training items. The recipe's settings were chosen on a validation part of the training
  rows; here that part is empty, and the test part is measured once, after the last epoch.

  tests/fidelity/movielens_protocol.py --data ml-100k [--program build/release/bin/parapet-cli]
                                       [--seeds 10] [--set POINTER=VALUE …]

Prints the metrics of each seed, their mean and standard deviation, and published figures.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile

KEYS = ["test_ndcg@10", "test_precision@10", "test_recall@10"]
# github.com/recommenders-team/recommenders, its benchmark table.
PUBLISHED = {"BiVAE": (0.4751, 0.4118, 0.2191), "BPR": (0.4420, 0.3882, 0.2125),
             "LightGCN": (0.4198, 0.3796, 0.1443), "SAR": (0.3825, 0.3308, 0.1764)}


def measure(arguments, workspace, seed):
    command = [arguments.program, "train", "movielens-retrieval-learned", "--json", "--quiet",
               "--workspace", workspace, "--data", arguments.data]
    settings = ["/dataset/split/validation=0", "/training/checkpoints/best=null",
                "/training/validate_every=0", '/evaluation/metrics=["recall","ndcg","precision"]',
                f"/training/seed={seed}", *arguments.set]
    for setting in settings:
        command += ["--set", setting]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{ran.stderr}")
    # The answer is the last line; progress may stand before it.
    return json.loads(ran.stdout.strip().splitlines()[-1])["test"]


def line(name, values):
    cells = ["     –" if value is None else f"{value:6.4f}" for value in values]
    print(f"{name:<20}" + "   ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--program", default="build/release/bin/parapet-cli")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    print(f"{'':<20}" + "   ".join(f"{name:>6}" for name in ("nDCG", "P", "recall")))
    found = []
    with tempfile.TemporaryDirectory() as workspace:
        for seed in range(1, arguments.seeds + 1):
            test = measure(arguments, workspace, seed)
            found.append([test.get(key) for key in KEYS])
            line(f"seed {seed}", found[-1])
    columns = [[row[i] for row in found if row[i] is not None] for i in range(len(KEYS))]
    line("mean", [statistics.mean(values) if values else None for values in columns])
    line("standard deviation",
         [statistics.stdev(values) if len(values) > 1 else None for values in columns])
    for name, values in PUBLISHED.items():
        line(name, values)


if __name__ == "__main__":
    main()
