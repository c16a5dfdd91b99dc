# SPDX-License-Identifier: MIT
"""What the figures of toy examples say."""

from __future__ import annotations

import pandas as pd

from receval.studies._shared.message import Message, in_a_row, sentence

RANKINGS = ("<a,b>", "<b,a>")


def fig02(results: pd.DataFrame) -> Message:
    """Observed values miss what is liked or disliked and not rated."""
    values = results[results["quantity"].str.contains("@", regex=False)]
    table = values.set_index(["quantity", "user"])
    users = list(dict.fromkeys(values["user"]))
    metrics = [name.removeprefix("real ") for name in dict.fromkeys(values["quantity"])]
    metrics = list(dict.fromkeys(name.removeprefix("observed ") for name in metrics))
    missed, never_more = [], True
    for metric in metrics:
        for user in users:
            observed, real = (
                table.loc[(f"{kind} {metric}", user)] for kind in ("observed", "real")
            )
            never_more &= float(observed["number"]) <= float(real["number"])
            if float(observed["number"]) < float(real["number"]):
                missed.append(
                    f"{metric} of {user} is {real['fraction']} and is observed as "
                    f"{observed['fraction']}"
                )
    return Message(
        "A cell is a user and an item, blue where there is a rating and 1 where the user likes the "
        "item; below, each probability is the fraction of users that it counts.",
        sentence(
            f"observed values miss likes and dislikes without a test rating: {in_a_row(missed)}"
            if missed
            else "observed values are the real ones"
        ),
        holds=bool(never_more and missed),
        claim="Observed values miss what users like or dislike without a rating in the test set.",
    )


def fig03(results: pd.DataFrame) -> Message:
    """Steepness and agreement are two things: a steeper function may agree or disagree."""
    cases = {case: rows.set_index("function") for case, rows in results.groupby("case")}
    steeper = all(of["decrement_rate"]["f"] > of["decrement_rate"]["g"] for of in cases.values())
    agreeing = [
        case
        for case, of in cases.items()
        if (of["of_a"]["f"] - of["of_b"]["f"]) * (of["of_a"]["g"] - of["of_b"]["g"]) > 0
    ]
    said = [case for case, of in cases.items() if (of["agreement"] == "agree").all()]
    return Message(
        "Each panel has two functions of two items; a function is steeper the larger the share of "
        "its higher value by which it falls (dr).",
        sentence(
            f"the function f is steeper than g in all {len(cases)} cases, and agrees with it in "
            f"{len(agreeing)} of them"
        ),
        holds=bool(steeper and agreeing == said and 0 < len(agreeing) < len(cases)),
        claim="Steepness and agreement are two things: a steeper function may agree or disagree "
        "with the other one.",
    )


def fig04(results: pd.DataFrame) -> Message:
    """Metrics disagree where popularity is steep, and agree where it is not."""
    agree = {}
    for example, rows in results.groupby("example", sort=False):
        best = {_best(rows, f"observed {metric}@1") for metric in ("P", "antiP")}
        agree[str(example)] = len(best) == 1
    steep = {
        str(example): rows.loc[rows["quantity"].str.startswith("steeper: odds"), "number"].max() > 0
        for example, rows in results.groupby("example", sort=False)
    }
    return Message(
        "Each example is a matrix of ratings (blue) and relevance (digits), what is counted in it, "
        "and which of the two rankings is better by each metric.",
        sentence(
            f"precision and anti-precision disagree in {_named(agree, value=False)}, where the "
            "odds of popularity are steeper than the average rating or its complement, and agree "
            f"in {_named(agree, value=True)}, where they are not"
        ),
        holds=bool(set(agree.values()) == {True, False})
        and all(agree[name] != steep[name] for name in agree),
        claim="Observed precision and anti-precision disagree where popularity is steep, and "
        "agree where it is flat.",
    )


def fig08(results: pd.DataFrame) -> Message:
    """Precision is consistent where popularity and relevance agree, anti-precision elsewhere."""
    consistent: dict[str, set[str]] = {}
    together = {}
    for example, rows in results.groupby("example", sort=False):
        consistent[str(example)] = {
            metric
            for metric in ("P", "antiP")
            if _best(rows, f"observed {metric}@1") == _best(rows, f"real {metric}@1")
        }
        agreement = rows.loc[rows["quantity"] == "agreement: p(train|i), p(rel|i)", "number"]
        together[str(example)] = float(agreement.iloc[0]) > 0
    holds = all(
        found == ({"P"} if together[name] else {"antiP"}) for name, found in consistent.items()
    )
    return Message(
        "Each example is a matrix of ratings (blue) and relevance (digits) of all pairs; a metric "
        "is consistent if it prefers the same ranking by observed and by real values.",
        sentence(
            "observed precision alone is consistent where popularity and relevance agree "
            f"({_named(together, value=True)}), observed anti-precision alone where they disagree "
            f"({_named(together, value=False)})"
        ),
        holds=holds and set(together.values()) == {True, False},
        claim="Observed precision is consistent with its real value where popularity and "
        "relevance agree, and observed anti-precision where they disagree.",
    )


def _best(rows: pd.DataFrame, quantity: str) -> str:
    """Return the better of both rankings, or "same"."""
    values = rows[rows["quantity"] == quantity].set_index("ranking")["number"].astype(float)
    one, other = (values[ranking] for ranking in RANKINGS)
    if one == other:
        return "same"
    low_is_good = "antiP" in quantity
    return RANKINGS[int((one > other) == low_is_good)]


def _named(verdicts: dict[str, bool], *, value: bool) -> str:
    return in_a_row([name for name, verdict in verdicts.items() if verdict == value] or ["none"])
