#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training beside other programs: with every core busy, N threads against one.

With a loop of arithmetic on every core, `--threads N` may take at most 1.5 times as long as
`--threads 1`, and must give the same losses. Prints a line for each round and the median."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

RECIPES = {
    # A large batch, which several threads share, and small steps, which wake them often.
    "large steps": (400, ["movielens-retrieval", "--set", "/dataset/batch/size=16384"]),
    "small steps": (
        6,
        ["movielens-ranking", "--set", "/dataset/batch/size=256"]
        + ["--set", "/training/early_stopping=null"],
    ),
}


def train(cli, workspace, data, options, threads, epochs):
    command = [cli, "--workspace", workspace, "train", *options, "--data", data, "--json", "--quiet"]
    command += ["--threads", str(threads), "--epochs", str(epochs)]
    command += ["--set", "/training/validate_every=0", "--set", "/training/checkpoints/best=null"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    return answer["train_seconds"], [epoch["loss"] for epoch in answer["epochs"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cli", default="build/release/bin/parapet-cli")
    parser.add_argument("--data", required=True, help="a MovieLens folder")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    loops = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())
    ]
    failed = False
    try:
        with tempfile.TemporaryDirectory() as folder:
            for name, (epochs, options) in RECIPES.items():
                ratios = []
                for turn in range(arguments.rounds):
                    order = [1, arguments.threads]
                    found = {}
                    for threads in order if turn % 2 == 0 else reversed(order):
                        found[threads] = train(
                            arguments.cli,
                            pathlib.Path(folder) / "workspace",
                            arguments.data,
                            options,
                            threads,
                            epochs,
                        )
                    one, many = found[1], found[arguments.threads]
                    same = one[1] == many[1]
                    failed = failed or not same
                    ratios.append(many[0] / one[0])
                    print(
                        f"{name}: 1 thread {one[0]:.3f} s, {arguments.threads} threads {many[0]:.3f} s,"
                        f" {ratios[-1]:.2f} x, {'the same' if same else 'OTHER'} losses",
                        flush=True,
                    )
                median = statistics.median(ratios)
                failed = failed or median > 1.5
                print(f"{name}: median {median:.2f} x, at most 1.5 is accepted")
    finally:
        for loop in loops:
            loop.kill()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
