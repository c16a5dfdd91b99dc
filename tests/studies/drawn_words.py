# SPDX-License-Identifier: MIT
"""Whether the texts of a figure are printed as all figures print them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from matplotlib.figure import Figure
from matplotlib.text import Text

SMALLEST = 6.5
"""Font size in points below which nobody reads."""

LOWER_CASE = (
    "infAP",
    "bpref",
    "nDCG",
    "nDCL",
    "kNN",
    "pLSA",
    "antiP",
    "antiRR",
    "anti-MRR",
    "tau",
    "ln",
    "p(",
)
"""What an axis label may begin with although it is no capital: names that are spelt so."""


TITLE = re.compile(
    r"\([a-z\d]\)\s.*([A-Za-z]{2}|\bP\b)|[A-D]\d? [A-Z]|All universes|Example #\d", re.DOTALL
)
"""A letter, or the number of a case, and words; decisions and examples have codes of their own."""


def panels_without_title(figure: Figure) -> list[str]:
    """Return a sentence for each of several panels, but for strips, without a letter and words."""
    panels = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"]
    titles = [own.get_title("left") for own in panels if own.axison or own.get_title("left")]
    joined = figure.axes[0].get_shared_x_axes()
    is_column = len({round(axes.get_position().x0, 3) for axes in panels}) == 1
    if is_column and all(joined.joined(figure.axes[0], axes) for axes in panels):
        titles = [title for at, title in enumerate(titles) if title or not at]
    return [
        f"Panel {at} of {len(titles)} has the title {title!r}, not a letter and words."
        for at, title in enumerate(titles, 1)
        if len(titles) > 1 and not TITLE.match(title)
    ]


def wording_problems(figure: Figure, datasets: Iterable[str] = ()) -> list[str]:
    """Return a sentence for each text that another figure would print otherwise.

    Titles of datasets tell panels apart, and say nothing of what a single one shows.
    """
    problems = []
    titles = [re.sub(r"^\([a-z]\) ", "", axes.get_title(loc="left")) for axes in figure.axes]
    named = [title for title in titles if title.partition("\n")[0] in datasets]
    if len(named) == 1:
        problems.append(f"The title {named[0]!r} does not say what the panel shows.")
    problems += panels_without_title(figure)
    for axes in figure.axes:
        for label in (axes.get_xlabel(), axes.get_ylabel()):
            start = label.strip()[:1]
            if start.islower() and not label.startswith(LOWER_CASE):
                problems.append(f"The axis label {label!r} does not begin with a capital.")
        ticks = [*axes.get_xticklabels(), *axes.get_yticklabels()]
        if any(re.fullmatch(r"\W*\d[\d.,]*\s*%", tick.get_text()) for tick in ticks):
            problems.append(
                f"The ticks of {axes.get_xlabel()!r} have per cent signs: label it (%)."
            )
    for text in figure.findobj(Text):
        printed = text.get_text()
        if not text.get_visible() or not printed.strip():
            continue
        if re.search(r"(?<![\d.,])0\.\d", printed):
            problems.append(f"{printed!r} has a zero before the point.")
        if re.search(r"(?<![\w$^{-])-\d", printed):
            problems.append(f"{printed!r} has a hyphen for a minus.")
        if text.get_fontsize() < SMALLEST:
            problems.append(f"{printed!r} is printed in {text.get_fontsize():g} points.")
    return problems
