# SPDX-License-Identifier: MIT
"""How much each decision, and each pair of decisions, has to do with who wins."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from receval.figures.display import DisplayStyle
from receval.figures.finish import letter_panels
from receval.figures.style import DOUBLE_COLUMN, new_figure
from receval.multiverse.description import decision_title
from receval.multiverse.verdicts import RESPONSES, explained, with_verdicts
from receval.storage.files import read_results, real_values
from reproduction.studies._shared.figures.explained_shares import triangle
from reproduction.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Explain the variance of the difference, and of the winner, over all universes.

    Columns: response (effect or verdict); decision; other (the second decision of a pair, empty for
    a decision alone; ``shared`` and ``rest`` stand for what no single term explains); explained
    (share of the variance).
    """
    universes = with_verdicts(read_results(inputs.results["universes"]))
    rows: list[tuple[str, str, str, float]] = []
    for response in RESPONSES:
        found = explained(universes, response)
        rows += [
            (response, name, "", share)
            for name, share in zip(found.names, found.alone[0], strict=True)
        ]
        rows += [
            (response, *pair, share)
            for pair, share in zip(found.pairs, found.together[0], strict=True)
        ]
        rows += [
            (response, "shared", "", found.shared[0]),
            (response, "rest", "", found.rest[0]),
        ]
    return pd.DataFrame(rows, columns=["response", "decision", "other", "explained"])


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw one triangle a response: decisions in its diagonal, pairs below it."""
    dataset = " and ".join(display.datasets.values())
    titles = {
        "effect": f"Variance of the difference (%), {dataset}",
        "verdict": "Variance of who wins (%)",
    }
    figure = new_figure(DOUBLE_COLUMN, 3.7)
    results = results.assign(explained=real_values(results["explained"]))
    terms = results[~results["decision"].isin(("shared", "rest"))]
    panels = figure.subplots(1, len(titles))
    for axes, (response, title) in zip(panels, titles.items(), strict=True):
        own = terms[terms["response"] == response]
        alone, pairs = own[own["other"] == ""], own[own["other"] != ""]
        whole = results[results["response"] == response].set_index("decision")["explained"]
        triangle(
            axes,
            [decision_title(name) for name in alone["decision"]],
            alone["explained"],
            pairs["explained"],
            remainders={
                "three or more decisions": float(whole["rest"]),
                "overlap of the cells": float(whole["shared"]),
            },
        )
        axes.set_title(title)
    letter_panels(panels)
    return figure
