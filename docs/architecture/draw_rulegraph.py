# SPDX-License-Identifier: MIT
"""Draw the rules of the workflow, from raw files down to the site and the replications.

    python docs/architecture/draw_rulegraph.py            write docs/rulegraph.svg
    python docs/architecture/draw_rulegraph.py --check    exit 1 if it shows other rules or arrows

What depends on what is asked of Snakemake (``snakemake --rulegraph``), in both editions. A box is a
rule, an arrow leads from it to a rule that reads what it makes; arrows that follow from others are
left out, and so are the targets, which make nothing. Rules of one edition alone are white. No arrow
leads up: where some artifacts show the verdicts on others, that they are read again is not drawn.
The description of the picture names all arrows, for those who cannot see it and for the check.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from draw_packages import (
    GAP,
    LIBRARY,
    MODULE,
    ROOT,
    Edges,
    LayeredGraph,
    centres,
    draw_boxes,
    reduced,
    width,
)
from matplotlib.figure import Figure

from receval.figures.finish import save_figure
from receval.figures.style import figure_style
from reproduction.config.settings import EDITIONS

PICTURE = ROOT / "docs" / "rulegraph.svg"
TITLE = "The rules of the workflow"
TARGETS = ("all", "site", "replications")
REPEATED = "r01,crossed"
"""One replication, and those by which variance is split, have all rules of replications."""
PLAN = f"""
import sys
from snakemake.cli import main

for edition in sys.argv[1:]:
    config = ("--config", f"edition={{edition}}", "repeat={REPEATED}")
    try:
        main(["-n", "--rulegraph", *config, "--", *{TARGETS}])
    except SystemExit as ended:
        if ended.code:
            raise
"""
"""Plans the editions in one process: importing Snakemake takes as long as half a plan."""
ROW = 0.42
"""Inches from one row of boxes to the next."""

_NODE = re.compile(r'^\s*(\d+)\[label = "(\w+)"', flags=re.MULTILINE)
_EDGE = re.compile(r"^\s*(\d+) -> (\d+)$", flags=re.MULTILINE)
_SENTENCE = re.compile(r"(\w+) reads what (.+?) makes?\.")


def edges_by_edition() -> list[Edges]:
    """Return the pairs of rules of which the second reads what the first makes."""
    ran = subprocess.run(
        [sys.executable, "-c", PLAN, *EDITIONS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        raise ValueError(f"Snakemake could not plan both editions:\n{ran.stderr}")
    graphs = ran.stdout.split("digraph ")[1:]
    if len(graphs) != len(EDITIONS):
        raise ValueError(f"Snakemake drew {len(graphs)} graphs of {len(EDITIONS)} editions.")
    return [edges_of(graph) for graph in graphs]


def edges_of(graph: str) -> Edges:
    """Return the pairs of rules that Snakemake's graph of an edition has, without targets."""
    rules = dict(_NODE.findall(graph))
    pairs = {(rules[first], rules[second]) for first, second in _EDGE.findall(graph)}
    return {pair for pair in pairs if pair[0] != pair[1] and pair[1] not in TARGETS}


def upward(edges: Edges) -> Edges:
    """Return the pairs that close circles, met on the way down from raw files."""
    after: dict[str, list[str]] = {}
    for first, second in sorted(edges):
        after.setdefault(first, []).append(second)
    found: Edges = set()
    seen: set[str] = set()

    def go_down(rule: str, way: tuple[str, ...]) -> None:
        seen.add(rule)
        for other in after.get(rule, ()):
            if other in way:
                found.add((rule, other))
            elif other not in seen:
                go_down(other, (*way, other))

    for source in sorted(after.keys() - {second for _, second in edges}):
        go_down(source, (source,))
    return found


def rows_of(edges: Edges) -> list[list[str]]:
    """Return the rules in rows, the last to run first; an arrow leads to a row below its own."""
    rules = sorted({rule for pair in edges for rule in pair})
    before: dict[str, list[str]] = {rule: [] for rule in rules}
    for first, second in edges:
        before[second].append(first)

    def depth(rule: str) -> int:
        return 1 + max(map(depth, before[rule]), default=-1)

    deepest = max(map(depth, rules))
    return [[rule for rule in rules if depth(rule) == deepest - row] for row in range(deepest + 1)]


def description(edges: Edges) -> str:
    """Return the arrows in sentences."""
    read: dict[str, list[str]] = {}
    for first, second in sorted(edges):
        read.setdefault(second, []).append(first)
    return " ".join(
        f"{second} reads what {' and '.join(firsts)} make{'s' if len(firsts) == 1 else ''}."
        for second, firsts in sorted(read.items())
    )


def described(text: str) -> Edges:
    """Return the arrows that a description names."""
    return {
        (first, second)
        for second, firsts in _SENTENCE.findall(text)
        for first in firsts.split(" and ")
    }


def draw(edges: Edges, in_both: Iterable[str]) -> Figure:
    """Draw rules and arrows."""
    graph = LayeredGraph.of(rows_of(edges), edges)
    room = max(sum(map(width, row)) + GAP * (len(row) - 1) for row in graph.rows)
    height, margin = ROW * len(graph.rows), 0.1
    figure = Figure(figsize=(room + 2 * margin, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-margin, room + margin), ylim=(0, height))
    axes.set_axis_off()
    x = centres(graph, room)
    y = {name: (number + 0.5) * ROW for number, row in enumerate(graph.rows) for name in row}
    filled = set(in_both)
    draw_boxes(axes, graph, x, y, lambda name: LIBRARY if name in filled else MODULE)
    return figure


def main() -> int:
    """Write the picture; with --check only say whether its rules and arrows are the workflow's."""
    editions = edges_by_edition()
    both: Edges = set().union(*editions)
    edges = reduced(both - upward(both))
    if sys.argv[1:] == ["--check"]:
        there = PICTURE.read_text(encoding="utf-8") if PICTURE.is_file() else ""
        differences = sorted(edges ^ described(there.partition("</desc>")[0]))
        for first, second in differences:
            print(f"{PICTURE}: {'no' if (first, second) in edges else 'an'} arrow {first} {second}")
        print("Run python docs/architecture/draw_rulegraph.py." if differences else "Current.")
        return int(bool(differences))
    in_both = set.intersection(*({rule for pair in pairs for rule in pair} for pairs in editions))
    with tempfile.TemporaryDirectory() as folder, figure_style():
        fresh = Path(folder) / PICTURE.name
        figure = draw(edges, in_both)
        save_figure(figure, fresh, title=TITLE, description=description(edges))
        PICTURE.write_bytes(fresh.read_bytes())
    print(f"{len(edges)} arrows: {PICTURE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
