# SPDX-License-Identifier: Apache-2.0
"""A section: what it needs, how one seed of it is measured, and the figures that are made of all seeds."""

import dataclasses
import statistics
from collections.abc import Callable, Sequence


@dataclasses.dataclass
class Section:
    """`measure(program, seed)` gives the values of one seed by name; they are kept, so that a section that was broken off
    goes on with the next seed. `figures(rows)` makes of the values of all seeds what the documents print, in the order of
    reading. `constants` are the other numbers of the marked blocks: seeds, sizes, settings."""

    name: str
    title: str
    measure: Callable
    figures: Callable
    seeds: Sequence[int] = (0,)
    constants: str = ""
    data: Sequence[str] = ()
    programs: Sequence[str] = ("parapet-cli",)
    # Gives the lines that documents show as they were printed, in place of figures.
    lines: Callable | None = None
    # Gives the content of files by their path in the repository: pictures that documents show.
    pictures: Callable | None = None


def figure(name, value, places=4, signed=False):
    return {"name": name, "value": value, "printed": f"{value:{'+' if signed else ''},.{places}f}"}


def values_of(rows, key):
    return [row[key] for row in rows]


def mean(values):
    return statistics.mean(values)


def deviation(values):
    """Of a sample; a trial with one seed has none."""
    return statistics.stdev(values) if len(values) > 1 else 0.0


def mean_and_deviation(rows, key, places=4):
    values = values_of(rows, key)
    return [figure(f"{key}, mean", mean(values), places),
            figure(f"{key}, standard deviation", deviation(values), places)]
