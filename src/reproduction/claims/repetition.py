# SPDX-License-Identifier: MIT
"""Verdicts on claims under other root seeds, and how much numbers vary with each source of chance.

Verdicts are merged with those of known replications. Components of variance say how much a number
varies with each source.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from reproduction.claims.ledger import ledger_row
from reproduction.claims.sources import WITHOUT_INTERVALS, ClaimSources
from reproduction.claims.spec import CheckSpec, ClaimSpec, PaperClaims
from reproduction.claims.verdicts import KEYS, RELEASED, ClaimVerdict

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
    """Yield the checks of claims that depend on splits, on some datasets; "" is on none alone."""
    for number, claim in claims.claims.items():
        for check in claim.checks if claim.split_dependent else ():
            if (check.dataset or "") in datasets:
                yield number, claim, check


def told_beside(
    papers: Iterable[PaperClaims], designs: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """Return why splits do not decide, by claim and dataset; ``designs`` says it by study."""
    found = {}
    for paper in papers:
        for number, claim in paper.claims.items():
            for dataset in {check.dataset or "" for check in claim.checks}:
                released = RELEASED if dataset in claim.published_on else ""
                if why := released or designs.get(paper.paper, ""):
                    found[number, dataset] = why
    return found


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
    instead of all. Rows of a paper on a dataset that no fresh replication has stay as they are.
    """
    rows = fresh
    if accepted is not None:
        known = accepted[[*ROWS]]
        known = known[known["seed"] == known["replication"].map({n: str(seeds[n]) for n in seeds})]
        repeated = pd.MultiIndex.from_frame(fresh[["paper", "dataset"]])
        is_repeated = pd.MultiIndex.from_frame(known[["paper", "dataset"]]).isin(repeated)
        untouched, known = known[~is_repeated], known[is_repeated]
        decided_as = fresh.drop_duplicates([*KEYS])[[*KEYS, "judged_by"]]
        known = known.merge(decided_as, on=[*KEYS, "judged_by"])
        proven = _proven(fresh, known)
        made = pd.MultiIndex.from_frame(known[["paper", "code"]])
        done = pd.MultiIndex.from_frame(fresh[["paper", "replication"]])
        is_other = ~pd.MultiIndex.from_frame(known[["paper", "replication"]]).isin(done)
        kept = known[made.isin(proven) & is_other]
        rows = pd.concat([fresh, kept, untouched], ignore_index=True)
    return rows.sort_values([*KEYS, "replication"], key=_in_order, kind="stable", ignore_index=True)


def _in_order(column: pd.Series) -> pd.Series:
    """Return what a column of replications is sorted by: r100 comes after r99."""
    return column.str.removeprefix("r").astype(int) if column.name == "replication" else column


