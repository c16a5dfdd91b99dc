# SPDX-License-Identifier: MIT
"""Verdicts on claims under other root seeds, merged with those of known replications."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims.cells import WITHOUT_INTERVALS
from reproduction.claims.certainty import KEYS
from reproduction.claims.ledger import ledger_row
from reproduction.claims.sources import ClaimSources
from reproduction.claims.spec import CheckSpec, ClaimSpec, PaperClaims

ROWS = (*KEYS, "replication", "seed", "verdict", "published", "value", "needs", "judged_by", "code")
"""Columns of the verdicts on repeated claims; docs/replications.md describes them."""

NUMBERS = ("claim", "artifact", "cells", "label", "value")
"""Columns of the numbers by which claims are judged."""

_DIGITS = 8

_AS_DECIDED: Any = {"exclude_defaults": True, "context": {WITHOUT_INTERVALS: True}}
"""How a rule is dumped for its digest, so that a new unused option changes no digest."""


@dataclass(frozen=True)
class ReplicationLabel:
    """What identifies the rows of one replication.

    It has a name, such as ``r01``, a root seed, and a digest of the code and configuration behind
    its results.
    """

    name: str
    seed: int
    code: str


def repeated_checks(
    claims: PaperClaims, datasets: Sequence[str]
) -> Iterator[tuple[str, ClaimSpec, CheckSpec]]:
    """Yield the checks of claims that depend on splits, on some datasets."""
    for number, claim in claims.claims.items():
        for check in claim.checks if claim.split_dependent else ():
            if check.dataset is None or check.dataset in datasets:
                yield number, claim, check


def judged_replication(
    claims: PaperClaims, datasets: Sequence[str], sources: ClaimSources, label: ReplicationLabel
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Judge the claims of a paper by the results of one replication."""
    rows, numbers = [], []
    for number, claim, check in repeated_checks(claims, datasets):
        row = ledger_row(number, claim, check, claims.paper, sources)
        own = {"replication": label.name, "seed": label.seed, "code": label.code}
        rows.append({**row, **own, "judged_by": digest_of_check(claim, check)})
        numbers += [(number, *cells) for cells in _numbers_read(sources)]
    return (
        pd.DataFrame(rows, columns=list(ROWS)),
        pd.DataFrame(list(dict.fromkeys(numbers)), columns=list(NUMBERS)),
    )


def _numbers_read(sources: ClaimSources) -> Iterator[tuple[str, str, str, float]]:
    for reading, read in zip(sources.readings, sources.numbers, strict=True):
        seen: dict[tuple[str, ...], int] = {}
        # Settings and computed numbers have no labels, and no replication changes them.
        for label, value in zip(read.labels, read.values.tolist(), strict=False):
            # The order distinguishes several cells with the same label.
            seen[label] = seen.get(label, 0) + 1
            again = f" ({seen[label]})" if seen[label] > 1 else ""
            yield reading.source, reading.cells, ", ".join(label) + again, value


def digest_of_check(claim: ClaimSpec, check: CheckSpec) -> str:
    """Return a digest of how a claim is decided, without its words and intervals."""
    decide = json.dumps(_without_words(check.decide.model_dump(**_AS_DECIDED)))
    decided = f"{claim.kind} {check.artifact} {check.where} {decide}"
    return hashlib.sha256(decided.encode()).hexdigest()[:_DIGITS]


def _without_words(rule: Any) -> Any:
    """Return the plain values of a rule without its reasons."""
    if isinstance(rule, Mapping):
        return {name: _without_words(value) for name, value in rule.items() if name != "because"}
    if isinstance(rule, list | tuple):
        return [_without_words(value) for value in rule]
    return rule


def all_replications(
    fresh: pd.DataFrame, accepted: pd.DataFrame | None, seeds: Mapping[str, int]
) -> pd.DataFrame:
    """Return fresh verdicts with the accepted ones of other seeds, all as text.

    They are in the order of papers, claims and replications. An accepted row is kept if it has the
    same root seed and its replication was not repeated, if its claim is still decided in the same
    way, and if its code still gives the same results. The last holds if the row has the digest of
    the fresh rows. It also holds if some fresh replication was accepted with the row's digest and
    has unchanged verdicts and numbers. So an edit that moves no result costs one replication
    instead of all.
    """
    rows = fresh
    if accepted is not None:
        known = accepted[[*ROWS]]
        known = known[known["seed"] == known["replication"].map({n: str(seeds[n]) for n in seeds})]
        decided_as = fresh.drop_duplicates([*KEYS])[[*KEYS, "judged_by"]]
        known = known.merge(decided_as, on=[*KEYS, "judged_by"])
        proven = _proven(fresh, known)
        made = pd.MultiIndex.from_frame(known[["paper", "code"]])
        done = pd.MultiIndex.from_frame(fresh[["paper", "replication"]])
        is_other = ~pd.MultiIndex.from_frame(known[["paper", "replication"]]).isin(done)
        rows = pd.concat([fresh, known[made.isin(proven) & is_other]], ignore_index=True)
    return rows.sort_values([*KEYS, "replication"], kind="stable", ignore_index=True)


def _proven(fresh: pd.DataFrame, known: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the (paper, digest) whose accepted rows are as good as fresh ones."""
    proven = list(dict.fromkeys(zip(fresh["paper"], fresh["code"], strict=True)))
    both = fresh.merge(known, on=[*KEYS, "replication"], suffixes=("", "_accepted"))
    both["same"] = np.logical_and.reduce(
        [both[name] == both[f"{name}_accepted"] for name in ("verdict", "value")]
    )
    for (paper, code), rows in both.groupby(["paper", "code_accepted"], sort=False):
        if rows["same"].all():
            proven.append((str(paper), str(code)))
    return proven
