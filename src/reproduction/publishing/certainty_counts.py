# SPDX-License-Identifier: MIT
"""How sure verdicts are, counted by paper, kind and verdict; and of what numbers vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from receval.storage.files import real_values
from reproduction.claims.variance import SOURCES
from reproduction.claims.verdicts import ClaimVerdict
from reproduction.publishing.claim_counts import NO_CAUSE

OUTCOMES = ("always", "mostly", "rarely", "never")
"""In how many replications a claim holds: in all, in half of them or more, in fewer, in none."""

NOT_REPEATED = "not repeated"

_PLACES = ("inside", "outside")
_JUDGED = (ClaimVerdict.HOLDS, ClaimVerdict.HOLDS_IN_PART, ClaimVerdict.DOES_NOT_HOLD)
_KINDS = {True: "numbers", False: "all other kinds"}


def with_outcomes(
    certainty: pd.DataFrame, ledger: pd.DataFrame, causes: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    """Return the certainty of claims with what else is known of them.

    Parameters
    ----------
    ledger : DataFrame
        A row for each claim, dataset and form; the verdict of the one run is ``one_split``.

    Returns
    -------
    DataFrame
        With the columns ``outcome`` (one of :data:`OUTCOMES`, or ``not repeated``), and ``kind``,
        ``verdict`` and ``cause``, which are of the one run; the last is empty without one.
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

    Returns
    -------
    list of dict
        ``group`` (``paper``, ``kind``, ``verdict`` of the one run, or ``all``), ``name``, the
        number of ``verdicts``, the counts by outcome, and how many published numbers lie
        ``inside`` and ``outside`` of our intervals of prediction.
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
    """Return the counts by cause with how many failures hold in some replication."""
    holding = certainty["outcome"].isin(["always", "mostly", "rarely"])
    rows = certainty[holding & (certainty["verdict"] == ClaimVerdict.DOES_NOT_HOLD)]
    named = rows["cause"].where(rows["cause"] != "", NO_CAUSE)
    return [{**row, "elsewhere": int((named == row["cause"]).sum())} for row in causes]


def variance_shares(variance: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the mean shares of the sources of chance in the variance of deciding numbers.

    Returns
    -------
    list of dict
        ``artifact``, how many ``numbers`` of it there are, and the mean share of each source and of
        the rest; the last of ``all``.
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
