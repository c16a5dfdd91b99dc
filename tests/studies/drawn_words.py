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


def wording_problems(figure: Figure, datasets: Iterable[str] = ()) -> list[str]:
    """Return a sentence for each text that another figure would print otherwise.

    Titles of datasets tell panels apart, and say nothing of what a single one shows.
    """
    problems = []
    titles = [re.sub(r"^\([a-z]\) ", "", axes.get_title(loc="left")) for axes in figure.axes]
    named = [title for title in titles if title.partition("\n")[0] in datasets]
    if len(named) == 1:
        problems.append(f"The title {named[0]!r} does not say what the panel shows.")
    for axes in figure.axes:
        above = any(
            text.get_position()[1] > 0 for text in axes.texts if getattr(text, "xy", None) == (0, 1)
        )
        if not above and re.fullmatch(r"\([a-z]\)", axes.get_title(loc="left").strip()):
            problems.append(f"The panel {axes.get_title(loc='left')} has no title.")
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
