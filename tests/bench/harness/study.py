# SPDX-License-Identifier: Apache-2.0
"""A study: one bench with its cases, who took part, and what came out."""

import dataclasses

from .launches import take_turns


@dataclasses.dataclass
class Context:
    """What every study needs to know."""

    launcher: object
    threads: int  # all cores
    quick: bool
    patience: int  # further rounds for who was disturbed in all
    data: object  # MovieLens folder
    data_name: str
    versions: dict  # of the peers that are there, by module
    missing: dict  # why the others are not, by module
    skipped: list  # {"bench", "who", "reason"}

    def has(self, bench, who, *modules):
        """Whether a peer that needs these modules can run; notes the reason if not."""
        for module in modules:
            if module in self.missing:
                self.skip(bench, who, self.missing[module])
                return False
        return True

    def skip(self, bench, who, reason):
        entry = {"bench": bench, "who": who, "reason": reason}
        if entry not in self.skipped:
            self.skipped.append(entry)

    def budget(self, seconds=0.7, runs=3):
        """Arguments of one measurement in a program of ours or of a peer."""
        scale = 0.2 if self.quick else 1.0
        return ["--seconds", seconds * scale, "--runs", 2 if self.quick else runs]


class Study:
    """Collects the figures of one bench, participant by participant."""

    def __init__(self, context, name, title, unit, higher_is_better=False):
        self.context = context
        self.name = name
        self.title = title
        self.unit = unit
        self.higher_is_better = higher_is_better
        self.rows = []  # in the order of their cases
        self.notes = []
        self.checks = []  # {"what", "holds", "found"}

    def compare(self, participants, rounds=3):
        """Lets the participants take turns, once where it is to be quick, and adds a row for each
        case that they measured. Returns {name: {case: Figure}}."""
        self.context.launcher.say(f"{self.name}: {', '.join(who.name for who in participants)}")
        figures, failures = take_turns(
            self.context.launcher,
            participants,
            1 if self.context.quick else rounds,
            self.context.patience,
        )
        for who, reason in failures.items():
            self.context.skip(self.name, who, reason)
        cases = []
        for of_who in figures.values():
            cases += [case for case in of_who if case not in cases]
        for case in cases:
            row = {"case": case, "figures": []}
            for who in participants:
                figure = figures.get(who.name, {}).get(case)
                if figure:
                    row["figures"].append({"name": who.name, "role": who.role} | figure.to_json())
            self.rows.append(row)
        return figures

    def check(self, what, holds, found):
        self.checks.append({"what": what, "holds": bool(holds), "found": found})

    def note(self, text):
        self.notes.append(text)

    def to_json(self):
        return {
            "name": self.name,
            "title": self.title,
            "unit": self.unit,
            "higher_is_better": self.higher_is_better,
            "rows": self.rows,
            "checks": self.checks,
            "notes": self.notes,
        }
