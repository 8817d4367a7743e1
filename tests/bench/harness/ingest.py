# SPDX-License-Identifier: Apache-2.0
"""Imports of large files: ratings as CSV, events as Parquet, and an epoch read from disk."""

import json
import tempfile

from . import setup
from .launches import LaunchError, Participant
from .study import Study

RATINGS = 25_000_095
EVENTS = 100_000_000
FILMS = 209_171
GIB = 2**30
FILTER = 'event_type = "like" or (event_type = "listen" and played_ratio_pct >= 50)'


def _table(name):
    return {"name": name, "vocabulary": name, "embedding_dim": 32}


def _document(dataset):
    """A two-tower experiment over a data set; one epoch, nothing measured meanwhile."""
    return {
        "parapet": 1,
        "name": "ingest",
        "dataset": dataset
        | {
            "split": {"kind": "random", "train": 0.98, "validation": 0.02},
            "batch": {"size": 16_384, "shuffle": "epoch", "cache": False},
        },
        "tables": [_table("user"), _table("item")],
        "features": [
            {"name": "user", "column": "user", "table": "user", "tower": "query"},
            {"name": "item", "column": "item", "table": "item", "tower": "candidate"},
        ],
        "model": {"kind": "retrieval"},
        "loss": {"kind": "mse"},
        "optimizer": {"kind": "adagrad", "learning_rate": 0.1},
        "training": {"epochs": 1, "validate_every": 0, "checkpoints": {"best": None}},
    }


def _columns(user, item, time):
    return [
        {"name": "user", "role": "user", "from": user},
        {"name": "item", "role": "item", "from": item},
        {"name": "time", "role": "time", "from": time},
    ]


def _ratings(file, kind):
    return _document(
        {
            "source": "csv",
            "path": str(file),
            "columns": _columns("userId", "movieId", "timestamp"),
            "label": {"column": "rating", "scale": [0.5, 5]},
            "vocabularies": [{"name": "user", "kind": kind}, {"name": "item", "kind": kind}],
        }
    )


def _with_films(document, file):
    """The same ratings with titles and genres of their films, joined by id."""
    document["dataset"]["catalogues"] = [
        {"of": "item", "path": str(file), "id": "movieId", "title": "title"}
    ]
    return document


def _films_file():
    """A title and genres for every film of the ratings; made once."""
    file = setup.WORK / f"films-{FILMS}.csv"
    if not file.exists():
        rows = (f"{film},Film {film} ({1930 + film % 90}),Drama|Genre {film % 19}\n"
                for film in range(1, FILMS + 1))
        with open(file, "w", encoding="utf-8") as out:
            out.write("movieId,title,genres\n")
            out.writelines(rows)
    return file


def _compare_with_catalogue(context, study, file, ratings, answers):
    """The goal is nine tenths of the speed without a catalogue."""
    case = f"{ratings:,} ratings, CSV, and {FILMS:,} titles"
    documents = {"parapet": _with_films(_ratings(file, "compressed"), _films_file()),
                 "parapet, no catalogue": _ratings(file, "compressed")}
    figures = study.compare([
        Participant(name, role, _import(context, case, documents[name], answers))
        for name, role in (("parapet", "ours"), ("parapet, no catalogue", "base"))
    ], rounds=5)
    medians = [figures[name][case].median for name in documents if case in figures.get(name, {})]
    if len(medians) == 2:
        share = medians[1] / medians[0]
        study.check("a catalogue costs at most a tenth of the speed", share >= 0.9, f"{share:.2f} ×")


def _events(file):
    return _document(
        {
            "source": "parquet",
            "path": str(file),
            "columns": _columns("uid", "item_id", "timestamp"),
            "filter": FILTER,
            "label": {"column": None},
            "vocabularies": [
                {"name": "user", "kind": "compressed"},
                {"name": "item", "kind": "compressed"},
            ],
        }
    )


def _import(context, case, document, answers):
    """Seconds of the whole command, from its start to the data set on disk."""

    def measure(launcher):
        with tempfile.TemporaryDirectory(dir=setup.WORK) as folder:
            file = f"{folder}/document.json"
            with open(file, "w", encoding="utf-8") as out:
                json.dump(document, out)
            command = [setup.CLI, "--workspace", folder, "import", file, "--json", "--quiet"]
            lines, seconds = launcher.run(command)
            answers.setdefault(case, []).append(lines[-1])
        return {case: seconds}

    return measure


