#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what `init` proposes, untouched, beside baselines and beside a random search over the same
model, on MovieLens-100K as implicit data and on generated events.

  MovieLens: user, item and timestamp of u.data; ratings are left out. Events: `generate events --users
  2000 --items 1500 --events 100000 --seed 7`. Sparse: the same with 6000, 5000, 80000 and 3, a median
  of five rows a user, where only the proposal is measured. The proposal is trained as it is; recall@20 of its test
  rows, from the checkpoint that was best on validation rows, stands beside most popular and item-kNN
  under the same rules. Then --runs settings are drawn: learning rate .001 to .1 and temperature .05 to
  1, both by logarithm, width 16, 32, 64 or 128, weight decay 0 or .0001 to 1 by logarithm. All else
  stays. Each run has the proposal's epochs and early stopping and is measured by its best validation
  nDCG@10, as the proposal is. The test rows have no part in the search.

  tests/fidelity/proposal_search.py --data ml-100k [--program build/release/bin/parapet-cli]
                                    [--runs 30] [--seed 1] [--set-of movielens|events|sparse]
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile


def answer(command):
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ran.returncode not in (0, 5):
        sys.exit(f"{' '.join(command)}\n{ran.stderr}")
    return json.loads(ran.stdout)


def movielens(folder, out):
    with open(os.path.join(folder, "u.data"), encoding="ascii") as ratings, \
            open(out, "w", encoding="ascii") as events:
        events.write("user_id,item_id,timestamp\n")
        for line in ratings:
            user, item, _, time = line.split("\t")
            events.write(f"{user},{item},{time.strip()}\n")


def best_validation(trained):
    values = [epoch.get("val_ndcg@10") for epoch in trained["epochs"]]
    return max([value for value in values if value is not None], default=0.0)


def drawn(draw, document):
    def by_logarithm(low, high):
        return math.exp(draw.uniform(math.log(low), math.log(high)))
    width = draw.choice([16, 32, 64, 128])
    decay = draw.choice([0.0, by_logarithm(1e-4, 1.0)])
    settings = {"/optimizer/learning_rate": by_logarithm(1e-3, 1e-1),
                "/loss/temperature": by_logarithm(0.05, 1.0), "/optimizer/weight_decay": decay}
    for table in range(len(document["tables"])):
        settings[f"/tables/{table}/embedding_dim"] = width
    return settings


# Users, items, events, seed.
EVENTS = {"events": (2000, 1500, 100_000, 7), "sparse": (6000, 5000, 80_000, 3)}


def measure(arguments, program, name, data, folder, runs):
    path = os.path.join(folder, f"{name}.json")
    subprocess.run(program[:1] + ["init", data, "--out", path, "--quiet"], check=True,
                   stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    trained = answer(program + ["train", path, "--json", "--quiet"])
    proposal = best_validation(trained)
    test = answer(program + ["evaluate", trained["run_id"], "--split", "test", "--checkpoint", "best",
                             "--k", "10,20", "--json"])
    print(f"{name}: recall@20 {test['metrics']['recall@20']:.4f}, "
          + ", ".join(f"{baseline} {values['recall@20']:.4f}"
                      for baseline, values in sorted(test["baselines"].items())
                      if values.get("recall@20") is not None)
          + f"; validation nDCG@10 {proposal:.4f}", flush=True)
    draw = random.Random(arguments.seed)
    found = []
    for run in range(runs):
        settings = drawn(draw, document)
        command = program + ["train", path, "--json", "--quiet"]
        for pointer, value in settings.items():
            command += ["--set", f"{pointer}={value}"]
        found.append((best_validation(answer(command)), settings))
        print(f"{name} {run + 1}: nDCG@10 {found[-1][0]:.4f} rate "
              f"{settings['/optimizer/learning_rate']:.4f} width {settings['/tables/0/embedding_dim']} "
              f"temperature {settings['/loss/temperature']:.3f} decay "
              f"{settings['/optimizer/weight_decay']:.4f}", flush=True)
    if found:
        best = max(found, key=lambda each: each[0])
        print(f"{name}: best of {len(found)} {best[0]:.4f}; the proposal reaches "
              f"{100.0 * proposal / best[0]:.1f} % of it", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of MovieLens-100K")
    parser.add_argument("--program", default="build/release/bin/parapet-cli")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set-of", choices=["movielens", *EVENTS], help="only this one")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = [arguments.program, "--workspace", os.path.join(folder, "workspace")]
        if arguments.set_of in (None, "movielens"):
            rows = os.path.join(folder, "movielens.csv")
            movielens(arguments.data, rows)
            measure(arguments, program, "movielens", rows, folder, arguments.runs)
        for name, (users, items, events, seed) in EVENTS.items():
            if arguments.set_of not in (None, name):
                continue
            rows = os.path.join(folder, f"{name}.csv")
            answer(program + ["generate", "events", "--out", rows, "--users", str(users), "--items",
                              str(items), "--events", str(events), "--seed", str(seed), "--json",
                              "--quiet"])
            measure(arguments, program, name, rows, folder, 0 if name == "sparse" else arguments.runs)


if __name__ == "__main__":
    main()
