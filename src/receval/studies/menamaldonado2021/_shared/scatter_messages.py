"""What the figures of one metric against another say."""

from __future__ import annotations

import re

import pandas as pd

from receval.figures.display import coefficient_text
from receval.studies._shared.message import Message
from receval.studies.menamaldonado2021._shared.message_texts import in_a_row, sentence

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

AGAINST = (
    "Each mark is a system; P, Recall, nDCG and MRR are good where they are high, antiP, Fallout, "
    "nDCL and anti-MRR where they are low, so that a positive τ means that the metrics disagree."
)
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
    )
    return Message(
        AGAINST,
        _said(
            taus,
            f"the metrics agree in condensed lists, {_printed(taus[condensed])}, and disagree in "
            f"full ones, {_printed(taus[~condensed])}",
        ),
        holds=bool(holds and condensed.any() and not condensed.all()),
    )


def fig12(results: pd.DataFrame) -> Message:
    """Observed true- and false-positive metrics disagree."""
    taus = _taus(results)
    return Message(
        AGAINST,
        _said(taus, f"observed true- and false-positive metrics disagree: {_printed(taus)}"),
        holds=bool((taus["tau"] > 0).all()),
    )


def fig13(results: pd.DataFrame) -> Message:
    """Real true- and false-positive metrics agree, and the optimum bounds Pop, Avg and Random."""
    taus = _taus(results)
    return Message(
        AGAINST,
        _said(
            taus,
            f"real true- and false-positive metrics agree: {_printed(taus)}; no system without "
            "personalisation is better than the optimal ranking in either",
        ),
        holds=bool((taus["tau"] < 0).all() and _optimum_bounds(results)),
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
    return _consistency(results, "true-positive", "false-positive", sign=1)


def fig16(results: pd.DataFrame) -> Message:
    """Where popularity runs against relevance, it is the other way round."""
    return _consistency(results, "false-positive", "true-positive", sign=-1)


def fig17(results: pd.DataFrame) -> Message:
    """NDCG and MRR do what precision and recall do in figure 14, and so do their counterparts."""
    return _consistency(results, "true-positive", "false-positive", sign=1)


def _consistency(results: pd.DataFrame, consistent: str, misled: str, sign: int) -> Message:
    taus = _taus(results)
    false_positive = taus["x_metric"].map(_plain).isin(FALSE_POSITIVE)
    true_positive = ~false_positive
    first, second = (true_positive, false_positive)[::sign]
    holds = (taus.loc[first, "tau"] > 0).all() and (taus.loc[second, "tau"] < 0).all()
    return Message(
        OBSERVED_AGAINST_REAL,
        _said(
            taus,
            f"observed {consistent} metrics order the systems as their real values do, "
            f"{_printed(taus[first])}; {misled} ones do not, {_printed(taus[second])}",
        ),
        holds=bool(holds),
    )


def fig18(results: pd.DataFrame) -> Message:
    """On a temporal split the metrics still disagree, weakly; least so nDCG and nDCL."""
    taus = _taus(results)
    weakest = taus.loc[taus["tau"].idxmin(), "x_metric"]
    holds = (
        taus["tau"].between(0, WEAK, inclusive="neither").all()
        and _plain(str(weakest)) == "nDCL"
        and _plain_ones_lead(results)
    )
    return Message(
        AGAINST,
        _said(
            taus,
            f"the metrics disagree only weakly, {_printed(taus)}, least of all "
            "nDCG and nDCL; Avg and Random are among the three best by every false-positive metric",
        ),
        holds=bool(holds),
    )


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
    return text.drop_duplicates(panel)[[*panel, "tau"]].reset_index(drop=True)


def _plain(label: str) -> str:
    return re.sub(r"[@(].*", "", label)


def _printed(taus: pd.DataFrame) -> str:
    """Print coefficients pair by pair, such as "τ = .617 for P and antiP"; places if several."""
    pairs: dict[str, list[str]] = {}
    several = len(set(taus["experiment"])) > 1
    for row in taus.to_dict("records"):
        names = [NAMES.get(name, name) for name in map(_plain, (row["y_metric"], row["x_metric"]))]
        pair = in_a_row(list(dict.fromkeys(names)))
        place = f" on {_place(row['experiment'])}" if several else ""
        found = coefficient_text("τ", float(row["tau"])) + place
        pairs.setdefault(pair, []).append(found)
    return ", ".join(f"{in_a_row(found)} for {pair}" for pair, found in pairs.items())


def _place(experiment: str) -> str:
    return EXPERIMENTS.get(experiment, experiment)


def _said(taus: pd.DataFrame, text: str) -> str:
    """Return a sentence that begins with its data, if all coefficients are of one experiment."""
    places = list(dict.fromkeys(taus["experiment"]))
    return sentence(f"on {_place(places[0])} {text}" if len(places) == 1 else text)
