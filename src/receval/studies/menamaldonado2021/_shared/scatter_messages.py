# SPDX-License-Identifier: MIT
"""What the figures of one metric against another say."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import coefficient_text
from receval.studies._shared.message import Message, sentence
from receval.studies.menamaldonado2021._shared.scatter_parts import (
    RELEASED,
    coefficients,
    counted,
    experiment_title,
    is_significant,
    names,
    plain_label,
    shown_taus,
)

FALSE_POSITIVE = ("antiP", "Fallout", "nDCL", "antiRR")
WEAK = 0.5
"""Coefficients below it are weak; those of the random split are .617 and .733."""

NON_PERSONALISED = ("librec-avg", "librec-random")

AUTHORS_SPLIT, RELEASED_TAU = "released-temporal", 0.267
"""Split of figure 18 on which the authors' values can be ours, and their tau of P and antiP."""

OBSERVED_AGAINST_REAL = (
    "Each mark is a system, its observed value across and its real value up, so that a positive τ "
    "means that the observed metric orders the systems as the real one does."
)


def fig01(results: pd.DataFrame) -> Message:
    """Condensed lists hide that the metrics disagree: P and antiP are then one metric."""
    taus = coefficients(results)
    condensed = taus["x_metric"].str.contains("condensed=true")
    opposite = taus["y_metric"].str.startswith("P(") & condensed
    holds = (
        (taus.loc[condensed, "tau"] < 0).all()
        and (taus.loc[opposite, "tau"] < -1 + 1e-9).all()
        and (taus.loc[~condensed, "tau"] > 0).all()
        and is_significant(taus).all()
    )
    return Message(
        _against(taus),
        _said(
            taus,
            f"the metrics agree in condensed lists, {shown_taus(taus[condensed])}, and disagree in "
            f"full ones, {shown_taus(taus[~condensed])}",
        ),
        holds=bool(holds and condensed.any() and not condensed.all()),
        claim="True- and false-positive metrics agree in condensed lists, where precision and "
        "anti-precision are one metric, and disagree in full ones.",
        partly=sentence(
            f"in condensed lists {counted(taus[condensed], -1)}; "
            f"in full lists {counted(taus[~condensed], 1)}"
        )
        if condensed.any() and not condensed.all()
        else "",
    )


def fig12(results: pd.DataFrame) -> Message:
    """Observed true- and false-positive metrics disagree."""
    taus = coefficients(results)
    return Message(
        _against(taus),
        _said(taus, f"observed true- and false-positive metrics disagree: {shown_taus(taus)}"),
        holds=bool(((taus["tau"] > 0) & is_significant(taus)).all()),
        claim="Observed true- and false-positive metrics disagree on which systems are better.",
        partly=sentence(counted(taus, 1)),
    )


def fig13(results: pd.DataFrame) -> Message:
    """Real true- and false-positive metrics agree, and the optimum bounds Pop, Avg and Random."""
    taus = coefficients(results)
    agree = ((taus["tau"] < 0) & is_significant(taus)).all()
    return Message(
        _against(taus),
        _said(
            taus,
            f"real true- and false-positive metrics agree: {shown_taus(taus)}; no system without "
            "personalisation is better than the optimal ranking in either P or antiP",
        ),
        holds=bool(agree and _optimum_bounds(results)),
        claim="Real true- and false-positive metrics agree on which systems are better, and no "
        "system without personalisation is better than the optimal ranking.",
        partly=sentence(
            f"{counted(coefficients(results, RELEASED), -1)}; "
            f"{'no' if _optimum_bounds(results) else 'a'} system without personalisation is better "
            "than the optimal ranking"
        ),
    )


def _optimum_bounds(results: pd.DataFrame) -> bool:
    text = results[results["form"] == "text"]
    for _, rows in text.groupby(["experiment", "y_metric"], sort=False):
        own = rows.set_index("system")
        optimal = own[own["role"] == "optimal"]
        others = own[own.index.isin(["pop", *NON_PERSONALISED])]
        if len(optimal) and (
            others["y"].max() > optimal["y"].max() or others["x"].min() < optimal["x"].min()
        ):
            return False
    return True


def fig14(results: pd.DataFrame) -> Message:
    """Observed true-positive metrics are consistent with real ones, false-positive ones are not."""
    return _consistency(
        results,
        "true-positive",
        "false-positive",
        sign=1,
        claim="Where popular items are liked items, observed true-positive metrics order the "
        "systems as their real values do, and observed false-positive ones do not.",
    )


def fig16(results: pd.DataFrame) -> Message:
    """Where popularity runs against relevance, it is the other way round."""
    return _consistency(
        results,
        "false-positive",
        "true-positive",
        sign=-1,
        claim="Where popularity runs against relevance, observed false-positive metrics order the "
        "systems as their real values do, and observed true-positive ones do not.",
    )


