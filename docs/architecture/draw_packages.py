# SPDX-License-Identifier: MIT
"""Draw the packages in their layers, and who imports whom.

    python docs/architecture/draw_packages.py            write docs/architecture/packages.svg
    python docs/architecture/draw_packages.py --check    exit 1 if another picture is there

The layers are those of the contracts in ``pyproject.toml``, those of the reproduction above those
of the library; the arrows are the imports that grimp finds between packages (and modules outside
all packages). An arrow that follows from others is left out:
whoever imports ``metrics`` may import what ``metrics`` imports. Arrows that pass a layer get a
passage of their own in it, so that no line crosses a box.
"""

from __future__ import annotations

import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import combinations, pairwise
from pathlib import Path

import grimp
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path as Outline
from scipy.optimize import linprog

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

from receval.figures.finish import save_figure
from receval.figures.style import DOUBLE_COLUMN, INK, figure_style

PICTURE = ROOT / "docs" / "architecture" / "packages.svg"
LIBRARY, REPRODUCTION, MODULE = "#DCEAF5", "#F8E7CB", "#FFFFFF"
"""Colours of packages of the library, of the reproduction, and of single modules."""

ROW, BOX, LETTER, PASSAGE, GAP = 0.52, 0.24, 0.068, 0.1, 0.14
"""In inches: the height of a layer and of a box; the width of a letter, of a passage and of what is
between two of them."""


Edges = set[tuple[str, str]]


def layers() -> list[list[str]]:
    """Return the layers of both contracts, the lowest of the library first."""
    return [layer.split(" | ") for layers in contracts().values() for layer in reversed(layers)]


