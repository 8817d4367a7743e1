# SPDX-License-Identifier: Apache-2.0
"""Recipes beside the runs that the Keras documentation publishes, by the curves of resources/reference."""

import json
import pathlib

from . import plot
from .section import Section, deviation, figure, mean, mean_and_deviation, values_of

REFERENCES = pathlib.Path(__file__).resolve().parents[3] / "resources" / "reference"
EPOCHS = [1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50]


def reference(name):
    curve = json.loads((REFERENCES / f"{name}.json").read_text(encoding="utf-8"))
    curves = {"loss_as_displayed": curve["loss_as_displayed"], "val_loss": curve["val_loss"],
              **curve.get("metrics", {})}
    return {key: {point[0]: point[1] for point in points} for key, points in curves.items()}


def curves_of(trained, keys):
    """Values by epoch, which is text as in a file."""
    return {key: {str(epoch["epoch"]): epoch[key] for epoch in trained["epochs"] if epoch.get(key) is not None}
            for key in keys}


def at(rows, key, epoch):
    return [row[key][str(epoch)] for row in rows]


def off_by(published, values):
    """In standard deviations."""
    return (published - mean(values)) / (deviation(values) or 1.0)


def triple(rows, key, epoch, published):
    values = at(rows, key, epoch)
    name = f"{key}, epoch {epoch}"
    return [figure(f"{name}, mean", mean(values)), figure(f"{name}, standard deviation", deviation(values)),
            figure(f"{name}, published", published), figure(f"{name}, off by", off_by(published, values), 1, signed=True)]


# ---- Retrieval with data parallel training

def retrieval_seed(program, seed):
    trained = program.train("movielens-retrieval", data="ml-100k", seed=seed)
    return {**curves_of(trained, ["loss", "loss_as_displayed", "val_loss"]),
            "constant": trained["baselines"]["constant"]["val_loss"]}


def retrieval_figures(rows):
    published = reference("keras-data-parallel-retrieval")
    found = []
    for epoch in EPOCHS:
        loss = at(rows, "loss", epoch)
        found += [figure(f"loss, epoch {epoch}, mean", mean(loss)),
                  figure(f"loss, epoch {epoch}, standard deviation", deviation(loss))]
        found += triple(rows, "loss_as_displayed", epoch, published["loss_as_displayed"][epoch])
        if epoch in published["val_loss"]:
            found += triple(rows, "val_loss", epoch, published["val_loss"][epoch])

    def largest(key, curve):
        return max(abs(off_by(value, at(rows, key, epoch))) for epoch, value in published[curve].items())
    return found + [
        figure("largest deviation of the displayed series", largest("loss_as_displayed", "loss_as_displayed"), 1),
        figure("of the validation", largest("val_loss", "val_loss"), 1),
        figure("of the true loss", largest("loss", "loss_as_displayed"), 1),
        figure("always predicting the mean", mean(values_of(rows, "constant")), 3)]


def retrieval_picture(rows, _):
    drawn = plot.bands(rows, reference("keras-data-parallel-retrieval"))
    return {"tests/fidelity/fidelity.svg": drawn.encode()}


# ---- DistributedEmbedding

RANKING_KEYS = ["loss_as_displayed", "rmse_as_displayed"]


def published_ranking_seed(program, seed):
    trained = program.train("movielens-ranking-as-published", data="ml-100k", seed=seed)
    return curves_of(trained, [*RANKING_KEYS, "val_loss", "val_rmse"])


def published_ranking_figures(rows):
    """The last row is seed 42, which no mean counts."""
    published = reference("keras-distributed-embedding")
    band = rows[:-1] or rows
    found, of_recipe, of_last = [], [], []
    for shown, held_out in (("loss_as_displayed", "val_loss"), ("rmse_as_displayed", "val_rmse")):
        points = [(shown, epoch) for epoch in range(1, 6)] + [(held_out, 5)]
        triples = [triple(band, key, epoch, published[key][epoch]) for key, epoch in points]
        found += [each for group in triples for each in group[:2]]
        found += [group[2] for group in triples] + [group[3] for group in triples]
        recipe = band[min(4, len(band) - 1)]  # seed 5
        of_recipe += [abs(off_by(recipe[key][str(epoch)], at(band, key, epoch))) for key, epoch in points]
        of_last.append(off_by(rows[-1][shown]["1"], at(band, shown, 1)))
    return found + [figure("the recipe's seed, largest deviation", max(of_recipe), 1),
                    figure("seed 42, epoch 1", max(of_last), 1)]


# ---- The same model with true epochs

def ranking_seed(program, seed):
    trained = program.train("movielens-ranking", data="ml-100k", seed=seed)
    found = program.evaluate(trained, "--checkpoint", "best")
    constant = found["baselines"]["constant"]
    return {"rmse": found["metrics"]["rmse"], "constant": constant["loss"], "constant rmse": constant["rmse"]}


def ranking_figures(rows):
    rmse = values_of(rows, "rmse")
    return [figure("always predicting the mean, loss", mean(values_of(rows, "constant")), 3),
            figure("always predicting the mean, rmse", mean(values_of(rows, "constant rmse")), 3),
            *mean_and_deviation(rows, "rmse"), figure("lowest", min(rmse)), figure("highest", max(rmse)),
            figure("published", reference("keras-distributed-embedding")["val_rmse"][5])]


SECTIONS = [
    Section("retrieval", "movielens-retrieval over 50 seeds beside the published run", retrieval_seed, retrieval_figures,
            seeds=range(50), data=["ml-100k"], pictures=retrieval_picture,
            constants=" ".join(map(str, EPOCHS))),
    Section("ranking-as-published", "movielens-ranking-as-published beside its published run", published_ranking_seed,
            published_ranking_figures, seeds=[*range(1, 21), 42], data=["ml-100k"], constants="1 2 3 4 5 20 42"),
    Section("ranking", "movielens-ranking, true epochs", ranking_seed, ranking_figures, seeds=range(10),
            data=["ml-100k"], constants="0 9 8,000 20,000"),
]
