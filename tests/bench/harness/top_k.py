# SPDX-License-Identifier: Apache-2.0
"""Exact top-10 by inner product: ours, torch, faiss, and what the machine would need at least."""

import json

from . import setup
from .launches import Participant
from .limits import SCORES
from .study import Study

# (candidates, width, queries)
SHAPES = [
    (1_682, 32, 1),
    (1_682, 32, 1000),
    (138_102, 64, 1),
    (138_102, 64, 1000),
    (1_000_000, 64, 1),
    (1_000_000, 64, 1000),
    (9_390_000, 64, 1),
]
QUICK_SHAPES = [(1_682, 32, 1), (1_682, 32, 100), (138_102, 64, 1), (138_102, 64, 100)]

# Scores of different programs differ by the order of summation; rows that close may change places.
NEAR = 2e-6


class Search:
    """One shape with its files."""

    def __init__(self, context, rows, dim, count):
        self.context, self.rows, self.dim, self.count = context, rows, dim, count
        self.case = f"{rows:,} x {dim}, {count:,} quer{'y' if count == 1 else 'ies'}"
        self.candidates = setup.vectors_file(rows, dim, 1, context.threads)
        self.queries = setup.vectors_file(1000, dim, 2, context.threads)
        self.lists = {}  # file by participant

    def participant(self, name, role, command, threads):
        self.lists[name] = setup.WORK / f"lists-{len(self.lists)}.json"

        def measure(launcher):
            arguments = ["--candidates", self.candidates, "--queries", self.queries]
            arguments += ["--dim", self.dim, "--count", self.count, "--threads", threads]
            arguments += ["--lists", self.lists[name]]
            # Short calls are measured in many runs: their medians settle late.
            budget = self.context.budget(1.0, runs=3)
            lines, _ = launcher.run([*command, *arguments, *budget], threads=threads)
            return {self.case: lines[-1]["seconds"]}

        return Participant(name, role, measure)

    def limit(self):
        """The larger of reading every candidate once and making every score, at the speed of this
        very minute; one query is bound by the first, many by the second."""
        threads = self.context.threads
        budget = self.context.budget(0.5)

        def by_reading(launcher):
            size = 4 * self.rows * self.dim
            rates = []
            for count in {1, threads}:
                command = [setup.LIMITS, "read", "--bytes", size, "--threads", count, *budget]
                rates.append(launcher.run(command)[0][-1]["gigabytes_per_second"])
            return {self.case: size / max(rates) / 1e9}

        def by_product(launcher):
            command = [setup.LIMITS, "sgemm", SCORES, "--threads", threads, *budget]
            rate = launcher.run(command, threads=threads)[0][-1]["gflops"]
            return {self.case: 2 * self.rows * self.dim * self.count / rate / 1e9}

        return Participant("limit", "limit", by_reading if self.count == 1 else by_product)

    def participants(self):
        threads, context = self.context.threads, self.context
        found = [
            self.limit(),
            self.participant("parapet", "ours", [setup.ENGINE, "top-k"], threads),
        ]
        if context.has("top-k", "PyTorch", "torch"):
            script = [setup.PYTHON, setup.PEERS / "torch_top_k.py"]
            found.append(self.participant("torch matmul", "peer", [*script, "matmul"], threads))
            if self.count == 1:
                found.append(self.participant("torch.mv", "peer", [*script, "mv"], threads))
                found.append(self.participant("torch.mv, 1 thread", "peer", [*script, "mv"], 1))
        if context.has("top-k", "faiss", "faiss"):
            script = [setup.PYTHON, setup.PEERS / "faiss_top_k.py"]
            found.append(self.participant("faiss", "peer", script, threads))
            if self.count == 1:
                found.append(self.participant("faiss, 1 thread", "peer", script, 1))
        return found

    def check_lists(self, study):
        """Ours: ties by ascending row. Ours against each peer: the same rows, near ties apart."""
        if not self.lists["parapet"].exists():
            return
        ours = json.loads(self.lists["parapet"].read_text())
        unordered = sum(
            a[1] < b[1] or (a[1] == b[1] and a[0] > b[0])
            for one in ours
            for a, b in zip(one, one[1:])
        )
        study.check(
            f"{self.case}: descending scores, ties by row",
            unordered == 0,
            f"{unordered} pairs out of order",
        )
        different = {}
        for name, file in self.lists.items():
            if name != "parapet" and file.exists():
                theirs = json.loads(file.read_text())
                different[name] = sum(not same(a, b) for a, b in zip(ours, theirs))
        if different:
            study.check(
                f"{self.case}: the same lists as {', '.join(different)}",
                not any(different.values()),
                f"{sum(different.values())} of {len(ours) * len(different)} differ",
            )


def same(ours, theirs):
    """Whether two lists hold the same rows, except where scores are equal within rounding: rows
    that only one list has must score like the last of the other."""
    if len(ours) != len(theirs):
        return False
    if any(abs(a[1] - b[1]) > NEAR * max(1.0, abs(a[1])) for a, b in zip(ours, theirs)):
        return False
    rows = {row for row, _ in theirs}
    last = ours[-1][1]
    return all(
        row in rows or abs(score - last) <= NEAR * max(1.0, abs(last)) for row, score in ours
    )


def study_top_k(context):
    study = Study(context, "top-k", "Exact top-10 by inner product", "s")
    for rows, dim, count in QUICK_SHAPES if context.quick else SHAPES:
        search = Search(context, rows, dim, count)
        for file in setup.WORK.glob("lists-*.json"):
            file.unlink()
        study.compare(search.participants())
        search.check_lists(study)
    study.note(
        f"{context.threads} threads where nothing else is said. Limit of one query: reading all "
        "candidates once at the bandwidth measured in turn with it (of the same number of bytes, so "
        f"from the cache where they fit); of many: the arithmetic at the rate of oneDNN's {SCORES}."
    )
    return study
