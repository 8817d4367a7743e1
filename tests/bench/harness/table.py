# SPDX-License-Identifier: Apache-2.0
"""The results as Markdown: one table a study, with ratios, checks and what was skipped."""

CONTENDED = "†"


def seconds_text(seconds):
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale or unit == "µs":
            return f"{seconds / scale:.3g} {unit}"
    return ""


def value_text(value, unit):
    if unit == "s":
        return seconds_text(value)
    if unit == "rows/s":
        return f"{value / 1e6:.3g} M rows/s"
    return f"{value:.3g} {unit}"


def figure_text(figure, unit, with_name):
    """ "name 1.23 ms (1.2-1.4 ms)", with a mark where every launch was disturbed."""
    text = value_text(figure["median"], unit)
    if len(figure["launches"]) > 1:
        low, high = value_text(figure["low"], unit), value_text(figure["high"], unit)
        text += f" ({low} – {high})"
    return (f"{figure['name']}: " if with_name else "") + text + mark(figure)


def mark(*figures):
    """A dagger behind what rests on a disturbed figure."""
    return CONTENDED if any(figure["contended"] for figure in figures) else ""


def times_as_fast(ours, other, higher_is_better):
    """How many times as fast `ours` is as `other`."""
    quotient = other["median"] / ours["median"]
    return 1 / quotient if higher_is_better else quotient


def row_text(row, study):
    unit, higher = study["unit"], study["higher_is_better"]
    by_role = {}
    for figure in row["figures"]:
        by_role.setdefault(figure["role"], []).append(figure)
    ours = by_role.get("ours", [None])[0]
    limit = by_role.get("limit", [None])[0]
    peers = sorted(
        by_role.get("peer", []) + by_role.get("base", []),
        key=lambda figure: figure["median"],
        reverse=higher,
    )
    against_peer, against_limit = "–", "–"
    if ours and peers:
        against_peer = f"{times_as_fast(ours, peers[0], higher):.2f} ×" + mark(ours, peers[0])
    if ours and limit:
        against_limit = f"{100 * times_as_fast(ours, limit, higher):.0f} %" + mark(ours, limit)
    cells = [
        row["case"],
        figure_text(ours, unit, ours["name"] != "parapet") if ours else "–",
        figure_text(peers[0], unit, True) if peers else "–",
        against_peer,
        figure_text(limit, unit, limit["name"] != "limit") if limit else "–",
        against_limit,
        "; ".join(figure_text(peer, unit, True) for peer in peers[1:]) or "–",
    ]
    return "| " + " | ".join(cells) + " |"


def study_text(study):
    lines = [f"## {study['title']}", ""]
    lines += [
        "| case | parapet | fastest other | speed against it | limit | of the limit | the rest |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    lines += [row_text(row, study) for row in study["rows"]]
    lines += ["", *study["notes"]]
    if study["checks"]:
        lines += ["", "| check | holds | found |", "|---|---|---|"]
        for check in study["checks"]:
            holds = "yes" if check["holds"] else "**no**"
            lines.append(f"| {check['what']} | {holds} | {check['found']} |")
    return lines


def limits_text(before, after):
    lines = ["## Limits of the machine", "", "Before and after everything else.", ""]
    lines += ["| threads | limit | before | after |", "|---:|---|---:|---:|"]
    for threads, figures in before.items():
        for name, value in figures.items():
            later = after.get(threads, {}).get(name)
            shown = f"{later:.1f}" if later is not None else "–"
            lines.append(f"| {threads} | {name} | {value:.1f} | {shown} |")
    return lines


def to_markdown(results):
    machine, data = results["machine"], results["data"]
    versions = ", ".join(f"{name} {version}" for name, version in results["versions"].items())
    lines = [
        "# Benchmark results",
        "",
        f"{results['date']}, commit {results['commit']}"
        + (", **quick sizes: not to be quoted**" if results["quick"] else "")
        + f". {machine['cores']} cores of {machine['processor']} (family {machine['family']}, model "
        f"{machine['model']}), {machine['memory_gib']} GiB, Linux {machine['kernel']}. "
        f"Peers: {versions or 'none'}. Ratings: {data}.",
        "",
        "Median of the launches (lowest – highest). "
        f"{CONTENDED}: in every launch other processes took more than a tenth of the processors.",
        "",
    ]
    for study in results["studies"]:
        lines += [*study_text(study), ""]
    lines += limits_text(results["limits_before"], results["limits_after"])
    if results["skipped"]:
        lines += ["", "## Skipped or failed", ""]
        lines += [f"- {s['bench']}, {s['who']}: {s['reason']}" for s in results["skipped"]]
    return "\n".join(lines) + "\n"
