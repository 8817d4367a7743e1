# SPDX-License-Identifier: Apache-2.0
"""Exported vectors, tables and curves in the readers that others use: the same bits and lists."""

import json
import subprocess
import tempfile

from . import setup
from .study import Study


def _with_history(document):
    """The sample whose query is the user and the last items that he had."""
    for feature in document["features"]:
        if feature["tower"] == "query":
            feature["name"] = f"query/{feature['name']}"
    history = {"name": "query/history", "column": "item", "table": "item", "tower": "query",
               "history": {"length": 10}}
    document["features"].append(history)
    document["model"]["query"] = [{"kind": "add", "inputs": ["query"]}]
    return document


def study_exports(context):
    study = Study(context, "exports", "Exports in the readers of others", "s")
    if not context.has("exports", "all", "numpy", "pyarrow", "safetensors", "tensorboard"):
        return study
    done = subprocess.run([setup.CLI, "recipe", "sample"], check=True, capture_output=True, text=True)
    script = setup.PEERS / "read_exports.py"
    with tempfile.TemporaryDirectory(dir=setup.WORK) as folder:
        for name, document in (("users", json.loads(done.stdout)),
                               ("histories", _with_history(json.loads(done.stdout)))):
            file = f"{folder}/{name}.json"
            with open(file, "w", encoding="utf-8") as out:
                json.dump(document, out)
            command = [setup.PYTHON, script, "--program", setup.CLI, "--document", file]
            lines, _ = context.launcher.run(command)
            wrong = [line["what"] for line in lines if not line["holds"]]
            study.check(f"a model of {name}: bits, lists and curves", lines and not wrong,
                        f"{len(lines) - len(wrong)} of {len(lines)} comparisons hold"
                        + "".join(f"; {what}" for what in wrong))
    return study
