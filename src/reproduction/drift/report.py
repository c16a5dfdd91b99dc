# SPDX-License-Identifier: MIT
"""Write the drift report as plain text or Markdown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from tabulate import tabulate

from reproduction.drift.changes import Change
from reproduction.drift.comparison import ArtifactDrift, ArtifactStatus, DriftReport

Cells = Sequence[str]
TableWriter = Callable[[Cells, Sequence[Cells]], list[str]]

_EXPLANATIONS = {
    ArtifactStatus.MISSING: "this run should have made it",
    ArtifactStatus.NEW: "no accepted results yet",
    ArtifactStatus.ABSENT: "its datasets are not available",
    ArtifactStatus.LEFTOVER: "left from an earlier run",
}


def as_text(report: DriftReport, most: int = 50) -> str:
    """Return the report as plain text with aligned columns.

    At most ``most`` changes, and panels, are listed per artifact; the rest are counted.
    """
    return _sections(report, most, _text_table, "")


def as_markdown(report: DriftReport, most: int = 50) -> str:
    """Return the report as Markdown; see :func:`as_text`."""
    return _sections(report, most, _markdown_table, "## ")


def _sections(report: DriftReport, most: int, table: TableWriter, heading: str) -> str:
    lines = [heading + _verdict(report)]
    if report.other_arithmetic:
        lines += ["", "The two sides differ, or may differ, in what they were made with:", ""]
        lines += [f"- {sentence}" for sentence in report.other_arithmetic]
    compared = [a for a in report.artifacts if a.status not in _EXPLANATIONS]
    if compared:
        lines.append("")
        lines += table(
            (
                "artifact",
                "status",
                "compared",
                "tolerated",
                "moved",
                "order of systems",
                "drawings",
            ),
            [_summary(artifact) for artifact in compared],
        )
    for title, noun, header, rows_of in _DETAILS:
        found = {artifact.name: rows_of(artifact) for artifact in report.artifacts}
        rows = [(name, *row) for name, own in found.items() for row in own[:most]]
        if rows:
            lines += ["", f"{heading}{title}", "", *table(("artifact", *header), rows)]
        for name, own in found.items():
            if len(own) > most:
                # Without the blank line Markdown would add this line to the table above.
                lines += ["", f"{name}: {len(own) - most} more {noun} not listed"]
    others = [artifact for artifact in report.artifacts if artifact.status in _EXPLANATIONS]
    if others:
        # Listed last, because after a run of a few artifacts nearly all are here.
        lines += ["", f"{heading}What was not compared", ""]
        lines += table(
            ("artifact", "why"),
            [
                (artifact.name, f"{artifact.status}: {_EXPLANATIONS[artifact.status]}")
                for artifact in others
            ],
        )
    return "\n".join(lines) + "\n"


def _verdict(report: DriftReport) -> str:
    """Say in one line how many artifacts drifted, or how many are the same."""
    total = len(report.artifacts)
    if drifted := sum(artifact.drifted for artifact in report.artifacts):
        return f"Drift: {drifted} of {total} artifacts"
    statuses = Counter(artifact.status for artifact in report.artifacts)
    same, tolerated = statuses[ArtifactStatus.SAME], statuses[ArtifactStatus.TOLERATED]
    parts = [f"{same} of {total} identical"]
    if tolerated:
        parts.append(f"{tolerated} equal within the tolerance for processors")
    if left := total - same - tolerated:
        parts.append(f"{left} not compared")
    return f"Drift: none of {total} artifacts; {', '.join(parts)}"


def _summary(artifact: ArtifactDrift) -> Cells:
    status = str(artifact.status)
    for dataset, rows in artifact.one_sided.items():
        status += f"; {rows} rows of {dataset} on one side only, not compared"
    order = ""
    if artifact.panels:
        changed = len(artifact.orders)
        order = f"{changed} of {artifact.panels} panels changed" if changed else "same"
    redrawn = sorted(suffix.lstrip(".") for suffix, same in artifact.drawings.items() if not same)
    drawings = f"redrawn, {', '.join(redrawn)} differ" if redrawn else "identical"
    return (
        artifact.name,
        status,
        str(artifact.compared),
        str(artifact.tolerated),
        str(len(artifact.changes)),
        order,
        drawings if artifact.drawings else "",
    )


def _cells(change: Change) -> Cells:
    return (
        str(change.kind),
        change.row,
        change.column,
        change.accepted,
        change.fresh,
        _number(change.difference, sign="+"),
        _number(change.tolerance),
    )


def _number(value: float, sign: str = "") -> str:
    return "" if math.isnan(value) else f"{value:{sign}.4g}"


_DETAILS: tuple[tuple[str, str, Cells, Callable[[ArtifactDrift], Sequence[Cells]]], ...] = (
    (
        "What moved",
        "changes",
        ("what", "row", "column", "accepted", "fresh", "difference", "tolerance"),
        lambda artifact: [_cells(change) for change in artifact.changes],
    ),
    (
        "Whose values moved",
        "systems",
        ("system", "moved"),
        lambda artifact: [(system, str(cells)) for system, cells in artifact.systems.items()],
    ),
    (
        "Where the order of systems changed",
        "panels",
        ("panel", "systems", "Kendall's tau"),
        lambda artifact: [(o.panel, str(o.systems), _number(o.tau)) for o in artifact.orders],
    ),
)
"""Tables of some rows of each artifact: title, noun of a row, header, and the rows."""


def _text_table(header: Cells, rows: Sequence[Cells]) -> list[str]:
    table = tabulate(rows, headers=header, tablefmt="simple", disable_numparse=True)
    return [line.rstrip() for line in table.splitlines()]


def _markdown_table(header: Cells, rows: Sequence[Cells]) -> list[str]:
    # tabulate does not escape bars, which end a cell.
    cells = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return tabulate(cells, headers=header, tablefmt="github", disable_numparse=True).splitlines()
