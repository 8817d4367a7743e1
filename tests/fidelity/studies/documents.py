# SPDX-License-Identifier: Apache-2.0
"""Figures in README.md and docs.

`<!-- figures: NAME -->` before a paragraph, a table or a fenced block marks it, up to the next empty line; within a line it
marks that line. The numbers of the marked blocks, in the order of reading, are the figures of the section, a constant of it,
or the date of its measurement. tests/fidelity/figures_test.cpp reads the documents by the same rules."""

import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[3]

MARK = re.compile(r"<!-- figures: ([a-z0-9-]+) -->")
# Code, the targets of links, and names such as hit@10 or ML-100K hold no figures.
NO_FIGURES = re.compile(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->")
DATE = r"\d{4}-\d{2}-\d{2}"
NUMBER = re.compile(rf"(?<![\w.@#/-])(?:{DATE}|[+\-−]?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?:e-?\d+)?)(?![\w])")


@dataclasses.dataclass
class Block:
    section: str
    path: str
    line: int  # of its first line, from 0
    lines: list[str]


PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+)\)")


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def pictures():
    """Paths of the pictures that documents show."""
    shown = [(page.parent / path).resolve() for page in pages() for path in PICTURE.findall(page.read_text(encoding="utf-8"))]
    return sorted({str(path.relative_to(ROOT)) for path in shown})


def blocks(name):
    """Of a section, in the order of reading."""
    return [block for block in all_blocks() if block.section == name]


def all_blocks():
    found = []
    for page in pages():
        lines = page.read_text(encoding="utf-8").split("\n")
        for at, line in enumerate(lines):
            for mark in MARK.finditer(line):
                alone = line.strip() == mark.group(0)
                first = at + 1 if alone else at
                end = first + 1
                while alone and end < len(lines) and lines[end] != "":
                    end += 1
                if alone and lines[first].startswith("```"):
                    end = lines.index("```", first + 1) + 1
                found.append(Block(mark.group(1), str(page.relative_to(ROOT)), first, lines[first:end]))
    return found


def numbers(line):
    """(start, end, text) of each number of a line that may be a figure."""
    bare = NO_FIGURES.sub(lambda match: " " * len(match.group(0)), line)
    return [(match.start(), match.end(), match.group(0)) for match in NUMBER.finditer(bare)]


def printed(figures):
    return [each if isinstance(each, str) else each["printed"] for each in figures]


def place(name, before, after):
    """Puts the figures of a section in the place of those before, which stand in the documents. Returns the numbers that
    neither a figure nor a constant explains."""
    old, new = printed(before.get("figures", [])), printed(after.get("figures", []))
    if len(new) != len(old):
        return [f"{name}: {len(new)} figures in place of {len(old)}"]
    constants = set(before.get("constants", "").split()) | set(after.get("constants", "").split())
    unexplained, used = [], 0
    for block in blocks(name):
        lines = list(block.lines)
        for at, line in enumerate(lines):
            shift = 0
            for start, end, text in numbers(line):
                if used < len(old) and text.replace("−", "-") == old[used]:
                    replacement = new[used]
                    used += 1
                elif text == before["date"]:
                    replacement = after["date"]
                elif text in constants:
                    continue
                else:
                    unexplained.append(f"{block.path}:{block.line + at + 1}: {text}")
                    continue
                lines[at] = lines[at][:start + shift] + replacement + lines[at][end + shift:]
                shift += len(replacement) - (end - start)
        write(block, lines)
    if used != len(old):
        unexplained.append(f"{name}: {used} of {len(old)} figures are printed")
    return unexplained


def place_lines(name, before, after):
    """The same of lines: a fenced block has them one below the other."""
    if len(before) != len(after):
        return [f"{name}: {len(after)} lines in place of {len(before)}"]
    for block in blocks(name):
        inside = block.lines[1:-1]
        at = next((i for i in range(len(before)) if before[i:i + len(inside)] == inside), None)
        if at is None:
            return [f"{block.path}:{block.line + 1}: not the lines of {name}"]
        write(block, [block.lines[0], *after[at:at + len(inside)], block.lines[-1]])
    return []


def write(block, lines):
    page = ROOT / block.path
    text = page.read_text(encoding="utf-8").split("\n")
    text[block.line:block.line + len(block.lines)] = lines
    page.write_text("\n".join(text), encoding="utf-8")


def record(name, date):
    """A section as it stands in the documents: every number of its blocks is a figure."""
    figures = [text.replace("−", "-") for block in blocks(name)
               for line in block.lines for _, _, text in numbers(line)]
    dates = sorted(each for each in figures if re.fullmatch(DATE, each))
    return {"section": name, "date": date or (dates[-1] if dates else ""), "figures": figures}
