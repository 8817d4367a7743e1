# SPDX-License-Identifier: Apache-2.0
"""Training steps of movielens-ranking on all cores: two tables side by side, 64-256-64-1."""

import tempfile

from . import setup
from .launches import Participant
from .study import Study

ROWS = 80_000
# At least as many times as fast as the fastest PyTorch, and of the rate of oneDNN's products.
WANTED = {256: (2.5, 0.70), 1024: (1.6, 0.80)}
WIDTHS = [64, 256, 64, 1]


def products(batch):
    """The products of a step, as the program of limits takes them: forward, gradient of the kernel,
    gradient of the input."""
    shapes = []
    for inner, outer in zip(WIDTHS, WIDTHS[1:]):
        shapes.append(f"{batch}x{outer}x{inner}:NN")
        shapes.append(f"{inner}x{outer}x{batch}:TN")
        shapes.append(f"{batch}x{inner}x{outer}:NT")
    return shapes


def case_of(batch, precision="fp32"):
    return f"a step of {batch}" + ("" if precision == "fp32" else f", {precision}")


class Training:
    """Epochs of the command, and the loss at the end of the long ones."""

    def __init__(self, context, precision):
        self.context, self.precision = context, precision
        self.losses = {}

    def participant(self, name, batch):
        """Seconds of a step: the whole command with many epochs less the same with few."""
        case = case_of(batch, self.precision)
        few, many = (2, 6) if self.context.quick else (10, 60)

        def measure(launcher):
            with tempfile.TemporaryDirectory(dir=setup.WORK) as folder:
                setting = ["import", "movielens-ranking", "--data", self.context.data]
                launcher.run([setup.CLI, "--workspace", folder, *setting])
                _, short = self._train(launcher, folder, batch, few)
                answer, long = self._train(launcher, folder, batch, many)
            self.losses[batch] = answer["epochs"][-1]["loss"]
            return {case: (long - short) / (many - few) / (ROWS // batch)}

        return Participant(name, "ours", measure)

    def _train(self, launcher, folder, batch, epochs):
        settings = {
            "/dataset/batch/size": batch,
            "/dataset/split/train": ROWS,
            "/dataset/split/validation": 0,
            "/training/validate_every": 0,
            "/training/early_stopping": "null",
            "/training/checkpoints/best": "null",
            "/training/precision": self.precision,
        }
        command = [setup.CLI, "--workspace", folder, "train", "movielens-ranking", "--json"]
        command += ["--data", self.context.data, "--epochs", epochs, "--quiet"]
        command += ["--threads", self.context.threads]
        for pointer, value in settings.items():
            command += ["--set", f"{pointer}={value}"]
        lines, seconds = launcher.run(command, threads=self.context.threads)
        return lines[-1], seconds


def limit_of(context, batch):
    """Seconds of a step's products by oneDNN, one after the other."""

    def measure(launcher):
        command = [setup.LIMITS, "sgemm", *products(batch), "--threads", context.threads]
        lines, _ = launcher.run([*command, *context.budget(0.3)], threads=context.threads)
        return {case_of(batch): sum(line["seconds"] for line in lines)}

    return Participant("oneDNN's products alone", "limit", measure)


def torch_participants(context, batch):
    if not context.has("ranking", "PyTorch", "torch"):
        return []

    def participant(variant):
        def measure(launcher):
            command = [setup.PYTHON, setup.PEERS / "torch_ranking.py", variant]
            command += ["--batch", batch, "--data", context.data, "--threads", context.threads]
            command += context.budget(3.0, runs=10)
            lines, _ = launcher.run(command, threads=context.threads)
            return {case_of(batch): lines[-1]["microseconds_per_step"] * 1e-6}

        return Participant(f"PyTorch {variant}", "peer", measure)

    return [participant(variant) for variant in ("dense", "foreach", "fused", "compiled")]


def check(study, figures, batch):
    case = case_of(batch)
    times_wanted, share_wanted = WANTED[batch]
    ours = figures.get("parapet", {}).get(case)
    peers = [of[case].median for name, of in figures.items() if name.startswith("PyTorch")]
    limit = figures.get("oneDNN's products alone", {}).get(case)
    if ours and peers:
        times = min(peers) / ours.median
        study.check(
            f"{case}: {times_wanted} times as fast as the fastest PyTorch",
            times >= times_wanted,
            f"{times:.2f}",
        )
    if ours and limit:
        share = limit.median / ours.median
        study.check(
            f"{case}: {share_wanted:.0%} of the rate of its products alone",
            share >= share_wanted,
            f"{share:.0%}",
        )


def study_ranking(context):
    study = Study(context, "ranking", "movielens-ranking, one training step", "s")
    single, half = Training(context, "fp32"), Training(context, "bf16")
    for batch in WANTED:
        figures = study.compare(
            [
                limit_of(context, batch),
                single.participant("parapet", batch),
                half.participant("parapet in bf16", batch),
                *torch_participants(context, batch),
            ]
        )
        check(study, figures, batch)
        if batch in single.losses and batch in half.losses:
            study.note(
                f"Loss of the last epoch at {batch}: fp32 {single.losses[batch]:.6f}, "
                f"bf16 {half.losses[batch]:.6f}."
            )
    study.note(
        f"Data: {context.data_name}. Adam moves every row of both tables at every step. parapet: "
        "(wall time of the command with 60 epochs - with 10) / steps, without validation, events "
        "and store on; peers: median epoch within a process that has warmed up, by its steps."
    )
    return study
