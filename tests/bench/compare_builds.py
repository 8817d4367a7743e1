#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The step time of two builds, pair by pair: is the second one slower?

  tests/bench/compare_builds.py --before OTHER/parapet-cli --after build/release/bin/parapet-cli
      --data ml-100k [--pairs 24] [--only seed]

Both programs train the same experiment in turn, the one that begins changing from pair to pair. A
launch counts with the median of its epochs. Prints for each case the median of the ratios after /
before with the 95 % interval of that median (bootstrap over the pairs), and the medians of both
times; with `bench_engine` beside both programs also for lists of the ten best items. At most 1.03 is
accepted as the upper end.
"""

import argparse
import array
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

# Name, recipe, epochs, options.
CASES = [
    ("seed 000, one core", "movielens-retrieval", 200, ["--devices", "cpu:0", "--threads", "1"]),
    ("seed 000, cpu*8", "movielens-retrieval", 200, ["--devices", "cpu*8"]),
    ("ranking, batch 256", "movielens-ranking", 3, ["--set", "/dataset/batch/size=256"]),
    ("ranking, batch 1,024", "movielens-ranking", 4, ["--set", "/dataset/batch/size=1024"]),
]
# Name, items, width, queries.
LISTS = [
    ("top-10 of 1,682 x 32, one query", 1682, 32, 1),
    ("top-10 of 1,682 x 32, 1,000 queries", 1682, 32, 1000),
    ("top-10 of 138,102 x 64, one query", 138102, 64, 1),
]
MOST = 1.03


def run(command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def step_seconds(program, workspace, data, case):
    _, recipe, epochs, options = case
    answer = json.loads(
        run([program, "--workspace", workspace, "train", recipe, "--data", data, "--json", "--quiet"]
            + ["--epochs", epochs, "--set", "/training/validate_every=0", "--set",
               "/training/early_stopping=null", *options])
    )  # fmt: skip
    return statistics.median(epoch["ms_per_step"] for epoch in answer["epochs"][1:]) / 1e3


def vectors(path, rows, width):
    """A file of random ones, the same for both programs."""
    draw = random.Random(rows)
    array.array("f", (draw.random() - 0.5 for _ in range(rows * width))).tofile(path.open("wb"))
    return path


def list_seconds(program, place, case):
    _, items, width, queries = case
    candidates, asked = place / f"{items}x{width}", place / f"{queries}x{width}"
    for path, rows in ((candidates, items), (asked, queries)):
        if not path.exists():
            vectors(path, rows, width)
    bench = pathlib.Path(program).parent / "bench_engine"
    found = run([bench, "top-k", "--candidates", candidates, "--queries", asked, "--dim", width,
                 "--count", queries, "-k", 10, "--seconds", 0.2])  # fmt: skip
    return json.loads(found.splitlines()[-1])["seconds"]


def interval(ratios):
    """Of the median, 95 %."""
    draw = random.Random(1)
    medians = sorted(
        statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(4000)
    )
    return medians[100], medians[-101]


def compare(name, pairs, measure):
    """Whether the second build is not slower; measure(0) of the first, measure(1) of the second."""
    found = [[], []]
    for pair in range(pairs):
        for side in (0, 1) if pair % 2 == 0 else (1, 0):
            found[side].append(measure(side))
    ratios = [after / before for before, after in zip(*found)]
    low, high = interval(ratios)
    print(
        f"{name:<34} {statistics.median(ratios):.3f} ({low:.3f} to {high:.3f})   before "
        f"{statistics.median(found[0]) * 1e6:10.1f} us, after "
        f"{statistics.median(found[1]) * 1e6:10.1f} us{'' if high <= MOST else '   SLOWER'}",
        flush=True,
    )
    return high <= MOST


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--before", required=True)
    parser.add_argument("--after", required=True)
    parser.add_argument("--data", required=True, help="a MovieLens folder")
    parser.add_argument("--pairs", type=int, default=24)
    parser.add_argument("--only", help="cases whose name has these words")
    arguments = parser.parse_args()
    programs = [arguments.before, arguments.after]
    kept = True
    with tempfile.TemporaryDirectory() as place:
        for case in CASES:
            if arguments.only and arguments.only not in case[0]:
                continue
            kept &= compare(case[0], arguments.pairs, lambda side, case=case: step_seconds(
                programs[side], pathlib.Path(place) / str(side), arguments.data, case))  # fmt: skip
        for case in LISTS:
            benches = [pathlib.Path(program).parent / "bench_engine" for program in programs]
            if (arguments.only and arguments.only not in case[0]) or not all(
                bench.exists() for bench in benches
            ):
                continue
            kept &= compare(case[0], arguments.pairs,
                            lambda side, case=case: list_seconds(
                                programs[side], pathlib.Path(place), case))  # fmt: skip
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
