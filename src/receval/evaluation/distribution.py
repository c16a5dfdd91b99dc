# SPDX-License-Identifier: MIT
"""How the difference between two systems is distributed over users."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from receval.evaluation.by_user import CONFIDENCE
from receval.figures.style import COLOURS, NO_WINNER, SINGLE_COLUMN, legend_name, new_figure
from receval.storage.messages import how_many

_LONGEST_LINE = 36


@dataclass(frozen=True, repr=False)
class DifferenceOverUsers:
    r"""The differences of two systems, user by user, and their distribution with a band.

    The band covers the whole distribution function of the population with probability .95
    (Dvoretzky, Kiefer and Wolfowitz; Massart 1990, "The tight constant in the
    Dvoretzky-Kiefer-Wolfowitz inequality"), so any of its points can be read off:

    .. math:: \hat F(x) \pm \sqrt{\frac{\ln(2 / 0.05)}{2 n}}

    Attributes
    ----------
    first, second, metric, protocol : str
    differences : ndarray of float64, shape (n_users,)
        The value of the first system minus that of the second.

    Examples
    --------
    >>> four = DifferenceOverUsers("A", "B", "RR", "AR AI-AN", np.array([-1.0, 0.0, 0.0, 0.5]))
    >>> four.table()["share"].tolist()
    [0.25, 0.75, 1.0]
    """

    first: str
    second: str
    metric: str
    protocol: str
    differences: NDArray[np.float64]

    @property
    def half_width(self) -> float:
        """How far the band goes above and below the distribution."""
        return float(np.sqrt(np.log(2 / (1 - CONFIDENCE)) / (2 * len(self.differences))))

    def table(self) -> pd.DataFrame:
        """Return the distribution, one row per different difference.

        Returns
        -------
        DataFrame
            ``difference``, the ``share`` of users with at most this difference, and the band from
            ``low`` to ``high``.
        """
        values, counts = np.unique(self.differences, return_counts=True)
        share = np.cumsum(counts) / len(self.differences)
        return pd.DataFrame(
            {
                "difference": values,
                "share": share,
                "low": np.maximum(0.0, share - self.half_width),
                "high": np.minimum(1.0, share + self.half_width),
            }
        )

    @property
    def caption(self) -> str:
        """What the figure shows, with the shares of users whom either system serves better."""
        n = len(self.differences)
        ahead, behind = ((sign * self.differences > 0).sum() / n for sign in (1, -1))
        return (
            f"{self.metric} of {self.first} minus that of {self.second} for each of "
            f"{how_many(n, 'user')} ({self.protocol}): the share of users with at most this "
            "difference, with a 95 % band for the whole curve. "
            f"{self.first} has the higher value for {100 * ahead:.1f} % of users, {self.second} "
            f"for {100 * behind:.1f} %"
        )

    def __repr__(self) -> str:
        return self.caption

    def draw(self) -> Figure:
        """Draw the distribution, inside :func:`receval.figures.style.figure_style`."""
        table = self.table()
        edge = max(1e-12, 1.05 * float(np.abs(table["difference"]).max()))
        x = np.r_[-edge, table["difference"], edge]
        steps = {
            name: np.r_[start, table[name], table[name].iloc[-1]]
            for name, start in (
                ("share", 0.0),
                ("low", 0.0),
                ("high", min(1.0, self.half_width)),
            )
        }
        figure = new_figure(SINGLE_COLUMN, 2.4)
        axes = figure.subplots()
        axes.fill_between(
            x, steps["low"], steps["high"], step="post", color=COLOURS[4], alpha=0.35, linewidth=0
        )
        axes.step(x, steps["share"], where="post", color=COLOURS[0])
        axes.axvline(0, color=NO_WINNER, linewidth=0.8, zorder=0)
        axes.set_xlim(-edge, edge)
        axes.set_ylim(0, 1)
        axes.xaxis.set_major_locator(MaxNLocator(5))
        first, second = legend_name(self.first), f"minus {legend_name(self.second)}"
        between = " " if len(first + second) < _LONGEST_LINE else "\n"
        axes.set_xlabel(f"{legend_name(self.metric)}:\n{first}{between}{second}")
        axes.set_ylabel("Share of users")
        return figure
