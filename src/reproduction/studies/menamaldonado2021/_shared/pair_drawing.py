# SPDX-License-Identifier: MIT
"""Colours and published shares of the mosaics of pairs of items."""

from __future__ import annotations

from math import isnan

import pandas as pd
from matplotlib.axes import Axes

from receval.figures.mosaic import percent
from receval.storage.files import real_values
from reproduction.studies.menamaldonado2021._shared.item_pair_tables import AGREE, DISAGREE, TIED

# Distinct in greyscale, and no hue of a system, since popularity itself is a subject here.
COLOURS = {AGREE: "#D9F0D3", DISAGREE: "#B497C8", TIED: "#7A7A7A"}
"""Colours by how two rankings compare."""

LINE_HEIGHT = 9.5
"""Points between two lines above a mosaic."""


def share_beside_paper(rows: pd.DataFrame, statement: str, *, is_real: bool) -> str:
    """Return the share for which a statement is true, and the paper's share on these data.

    Parameters
    ----------
    rows : DataFrame
        With the columns statement, share_of_pairs and paper; one row has the statement.

    Returns
    -------
    str
        Such as 82.5 % (paper 82.4 %); a dash if there are no pairs.
    """
    chosen = rows[rows["statement"] == statement]
    (share,) = real_values(chosen["share_of_pairs"])
    (paper,) = real_values(chosen["paper"])
    ours = "\N{EN DASH}" if isnan(share) else percent(float(share))
    return ours if not is_real or isnan(paper) else f"{ours} {paper_share(float(paper))}"


def paper_share(share: float) -> str:
    """Return a share with the digits that the paper prints, such as (paper 82.4 %)."""
    return f"(paper {100 * share:.4g} %)"


def print_totals(axes: Axes, lines: list[str], above: float) -> None:
    """Print lines of totals above a mosaic, and its title above these."""
    axes.set_title(axes.get_title(loc="left"), pad=above + LINE_HEIGHT * len(lines) + 2)
    for number, line in enumerate(reversed(lines)):
        axes.annotate(
            line,
            xy=(0, 1),
            xycoords="axes fraction",
            xytext=(0, above + LINE_HEIGHT * number),
            textcoords="offset points",
            fontsize=7,
            va="baseline",
        )
