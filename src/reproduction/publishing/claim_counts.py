# SPDX-License-Identifier: MIT
"""Counts of claims in the ledger, each counted once whatever its number of datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from receval.figures.printed_numbers import in_text
from receval.storage.files import real_values
from receval.storage.messages import enumerated
from reproduction.claims.repetition import SOURCES
from reproduction.claims.verdicts import ClaimVerdict

_TOLD = ("claim", "statement", "dataset", "verdict")


def in_print(text: str) -> str:
    """Return a text of the ledger with numbers formatted as in tables.

    Examples
    --------
    >>> in_print("tau is 0.25 for 50% of the users")
    'tau is .25 for 50 % of the users'
    """
    printed = in_text(text)
    # Powers of ten would become Markdown formulas, which the paper cannot read.
    return text if "$" in printed else printed


def verdict_counts(claims: pd.DataFrame, by: str) -> list[dict[str, Any]]:
    """Return how many claims have each verdict, for each value of a column, and in total."""
    found = [_counts(str(name), rows) for name, rows in claims.groupby(by, sort=False)]
    return [*found, _counts("all", claims)]


def _counts(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    found = {str(verdict): int((rows["verdict"] == verdict).sum()) for verdict in ClaimVerdict}
    return {"name": name, "claims": len(rows), **found}


def failing_claims(ledger: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the claims that do not hold, or only in part, by paper and known reason."""
    wanted = (str(ClaimVerdict.DOES_NOT_HOLD), str(ClaimVerdict.HOLDS_IN_PART))
    rows = ledger[(ledger["form"] == "") & ledger["verdict"].isin(wanted)]
    return [
        {
            "paper": str(paper),
            "reason": in_print(str(reason)),
            "claims": [
                {name: in_print(str(row[name])) for name in _TOLD}
                for row in found.to_dict("records")
            ],
        }
        for (paper, reason), found in rows.groupby(["paper", "reason"], sort=False)
    ]


NO_CAUSE = "No cause is known"


def counts_by_cause(
    claims: pd.DataFrame, causes: Mapping[str, Sequence[str]]
) -> list[dict[str, Any]]:
    """Count the claims that do not hold, or only in part, by cause; those without one come last."""
    named = [claim for found in causes.values() for claim in found]
    if unknown := sorted(set(named) - set(claims["claim"])):
        raise ValueError(
            f"The paper names causes of {enumerated(unknown)}, which the ledger does not have: "
            "correct paper/numbers.yaml."
        )
    if twice := sorted({claim for claim in named if named.count(claim) > 1}):
        raise ValueError(
            f"The paper names two causes of {enumerated(twice)}: leave one in paper/numbers.yaml."
        )
    others = [claim for claim in claims["claim"] if claim not in set(named)]
    rows = []
    for cause, own in {**causes, NO_CAUSE: others}.items():
        verdicts = claims.loc[claims["claim"].isin(list(own)), "verdict"]
        in_part = int((verdicts == ClaimVerdict.HOLDS_IN_PART).sum())
        not_at_all = int((verdicts == ClaimVerdict.DOES_NOT_HOLD).sum())
        if cause != NO_CAUSE or in_part or not_at_all:
            rows.append({"cause": cause, "in-part": in_part, "failing": not_at_all})
    return rows


# Counts of the certainty of verdicts by paper, kind and verdict, and sources of variance.

OUTCOMES = ("always", "mostly", "rarely", "never")
"""In how many replications a claim holds: all, at least half, fewer, or none."""

NOT_REPEATED = "not repeated"

_PLACES = ("inside", "outside")
_JUDGED = (ClaimVerdict.HOLDS, ClaimVerdict.HOLDS_IN_PART, ClaimVerdict.DOES_NOT_HOLD)
_KINDS = {True: "numbers", False: "all other kinds"}


def with_outcomes(
    certainty: pd.DataFrame, ledger: pd.DataFrame, causes: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """Return the certainty of claims with their outcome, kind, verdict and cause.

    ``ledger`` has one row per claim, dataset and form; ``one_split`` is the verdict of the single
    run. The ``outcome`` is one of :data:`OUTCOMES`, or ``not repeated``. ``kind``, ``verdict`` and
    ``cause`` are from the single run; the cause may be empty.
    """
    own = certainty[certainty["form"] == ""].reset_index(drop=True)
    trials, holding = (real_values(own[name]) for name in ("replications", "holding"))
    outcomes = np.select(
        [~(trials > 0), holding == trials, holding == 0, 2 * holding >= trials],
        [NOT_REPEATED, "always", "never", "mostly"],
        "rarely",
    )
    keys = ["claim", "dataset"]
    known = ledger.loc[ledger["form"] == "", [*keys, "kind", "one_split"]]
    known = known.rename(columns={"one_split": "verdict"})
    found = own.assign(outcome=outcomes).merge(known, on=keys, how="left", validate="one_to_one")
    cause_of = {claim: cause for cause, claims in causes.items() for claim in claims}
    return found.assign(cause=found["claim"].map(cause_of).fillna("")).fillna(
        {"kind": "", "verdict": ""}
    )


def certainty_counts(certainty: pd.DataFrame) -> list[dict[str, Any]]:
    """Return how many repeated verdicts have each outcome.

    Also return how many published numbers lie inside and outside our prediction intervals. The
    groups are those of a ``paper``, a ``kind``, a ``verdict`` of the single run, or ``all``.
    """
    rows = certainty[certainty["outcome"] != NOT_REPEATED]
    groups = [
        *(("paper", paper, rows["paper"] == paper) for paper in rows["paper"].drop_duplicates()),
        *(
            ("kind", name, (rows["kind"] == "number") == is_number)
            for is_number, name in _KINDS.items()
        ),
        *(("verdict", str(verdict), rows["verdict"] == verdict) for verdict in _JUDGED),
        ("all", "all", pd.Series(data=True, index=rows.index)),
    ]
    return [
        {
            "group": group,
            "name": name,
            "verdicts": int(chosen.sum()),
            **{word: int((rows.loc[chosen, "outcome"] == word).sum()) for word in OUTCOMES},
            **{word: int((rows.loc[chosen, "location"] == word).sum()) for word in _PLACES},
        }
        for group, name, chosen in groups
        if chosen.any()
    ]


def with_failures_elsewhere(
    causes: Sequence[Mapping[str, Any]], certainty: pd.DataFrame
) -> list[dict[str, Any]]:
    """Return the counts by cause, with the number of failures that hold in some replication."""
    holding = certainty["outcome"].isin(["always", "mostly", "rarely"])
    rows = certainty[holding & (certainty["verdict"] == ClaimVerdict.DOES_NOT_HOLD)]
    named = rows["cause"].where(rows["cause"] != "", NO_CAUSE)
    return [{**row, "elsewhere": int((named == row["cause"]).sum())} for row in causes]


def variance_shares(variance: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the mean shares of the sources of chance in the variance of deciding numbers.

    There is a row for each artifact, and one for all of them.
    """
    names = (*SOURCES, "rest")
    shares = pd.DataFrame({name: real_values(variance[name]) for name in names})
    shares = shares.assign(artifact=variance["artifact"].to_numpy()).dropna()
    groups = [*shares.groupby("artifact", sort=True), ("all", shares)]
    return [
        {
            "artifact": str(artifact),
            "numbers": len(rows),
            **{name: float(rows[name].mean()) for name in names},
        }
        for artifact, rows in groups
        if len(rows)
    ]
