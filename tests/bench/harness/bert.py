# SPDX-License-Identifier: Apache-2.0
"""A training step of BERT-tiny as a masked language model, two threads, beside PyTorch; and what a
lower precision costs in accuracy."""

import os
import pathlib
import tempfile

import bert_pairs

from . import setup
from .launches import LaunchError, Participant
from .study import Study

# At least as many times as fast as PyTorch.
WANTED = {"64x128x20": 1.8, "64x512x77": 2.0}


def vocabulary_file():
    file = pathlib.Path(os.environ.get("PARAPET_DATA_DIR", "")) / "bert" / "vocab.txt"
    return file if file.exists() else None


def taking_part(name, role, precision, peaks, measure_one):
    def measure(launcher):
        figures = {}
        for case in WANTED:
            seconds, peak = measure_one(launcher, bert_pairs.SHAPES[case], precision)
            figures[f"{case}, {precision}"] = seconds
            peaks.setdefault((case, precision), {})[name] = peak
        return figures

    return Participant(name, role, measure)


def study_bert(context):
    study = Study(context, "bert", "BERT-tiny, one training step, two threads", "s")
    vocabulary = vocabulary_file()
    if not vocabulary:
        context.skip("bert", "all", "no bert/vocab.txt in PARAPET_DATA_DIR")
        return study
    pieces = vocabulary.read_text(encoding="utf-8").rstrip("\n").split("\n")
    peaks = {}
    with tempfile.TemporaryDirectory(dir=setup.WORK) as place:

        def ours(launcher, shape, precision):
            folder = pathlib.Path(place) / f"{shape[1]}"
            if not folder.exists():
                folder.mkdir()
                bert_pairs.corpus(folder, pieces, shape[0], shape[1], 6 if shape[1] < 200 else 3)
            command = bert_pairs.our_command(
                setup.CLI, folder, f"{place}/workspace", shape, precision
            )
            lines, _ = launcher.run(command, threads=2)
            return lines[-1]["epochs"][-1]["ms_per_step"] / 1e3, lines[-1]["peak_rss_bytes"] >> 20

        def theirs(launcher, shape, precision):
            command = bert_pairs.torch_command(setup.PYTHON, shape, precision)
            lines, _ = launcher.run(command, threads=2)
            return lines[-1]["seconds"], lines[-1]["peak_mib"]

        has_torch = context.has("bert", "PyTorch", "torch")
        for precision in ("fp32", "bf16"):
            participants = [taking_part("parapet", "ours", precision, peaks, ours)]
            if has_torch:
                participants.append(taking_part("PyTorch", "peer", precision, peaks, theirs))
            figures = study.compare(participants)
            for case, wanted in WANTED.items():
                key = f"{case}, {precision}"
                found = [figures.get(name, {}).get(key) for name in ("parapet", "PyTorch")]
                if precision == "fp32" and all(found):
                    times = found[1].median / found[0].median
                    study.check(f"{key}: {wanted} times as fast", times >= wanted, f"{times:.2f}")
    for (case, precision), of_name in peaks.items():
        listed = ", ".join(f"{name} {peak} MiB" for name, peak in of_name.items())
        study.note(f"Peak of the whole process, {case} in {precision}: {listed}.")
    return study


def study_bert_weights(context):
    """Whether transformers and Parapet mean the same by a file of weights."""
    study = Study(context, "bert-weights", "BERT's weights, beside transformers", "")
    vocabulary = vocabulary_file()
    if not vocabulary:
        context.skip("bert-weights", "all", "no bert/vocab.txt in PARAPET_DATA_DIR")
        return study
    if not context.has("bert-weights", "transformers", "torch", "transformers", "tokenizers"):
        return study
    script = [setup.PYTHON, setup.PEERS / "hf_bert_weights.py"]
    with tempfile.TemporaryDirectory(dir=setup.WORK) as place:
        command = [*script, "round", place, "--vocabulary", vocabulary, "--cli", setup.CLI]
        try:
            lines, _ = context.launcher.run(command)
        except LaunchError as error:
            study.check("weights of transformers, read and written", False, str(error))
            return study
    for line in lines:
        if "worst_relative" in line:
            worst = line["worst_relative"]
            study.check(f"probabilities of {line['weights']} weights within 1e-5", worst <= 1e-5, worst)
    return study
