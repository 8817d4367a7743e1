# SPDX-License-Identifier: Apache-2.0
"""WordPiece on one thread: ours beside Hugging Face's tokenizers, and whether all ids agree."""

import os
import pathlib

from . import setup
from .launches import Participant
from .study import Study


def corpora():
    """Texts of wikitext-2 and the vocabulary of BERT, where PARAPET_DATA_DIR has them."""
    folder = pathlib.Path(os.environ.get("PARAPET_DATA_DIR", ""))
    vocabulary = folder / "bert" / "vocab.txt"
    texts = [folder / "wikitext-2" / name for name in ("valid.txt", "test.txt")]
    return vocabulary, [text for text in texts if text.exists()]


def study_word_piece(context):
    study = Study(context, "word-piece", "WordPiece, one thread", "MB/s", higher_is_better=True)
    vocabulary, texts = corpora()
    if not vocabulary.exists() or not texts:
        context.skip("word-piece", "all", "no bert/vocab.txt and wikitext-2 in PARAPET_DATA_DIR")
        return study
    files = {}  # of ids, by text and participant

    def taking_part(name, role, command):
        def measure(launcher):
            figures = {}
            for text in texts:
                files[text, name] = setup.WORK / f"ids-{text.stem}-{len(files)}.txt"
                arguments = ["--vocabulary", vocabulary, "--corpus", text]
                arguments += ["--ids", files[text, name], "--threads", 1]
                lines, _ = launcher.run([*command, *arguments, *context.budget(1.0)])
                figures[text.name] = lines[-1]["bytes"] / lines[-1]["seconds"] / 1e6
            return figures

        return Participant(name, role, measure)

    participants = [taking_part("parapet", "ours", [setup.ENGINE, "word-piece"])]
    if context.has("word-piece", "tokenizers", "tokenizers"):
        script = [setup.PYTHON, setup.PEERS / "hf_word_piece.py"]
        participants.append(taking_part("tokenizers, a line a call", "peer", [*script, "encode"]))
        participants.append(taking_part("tokenizers, all at once", "peer", [*script, "batch"]))
    setup.WORK.mkdir(parents=True, exist_ok=True)
    study.compare(participants)
    for (text, name), theirs in files.items():
        ours = files.get((text, "parapet"))
        if name == "parapet" or not ours or not theirs.exists():
            continue
        pairs = list(zip(ours.read_text().splitlines(), theirs.read_text().splitlines()))
        different = sum(a != b for a, b in pairs)
        study.check(
            f"{text.name}: the ids of {name}",
            different == 0 and len(pairs) > 0,
            f"{different} of {len(pairs)} lines differ",
        )
    return study