def _proven(fresh: pd.DataFrame, known: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the (paper, digest) whose accepted rows are as good as fresh ones.

    Claims that were undecidable say nothing about it: what decides them may be repeated since.
    """
    proven = list(dict.fromkeys(zip(fresh["paper"], fresh["code"], strict=True)))
    decided = known[known["verdict"] != str(ClaimVerdict.UNDECIDABLE)]
    both = fresh.merge(decided, on=[*KEYS, "replication"], suffixes=("", "_accepted"))
    both["same"] = np.logical_and.reduce(
        [both[name] == both[f"{name}_accepted"] for name in ("verdict", "value")]
    )
    for (paper, code), rows in both.groupby(["paper", "code_accepted"], sort=False):
        if rows["same"].all():
            proven.append((str(paper), str(code)))
    return proven


SOURCES = ("split", "system", "candidates")

VARIANCE_COLUMNS = (
    "artifact",
    "cells",
    "label",
    "claims",
    "mean",
    "standard_deviation",
    *SOURCES,
    "rest",
)
"""Columns of the table of variance; docs/replications.md describes them."""


@dataclass(frozen=True)
class VarianceComponents:
    """Components of the variance of a number in a crossed design.

    They are due to the seed of each source alone, to the interaction of two seeds, and (``rest``)
    to that of all three.
    """

    split: float
    system: float
    candidates: float
    split_system: float
    split_candidates: float
    system_candidates: float
    rest: float

    @property
    def total(self) -> float:
        """The variance of a number when all three seeds are drawn anew."""
        return float(sum(astuple(self)))

    def shares(self) -> dict[str, float]:
        """Return the shares of the sources in the variance.

        A seed of systems or candidates is drawn for one split, so its interaction with the split
        counts as its own. The interaction of systems and candidates is the rest.
        """
        parts = {
            "split": self.split,
            "system": self.system + self.split_system,
            "candidates": self.candidates + self.split_candidates,
            "rest": self.system_candidates + self.rest,
        }
        total = self.total
        return {name: part / total if total > 0 else float("nan") for name, part in parts.items()}


def variance_components(values: ArrayLike) -> VarianceComponents:
    r"""Return the components of variance of a crossed design with three random factors.

    The model is a sum of independent effects, one per level of each factor, of each pair of
    factors, and of all three. The components follow from the expected mean squares, for instance

    .. math:: \mathrm{E}(MS_a) = \sigma^2 + n_c \sigma^2_{ab} + n_b \sigma^2_{ac}
        + n_b n_c \sigma^2_a

    Estimates below 0 are set to 0. It is the method of analysis of variance on balanced data:
    Searle, S. R., Casella, G. and McCulloch, C. E. (1992). Variance Components, chapter 4.

    Examples
    --------
    A number that depends on the first seed alone:

    >>> import numpy as np
    >>> numbers = np.array([1.0, 3.0])[:, None, None] + np.zeros((2, 2, 2))
    >>> variance_components(numbers).split, variance_components(numbers).rest
    (2.0, 0.0)
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 3 or min(table.shape) < 2:
        raise ValueError(
            f"The numbers have the shape {table.shape}. Give at least two levels of each of the "
            "three sources of chance."
        )
    a, b, c = table.shape
    squares = _mean_squares(table)
    rest = squares[0, 1, 2]
    pairs = {(0, 1): c, (0, 2): b, (1, 2): a}
    alone = []
    for source, times in enumerate((b * c, a * c, a * b)):
        one, other = (pair for pair in pairs if source in pair)
        alone.append((squares[source,] - squares[one] - squares[other] + rest) / times)
    together = [(squares[pair] - rest) / times for pair, times in pairs.items()]
    names = [field.name for field in fields(VarianceComponents)]
    found = [max(0.0, float(part)) for part in (*alone, *together, rest)]
    return VarianceComponents(**dict(zip(names, found, strict=True)))


def _mean_squares(table: NDArray[np.float64]) -> dict[tuple[int, ...], np.float64]:
    """Return the mean square of each set of factors, by the axes of the table."""
    sets: list[tuple[int, ...]] = [(), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)]
    effects: dict[tuple[int, ...], NDArray[np.float64]] = {}
    squares = {}
    for axes in sets:
        others = tuple(axis for axis in range(3) if axis not in axes)
        effect = table.mean(axis=others, keepdims=True)
        for smaller in effects:
            if set(smaller) < set(axes):
                effect = effect - effects[smaller]
        effects[axes] = effect
        repeated = table.size / effect.size
        freedom = np.prod([table.shape[axis] - 1 for axis in axes]) if axes else 1
        squares[axes] = repeated * (effect**2).sum() / freedom
    return squares


def variance_table(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the shares of the sources in the variance of each deciding number.

    ``numbers`` has the columns of :data:`reproduction.claims.repetition.NUMBERS`, and ``split``,
    ``system`` and ``candidates``: the levels of their run. Shares are NaN if a number never varies.
    """
    keys = ["artifact", "cells", "label"]
    rows = []
    for names, group in numbers.groupby(keys, sort=False):
        claims = sorted(group["claim"].unique())
        levels = list(SOURCES)
        values = group.drop_duplicates(levels).set_index(levels)["value"].sort_index()
        if values.isna().any():
            continue
        shape = [len(level) for level in values.index.remove_unused_levels().levels]
        if len(values) != np.prod(shape):
            raise ValueError(
                f"There are {len(values)} values of {', '.join(names)}, but {shape[0]} splits, "
                f"{shape[1]} seeds of systems and {shape[2]} of candidates. Run all combinations."
            )
        components = variance_components(values.to_numpy().reshape(shape))
        shares = components.shares()
        known = {"mean": values.mean(), "standard_deviation": np.sqrt(components.total)}
        row = dict(zip(keys, names, strict=True)) | {"claims": " ".join(claims)} | known | shares
        rows.append(row)
    return pd.DataFrame(rows, columns=list(VARIANCE_COLUMNS))
