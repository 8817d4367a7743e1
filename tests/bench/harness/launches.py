# SPDX-License-Identifier: Apache-2.0
"""Launches of programs, and the figures that come of several of them."""

import dataclasses
import json
import os
import re
import resource
import statistics
import subprocess
import time

# A launch beside which other processes used more than this share of the processors is contended.
FOREIGN_LIMIT = 0.10


class LaunchError(Exception):
    """A program did not end well; the text is what it said last."""


def busy_seconds():
    """Processor seconds that this machine has spent on anything since it started."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = [int(field) for field in file.readline().split()[1:]]
    idle = fields[3] + fields[4]
    return (sum(fields[:8]) - idle) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    """Processor seconds of this process and of the children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(kind)[:2]) for kind in kinds)


class ForeignLoad:
    """Share of all processors that other processes used while a block ran."""

    def __enter__(self):
        self._wall, self._busy, self._own = time.monotonic(), busy_seconds(), own_seconds()
        self.share = 0.0
        return self

    def __exit__(self, *_):
        wall = time.monotonic() - self._wall
        foreign = (busy_seconds() - self._busy) - (own_seconds() - self._own)
        self.share = max(0.0, foreign / max(wall, 1e-9) / os.cpu_count())


class Launcher:
    """Runs commands and keeps a record of every one."""

    def __init__(self, say):
        self.records = []
        self._say = say

    def run(self, command, *, threads=None, environment=None, timeout=900):
        """The JSON lines that the command printed, and the seconds of the whole command."""
        command = [str(part) for part in command]
        variables = dict(os.environ) | (environment or {})
        if threads is not None:
            for name in ("OMP", "MKL", "OPENBLAS"):
                variables[f"{name}_NUM_THREADS"] = str(threads)
        begin = time.perf_counter()
        with ForeignLoad() as load:
            try:
                done = subprocess.run(
                    command, env=variables, capture_output=True, text=True, timeout=timeout
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise LaunchError(f"{command[0]}: {error}") from error
        seconds = time.perf_counter() - begin
        if done.returncode != 0:
            raise LaunchError(f"{os.path.basename(command[0])}: {_reason(done)}")
        lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        self.records.append(
            {
                "command": command,
                "threads": threads,
                "wall_seconds": seconds,
                "foreign_load": round(load.share, 3),
                "lines": [_without_long_lists(line) for line in lines],
            }
        )
        return lines, seconds

    def say(self, text):
        self._say(text)


def _reason(done):
    """The line of stderr that tells most: the last that speaks of an error, else the last."""
    lines = done.stderr.strip().splitlines()
    telling = [line for line in lines if re.search("error|fail|fatal|terminat", line, re.I)]
    return (telling or lines or [f"exit code {done.returncode}"])[-1].strip()


def _without_long_lists(line):
    return {key: value for key, value in line.items() if not isinstance(value, list)}


@dataclasses.dataclass
class Figure:
    """One quantity over several launches: median, extremes, and whether others disturbed it."""

    values: list
    contended: bool

    @property
    def median(self):
        return statistics.median(self.values)

    def to_json(self):
        return {
            "median": self.median,
            "low": min(self.values),
            "high": max(self.values),
            "launches": self.values,
            "contended": self.contended,
        }


@dataclasses.dataclass
class Participant:
    """Somebody who takes part in a study. `measure(launcher)` launches once and returns
    {case: value}; role is "ours", "peer", "limit", or "base": ours in another setting."""

    name: str
    role: str
    measure: object


def take_turns(launcher, participants, rounds, patience=0):
    """Launches the participants in turn, `rounds` times, each round starting with another one;
    then, up to `patience` rounds more, those that were disturbed in every launch so far.
    Returns ({name: {case: Figure}}, {name: why it failed}). Who fails is not launched again; the
    launches before that count. Where some launches were quiet and some contended, only the quiet
    ones count."""
    samples, failures, quiet = {}, {}, set()
    for turn in range(rounds + patience):
        start = turn % len(participants)
        for who in participants[start:] + participants[:start]:
            if who.name in failures or (turn >= rounds and who.name in quiet):
                continue
            launcher.say(f"  {who.name} ({turn + 1}/{rounds})")
            try:
                with ForeignLoad() as load:
                    values = who.measure(launcher)
            except LaunchError as error:
                failures[who.name] = f"launch {turn + 1}: {error}"
                launcher.say(f"    failed: {error}")
                continue
            if load.share <= FOREIGN_LIMIT:
                quiet.add(who.name)
            for case, value in values.items():
                samples.setdefault(who.name, {}).setdefault(case, []).append((value, load.share))
    figures = {
        name: {case: _figure_of(pairs) for case, pairs in cases.items()}
        for name, cases in samples.items()
    }
    return figures, failures


def _figure_of(pairs):
    quiet = [value for value, share in pairs if share <= FOREIGN_LIMIT]
    return Figure(quiet or [value for value, _ in pairs], contended=not quiet)
