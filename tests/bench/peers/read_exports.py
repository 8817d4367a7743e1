#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads exported vectors and tables back with numpy, pyarrow and safetensors, and compares them bit
for bit with one another and with the tensors of the checkpoint; recomputes top-10 lists from the
vectors and compares them with those of `recommend`; reads the event files of the run, those written
while it trained and the exported one, with TensorBoard's own reader.

  read_exports.py --program parapet-cli --document DOC [--data PATH]

Prints a line of JSON for each comparison: {"what", "holds"}.
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow.parquet as parquet
from safetensors.numpy import load_file
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

TOP = 10


class Program:
    def __init__(self, program, workspace):
        self.command = [program, "--workspace", workspace, "--json", "--quiet"]

    def __call__(self, *arguments):
        ran = subprocess.run([*self.command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True)
        if ran.returncode != 0:
            sys.exit(f"parapet-cli {' '.join(arguments)}\n{ran.stderr}")
        return json.loads(ran.stdout)


def ids_of(tensors, name):
    """Raw ids of the rows of a matrix: their bytes side by side, and where each ends."""
    if name + "/ids" not in tensors:
        return None
    text, begin, ids = tensors[name + "/ids"].tobytes(), 0, []
    for end in tensors[name + "/id_ends"]:
        ids.append(text[begin:end].decode())
        begin = int(end)
    return ids


def read_safetensors(path):
    tensors = load_file(path)
    return {name: (ids_of(tensors, name), values) for name, values in tensors.items()
            if not name.endswith(("/ids", "/id_ends"))}


def column_of_ids(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [row[0] for row in list(csv.reader(file))[1:]]


def read_npy(folder, name):
    file = folder / (name.replace("/", ".") + ".npy")
    ids = folder / (name.replace("/", ".") + ".ids.csv")
    return column_of_ids(ids) if ids.exists() else None, np.load(file, allow_pickle=False)


def read_parquet(folder, name):
    table = parquet.read_table(folder / (name.replace("/", ".") + ".parquet"))
    values = np.array(table["vector"].to_pylist(), dtype=np.float32)
    return table["id"].to_pylist() if "id" in table.column_names else None, values


def read_csv(folder, name):
    with open(folder / (name.replace("/", ".") + ".csv"), newline="", encoding="utf-8") as file:
        header, *rows = list(csv.reader(file))
    first = 1 if header[0] == "id" else 0
    values = np.array([[np.float32(cell) for cell in row[first:]] for row in rows], dtype=np.float32)
    return [row[0] for row in rows] if first else None, values


def same(left, right):
    (left_ids, left_values), (right_ids, right_values) = left, right
    return (left_ids == right_ids and left_values.shape == right_values.shape
            and left_values.tobytes() == right_values.tobytes())


def best(scores, ids, count):
    """Ids of the highest scores; of equal ones the smaller row first, as exported."""
    return [ids[row] for row in np.argsort(-scores, kind="stable")[:count]]


def check_lists(program, run, vectors, say):
    if "users" not in vectors:
        return say("there are vectors of users", False)
    (user_ids, users), (item_ids, items) = vectors["users"], vectors["items"]
    asked = user_ids[:: max(1, len(user_ids) // 100)]
    row_of = {user: row for row, user in enumerate(user_ids)}
    answers = program("recommend", run, "--user", ",".join(asked), "-k", str(TOP))
    differing = 0
    for answer in answers:
        scores = items @ users[row_of[answer["user"]]]
        theirs = [item["id"] for item in answer["items"]]
        if theirs == best(scores, item_ids, TOP):
            continue
        # Sums of another order may exchange neighbours whose scores are equal within rounding.
        by_id = dict(zip(item_ids, scores))
        gaps = np.abs(np.sort([by_id[item] for item in theirs])[::-1] - np.sort(scores)[::-1][:TOP])
        differing += bool(np.max(gaps) > 1e-5 * np.max(np.abs(scores)))
    say(f"top-{TOP} lists of {len(answers)} users, {differing} differ", differing == 0)


def check_events(trained, live, exported, say):
    readers = {}
    for name, folder in (("live", live), ("exported", exported)):
        readers[name] = EventAccumulator(str(folder), size_guidance={"scalars": 0})
        readers[name].Reload()
    tags = {name: set(reader.Tags()["scalars"]) for name, reader in readers.items()}
    say(f"events: {len(tags['exported'])} exported scalars have the names of the live ones",
        tags["exported"] <= tags["live"])
    for name, reader in readers.items():
        say(f"events: {name}, a loss for each of {trained['steps']} steps",
            len(reader.Scalars("step_loss")) == trained["steps"])
        for key in ("loss", "val_loss", "learning_rate"):
            found = [np.float32(event.value) for event in reader.Scalars(key)]
            expected = [np.float32(epoch[key]) for epoch in trained["epochs"]
                        if epoch.get(key) is not None]
            say(f"events: {name}, {key} of {len(expected)} epochs",
                found == expected and len(expected) > 0)
    histograms = readers["live"].Tags()["histograms"]
    say(f"events: live, histograms of {len(histograms)} weights", len(histograms) > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--document", required=True)
    parser.add_argument("--data")
    arguments = parser.parse_args()

    def say(what, holds):
        print(json.dumps({"what": what, "holds": bool(holds)}))

    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        program = Program(arguments.program, str(folder / "workspace"))
        data = ["--data", arguments.data] if arguments.data else []
        board = folder / "board"
        trained = program("train", arguments.document, "--epochs", "2", *data,
                          "--set", "/training/validate_every=1",
                          "--set", f"/training/tensorboard={board}")
        run = trained["run_id"]
        program("export", run, "--what", "curves", "--format", "tfevents", "--out",
                str(folder / "events"))
        check_events(trained, board / run, folder / "events", say)
        program("export", run, "--what", "checkpoint", "--format", "safetensors", "--out",
                str(folder / "checkpoint.safetensors"))
        checkpoint = load_file(folder / "checkpoint.safetensors")
        vectors = {}
        for what in ("tables", "vectors"):
            whole = folder / f"{what}.safetensors"
            program("export", run, "--what", what, "--format", "safetensors", "--out", str(whole))
            matrices = read_safetensors(whole)
            if what == "vectors":
                vectors = matrices
            for name, (ids, values) in matrices.items():
                if what == "tables":
                    say(f"{name}: the bits of the checkpoint",
                        values.tobytes() == checkpoint[name].tobytes())
                if name.startswith("tables/") or what == "vectors":
                    say(f"{name}: an id for each of {len(values)} rows",
                        ids is not None and len(ids) == len(values))
            for form, read in (("npy", read_npy), ("parquet", read_parquet), ("csv", read_csv)):
                out = folder / f"{what}-{form}"
                program("export", run, "--what", what, "--format", form, "--out", str(out))
                for name, matrix in matrices.items():
                    say(f"{name}: {form} has the bits of safetensors",
                        same(matrix, read(out, name)))
        check_lists(program, run, vectors, say)


if __name__ == "__main__":
    main()
