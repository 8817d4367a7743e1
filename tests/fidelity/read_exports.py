#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads what `parapet-cli export` writes with the readers that others use, and compares the bits.

Trains the recipe sample, exports its vectors and tables in every format, reads them with numpy,
pyarrow and safetensors (PyPI), and recomputes a top 10 of each user from the vectors alone.

  tests/fidelity/read_exports.py [--program build/release/bin/parapet-cli]
"""

import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow.parquet
import safetensors.numpy


def ids_of(tensors, name):
    text, ends = tensors[name + "/ids"].tobytes(), tensors[name + "/id_ends"]
    starts = np.concatenate([[0], ends[:-1]])
    return [text[begin:end].decode() for begin, end in zip(starts, ends)]


def read_safetensors(path, name):
    tensors = safetensors.numpy.load_file(path)
    return ids_of(tensors, name), tensors[name]


def read_npy(folder, name):
    stem = name.replace("/", ".")
    with open(folder / (stem + ".ids.csv"), newline="", encoding="utf-8") as file:
        ids = [row[0] for row in csv.reader(file)][1:]
    return ids, np.load(folder / (stem + ".npy"))


def read_csv(folder, name):
    with open(folder / (name.replace("/", ".") + ".csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))[1:]
    return [row[0] for row in rows], np.array([row[1:] for row in rows], dtype=np.float32)


def read_parquet(folder, name):
    table = pyarrow.parquet.read_table(folder / (name.replace("/", ".") + ".parquet"))
    return table["id"].to_pylist(), np.array(table["vector"].to_pylist(), dtype=np.float32)


READERS = {"safetensors": read_safetensors, "npy": read_npy, "csv": read_csv,
           "parquet": read_parquet}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/parapet-cli")
    arguments = parser.parse_args()
    failed = passed = 0
    with tempfile.TemporaryDirectory() as workspace:
        def cli(*words):
            command = [arguments.program, "--workspace", workspace, "--quiet", "--json", *words]
            ran = subprocess.run(command, stdout=subprocess.PIPE, text=True)
            if ran.returncode != 0:
                sys.exit(f"{' '.join(command)} ended with {ran.returncode}")
            return json.loads(ran.stdout)

        run = cli("train", "sample", "--epochs", "5")["run_id"]
        read = {}
        for what, names in (("vectors", ["users", "items"]),
                            ("tables", ["tables/user/weight", "tables/item/weight"])):
            for format_name, reader in READERS.items():
                out = pathlib.Path(workspace) / f"{what}.{format_name}"
                cli("export", run, "--what", what, "--format", format_name, "--out", str(out))
                for name in names:
                    read[name, format_name] = reader(out, name)
        for (name, format_name), (ids, values) in read.items():
            expected_ids, expected = read[name, "npy"]
            same = ids == expected_ids and np.array_equal(values.view(np.int32),
                                                          expected.view(np.int32))
            passed, failed = passed + same, failed + (not same)
            print(f"{name:<22}{format_name:<14}{len(ids):>7} x {values.shape[1]:<5}"
                  f"{'the same bits' if same else 'DIFFERS'}")
        users, vectors = read["users", "safetensors"]
        items, candidates = read["items", "safetensors"]
        lists = cli("recommend", run, "--user", ",".join(users), "-k", "10")
        wrong = 0
        for answer, scores in zip(lists, vectors @ candidates.T):
            best = np.sort(scores)[::-1][:len(answer["items"])]
            listed = {item["id"] for item in answer["items"]}
            here = [items[i] for i in np.argsort(-scores, kind="stable")[:len(listed)]]
            near = np.allclose([item["score"] for item in answer["items"]], best, atol=1e-5)
            wrong += not near or len(listed.symmetric_difference(here)) > 2  # ties at the end
        passed, failed = passed + (wrong == 0), failed + (wrong != 0)
        print(f"top 10 of {len(lists)} users by dot products: {wrong} differ")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
