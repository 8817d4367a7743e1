# SPDX-License-Identifier: Apache-2.0
"""Lists and ratings on MovieLens-100K."""

import json
import pathlib
import statistics

from .program import run
from .section import Section, deviation, figure, mean, mean_and_deviation, values_of

HERE = pathlib.Path(__file__).resolve().parents[1]


def picked(found, name, keys):
    """{"ease ndcg@10": …} of an evaluation; the model itself is "model"."""
    values = found["metrics"] if name == "model" else found["baselines"].get(name, {})
    return {f"{name} {key}": values[key] for key in keys if values.get(key) is not None}


# ---- Two tasks at once

def multitask_seed(program, seed):
    found = program.evaluate(program.train("movielens-multitask", data="ml-100k", seed=seed), "--checkpoint", "best")
    return {"rmse of ratings": found["metrics"]["rating_rmse"], **picked(found, "model", ["recall@100"]),
            **picked(found, "ease", ["recall@100"]), **picked(found, "most_popular", ["recall@100"])}


def multitask_figures(rows):
    return [*mean_and_deviation(rows, "rmse of ratings"), *mean_and_deviation(rows, "model recall@100", 3),
            *mean_and_deviation(rows, "ease recall@100", 3), *mean_and_deviation(rows, "most_popular recall@100", 3)]


# ---- The protocol of Microsoft's recommenders benchmark
#
# 75 % of each user's ratings train, 25 % test; every rating is positive; lists of 10 of all items but the user's training
# items. The recipe's settings were chosen on a validation part of the training rows; here that part is empty, and the test
# part is measured once, after the last epoch. EASE is fitted to the same training items, split by split.

LEARNED_KEYS = ["ndcg@10", "precision@10", "recall@10"]
# github.com/recommenders-team/recommenders, its benchmark table.
PUBLISHED = {"BiVAE": (0.4751, 0.4118, 0.2191), "BPR": (0.4420, 0.3882, 0.2125),
             "LightGCN": (0.4198, 0.3796, 0.1443), "SAR": (0.3825, 0.3308, 0.1764)}


def learned_seed(program, seed):
    settings = {"/dataset/split/validation": 0, "/training/checkpoints/best": "null", "/training/validate_every": 0,
                "/evaluation/metrics": '["recall","ndcg","precision"]', "/training/seed": seed}
    found = program.evaluate(program.train("movielens-retrieval-learned", data="ml-100k", settings=settings))
    return {**picked(found, "model", LEARNED_KEYS), **picked(found, "ease", LEARNED_KEYS)}


def learned_figures(rows):
    found = [each for name in ("model", "ease") for key in LEARNED_KEYS
             for each in mean_and_deviation(rows, f"{name} {key}")]
    return found + [figure(f"{name} {key}, published", value) for name, values in PUBLISHED.items()
                    for key, value in zip(LEARNED_KEYS, values)]


# ---- The history alone

HISTORY_KEYS = ["hit@10", "ndcg@10", "mrr"]
RIVALS = ["ease", "item_knn", "most_popular", "random"]


def history_seed(program, seed):
    trained = program.train(HERE / "movielens_history.json", data="ml-100k", seed=seed)
    found = program.evaluate(trained, "--k", "10")
    row = {"standard error": found["standard_errors"]["hit@10"]}
    for name in ("model", *RIVALS):
        row |= picked(found, name, HISTORY_KEYS)
    return row


def history_figures(rows):
    found = [each for key in HISTORY_KEYS for each in mean_and_deviation(rows, f"model {key}")]
    found += [figure(f"{name} {key}", mean(values_of(rows, f"{name} {key}"))) for name in RIVALS for key in HISTORY_KEYS]
    return [*found, figure("standard error over users of hit@10", mean(values_of(rows, "standard error")), 3)]


# ---- Self-attention
#
# The last row of each user is the test, the one before it is left out of training, too. Nothing is excluded from the lists.
# All models have the sizes of movielens_sasrec.json and are measured after the last epoch. The two-tower model has a vector per
# user instead of the history. Batch and epochs of all positions were chosen on validation rows.

