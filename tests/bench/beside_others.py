#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training beside other programs: with every core busy, N threads against one, recipe by recipe.

With a loop of arithmetic on every core, `--threads N` may take at most 1.5 times as long as
`--threads 1`, and must give the same losses. Prints a line for each recipe: the median of its
rounds, and the smallest and largest.

  --data is a folder with ml-100k, frappe/frappe.csv, wikitext-2 and bert/vocab.txt; recipes whose
  data are missing there are skipped by name. --only names some of them."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

MOVIELENS, FRAPPE, TEXTS = "ml-100k", "frappe/frappe.csv", "wikitext-2"

# Recipe, its data, epochs and settings: a few seconds of training each.
RECIPES = [
    ("sample", None, 40, {}),
    # A large batch, which several threads share.
    ("movielens-retrieval", MOVIELENS, 400, {"/dataset/batch/size": 16384}),
    ("movielens-retrieval-learned", MOVIELENS, 4, {}),
    # Small steps, which wake the threads often.
    ("movielens-ranking", MOVIELENS, 6, {"/dataset/batch/size": 256}),
    ("movielens-ranking-as-published", MOVIELENS, 4, {}),
    ("movielens-listwise", MOVIELENS, 4, {}),
    ("movielens-multitask", MOVIELENS, 4, {}),
    ("yambda-context", None, 2, {}),
    ("sasrec", None, 1, {}),
    ("bert-tiny-mlm", TEXTS, 1, {"/dataset/slice": "[:800]"}),
    ("bert-tiny-mlm-as-published", TEXTS, 1, {"/dataset/slice": "[:400]"}),
    ("frappe-context", FRAPPE, 1, {}),
    ("dlrm", None, 1, {}),
    ("dcn-v2", None, 1, {}),
]
MOST = 1.5


def command(arguments, workspace, recipe, data, epochs, settings):
    out = [arguments.cli, "--workspace", workspace, "train", recipe, "--epochs", epochs]
    out += ["--json", "--quiet"]
    if data:
        out += ["--data", pathlib.Path(arguments.data) / data]
    settings = {**settings, "/training/validate_every": 0, "/training/checkpoints/best": "null"}
    settings["/training/early_stopping"] = "null"
    if data == TEXTS:
        vocabulary = pathlib.Path(arguments.data).resolve() / "bert" / "vocab.txt"
        settings["/dataset/text/vocabulary"] = vocabulary
    for pointer, value in settings.items():
        out += ["--set", f"{pointer}={value}"]
    return list(map(str, out))


def train(arguments, workspace, entry, threads):
    asked = command(arguments, workspace, *entry) + ["--threads", str(threads)]
    done = subprocess.run(asked, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(asked)}\n{done.stderr}")
    answer = json.loads(done.stdout)
    return answer["train_seconds"], [epoch["loss"] for epoch in answer["epochs"]]


def measure(arguments, workspace, entry):
    """Whether a recipe keeps to the bound."""
    ratios, ones, same = [], [], True
    for turn in range(arguments.rounds):
        order = [1, arguments.threads]
        found = {}
        for threads in order if turn % 2 == 0 else reversed(order):
            found[threads] = train(arguments, workspace, entry, threads)
        one, many = found[1], found[arguments.threads]
        same = same and one[1] == many[1]
        ones.append(one[0])
        ratios.append(many[0] / one[0])
    median = statistics.median(ratios)
    print(
        f"{entry[0]:<31} 1 thread {statistics.median(ones):7.3f} s, {arguments.threads} threads "
        f"{median:.2f} x ({min(ratios):.2f} to {max(ratios):.2f}), "
        f"{'the same' if same else 'OTHER'} losses{'' if median <= MOST else '  TOO SLOW'}",
        flush=True,
    )
    return same and median <= MOST


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cli", default="build/release/bin/parapet-cli")
    parser.add_argument("--data", help="a folder of data sets")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=[entry[0] for entry in RECIPES])
    arguments = parser.parse_args()
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())
    ]
    kept = True
    try:
        with tempfile.TemporaryDirectory() as folder:
            for entry in RECIPES:
                recipe, data = entry[:2]
                if arguments.only and recipe not in arguments.only:
                    continue
                if data and not (arguments.data and (pathlib.Path(arguments.data) / data).exists()):
                    print(f"{recipe:<31} skipped: no {data} in --data")
                    continue
                kept = measure(arguments, pathlib.Path(folder) / "workspace", entry) and kept
    finally:
        for loop in loops:
            loop.kill()
    print(f"at most {MOST} x is accepted")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
