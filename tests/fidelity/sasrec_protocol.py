#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SASRec on MovieLens-100K: the last item of each user among the whole catalogue, given the items
before it, over several seeds, beside a two-tower model, the most popular items and PyTorch's SASRec.

  The last row of each user is the test, the one before it is left out of training, too. Nothing is
  excluded from the lists. All models have the sizes, batch, negatives and epochs of
  movielens_sasrec.json and are measured after the last epoch. The two-tower model has a vector per
  user instead of the history. PyTorch's is tests/bench/peers/torch_sasrec.py, seed by seed in turn.

  tests/fidelity/sasrec_protocol.py --data ml-100k [--program build/release/bin/parapet-cli]
      [--python build/bench-venv/bin/python] [--seeds 5] [--threads 1]

Prints NDCG@10 and HR@10 of each seed with the seconds of the training steps, then mean and standard
deviation. Without --python PyTorch is left out.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEYS = ("ndcg@10", "hit@10")


def answer(command):
    ran = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{ran.stderr}")
    return ran.stdout


def two_tower(document):
    """The same with a vector of each user in place of the history."""
    other = json.loads(json.dumps(document))
    other["name"] = "movielens-two-tower"
    other["tables"].insert(0, {"name": "user", "vocabulary": "user", "embedding_dim": 32})
    other["features"][0] = {"name": "user", "column": "user", "table": "user"}
    other["model"]["query"] = []
    return other


def ours(arguments, folder, document, seed):
    file = folder / f"{document['name']}.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    program = [arguments.program, "--workspace", folder / "workspace"]
    trained = json.loads(answer([*program, "train", file, "--data", arguments.data, "--seed", seed,
                                 "--threads", arguments.threads, "--json", "--quiet"]))
    found = json.loads(answer([*program, "evaluate", trained["run_id"], "--split", "test",
                               "--json"]))
    popular = next((values for name, values in found["baselines"].items() if "popular" in name), {})
    return ([found["metrics"][key] for key in KEYS] + [trained["train_seconds"]],
            [popular.get(key) for key in KEYS])


def torch(arguments, seed):
    script = HERE.parent / "bench" / "peers" / "torch_sasrec.py"
    lines = answer([arguments.python, script, arguments.data, "--seeds", seed,
                    "--threads", arguments.threads]).splitlines()
    found = json.loads(lines[-1])
    return [found[key] for key in KEYS] + [found["train_seconds"]], found["torch"]


def line(name, values):
    cells = ["     –" if value is None else f"{value:6.4f}" for value in values[:2]]
    seconds = [f"{value:6.1f} s" for value in values[2:3] if value is not None]
    print(f"{name:<24}" + "   ".join(cells + seconds), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--program", default="build/release/bin/parapet-cli")
    parser.add_argument("--python")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    sasrec = json.loads((HERE / "movielens_sasrec.json").read_text(encoding="utf-8"))
    rows = {"SASRec": [], "two-tower": [], "PyTorch's SASRec": []}
    popular = []
    with tempfile.TemporaryDirectory() as place:
        for seed in range(1, arguments.seeds + 1):
            print(f"seed {seed}")
            found, popular = ours(arguments, pathlib.Path(place), sasrec, seed)
            rows["SASRec"].append(found)
            rows["two-tower"].append(ours(arguments, pathlib.Path(place), two_tower(sasrec),
                                          seed)[0])
            if arguments.python:
                found, version = torch(arguments, seed)
                rows["PyTorch's SASRec"].append(found)
            for name, values in rows.items():
                if values:
                    line(f"  {name}", values[-1])
    print("mean")
    for name, values in rows.items():
        if not values:
            continue
        columns = list(zip(*values))
        line(f"  {name}", [statistics.mean(column) for column in columns])
        if len(values) > 1:
            line("    standard deviation", [statistics.stdev(column) for column in columns[:2]])
    line("  most popular", popular)
    if rows["PyTorch's SASRec"]:
        ratio = statistics.median(theirs[2] / own[2] for theirs, own in
                                  zip(rows["PyTorch's SASRec"], rows["SASRec"]))
        print(f"PyTorch {version}: {ratio:.2f} times the training time of ours, the median")


if __name__ == "__main__":
    main()
