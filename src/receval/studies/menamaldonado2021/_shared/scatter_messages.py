"""What the figures of one metric against another say."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pandas as pd

from receval.figures.display import coefficient_text, p_value_text
from receval.studies._shared.message import Message, in_a_row
from receval.studies.menamaldonado2021._shared.message_texts import sentence

EXPERIMENTS = {
    "movielens": "ML-1M",
    "yahoo": "Yahoo! R3",
    "cm100k": "CM100k",
    "cm100k-opposed": "CM100k with anti-popular familiarity",
    "movielens-temporal": "ML-1M split by time",
}
FALSE_POSITIVE = ("antiP", "Fallout", "nDCL", "antiRR")
NAMES = {"RR": "MRR", "antiRR": "anti-MRR"}
WEAK = 0.5
"""Coefficients below it are weak; those of the random split are .617 and .733."""

NON_PERSONALISED = ("librec-avg", "librec-random")

SIGNIFICANT = 0.05
"""Below it a p-value says that two orders of the systems are related."""

AUTHORS_SPLIT, RELEASED_TAU = "released-temporal", 0.267
"""Split of figure 18 on which the authors' values can be ours, and their tau of P and antiP."""

OBSERVED_AGAINST_REAL = (
    "Each mark is a system, its observed value across and its real value up, so that a positive τ "
    "means that the observed metric orders the systems as the real one does."
)


def fig01(results: pd.DataFrame) -> Message:
    """Condensed lists hide that the metrics disagree: P and antiP are then one metric."""
    taus = _taus(results)
    condensed = taus["x_metric"].str.contains("condensed=true")
    opposite = taus["y_metric"].str.startswith("P(") & condensed
    holds = (
        (taus.loc[condensed, "tau"] < 0).all()
        and (taus.loc[opposite, "tau"] < -1 + 1e-9).all()
        and (taus.loc[~condensed, "tau"] > 0).all()
        and _significant(taus).all()
    )
    return Message(
        _against(taus),
        _said(
            taus,
            f"the metrics agree in condensed lists, {_printed(taus[condensed])}, and disagree in "
            f"full ones, {_printed(taus[~condensed])}",
        ),
        holds=bool(holds and condensed.any() and not condensed.all()),
        claim="True- and false-positive metrics agree in condensed lists, where precision and "
        "anti-precision are one metric, and disagree in full ones.",
    )


def fig12(results: pd.DataFrame) -> Message:
    """Observed true- and false-positive metrics disagree."""
    taus = _taus(results)
    return Message(
        _against(taus),
        _said(taus, f"observed true- and false-positive metrics disagree: {_printed(taus)}"),
        holds=bool(((taus["tau"] > 0) & _significant(taus)).all()),
        claim="Observed true- and false-positive metrics disagree on which systems are better.",
    )


def fig13(results: pd.DataFrame) -> Message:
    """Real true- and false-positive metrics agree, and the optimum bounds Pop, Avg and Random."""
    taus = _taus(results)
    agree = ((taus["tau"] < 0) & _significant(taus)).all()
    return Message(
        _against(taus),
        _said(
            taus,
            f"real true- and false-positive metrics agree: {_printed(taus)}; no system without "
            "personalisation is better than the optimal ranking in either P or antiP",
        ),
        holds=bool(agree and _optimum_bounds(results)),
        claim="Real true- and false-positive metrics agree on which systems are better, and no "
        "system without personalisation is better than the optimal ranking.",
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
    taus = _taus(results)
    false_positive = taus["x_metric"].map(_plain).isin(FALSE_POSITIVE)
    true_positive = ~false_positive
    first, second = (true_positive, false_positive)[::sign]
    # A misled metric need not reverse the order: a relation by chance does not keep it, either.
    holds = ((taus["tau"] > 0) & _significant(taus))[first].all()
    holds &= (taus.loc[second, "tau"] < 0).all()
    return Message(
        OBSERVED_AGAINST_REAL,
        _said(
            taus,
            f"observed {consistent} metrics order the systems as their real values do, "
            f"{_printed(taus[first])}; {misled} ones do not, {_printed(taus[second])}",
        ),
        holds=bool(holds),
        claim=claim,
    )


def fig18(results: pd.DataFrame) -> Message:
    """On a temporal split the metrics hardly disagree any more; least so nDCG and nDCL."""
    taus = _taus(results)
    weakest = taus.loc[taus["tau"].idxmin(), "x_metric"]
    related = _significant(taus)
    holds = (
        taus["tau"].between(0, WEAK, inclusive="neither").all()
        and related.sum() < len(taus) / 2
        and _plain(str(weakest)) == "nDCL"
        and _plain_ones_lead(results)
    )
    exception = f" but {_printed(taus[related])}" if related.any() else ""
    others = _printed(taus[~related], unrelated="") if not related.all() else ""
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
    )


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


def _taus(results: pd.DataFrame) -> pd.DataFrame:
    """Return one row a panel in the form of the text."""
    panel = ["experiment", "x_metric", "y_metric"]
    text = results[results["form"] == "text"]
    return text.drop_duplicates(panel)[[*panel, "tau", "p_value"]].reset_index(drop=True)


def _significant(taus: pd.DataFrame) -> pd.Series:
    return taus["p_value"] < SIGNIFICANT


def _plain(label: str) -> str:
    return re.sub(r"[@(].*", "", label)


def _against(taus: pd.DataFrame) -> str:
    """Say how to read a figure of the metrics that these panels have, and of no others."""
    good, bad = (_names(taus[f"{side}_metric"]) for side in "yx")
    return (
        f"Each mark is a system; {good} are good where they are high, {bad} where they are low, "
        "so that a positive τ means that the metrics disagree."
    )


def _names(labels: Sequence[str] | pd.Series) -> str:
    names = [NAMES.get(name, name) for name in map(_plain, labels)]
    return in_a_row(list(dict.fromkeys(names)))


def _printed(taus: pd.DataFrame, unrelated: str = ", not significant") -> str:
    """Print coefficients by pairs, such as "τ = .617 (p < .001) for P and antiP"; with places."""
    pairs: dict[str, list[str]] = {}
    several = len(set(taus["experiment"])) > 1
    for row in taus.to_dict("records"):
        pair = _names((row["y_metric"], row["x_metric"]))
        place = f" on {_place(row['experiment'])}" if several else ""
        p_value = float(row["p_value"])
        remark = p_value_text(p_value) + ("" if p_value < SIGNIFICANT else unrelated)
        found = f"{coefficient_text('τ', float(row['tau']))} ({remark}){place}"
        pairs.setdefault(pair, []).append(found)
    return ", ".join(f"{in_a_row(found)} for {pair}" for pair, found in pairs.items())


def _place(experiment: str) -> str:
    return EXPERIMENTS.get(experiment, experiment)


def _said(taus: pd.DataFrame, text: str) -> str:
    """Return a sentence that begins with its data, if all coefficients are of one experiment."""
    places = list(dict.fromkeys(taus["experiment"]))
    return sentence(f"on {_place(places[0])} {text}" if len(places) == 1 else text)
