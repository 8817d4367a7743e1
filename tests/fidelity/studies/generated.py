# SPDX-License-Identifier: Apache-2.0
"""Recipes on generated data, and what the terminal program prints in the documents."""

import textwrap

from .movielens import picked
from .section import Section, figure, mean, mean_and_deviation, values_of

WIDTH = 120  # of a line in a document


# ---- Clicks

def clicks_seed(program, seed):
    row = {}
    for recipe in ("dlrm", "dcn-v2"):
        found = program.evaluate(program.train(recipe, seed=seed), "--checkpoint", "best")
        row[recipe] = found["metrics"]["auc"]
        row["means of the items"] = found["baselines"]["item_mean"]["auc"]
    return row


def clicks_figures(rows):
    return [*mean_and_deviation(rows, "dlrm", 3), *mean_and_deviation(rows, "dcn-v2", 3),
            figure("means of the items", mean(values_of(rows, "means of the items")), 2)]


# ---- The sample, on data of its own for each seed

SAMPLE_KEYS = ["recall@10", "ndcg@10"]
SAMPLE_RIVALS = ["ease", "item_knn", "most_popular", "random"]


def sample_seed(program, seed):
    trained = program.train("sample", seed=seed, settings={"/dataset/generator/seed": seed})
    found = program.evaluate(trained, "--checkpoint", "best")
    row = {}
    for name in ("model", *SAMPLE_RIVALS):
        row |= picked(found, name, SAMPLE_KEYS)
    return row


def sample_figures(rows):
    above = sum(all(row[f"model {key}"] > row[f"{name} {key}"] for name in SAMPLE_RIVALS for key in SAMPLE_KEYS)
                for row in rows)
    return [each for name in ("model", *SAMPLE_RIVALS) for key in SAMPLE_KEYS
            for each in mean_and_deviation(rows, f"{name} {key}")] + [figure("seeds above all of them", above, 0)]


# ---- Examples

def wrapped(text):
    lines = text.rstrip().split("\n")
    return [part for line in lines for part in (textwrap.wrap(line, WIDTH) if len(line) > WIDTH else [line])]


EXAMPLE = ["init films --out films.json", "train films.json", "recommend latest --user 1 -k 5 --exclude-seen"]


def example_seed(program, _):
    folder = program.file("example")
    folder.mkdir(exist_ok=True)
    program.call("generate", "movies", "--out", "films", cwd=folder)
    lines = []
    for command in EXAMPLE:
        printed = program.call(*command.split(), "--quiet", cwd=folder).split("\nOn the test split:")[0]
        lines += [f"$ parapet-cli {command}", *wrapped(printed)]
    return {"lines": lines}


def verdict_seed(program, _):
    printed = program.call("train", "sample", "--epochs", "3", "--quiet")
    return {"lines": [next(line for line in printed.split("\n") if ": ours " in line)]}


def lines_of(rows):
    return rows[0]["lines"]


SECTIONS = [
    Section("clicks", "dlrm and dcn-v2 on generated clicks", clicks_seed, clicks_figures, seeds=range(5), constants="0 4"),
    Section("sample", "the sample on ten generated data sets", sample_seed, sample_figures, seeds=range(1, 11),
            constants="10 500"),
    Section("example", "the example of README.md", example_seed, None, lines=lines_of),
    Section("verdict", "the line of a verdict", verdict_seed, None, lines=lines_of),
]