def fig17(results: pd.DataFrame) -> Message:
    """NDCG and MRR do what precision and recall do in figure 14, and so do their counterparts."""
    return _consistency(
        results,
        "true-positive",
        "false-positive",
        sign=1,
        claim="Observed nDCG and MRR order the systems as their real values do, and observed nDCL "
        "and anti-MRR do not.",
    )


def _consistency(
    results: pd.DataFrame, consistent: str, misled: str, sign: int, claim: str
) -> Message:
    taus = coefficients(results)
    false_positive = taus["x_metric"].map(plain_label).isin(FALSE_POSITIVE)
    true_positive = ~false_positive
    first, second = (true_positive, false_positive)[::sign]
    # A misled metric need not reverse the order: a relation by chance does not keep it, either.
    holds = ((taus["tau"] > 0) & is_significant(taus))[first].all()
    holds &= (taus.loc[second, "tau"] < 0).all()
    return Message(
        OBSERVED_AGAINST_REAL,
        _said(
            taus,
            f"observed {consistent} metrics order the systems as their real values do, "
            f"{shown_taus(taus[first])}; {misled} ones do not, {shown_taus(taus[second])}",
        ),
        holds=bool(holds),
        claim=claim,
        partly=_consistency_in_part(results, {consistent: 1, misled: -1}),
    )


def _consistency_in_part(results: pd.DataFrame, signs: dict[str, int]) -> str:
    taus = coefficients(results, RELEASED)
    false_positive = taus["x_metric"].map(plain_label).isin(FALSE_POSITIVE)
    parts = {"true-positive": taus[~false_positive], "false-positive": taus[false_positive]}
    return sentence(
        "; ".join(
            f"for {kind} metrics {counted(parts[kind], sign)}"
            for kind, sign in signs.items()
            if len(parts[kind])
        )
    )


def fig18(results: pd.DataFrame) -> Message:
    """On a temporal split the metrics hardly disagree any more; least so nDCG and nDCL."""
    taus = coefficients(results)
    weakest = taus.loc[taus["tau"].idxmin(), "x_metric"]
    related = is_significant(taus)
    holds = (
        taus["tau"].between(0, WEAK, inclusive="neither").all()
        and related.sum() < len(taus) / 2
        and plain_label(str(weakest)) == "nDCL"
        and _plain_ones_lead(results)
    )
    exception = f" but {shown_taus(taus[related])}" if related.any() else ""
    others = shown_taus(taus[~related], unrelated="") if not related.all() else ""
    return Message(
        _against(taus),
        _said(
            taus,
            f"there is no significant relation between the metrics{exception}: {others}"
            f"{_beside_released(results)}; Avg and Random are among "
            "the three best by every false-positive metric",
        ),
        holds=bool(holds),
        claim="On a temporal split true- and false-positive metrics disagree less than on a "
        "random one, and nDCG and nDCL least of all.",
        partly=_temporal_in_part(taus, results),
    )


def _temporal_in_part(taus: pd.DataFrame, results: pd.DataFrame) -> str:
    weak = taus["tau"].between(0, WEAK, inclusive="neither")
    least = taus.loc[taus["tau"].idxmin()]
    parts = [f"weaker than on a random split are {shown_taus(taus[weak], unrelated='')}"]
    if not weak.any():
        parts = []
    if not weak.all():
        parts.append(f"not so {shown_taus(taus[~weak], unrelated='')}")
    parts.append(f"{names([least['y_metric'], least['x_metric']])} have the lowest coefficient")
    leads = "are" if _plain_ones_lead(results) else "are not"
    parts.append(f"Avg and Random {leads} among the three best by every false-positive metric")
    return sentence("; ".join(parts))


def _beside_released(results: pd.DataFrame) -> str:
    """Return the coefficient of P and antiP that the authors' lists have, on their split."""
    if AUTHORS_SPLIT not in set(results["split"]):
        return ""
    theirs = coefficient_text("τ", RELEASED_TAU)
    return f" (of P and antiP the authors' lists have {theirs}; docs/fidelity.md explains why)"


def _plain_ones_lead(results: pd.DataFrame) -> bool:
    systems = results[(results["form"] == "text") & (results["role"] == "system")]
    return all(
        set(NON_PERSONALISED) <= set(rows.nsmallest(3, "x", keep="all")["system"])
        for _, rows in systems.groupby(["experiment", "x_metric"], sort=False)
    )


def _against(taus: pd.DataFrame) -> str:
    """Say how to read a figure of the metrics that these panels have, and of no others."""
    good, bad = (names(taus[f"{side}_metric"]) for side in "yx")
    return (
        f"Each mark is a system; {good} are good where they are high, {bad} where they are low, "
        "so that a positive τ means that the metrics disagree."
    )


def _said(taus: pd.DataFrame, text: str) -> str:
    """Return a sentence that begins with its data, if all coefficients are of one experiment."""
    places = list(dict.fromkeys(taus["experiment"]))
    return sentence(f"on {experiment_title(places[0])} {text}" if len(places) == 1 else text)
