# SPDX-License-Identifier: Apache-2.0
"""The pictures of README.md and docs/window.md: the window on real runs of generated data."""

import os
import pathlib

from . import documents
from .program import run
from .section import Section

FOLDER = "resources/screenshots"


def pictures_of(_, program):
    """Of all that the program draws, the files that a document shows."""
    made = program.file("pictures")
    platform = os.environ.get("QT_QPA_PLATFORM", "offscreen")
    run(["env", f"QT_QPA_PLATFORM={platform}", program.folder / "parapet_screenshots", made])
    return {path: (made / pathlib.Path(path).name).read_bytes() for path in documents.pictures() if path.startswith(FOLDER)}


SECTIONS = [
    Section("pictures", "the window, drawn by parapet_screenshots", None, None, programs=["parapet_screenshots"],
            pictures=pictures_of),
]
