# SPDX-License-Identifier: Apache-2.0
"""Attention, the softmax over a table and GELU, in the shapes of a step of a small encoder, beside
their products alone in the same process."""

from . import setup
from .launches import Participant
from .study import Study

# What each is held against.
PRODUCTS = {
    "attention": ("two products", 1.0),
    "attention gradient": ("two products", 2.5),
    "table softmax": ("three products", 1.0),
    "table softmax, forward": ("three products", 1.0 / 3.0),
}


def study_sequences(context):
    study = Study(context, "sequences", "Attention and softmax over a table", "s")
    found = {}

    def measure(launcher):
        command = [setup.ENGINE, "sequences", "--threads", context.threads, *context.budget(2.0)]
        lines, _ = launcher.run(command, threads=context.threads)
        for line in lines:
            found.setdefault(line["what"], []).append(line["seconds"])
        return {line["what"]: line["seconds"] for line in lines}

    study.compare([Participant("parapet", "ours", measure)])
    best = {what: min(seconds) for what, seconds in found.items()}
    for what, (products, share) in PRODUCTS.items():
        study.note(f"{what}: {best[what] / (share * best[products]):.2f} times its products alone")
    return study