SASREC_KEYS = ["ndcg@10", "hit@10"]
ALL_POSITIONS = {"width": 32, "heads": 2, "units": 64, "blocks": 2, "length": 50, "batch": 8, "negatives": 256, "epochs": 18,
                 "rate-of-learning": 0.002}


def two_tower(document):
    other = json.loads(json.dumps(document))
    other["name"] = "movielens-two-tower"
    other["tables"].insert(0, {"name": "user", "vocabulary": "user", "embedding_dim": 32})
    other["features"][0] = {"name": "user", "column": "user", "table": "user"}
    other["model"]["query"] = []
    return other


def all_positions(document):
    other = json.loads(json.dumps(document))
    other["name"] = "movielens-sasrec-all-positions"
    other["dataset"]["batch"]["size"] = ALL_POSITIONS["batch"]
    other["loss"] = {"kind": "sampled_softmax", "log_q": "off",
                     "extra_negatives": {"count": ALL_POSITIONS["negatives"], "from": "uniform"}}
    other["training"] |= {"objective": "all_positions", "epochs": ALL_POSITIONS["epochs"]}
    other["optimizer"]["learning_rate"] = ALL_POSITIONS["rate-of-learning"]
    other["schedule"] = {"kind": "cosine", "decay_steps": "run"}
    return other


def sasrec_documents():
    document = json.loads((HERE / "movielens_sasrec.json").read_text(encoding="utf-8"))
    return {"all positions": all_positions(document), "each row": document, "two towers": two_tower(document)}


def sasrec_run(program, name, seed):
    file = program.file(f"{name}.json")
    file.write_text(json.dumps(sasrec_documents()[name]), encoding="utf-8")
    trained = program.train(file, "--threads", 1, data="ml-100k", seed=seed)
    found = program.evaluate(trained)
    row = {f"{name} {key}": found["metrics"][key] for key in SASREC_KEYS}
    return row | {f"{name} seconds": trained["train_seconds"]} | picked(found, "most_popular", SASREC_KEYS)


def sasrec_seed(program, seed):
    row = {}
    for name in sasrec_documents():
        row |= sasrec_run(program, name, seed)
    return row


def times_of(rows, name, other):
    return figure(f"{name} over {other}, seconds, median",
                  statistics.median(row[f"{name} seconds"] / row[f"{other} seconds"] for row in rows), 1)


def sasrec_figures(rows):
    found = [each for name in ("all positions", "each row") for key in SASREC_KEYS
             for each in mean_and_deviation(rows, f"{name} {key}")]
    found += [figure(f"most popular {key}", mean(values_of(rows, f"most_popular {key}"))) for key in SASREC_KEYS]
    found += [each for key in SASREC_KEYS for each in mean_and_deviation(rows, f"two towers {key}")]
    found += [figure(f"all positions minus each row ndcg@10, {what}", value, signed=what == "mean")
              for what, value in paired(rows, "all positions ndcg@10", "each row ndcg@10")]
    return [*found, times_of(rows, "each row", "all positions")]


def paired(rows, one, other):
    """Mean of the differences seed by seed, and the standard error of it."""
    differences = [row[one] - row[other] for row in rows]
    return [("mean", mean(differences)), ("standard error", deviation(differences) / len(differences) ** 0.5)]


# PyTorch in the environment that tests/bench/run makes, seed by seed in turn with ours, one thread each.


def sasrec_torch_seed(program, seed):
    root = HERE.parents[1]
    command = [root / "build" / "bench-venv" / "bin" / "python", root / "tests" / "bench" / "peers" / "torch_sasrec.py",
               program.data / "ml-100k", "--seeds", seed, "--threads", 1, "--cosine"]
    for name, size in ALL_POSITIONS.items():
        command += [f"--{name}", size]
    theirs = json.loads(run(command).splitlines()[-1])
    row = {f"PyTorch {key}": theirs[key] for key in SASREC_KEYS}
    return row | {"PyTorch seconds": theirs["train_seconds"]} | sasrec_run(program, "all positions", seed)


def sasrec_torch_figures(rows):
    found = [each for key in SASREC_KEYS for each in mean_and_deviation(rows, f"PyTorch {key}")]
    return [*found, times_of(rows, "PyTorch", "all positions")]


