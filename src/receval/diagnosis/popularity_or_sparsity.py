# SPDX-License-Identifier: MIT
"""How much of Pop's lead over Random is the density of the test, and how much popularity."""

from __future__ import annotations

import math

import pandas as pd

PAIRS_OF_DESIGNS = (
    ("AR TI-AN", "UAR TI-AN"),
    ("1R TI-NN", "U1R TI-NN"),
    ("1R TI-NN", "P1R TI-NN"),
)
"""Designs, and what they become when popularity is levelled."""


def popularity_or_sparsity(designs: pd.DataFrame) -> pd.DataFrame:
    r"""Take Pop's lead over Random apart.

    Pop's precision is what Random gets, which is the density of relevant items in the target sets,
    times a factor, Pop's *ratio* :math:`L`. Of both it is asked what the data do to them:

    .. math::

        s = 2 \Big(1 - \frac{lead_{half}}{lead}\Big), \qquad
        p = 1 - \frac{\ln L_{levelled}}{\ln L}

    - *Sparsity* :math:`s`: by how much the lead (Pop less Random) falls with the density of the
      test, when half of the test ratings are removed. 1 where it is proportional to the density,
      as under AR; 0 where it does not change, as under 1R.
    - *Popularity* :math:`p`: the share of the ratio, on a logarithmic scale, that goes when all
      target items have as many test ratings (UAR, U1R), or rivals of their own popularity (P1R).
      What remains, :math:`1 - p`, is not the number of an item's ratings: popular items have a
      higher share of relevant ratings, and users who have them in train are not asked again.

    Returns
    -------
    DataFrame
        A row for each pair of designs that was measured: ``design``, ``levelled``, ``lead``,
        ``sparsity_share``, ``ratio``, ``levelled_ratio``, ``popularity_share``. A share is NaN
        where Pop is not ahead of Random: then there is no lead to take apart.

    Notes
    -----
    bellogin2017: the two biases are defined in sections 4 and 5 and measured in figures 4 and 8;
    these two shares, which sum its figures up, are ours.

    Examples
    --------
    Pop is nine times Random, three times if items are levelled: half of it, on a logarithmic scale,
    is popularity. With half of the test ratings half of the lead is left:

    >>> names, ratios = ["AR TI-AN", "UAR TI-AN"], [9.0, 3.0]
    >>> designs = pd.DataFrame({"design": names, "lead": [0.08, 0.02], "ratio": ratios})
    >>> designs["lead_with_half"] = [0.04, 0.01]
    >>> table = popularity_or_sparsity(designs)
    >>> table[["sparsity_share", "popularity_share"]].round(3).to_dict("list")
    {'sparsity_share': [1.0], 'popularity_share': [0.5]}
    """
    measured = designs.set_index("design")
    rows = []
    for name, levelled in PAIRS_OF_DESIGNS:
        if name not in measured.index or levelled not in measured.index:
            continue
        own, flat = measured.loc[name], measured.loc[levelled]
        is_ahead = own["lead"] > 0 and own["ratio"] > 1
        rows.append(
            {
                "design": name,
                "levelled": levelled,
                "lead": own["lead"],
                "sparsity_share": 2 * (1 - own["lead_with_half"] / own["lead"])
                if is_ahead
                else math.nan,
                "ratio": own["ratio"],
                "levelled_ratio": flat["ratio"],
                "popularity_share": 1 - math.log(flat["ratio"]) / math.log(own["ratio"])
                if is_ahead and flat["ratio"] > 0
                else math.nan,
            }
        )
    columns = (
        "design", "levelled", "lead", "sparsity_share", "ratio", "levelled_ratio",
        "popularity_share",
    )  # fmt: skip
    return pd.DataFrame(rows, columns=list(columns))
