# SPDX-License-Identifier: Apache-2.0
"""In-batch softmax with its gradients, beside its three products alone, in the same process."""

from . import setup
from .launches import Participant
from .study import Study

BATCHES = [1024, 8192]
DIM = 64


def study_negatives(context):
    study = Study(context, "negatives", "In-batch softmax and gradients", "s")
    found = {}

    def measure(launcher):
        figures = {}
        for rows in BATCHES[:1] if context.quick else BATCHES:
            command = [setup.ENGINE, "negatives", "--rows", rows, "--dim", DIM]
            command += ["--threads", context.threads, *context.budget(1.0)]
            lines, _ = launcher.run(command, threads=context.threads)
            for line in lines:
                key = f"{rows:,} x {DIM}, {line['what']}"
                figures[key] = line["seconds"]
                found.setdefault(key, []).append(line["seconds"])
        return figures

    study.compare([Participant("parapet", "ours", measure)])
    for rows in BATCHES[:1] if context.quick else BATCHES:
        best = {
            what: min(found[f"{rows:,} x {DIM}, {what}"])
            for what in (
                "three products",
                "in-batch softmax",
                "in-batch softmax, log-Q and masks",
            )
        }
        loss = best["in-batch softmax"]
        study.note(
            f"{rows:,} x {DIM}: {loss / best['three products']:.2f} times its three products, of "
            f"which each writes or reads all scores; log-Q and masks take "
            f"{best['in-batch softmax, log-Q and masks'] / loss:.3f} times that."
        )
    return study
