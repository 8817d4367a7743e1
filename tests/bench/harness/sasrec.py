# SPDX-License-Identifier: Apache-2.0
"""SASRec that trains the next item at every position, on generated listening events of the shape of
MovieLens-1M: 6,040 users, 3,416 items, a million events in order. Both read the same file, cut the same
windows, predict the same rows and draw as many negatives. What both learn on ratings is compared by
tests/fidelity/run --only sasrec."""

import csv
import json
import tempfile
import pathlib

from . import setup
from .launches import Participant
from .study import Study

TIMES_WANTED = 3.0
SIZES = {"width": 64, "heads": 2, "units": 64, "blocks": 2, "length": 200, "batch": 128, "negatives": 256}


def document(source):
    block = {"kind": "transformer_block", "heads": SIZES["heads"], "units": SIZES["units"], "causal": True, "rate": 0.2}
    return {
        "parapet": 1,
        "name": "sasrec-bench",
        "dataset": {
            "source": "csv",
            "path": str(source),
            "format": {"delimiter": "\t", "header": False, "names": ["user", "item", "time"]},
            "columns": [{"name": name, "role": name} for name in ("user", "item", "time")],
            "label": {"column": None},
            "vocabularies": [
                {"name": "user", "kind": "compressed"},
                {"name": "item", "kind": "compressed"},
            ],
            "split": {"kind": "leave_last", "validation": 1, "test": 1},
            "batch": {"size": SIZES["batch"], "shuffle": "epoch"},
        },
        "tables": [{"name": "item", "vocabulary": "item", "embedding_dim": SIZES["width"]}],
        "features": [
            {"name": "history", "column": "item", "table": "item", "history": {"length": SIZES["length"], "rows": "all"}, "sequence": True},
            {"name": "item", "column": "item", "table": "item", "tower": "candidate"},
        ],
        "model": {
            "kind": "retrieval",
            "query": [{"kind": "position"}, {"kind": "dropout", "rate": 0.2}]
            + [dict(block) for _ in range(SIZES["blocks"])]
            + [{"kind": "layer_norm", "epsilon": 1e-8}, {"kind": "pool", "by": "last"}],
        },
        "loss": {"kind": "sampled_softmax", "log_q": "off", "extra_negatives": {"count": SIZES["negatives"], "from": "uniform"}},
        "optimizer": {"kind": "adam", "learning_rate": 0.003},
        "training": {
            "objective": "all_positions",
            "epochs": 1,
            "validate_every": 0,
            "checkpoints": {"every": None, "keep": 1, "best": None},
        },
        "evaluation": {"k": [10], "unit": "example", "catalogue": "never"},
    }


def write_events(launcher, folder, quick):
    """The listens of generated events as lines of user, item and time."""
    events, users = (100_000, 604) if quick else (1_000_000, 6040)
    made = folder / "events.csv"
    command = [setup.CLI, "generate", "events", "--out", made, "--users", users, "--items", 3416]
    launcher.run([*command, "--events", events, "--seed", 7, "--order-strength", 0.5])
    rows = folder / "rows.tsv"
    with open(made, encoding="utf-8", newline="") as source, open(rows, "w", encoding="utf-8") as out:
        for row in csv.DictReader(source):
            if row["event_type"] == "listen":
                out.write(f"{row['uid']}\t{int(row['item_id']) // 10}\t{row['timestamp']}\n")
    made.unlink()
    return rows


def study_sasrec(context):
    study = Study(context, "sasrec", "SASRec, the next item at every position", "s an epoch")
    epochs = 1 if context.quick else 2
    with tempfile.TemporaryDirectory(dir=setup.WORK) as place:
        folder = pathlib.Path(place)
        rows = write_events(context.launcher, folder, context.quick)
        (folder / "sasrec.json").write_text(json.dumps(document(rows)), encoding="utf-8")

        def ours(threads):
            def run(launcher):
                command = [setup.CLI, "--workspace", folder / "workspace", "train", folder / "sasrec.json"]
                command += ["--json", "--quiet", "--epochs", epochs, "--threads", threads]
                lines, _ = launcher.run(command, threads=threads)
                return {f"{threads} threads": lines[-1]["train_seconds"] / epochs}

            return run

        def theirs(threads):
            def run(launcher):
                command = [setup.PYTHON, setup.PEERS / "torch_sasrec.py", rows, "--seeds", 1]
                for name, size in SIZES.items():
                    command += [f"--{name}", size]
                command += ["--epochs", epochs, "--threads", threads]
                lines, _ = launcher.run(command, threads=threads)
                return {f"{threads} threads": lines[-1]["train_seconds"] / epochs}

            return run

        for threads in sorted({1, context.threads}):
            participants = [Participant("parapet", "ours", ours(threads))]
            if context.has("sasrec", "PyTorch", "torch"):
                participants.append(Participant("PyTorch", "peer", theirs(threads)))
            figures = study.compare(participants)
            case = f"{threads} threads"
            found = [figures.get(name, {}).get(case) for name in ("parapet", "PyTorch")]
            if all(found):
                times = found[1].median / found[0].median
                study.check(f"{TIMES_WANTED} times as fast as PyTorch, {case}", times >= TIMES_WANTED, f"{times:.2f}")
    study.note(f"{SIZES}, the last two listens of each user left out.")
    return study
