# SPDX-License-Identifier: Apache-2.0
"""In-batch softmax with its gradients, beside its three products alone, in the same process, and
PyTorch."""

from . import setup
from .launches import Participant
from .study import Study

BATCHES = [1024, 8192]
DIM = 64


# What PyTorch is told, and which of our figures it stands beside.
VARIANTS = {
    "cross_entropy": "in-batch softmax",
    "manual": "in-batch softmax",
    "log-Q": "in-batch softmax, log-Q and masks",
}

# bf16 last: its line has the errors against fp32.
PRECISIONS = {"": [], " in bf16": ["--bf16"]}


def torch_participants(context, batches):
    if not context.has("negatives", "PyTorch", "torch"):
        return []

    def taking_part(variant, what):
        def measure(launcher):
            command = [setup.PYTHON, setup.PEERS / "torch_in_batch_softmax.py", variant, "--rows"]
            command += [*batches, "--dim", DIM, "--threads", context.threads, *context.budget(1.0)]
            lines, _ = launcher.run(command, threads=context.threads)
            return {f"{line['rows']:,} x {DIM}, {what}": line["seconds"] for line in lines}

        return Participant(f"PyTorch, {variant}", "peer", measure)

    return [taking_part(variant, what) for variant, what in VARIANTS.items()]


def study_negatives(context):
    study = Study(context, "negatives", "In-batch softmax and gradients", "s")
    found, errors = {}, {}

    def measure(launcher):
        figures = {}
        for rows in batches:
            command = [setup.ENGINE, "negatives", "--rows", rows, "--dim", DIM]
            command += ["--threads", context.threads, *context.budget(1.0)]
            for precision, options in PRECISIONS.items():
                lines, _ = launcher.run([*command, *options], threads=context.threads)
                for line in lines:
                    key = f"{rows:,} x {DIM}, {line['what']}{precision}"
                    figures[key] = line["seconds"]
                    found.setdefault(key, []).append(line["seconds"])
                    if line["what"] == "in-batch softmax":
                        errors[rows] = line["error"]
        return figures

    batches = BATCHES[:1] if context.quick else BATCHES
    study.compare([Participant("parapet", "ours", measure), *torch_participants(context, batches)])
    for rows in batches:
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
        half = f"{rows:,} x {DIM}, in-batch softmax in bf16"
        study.note(
            f"{rows:,} x {DIM} in bf16: {min(found[half]) / loss:.2f} times the time of fp32; the "
            f"loss differs by {errors[rows]['loss']:.1e} of itself, the gradients by "
            f"{errors[rows]['gradients']:.1e} of their length."
        )
    return study
