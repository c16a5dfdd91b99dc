# SPDX-License-Identifier: MIT
"""Names of the estimators in figures and tables."""

from __future__ import annotations

import pandas as pd

MAR = "MAR"
"""The estimator that uses only judgments of randomly drawn items."""

TITLES = {
    ("naive", ""): "Naive",
    ("IPS", "known"): "IPS, known",
    ("SNIPS", "known"): "SNIPS, known",
    ("IPS", "popularity"): "IPS, popularity",
    ("SNIPS", "popularity"): "SNIPS, popularity",
    ("IPS", "10 strata"): "IPS, ten strata",
    ("SNIPS", "10 strata"): "SNIPS, ten strata",
    ("IPS", "MAR sample"): "IPS, rating values",
    ("SNIPS", "MAR sample"): "SNIPS, rating values",
    ("SKEW", ""): "SKEW",
    ("WTD_H", ""): "WTD_H",
    ("WTD", ""): "WTD",
}
"""Titles in the order of figures, from the unweighted test to intervened tests."""


def title_of(estimator: str, propensities: str) -> str:
    """Return the title of an estimator in figures and tables.

    Examples
    --------
    >>> title_of("SNIPS", "known"), title_of("MAR", "10 a user")
    ('SNIPS, known', 'MAR, 10 a user')
    """
    if estimator == MAR and propensities:
        return f"{MAR}, {propensities}"
    return TITLES.get((estimator, propensities), estimator)


def with_titles(results: pd.DataFrame) -> pd.DataFrame:
    """Return results with the column ``title``, in the order of the titles."""
    texts = results.assign(propensities=results["propensities"].fillna("").astype(str))
    titles = [
        title_of(str(estimator), str(propensities))
        for estimator, propensities in zip(texts["estimator"], texts["propensities"], strict=True)
    ]
    known = list(TITLES.values())
    place = [known.index(title) if title in known else len(known) for title in titles]
    return (
        texts.assign(title=titles, place=place)
        .sort_values("place", kind="stable")
        .drop(columns="place")
        .reset_index(drop=True)
    )
