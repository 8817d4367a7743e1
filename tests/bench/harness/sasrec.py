# SPDX-License-Identifier: Apache-2.0
"""SASRec on ratings, one thread: the training steps of eight epochs beside PyTorch's. What both learn
is compared by tests/fidelity/run --only sasrec."""

import tempfile

from . import setup
from .launches import Participant
from .study import Study

DOCUMENT = setup.ROOT / "tests" / "fidelity" / "movielens_sasrec.json"
TIMES_WANTED = 3.0


def study_sasrec(context):
    study = Study(context, "sasrec", "SASRec, one thread", "s")
    epochs = 1 if context.quick else 8
    case = f"{epochs} epochs"

    def ours(launcher):
        with tempfile.TemporaryDirectory(dir=setup.WORK) as place:
            command = [setup.CLI, "--workspace", place, "train", DOCUMENT, "--json", "--quiet"]
            command += ["--data", context.data, "--epochs", epochs, "--threads", 1]
            lines, _ = launcher.run(command, threads=1)
        return {case: lines[-1]["train_seconds"]}

    def theirs(launcher):
        command = [setup.PYTHON, setup.PEERS / "torch_sasrec.py", context.data, "--seeds", 1]
        lines, _ = launcher.run([*command, "--epochs", epochs, "--threads", 1], threads=1)
        return {case: lines[-1]["train_seconds"]}

    participants = [Participant("parapet", "ours", ours)]
    if context.has("sasrec", "PyTorch", "torch"):
        participants.append(Participant("PyTorch", "peer", theirs))
    figures = study.compare(participants)
    found = [figures.get(name, {}).get(case) for name in ("parapet", "PyTorch")]
    if all(found):
        times = found[1].median / found[0].median
        study.check(f"{TIMES_WANTED} times as fast as PyTorch", times >= TIMES_WANTED, f"{times:.2f}")
    study.note(f"Data: {context.data_name}.")
    return study