def _duckdb(context, case, work, file, *options):
    def measure(launcher):
        script = setup.PEERS / "duckdb_ingest.py"
        command = [setup.PYTHON, script, work, file, "--threads", context.threads]
        command += ["--runs", 1, *options]  # in a new process, as ours
        lines, _ = launcher.run(command, threads=context.threads)
        return {case: lines[-1]["seconds"]}

    return measure


def _ratings_file(context, rows):
    file = setup.WORK / f"ratings-{rows}.csv"
    if not file.exists():
        part = file.with_suffix(".part")
        script = setup.PEERS / "duckdb_ingest.py"
        context.launcher.run([setup.PYTHON, script, "write", part, "--rows", rows])
        part.rename(file)
    return file


def _events_file(context, events):
    file = setup.WORK / f"events-{events}.parquet"
    if not file.exists():
        sizes = ["--users", 1_000_000, "--items", 1_000_000, "--events", events]
        command = [setup.CLI, "generate", "events", "--out", file, *sizes, "--seed", 1]
        context.launcher.run([*command, "--quiet", "--json"])
    return file


def _train_from_disk(context, study, document, limit):
    """Imports and trains one epoch; peak memory and the share of time that waits for input."""
    with tempfile.TemporaryDirectory(dir=setup.WORK) as folder:
        file = f"{folder}/document.json"
        with open(file, "w", encoding="utf-8") as out:
            json.dump(document, out)
        command = [setup.CLI, "--workspace", folder]
        imported, _ = context.launcher.run([*command, "import", file, "--json", "--quiet"])
        trained, _ = context.launcher.run([*command, "train", file, "--json", "--quiet"])
    epoch = trained[-1]["epochs"][-1]
    use = epoch["time_use"]
    study.check("peak memory of import", imported[-1]["peak_rss_bytes"] < limit,
                f"{imported[-1]['peak_rss_bytes'] / GIB:.2f} GiB")
    study.check("peak memory of an epoch from disk", trained[-1]["peak_rss_bytes"] < limit,
                f"{trained[-1]['peak_rss_bytes'] / GIB:.2f} GiB")
    study.check("ranks wait for input less than 2 % of an epoch",
                use["input"] < 0.02 * use["seconds"],
                f"{100 * use['input'] / use['seconds']:.2f} %")
    study.note(f"An epoch of {trained[-1]['steps']:,} steps read from disk took "
               f"{epoch['train_seconds']:.1f} s.")


def study_ingest(context):
    study = Study(context, "ingest", "Imports of large files", "s")
    if not context.has("ingest", "all", "duckdb"):
        return study
    ratings = 1_000_000 if context.quick else RATINGS
    events = 2_000_000 if context.quick else EVENTS
    answers = {}
    case = f"{ratings:,} ratings, CSV"
    file = _ratings_file(context, ratings)
    with tempfile.TemporaryDirectory(dir=setup.WORK) as folder:
        study.compare([
            Participant("parapet", "ours",
                        _import(context, case, _ratings(file, "direct"), answers)),
            Participant("parapet, compressed ids", "base",
                        _import(context, case, _ratings(file, "compressed"), answers)),
            Participant("DuckDB, memory", "peer", _duckdb(context, case, "ratings", file)),
            Participant("DuckDB, file", "peer",
                        _duckdb(context, case, "ratings", file, "--database", f"{folder}/db")),
        ], rounds=5)
    _compare_with_catalogue(context, study, file, ratings, answers)
    study.note("parapet: the whole command, which checks every cell, numbers ids, counts repeated "
               "pairs and syncs column files to disk. DuckDB: typed columns, the CREATE TABLE alone.")
    try:
        file = _events_file(context, events)
        case = f"{events:,} events, Parquet, filtered"
        study.compare([
            Participant("parapet", "ours", _import(context, case, _events(file), answers)),
            Participant("DuckDB, memory", "peer", _duckdb(context, case, "events", file)),
        ], rounds=1)
        _train_from_disk(context, study, _events(file), 2 * GIB)
    except LaunchError as error:
        context.skip("ingest", "events", str(error))
    for name, lines in answers.items():
        rates = [line["rows_per_second"] for line in lines]
        study.note(f"{name}: {max(rates) / 1e6:.1f} M rows that stay a second, peak "
                   f"{max(line['peak_rss_bytes'] for line in lines) / GIB:.2f} GiB.")
    return study
