"""Claims of the ledger counted once each, whatever the number of datasets they are judged on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from receval.claims.verdicts import Verdict

COLUMNS = ("claim", "paper", "kind", "datasets", "verdict")


def claims_of(ledger: pd.DataFrame) -> pd.DataFrame:
    """Return a row a claim, with the verdict over the datasets on which it is decided.

    Parameters
    ----------
    ledger : DataFrame
        The columns of :data:`receval.claims.ledger.COLUMNS`. Rows of other forms of a claim are
        left out.

    Returns
    -------
    DataFrame
        ``claim``, ``paper``, ``kind``, ``datasets`` (on how many it is decided) and ``verdict``:
        the one that all of them give, or ``holds in part`` where they differ.
    """
    own = ledger[ledger["form"] == ""]
    rows = [
        (claim, rows["paper"].iloc[0], rows["kind"].iloc[0], *_overall(list(rows["verdict"])))
        for claim, rows in own.groupby("claim", sort=False)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _overall(verdicts: Sequence[str]) -> tuple[int, str]:
    decided = [verdict for verdict in verdicts if verdict != Verdict.UNDECIDABLE]
    if not decided:
        return 0, str(Verdict.UNDECIDABLE)
    different = set(decided)
    return len(decided), decided[0] if len(different) == 1 else str(Verdict.HOLDS_IN_PART)


def counted(claims: pd.DataFrame, by: str) -> list[dict[str, Any]]:
    """Return how many claims have each verdict, for each value of a column.

    Parameters
    ----------
    claims : DataFrame
        From :func:`claims_of`.
    by : {"paper", "kind"}

    Returns
    -------
    list of dict
        ``name``, ``claims``, and the counts by verdict; in the order of first appearance, the last
        of all together.
    """
    counts = [_counts(str(name), rows) for name, rows in claims.groupby(by, sort=False)]
    return [*counts, _counts("all", claims)]


def _counts(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    found = {str(verdict): int((rows["verdict"] == verdict).sum()) for verdict in Verdict}
    return {"name": name, "claims": len(rows), **found}


def failing(ledger: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the claims that do not hold, or in part only, by the reason that is known.

    Returns
    -------
    list of dict
        ``paper``, ``reason`` and ``claims``, each of which has ``claim``, ``dataset`` and
        ``verdict``; in the order of the ledger.
    """
    wanted = (str(Verdict.DOES_NOT_HOLD), str(Verdict.HOLDS_IN_PART))
    rows = ledger[(ledger["form"] == "") & ledger["verdict"].isin(wanted)]
    return [
        {
            "paper": str(paper),
            "reason": str(reason),
            "claims": found[["claim", "dataset", "verdict"]].to_dict("records"),
        }
        for (paper, reason), found in rows.groupby(["paper", "reason"], sort=False)
    ]
