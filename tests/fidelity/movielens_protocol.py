#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the recipe movielens-retrieval-learned by the protocol of Microsoft's recommenders
benchmark on MovieLens-100K, once for each seed, which draws the split and the training.

  75 % of each user's ratings train, 25 % test; every rating is positive; lists of 10 of all items but
  the user's training items. The recipe's settings were chosen on a validation part of the training
  rows; here that part is empty, and the test part is measured once, after the last epoch.

EASE is fitted to the same training items and measured on the same test items, split by split.

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

KEYS = ["ndcg@10", "precision@10", "recall@10"]
# github.com/recommenders-team/recommenders, its benchmark table.
PUBLISHED = {"BiVAE": (0.4751, 0.4118, 0.2191), "BPR": (0.4420, 0.3882, 0.2125),
             "LightGCN": (0.4198, 0.3796, 0.1443), "SAR": (0.3825, 0.3308, 0.1764)}


def answer(command):
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{ran.stderr}")
    return json.loads(ran.stdout)


def measure(arguments, workspace, seed):
    """Figures of the model and of EASE, in the order of KEYS."""
    program = [arguments.program, "--workspace", workspace]
    command = program + ["train", "movielens-retrieval-learned", "--json", "--quiet",
                         "--data", arguments.data]
    settings = ["/dataset/split/validation=0", "/training/checkpoints/best=null",
                "/training/validate_every=0", '/evaluation/metrics=["recall","ndcg","precision"]',
                f"/training/seed={seed}", *arguments.set]
    for setting in settings:
        command += ["--set", setting]
    run = answer(command)["run_id"]
    found = answer(program + ["evaluate", run, "--split", "test", "--json"])
    ease = found["baselines"].get("ease", {})
    return [found["metrics"].get(key) for key in KEYS], [ease.get(key) for key in KEYS]


def summary(name, rows):
    columns = [[row[i] for row in rows if row[i] is not None] for i in range(len(KEYS))]
    line(f"{name}, mean", [statistics.mean(values) if values else None for values in columns])
    line("  standard deviation",
         [statistics.stdev(values) if len(values) > 1 else None for values in columns])


def line(name, values):
    cells = ["     –" if value is None else f"{value:6.4f}" for value in values]
    print(f"{name:<22}" + "   ".join(cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--program", default="build/release/bin/parapet-cli")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--set", action="append", default=[])
    arguments = parser.parse_args()
    print(f"{'':<22}" + "   ".join(f"{name:>6}" for name in ("nDCG", "P", "recall")))
    models, eases = [], []
    with tempfile.TemporaryDirectory() as workspace:
        for seed in range(1, arguments.seeds + 1):
            model, ease = measure(arguments, workspace, seed)
            models.append(model)
            eases.append(ease)
            line(f"seed {seed}", model)
            line("  EASE", ease)
    summary("model", models)
    summary("EASE", eases)
    for name, values in PUBLISHED.items():
        line(name, values)


if __name__ == "__main__":
    main()
