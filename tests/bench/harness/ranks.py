# SPDX-License-Identifier: Apache-2.0
"""Several logical devices against one, and several threads against one."""

import hashlib
import pathlib
import statistics
import tempfile

from . import setup
from .launches import Participant
from .study import Study

VALIDATION_ROWS = 20_000  # as the recipe has it


class Training:
    """One way to train: what the run reports, and a hash of the tables it made."""

    def __init__(self, name, data, rows, epochs, options):
        self.name, self.data, self.rows = name, data, rows
        self.epochs, self.options = epochs, options
        self.losses, self.tables = None, None

    def measure(self, case):
        def run(launcher):
            with tempfile.TemporaryDirectory(dir=setup.WORK) as folder:
                answer = self._train(launcher, folder)
                self.tables = self._hash_of_tables(launcher, folder)
            self.losses = [epoch["loss"] for epoch in answer["epochs"]]
            return {case: statistics.median(epoch["train_seconds"] for epoch in answer["epochs"])}

        return run

    def _train(self, launcher, folder):
        command = [setup.CLI, "--workspace", folder, "train", "movielens-retrieval"]
        command += ["--data", self.data, "--epochs", self.epochs, "--json", "--quiet"]
        command += ["--set", f"/dataset/split/train={self.rows - VALIDATION_ROWS}"]
        command += ["--set", "/training/validate_every=0"]
        command += ["--set", "/training/checkpoints/best=null", *self.options]
        lines, _ = launcher.run(command)
        return lines[-1]

    @staticmethod
    def _hash_of_tables(launcher, folder):
        out = pathlib.Path(folder) / "tables"
        export = ["export", "latest", "--what", "tables", "--format", "npy", "--out", out]
        launcher.run([setup.CLI, "--workspace", folder, *export])
        digest = hashlib.sha256()
        for file in sorted(out.rglob("*.npy")):
            digest.update(file.read_bytes())
        return digest.hexdigest()


def _loss_difference(a, b):
    if a.losses is None or b.losses is None:
        return None
    return max(abs(x - y) for x, y in zip(a.losses, b.losses))


def _pair(study, case, base, other, at_most):
    """`other` beside `base`; checks how much longer it may take."""
    participants = [
        Participant(base.name, "base", base.measure(case)),
        Participant(other.name, "ours", other.measure(case)),
    ]
    figures = study.compare(participants)
    if base.name in figures and other.name in figures:
        ratio = figures[other.name][case].median / figures[base.name][case].median
        study.check(
            f"{case}: {other.name} takes at most {at_most:.3g} x the time of {base.name}",
            ratio <= at_most,
            f"{ratio:.2f} x",
        )


def study_ranks(context):
    study = Study(context, "ranks", "Logical devices and threads, one epoch of training", "s")
    threads = context.threads
    events = 300_000 if context.quick else 3_000_000
    large = setup.generated_folder(
        context.launcher.say, users=60_000, items=20_000, events=events
    )

    def set_batch(size, dim, workers):
        options = ["--set", f"/dataset/batch/size={size}", "--threads", workers]
        for table in (0, 1):
            options += ["--set", f"/tables/{table}/embedding_dim={dim}"]
        return options

    small_epochs, large_epochs = (20, 2) if context.quick else (200, 5)
    for case, data, rows, size, epochs, at_most in (
        ("batch 1,000", context.data, 100_000, 1000, small_epochs, 1.3),
        ("batch 16,384", large, events, 16_384, large_epochs, 1.1),
    ):
        one, eight = (
            Training(
                name, data, rows, epochs, [*set_batch(size, 32, threads), "--devices", name]
            )
            for name in ("cpu*1", "cpu*8")
        )
        _pair(study, case, one, eight, at_most)
        difference = _loss_difference(one, eight)
        if difference is not None:
            study.check(
                f"{case}: losses of cpu*8 and cpu*1 agree to 1e-6",
                difference <= 1e-6,
                f"largest difference {difference:.1e} over {epochs} epochs",
            )

    case = "batch 16,384, dim 64"
    single, several = (
        Training(
            f"{workers} thread(s)", large, events, large_epochs, set_batch(16_384, 64, workers)
        )
        for workers in (1, threads)
    )
    if threads > 1:
        _pair(study, case, single, several, 1 / 1.6)
        study.check(
            f"{case}: the tables are the same bits with 1 and {threads} threads",
            single.tables and single.tables == several.tables,
            "same" if single.tables == several.tables else "different",
        )
    study.note(
        f"cpu*8 and cpu*1 with {threads} threads, dim 32. Batch 1,000: {context.data_name}; batch "
        f"16,384: {events:,} generated ratings of 60,000 users and 20,000 items. Median of the "
        "training time of an epoch as the run reports it."
    )
    return study
