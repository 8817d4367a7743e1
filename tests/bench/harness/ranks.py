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

    def __init__(self, name, workspace, data, rows, epochs, options):
        self.name, self.workspace, self.data, self.rows = name, workspace, data, rows
        self.epochs, self.options = epochs, options
        self.losses, self.tables = None, None

    def participant(self, role, case):
        """Median seconds of an epoch's training."""

        def measure(launcher):
            epochs = self._train(launcher)["epochs"]
            self.tables = self._hash_of_tables(launcher)
            self.losses = [epoch["loss"] for epoch in epochs]
            return {case: statistics.median(epoch["train_seconds"] for epoch in epochs)}

        return Participant(self.name, role, measure)

    def _train(self, launcher):
        command = [setup.CLI, "--workspace", self.workspace, "train", "movielens-retrieval"]
        command += ["--data", self.data, "--epochs", self.epochs, "--json", "--quiet"]
        command += ["--set", f"/dataset/split/train={self.rows - VALIDATION_ROWS}"]
        command += ["--set", "/training/validate_every=0"]
        command += ["--set", "/training/checkpoints/best=null", *self.options]
        lines, _ = launcher.run(command)
        return lines[-1]

    def _hash_of_tables(self, launcher):
        with tempfile.TemporaryDirectory(dir=setup.WORK) as folder:
            out = pathlib.Path(folder) / "tables"
            export = ["export", "latest", "--what", "tables", "--format", "npy", "--out", out]
            launcher.run([setup.CLI, "--workspace", self.workspace, *export])
            digest = hashlib.sha256()
            for file in sorted(out.rglob("*.npy")):
                digest.update(file.read_bytes())
            return digest.hexdigest()


def set_batch(size, dim, threads):
    options = ["--set", f"/dataset/batch/size={size}", "--threads", threads]
    for table in (0, 1):
        options += ["--set", f"/tables/{table}/embedding_dim={dim}"]
    return options


def compare_pair(study, case, base, other, at_most):
    """`other` beside `base`; checks how much longer it may take. Whether both could run."""
    figures = study.compare([base.participant("base", case), other.participant("ours", case)])
    if base.name not in figures or other.name not in figures:
        return False
    ratio = figures[other.name][case].median / figures[base.name][case].median
    study.check(
        f"{case}: {other.name} takes at most {at_most:.3g} x the time of {base.name}",
        ratio <= at_most,
        f"{ratio:.2f} x",
    )
    return True


def compare_devices(study, case, at_most, data, size, epochs, workspace):
    folder, rows = data
    options = set_batch(size, 32, study.context.threads)
    one, eight = (
        Training(name, workspace, folder, rows, epochs, [*options, "--devices", name])
        for name in ("cpu*1", "cpu*8")
    )
    if compare_pair(study, case, one, eight, at_most):
        difference = max(abs(a - b) for a, b in zip(one.losses, eight.losses))
        study.check(
            f"{case}: losses of cpu*8 and cpu*1 agree to 1e-6",
            difference <= 1e-6,
            f"largest difference {difference:.1e} over {epochs} epochs",
        )


def compare_threads(study, case, data, size, epochs, workspace):
    folder, rows = data
    threads = study.context.threads
    if threads == 1:
        study.context.skip(study.name, case, "there is one core")
        return
    single, several = (
        Training(f"{count} thread(s)", workspace, folder, rows, epochs, set_batch(size, 64, count))
        for count in (1, threads)
    )
    if compare_pair(study, case, single, several, 1 / 1.6):
        study.check(
            f"{case}: the tables are the same bits with 1 and {threads} threads",
            single.tables == several.tables,
            "same" if single.tables == several.tables else "different",
        )


def study_ranks(context):
    study = Study(context, "ranks", "Logical devices and threads, one epoch of training", "s")
    events = 300_000 if context.quick else 3_000_000
    say = context.launcher.say
    large = setup.generated_folder(say, users=60_000, items=20_000, events=events), events
    small = context.data, 100_000
    few, many = (2, 20) if context.quick else (5, 200)
    with tempfile.TemporaryDirectory(dir=setup.WORK) as workspace:
        compare_devices(study, "batch 1,000", 1.3, small, 1000, many, workspace)
        compare_devices(study, "batch 16,384", 1.1, large, 16_384, few, workspace)
        compare_threads(study, "batch 16,384, dim 64", large, 16_384, few, workspace)
    study.note(
        f"cpu*8 and cpu*1 with {context.threads} threads, dim 32. Batch 1,000: "
        f"{context.data_name}; batch 16,384: {events:,} generated ratings of 60,000 users and "
        "20,000 items. Median of the training time of an epoch as the run reports it."
    )
    return study
