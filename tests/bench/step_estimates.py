#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The step time that `plan` says beside the one that `train` takes, case by case.

  tests/bench/step_estimates.py --data ml-100k [--cli build/release/bin/parapet-cli] [--rounds 3]

A case is a recipe at a batch size; sharded ones lie over eight logical devices. Both commands share a
workspace, so that the plan goes by what this machine was measured to do. Prints the predicted and
the measured time of a step, the median of the epochs of all rounds, and measured / predicted; then
the worst one. Of use on a quiet machine only.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile

SOFTMAX = {"/loss/kind": "in_batch_softmax"}
# Name, recipe, epochs, settings, and whether its tables are tried in each placement.
CASES = [
    ("seed 000, batch 1,000", "movielens-retrieval", 200, {}, True),
    ("ranking, batch 256", "movielens-ranking", 4, {"/dataset/batch/size": 256}, True),
    ("ranking, batch 1,024", "movielens-ranking", 6, {"/dataset/batch/size": 1024}, True),
    ("dlrm", "dlrm", 2, {}, True),
    (
        "in-batch softmax, batch 1,024",
        "movielens-retrieval",
        6,
        {**SOFTMAX, "/dataset/batch/size": 1024},
        True,
    ),
    (
        "in-batch softmax, batch 8,192",
        "movielens-retrieval",
        4,
        {**SOFTMAX, "/dataset/batch/size": 8192},
        False,
    ),
]


def ask(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def options(case, placement, data, tables):
    name, recipe, epochs, settings, _ = case
    settings = {**settings, "/training/validate_every": 0, "/training/checkpoints/best": "null"}
    settings["/training/early_stopping"] = "null"
    if placement:
        settings["/mesh/devices"] = '["cpu*8"]'
        for index in range(tables):
            settings[f"/tables/{index}/placement"] = placement
    out = [recipe, "--epochs", str(epochs)]
    out += ["--data", data] if recipe.startswith("movielens") else []
    for pointer, value in settings.items():
        out += ["--set", f"{pointer}={value}"]
    return out


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cli", default="build/release/bin/parapet-cli")
    parser.add_argument("--data", required=True, help="a MovieLens folder")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    ratios = {}
    with tempfile.TemporaryDirectory() as workspace:
        program = [arguments.cli, "--workspace", workspace]
        for case in CASES:
            document = ask([arguments.cli, "recipe", case[1], "--json"])
            tables = len(document["tables"])
            for placement in [None, "row", "column"] if case[4] else [None]:
                asked = options(case, placement, arguments.data, tables)
                predicted = ask([*program, "plan", *asked, "--json"])["step_seconds"]
                steps = []
                for _ in range(arguments.rounds):
                    answer = ask([*program, "train", *asked, "--json", "--quiet"])
                    steps += [epoch["ms_per_step"] / 1e3 for epoch in answer["epochs"][1:]]
                measured = statistics.median(steps)
                name = f"{case[0]}, {placement or 'replicated'}"
                ratios[name] = measured / predicted
                print(
                    f"{name:<42} predicted {predicted * 1e6:9.1f} us   measured "
                    f"{measured * 1e6:9.1f} us   {ratios[name]:.2f}",
                    flush=True,
                )
    worst = max(ratios, key=lambda name: max(ratios[name], 1 / ratios[name]))
    print(f"worst: {worst}, {ratios[worst]:.2f}")


if __name__ == "__main__":
    main()
