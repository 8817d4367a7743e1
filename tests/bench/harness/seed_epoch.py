# SPDX-License-Identifier: Apache-2.0
"""One training epoch of movielens-retrieval on one core."""

import statistics
import tempfile

from . import setup
from .launches import Participant
from .study import Study

CASE = "one core"
CASE_RANKS = "8 devices, all cores"
BY_HAND = "PyTorch by hand"
PIN = ["taskset", "-c", "0"]

# What an epoch moves, in bytes: for each of 80,000 examples two rows of 32 floats read, and their
# gradients written and read; for each of 80 batches some 1,050 distinct rows and their accumulators
# read and written. It fits the second-level cache. Who never writes gradients out moves less.
EPOCH_BYTES = 80_000 * 768 + 80 * 1_050 * 768


def _train(context, folder, epochs, pin, options):
    command = [*pin, setup.CLI, "--workspace", folder, "train", "movielens-retrieval"]
    command += ["--data", context.data, "--epochs", epochs, "--json", "--quiet"]
    command += ["--set", "/training/validate_every=0"]
    command += ["--set", "/training/checkpoints/best=null", *options]
    lines, seconds = context.launcher.run(command)
    return lines[-1], seconds


def _ours(context, case, pin, options, agreement):
    """Seconds of an epoch: the whole command with many epochs less the same with 50, so that start,
    import and the final checkpoint fall out and store and events stay in."""
    few, many = (50, 150) if context.quick else (50, 1050)

    def measure(launcher):
        with tempfile.TemporaryDirectory(dir=setup.WORK) as folder:
            document = ["import", "movielens-retrieval", "--data", context.data]
            launcher.run([setup.CLI, "--workspace", folder, *document])
            _, short = _train(context, folder, few, pin, options)
            answer, long = _train(context, folder, many, pin, options)
        epoch = (long - short) / (many - few)
        agreement.append(answer["examples_per_second"] * epoch / 80_000)
        return {case: epoch}

    return measure


def _peer(context, script, case, pin, threads, *arguments):
    def measure(launcher):
        command = [*pin, setup.PYTHON, setup.PEERS / script, *arguments, "--data", context.data]
        lines, _ = launcher.run(command, threads=threads)
        return {case: lines[-1]["seconds"]}

    return measure


def _limit(context):
    def measure(launcher):
        command = [*PIN, setup.LIMITS, "read", "--bytes", 2**19, *context.budget(0.5)]
        rate = launcher.run(command)[0][-1]["gigabytes_per_second"] * 1e9
        return {CASE: EPOCH_BYTES / rate}

    return measure


def torch_participants(context):
    if not context.has("seed", "PyTorch", "torch"):
        return []
    names = {variant: f"PyTorch {variant}" for variant in ("dense", "fused", "compiled")}
    names["manual"] = BY_HAND
    budget = context.budget(3.0, runs=20)
    return [
        Participant(
            name,
            "peer",
            _peer(context, "torch_retrieval.py", CASE, PIN, 1, variant, "--threads", 1, *budget),
        )
        for variant, name in names.items()
    ]


def keras_participants(context, case, devices, pin, threads):
    if not context.has("seed", "Keras on JAX", "jax", "keras", "keras_rs"):
        return []
    options = ["--devices", devices, "--epochs", 3 if context.quick else 15]
    names = {1: "Keras on JAX", 80: "Keras on JAX, 80 steps a call"}
    return [
        Participant(
            name,
            "peer",
            _peer(
                context,
                "keras_retrieval.py",
                case,
                pin,
                threads,
                *options,
                "--steps-per-execution",
                steps,
            ),
        )
        for steps, name in names.items()
    ]


def check_against_torch(study, figures):
    """A twelfth of the epoch as one would write it in PyTorch, whichever of the ways is fastest."""
    idiomatic = [
        of_who[CASE].median
        for name, of_who in figures.items()
        if name.startswith("PyTorch") and name != BY_HAND
    ]
    if idiomatic and "parapet" in figures:
        times = min(idiomatic) / figures["parapet"][CASE].median
        study.check(
            "one core: at most 1/12 of the fastest idiomatic PyTorch epoch",
            times >= 12,
            f"1/{times:.1f}",
        )


def study_seed_epoch(context):
    study = Study(context, "seed", "movielens-retrieval, one epoch (80 steps of 1,000)", "s")
    agreement, unused = [], []
    alone = Participant("parapet", "ours", _ours(context, CASE, PIN, ["--threads", 1], agreement))
    figures = study.compare(
        [
            Participant("limit", "limit", _limit(context)),
            alone,
            *torch_participants(context),
            *keras_participants(context, CASE, 1, PIN, 1),
        ]
    )
    check_against_torch(study, figures)
    if agreement:
        middle = statistics.median(agreement)
        study.check(
            "examples_per_second agrees with the wall time of the command within 10 %",
            abs(middle - 1) <= 0.10,
            f"reported / wall = {middle:.3f}",
        )
    ranks = ["--devices", "cpu*8", "--threads", context.threads]
    together = Participant("parapet", "ours", _ours(context, CASE_RANKS, [], ranks, unused))
    study.compare([together, *keras_participants(context, CASE_RANKS, 8, [], None)])
    study.note(
        f"Data: {context.data_name}. Validation off, events and store on. parapet: (wall time of "
        "the command with 1,050 epochs - with 50) / 1,000; peers: median epoch within a process "
        "that has warmed up. Limit: the bytes that an epoch moves if gradients are written out "
        "(126 MB), at the speed of the second-level cache."
    )
    return study
