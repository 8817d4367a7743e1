# SPDX-License-Identifier: Apache-2.0
"""Lookup and row-wise Adagrad update of random rows of a table that fits no cache."""

from . import setup
from .launches import Participant
from .study import Study

ROWS = 30_000_000
DIM = 64
BATCH = 65_536
# Besides the table itself: accumulators, places, batches, the programs.
OTHER_BYTES = 1_500_000_000


def study_rows(context):
    study = Study(
        context, "rows", "Random rows: lookup and row-wise Adagrad", "rows/s", higher_is_better=True
    )
    rows = 1_000_000 if context.quick else ROWS
    fitting = (setup.available_bytes() - OTHER_BYTES) // (4 * DIM)
    if fitting < rows:
        study.note(f"Memory has room for {fitting:,} rows of {DIM}, not for {rows:,}.")
        rows = max(fitting, 0) // 1_000_000 * 1_000_000
    if rows == 0:
        context.skip("rows", "all", "no room for a table of a million rows")
        return study

    def taking_part(name, role, program):
        def measure(launcher):
            command = [program, "rows", "--rows", rows, "--dim", DIM, "--batch", BATCH]
            command += ["--threads", context.threads, *context.budget(1.0, runs=10)]
            lines, _ = launcher.run(command, threads=context.threads)
            return {
                f"{rows:,} x {DIM}, {line['ids']} ids": line["rows_per_second"] for line in lines
            }

        return Participant(name, role, measure)

    participants = [
        taking_part("limit", "limit", setup.LIMITS),
        taking_part("parapet", "ours", setup.ENGINE),
    ]
    study.compare(participants)
    study.note(
        f"{BATCH:,} ids a step, {context.threads} threads. parapet: gather, group equal ids, "
        "row-wise Adagrad on the merged gradient. Limit: gather the rows, then read each again, add "
        "to it and write it back; ids handed to the threads before the clock starts."
    )
    return study
