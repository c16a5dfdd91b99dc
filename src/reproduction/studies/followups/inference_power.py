# SPDX-License-Identifier: MIT
"""Power of five paired tests for a planted difference, by the number of users."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.finish import with_legend
from receval.figures.printed_numbers import as_written
from receval.figures.style import DOUBLE_COLUMN, new_figure
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.inference_errors import (
    ALL,
    TEST_STYLES,
    TESTS,
    Draw,
    differences_of_pairs,
    draw_tests,
    set_user_axis,
    shares_of_rejections,
    tilted_pairs,
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Count how often tests at the level .05 find an existing difference.

    Parameters of the artifact: ``names`` and ``metrics``; ``sizes``, the numbers of users of a
    test; ``effect_hundredths``, the planted differences, in hundredths of standard deviations of
    the paired difference; ``tests``, the number of tests per effect, metric and size, each on its
    own users drawn with replacement; ``pairs``, the number of pairs of systems that they use, those
    with the nearest effects.

    Columns: dataset; planted_effect; metric (``all``: all metrics together); sampled_users; test
    (:data:`receval.statistics.difference_tests.TESTS`); tests; power (share that rejects); low,
    high (ends of its exact 95 % interval).

    Users keep their differences, and are drawn with probabilities that give the planted effect
    (:func:`reproduction.studies.followups.inference_errors.tilted_to_effect`).
    """
    parameters = inputs.parameters
    effects = [int(number) / 100 for number in parameters["effect_hundredths"]]

    def draws_of(values: NDArray[np.float64]) -> dict[str | float, Draw]:
        differences = differences_of_pairs(values)
        return {
            effect: tilted_pairs(differences, effect, int(parameters["pairs"]))
            for effect in effects
        }

    def seed_names(dataset: str, metric: str, effect: str | float) -> tuple[str, ...]:
        return "inference-power", dataset, metric, f"{effect:g}"

    return shares_of_rejections(inputs, "planted_effect", "power", draws_of, seed_names)


def draw(results: pd.DataFrame, display: DisplayStyle) -> Figure:
    """Draw power by the number of users, one panel per planted effect, all metrics together."""
    effects = sorted(set(results["planted_effect"]))
    figure = new_figure(DOUBLE_COLUMN, 2.4)
    panels = figure.subplots(1, len(effects), sharey=True, squeeze=False)[0]
    together = results[results["metric"] == ALL]
    # Ties matter if nothing differs, and hardly matter otherwise.
    styles = {name: style for name, style in TEST_STYLES.items() if "ties" not in name}
    for axes, effect in zip(panels, effects, strict=True):
        own = together[together["planted_effect"] == effect]
        draw_tests(axes, own, "power", styles, TESTS, intervals=True)
        set_user_axis(axes, sorted(set(results["sampled_users"])))
        axes.set_title(f"Effect $d_z$ = {as_written(effect)}")
    panels[0].set_ylim(0, 1.03)
    panels[0].set_ylabel("Power")
    return with_legend(panels)