# ---- What settings were chosen from
#
# A document as it is and with one setting changed, training seed 42, on validation rows after the last epoch, which the
# tables measure as well. Seeds of these sections are the settings; the first has a standard error over users.

HISTORY_TRIED = {
    "as it is": {}, "length 5": {"/features/0/history/length": 5}, "length 20": {"/features/0/history/length": 20},
    "length 50": {"/features/0/history/length": 50}, "dot": {"/model/score": "dot"},
    "temperature 0.05": {"/loss/temperature": 0.05}, "temperature 0.2": {"/loss/temperature": 0.2},
    "width 32": {"/tables/0/embedding_dim": 32}, "width 128": {"/tables/0/embedding_dim": 128},
    "rate 0.003": {"/optimizer/learning_rate": 0.003}, "rate 0.03": {"/optimizer/learning_rate": 0.03},
    "3 epochs": {"/training/epochs": 3}, "12 epochs": {"/training/epochs": 12}}

LEARNED_SPLIT = {"/dataset/split": '{"kind": "random", "train": 0.6, "validation": 0.15, "test": 0.25}',
                 "/schedule/decay_steps": "run"}
LEARNED_TRIED = {
    "as it is": {}, "temperature 0.15": {"/loss/temperature": 0.15}, "temperature 0.3": {"/loss/temperature": 0.3},
    "width 128": {f"/tables/{table}/embedding_dim": 128 for table in (0, 1)}, "rate 0.005": {"/optimizer/learning_rate": 0.005},
    "rate 0.02": {"/optimizer/learning_rate": 0.02}, "constant rate": {"/schedule": '{"kind": "constant"}'},
    "batch 512": {"/dataset/batch/size": 512}, "batch 2048": {"/dataset/batch/size": 2048},
    "without log-Q": {"/loss/log_q": "off"}}


def tried(program, document, name, settings):
    trained = program.train(document, data="ml-100k", seed=42, settings=settings)
    row = {"ndcg@10": trained["epochs"][-1]["val_ndcg@10"]}
    if name == "as it is":
        row["standard error"] = program.evaluate(trained, split="validation")["standard_errors"]["ndcg@10"]
    return row


def history_tried(program, name):
    return tried(program, HERE / "movielens_history.json", name, HISTORY_TRIED[name])


def learned_tried(program, name):
    return tried(program, "movielens-retrieval-learned", name, LEARNED_SPLIT | LEARNED_TRIED[name])


def tried_figures(rows):
    values = values_of(rows, "ndcg@10")
    return [figure("lowest", min(values), 3), figure("highest", max(values), 3), figure("as it is", values[0], 3),
            figure("standard error", rows[0]["standard error"], 3)]


def learned_tried_figures(rows):
    return [*tried_figures(rows[:-1] or rows), figure("without log-Q", rows[-1]["ndcg@10"], 3)]


SECTIONS = [
    Section("multitask", "movielens-multitask on test rows", multitask_seed, multitask_figures, seeds=range(5),
            data=["ml-100k"], constants="0 4"),
    Section("retrieval-learned", "movielens-retrieval-learned by a published protocol", learned_seed, learned_figures,
            seeds=range(1, 11), data=["ml-100k"], constants="500"),
    Section("history", "the history alone", history_seed, history_figures, seeds=range(1, 11), data=["ml-100k"]),
    Section("history-choice", "the history alone with one setting changed", history_tried, tried_figures,
            seeds=list(HISTORY_TRIED), data=["ml-100k"], constants="42 50"),
    Section("retrieval-learned-choice", "movielens-retrieval-learned with one setting changed", learned_tried,
            learned_tried_figures, seeds=list(LEARNED_TRIED), data=["ml-100k"], constants="15 25 42 60"),
    Section("sasrec", "SASRec on the next item", sasrec_seed, sasrec_figures, seeds=range(1, 6), data=["ml-100k"]),
    Section("sasrec-torch", "SASRec in PyTorch", sasrec_torch_seed, sasrec_torch_figures, seeds=range(1, 6), data=["ml-100k"],
            constants="2.15"),
]