@cache
def contracts() -> dict[str, list[str]]:
    """Return the layers of the library and of the reproduction as import-linter is told them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    told = project["tool"]["importlinter"]["contracts"]
    return {each["containers"][0]: each["layers"] for each in told if each["type"] == "layers"}


@cache
def full_name(name: str) -> str:
    """Return a package by its name in full: no two have the same last part."""
    (root,) = (
        root
        for root, layers in contracts().items()
        if any(name in layer.split(" | ") for layer in layers)
    )
    return f"{root}.{name}"


def folder_of(name: str) -> Path:
    """Return the folder of a package; there is none of a module."""
    return (ROOT / "src").joinpath(*full_name(name).split("."))


def arrows(names: Sequence[str]) -> Edges:
    """Return the imports between packages that do not follow from others."""
    graph = grimp.build_graph(*contracts(), cache_dir=None)
    imports = {
        name: {
            other
            for other in names
            if other != name
            and graph.direct_import_exists(
                importer=full_name(name), imported=full_name(other), as_packages=True
            )
        }
        for name in names
    }

    return reduced({(name, other) for name, others in imports.items() for other in others})


def reduced(edges: Edges) -> Edges:
    """Return the arrows of a graph without circles that do not follow from others."""
    after: dict[str, set[str]] = {}
    for name, other in edges:
        after.setdefault(name, set()).add(other)

    @cache
    def reached(name: str) -> frozenset[str]:
        others = after.get(name, set())
        return frozenset(others).union(*map(reached, others))

    return {
        (name, other)
        for name, other in edges
        if not any(other in reached(between) for between in after[name])
    }


@dataclass
class LayeredGraph:
    """Boxes and passages on layers, ordered so that few lines cross.

    Attributes
    ----------
    rows : list of list of str
        Layers from the ground up, each from left to right. A passage is named after the package it
        leads to and its layer: arrows with one target share it.
    links : set of pairs of str
        What lies on a layer, and what it leads to on the layer below.
    """

    rows: list[list[str]]
    links: Edges = field(default_factory=set)

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], imports: Edges) -> LayeredGraph:
        """Make passages for all arrows and find an order of every layer."""
        graph = cls([list(row) for row in rows])
        layer = {name: number for number, row in enumerate(rows) for name in row}
        for upper, lower in sorted(imports):
            way = [
                upper,
                *(f"{lower}@{n}" for n in range(layer[upper] - 1, layer[lower], -1)),
                lower,
            ]
            graph.links.update(pairwise(way))
            for passage in way[1:-1]:
                row = graph.rows[int(passage.partition("@")[2])]
                if passage not in row:
                    row.append(passage)
        graph._order()
        return graph

    def neighbours(self, name: str, *, above: bool) -> list[str]:
        """Return what is linked to a box or passage, above or below."""
        return self._linked[above].get(name, [])

    @cached_property
    def _linked(self) -> dict[bool, dict[str, list[str]]]:
        linked: dict[bool, dict[str, list[str]]] = {True: {}, False: {}}
        for upper, lower in sorted(self.links):
            linked[True].setdefault(lower, []).append(upper)
            linked[False].setdefault(upper, []).append(lower)
        return linked

    def crossings(self) -> int:
        """Return how many pairs of lines cross."""
        index = {name: at for row in self.rows for at, name in enumerate(row)}
        layer = {name: number for number, row in enumerate(self.rows) for name in row}
        by_layer: dict[int, list[tuple[int, int]]] = {}
        for upper, lower in self.links:
            by_layer.setdefault(layer[upper], []).append((index[upper], index[lower]))
        return sum(
            (first[0] - second[0]) * (first[1] - second[1]) < 0
            for lines in by_layer.values()
            for first, second in combinations(lines, 2)
        )

    def _order(self) -> None:
        """Sort layers by the mean index of neighbours in turn, then exchange what is adjacent."""
        best = (self.crossings(), [list(row) for row in self.rows])
        for sweep in range(24):
            index = {name: at for row in self.rows for at, name in enumerate(row)}
            for row in self.rows[:: -1 if sweep % 2 == 0 else 1]:
                means = {}
                for name in row:
                    near = self.neighbours(name, above=sweep % 2 == 0) or [name]
                    means[name] = sum(index[other] for other in near) / len(near)
                row.sort(key=lambda name: means[name])
                index.update({name: at for at, name in enumerate(row)})
            self._exchange()
            best = min(best, (self.crossings(), [list(row) for row in self.rows]))
        self.rows = best[1]

    def _exchange(self) -> None:
        index = {name: at for row in self.rows for at, name in enumerate(row)}

        def crossed(left: str, right: str) -> int:
            """Return how many lines of two neighbours cross where they stand in this order."""
            return sum(
                index[one] > index[other]
                for above in (True, False)
                for one in self.neighbours(left, above=above)
                for other in self.neighbours(right, above=above)
            )

        improved = True
        while improved:
            improved = False
            for row in self.rows:
                for at in range(len(row) - 1):
                    left, right = row[at], row[at + 1]
                    if crossed(right, left) < crossed(left, right):
                        row[at], row[at + 1] = right, left
                        index[left], index[right] = at + 1, at
                        improved = True


def width(name: str) -> float:
    """Return the width of a box or passage in inches."""
    return PASSAGE if "@" in name else LETTER * len(name) + 0.16


def centres(graph: LayeredGraph, room: float) -> dict[str, float]:
    """Place boxes and passages so that lines are short and nothing overlaps: a linear program."""
    names = [name for row in graph.rows for name in row]
    column = {name: at for at, name in enumerate(names)}
    links = sorted(graph.links)
    # Passages in a row are to stand above each other; what a line bends by is paid for.
    costs = [0.0] * len(names) + [4.0 if "@" in u and "@" in v else 1.0 for u, v in links]
    rows, limits = [], []

    def at_most(terms: Mapping[int, float], limit: float) -> None:
        row = np.zeros(len(costs))
        for index, factor in terms.items():
            row[index] = factor
        rows.append(row)
        limits.append(limit)

    for number, (upper, lower) in enumerate(links):
        bend = len(names) + number
        at_most({column[upper]: 1, column[lower]: -1, bend: -1}, 0)
        at_most({column[upper]: -1, column[lower]: 1, bend: -1}, 0)
    for row in graph.rows:
        for left, right in pairwise(row):
            at_most({column[left]: 1, column[right]: -1}, -(width(left) + width(right)) / 2 - GAP)
    bounds = [(width(name) / 2, room - width(name) / 2) for name in names]
    solved = linprog(costs, rows, limits, bounds=bounds + [(0, None)] * len(links), method="highs")
    if not solved.success:
        raise ValueError(
            f"The graph is too narrow for its boxes and passages ({solved.message}): make LETTER "
            "or GAP smaller."
        )
    return {name: round(float(solved.x[column[name]]), 3) for name in names}


def draw(graph: LayeredGraph) -> Figure:
    """Draw the graph."""
    margin = 0.3
    room = DOUBLE_COLUMN - 2 * margin
    height = ROW * len(graph.rows)
    figure = Figure(figsize=(DOUBLE_COLUMN, height + 0.1))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-margin, room + margin), ylim=(-0.05, height + 0.05))
    axes.set_axis_off()
    x = centres(graph, room)
    y = {name: (number + 0.5) * ROW for number, row in enumerate(graph.rows) for name in row}
    for number in range(len(graph.rows)):
        shade = "#F1F3F5" if number % 2 == 0 else "#FAFAFA"
        band = (-margin + 0.03, number * ROW), room + 2 * margin - 0.06, ROW
        axes.add_patch(Rectangle(*band, facecolor=shade, linewidth=0))
        axes.text(-margin + 0.1, (number + 0.5) * ROW, str(number + 1), va="center", fontsize=7)
    draw_boxes(axes, graph, x, y, colour_of)
    return figure


def colour_of(name: str) -> str:
    """Return the colour of a package or module."""
    folder = folder_of(name)
    if not folder.is_dir():
        return MODULE
    return REPRODUCTION if folder.parent.name == "reproduction" else LIBRARY


def draw_boxes(
    axes: Axes,
    graph: LayeredGraph,
    x: Mapping[str, float],
    y: Mapping[str, float],
    colour: Callable[[str], str],
) -> None:
    """Draw boxes in their colours with their names, and the lines between them."""
    for start, end, arrives in lines(graph, x, y):
        middle = (start[1] + end[1]) / 2
        curve = [start, (start[0], middle), (end[0], middle), end]
        codes = [Outline.MOVETO, Outline.CURVE4, Outline.CURVE4, Outline.CURVE4]
        axes.add_patch(
            PathPatch(Outline(curve, codes), facecolor="none", edgecolor="#8A8F98", lw=0.8)
        )
        if arrives:
            tip = [(end[0] - 0.028, end[1] + 0.06), end, (end[0] + 0.028, end[1] + 0.06)]
            axes.fill(*zip(*tip, strict=True), color="#8A8F98", linewidth=0)
    for name in y:
        if "@" in name:
            ends = (y[name] + BOX / 2, y[name] - BOX / 2)
            axes.plot([x[name]] * 2, ends, color="#8A8F98", lw=0.8, solid_capstyle="butt")
            continue
        corner = (x[name] - width(name) / 2, y[name] - BOX / 2)
        axes.add_patch(
            FancyBboxPatch(
                corner,
                width(name),
                BOX,
                boxstyle="round,pad=0,rounding_size=0.04",
                facecolor=colour(name),
                edgecolor=INK,
                linewidth=0.6,
            )
        )
        axes.text(x[name], y[name], name, ha="center", va="center", fontsize=8)


Point = tuple[float, float]


def lines(
    graph: LayeredGraph, x: Mapping[str, float], y: Mapping[str, float]
) -> Iterator[tuple[Point, Point, bool]]:
    """Yield where every line between two layers starts and ends, and whether at a box."""

    def port(name: str, other: str, *, above: bool) -> Point:
        near = sorted(graph.neighbours(name, above=above), key=lambda each: x[each])
        step = 0 if "@" in name else min(0.12, (width(name) - 0.12) / max(1, len(near) - 1))
        aside = (near.index(other) - (len(near) - 1) / 2) * step
        return x[name] + aside, y[name] + (BOX / 2 if above else -BOX / 2)

    for upper, lower in sorted(graph.links):
        yield (
            port(upper, lower, above=False),
            port(lower, upper, above=True),
            "@" not in lower,
        )


def main() -> int:
    """Write the picture; with --check only say whether it is the one that is there."""
    rows = layers()
    graph = LayeredGraph.of(rows, arrows([name for row in rows for name in row]))
    with tempfile.TemporaryDirectory() as folder, figure_style():
        fresh = Path(folder) / PICTURE.name
        save_figure(draw(graph), fresh)
        content = fresh.read_bytes()
    if sys.argv[1:] == ["--check"]:
        current = PICTURE.is_file() and content == PICTURE.read_bytes()
        print("The picture is current." if current else f"{PICTURE} is out of date.")
        return int(not current)
    PICTURE.write_bytes(content)
    print(f"{len(graph.links)} lines, {graph.crossings()} crossings: {PICTURE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
