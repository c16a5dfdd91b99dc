# SPDX-License-Identifier: MIT
"""The table of ``docs/dialects.md`` of whole lists: metrics of other tools in our labels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from receval.data.ratings import summed_matrix
from receval.metrics.registry import parse_any
from receval.metrics.whole_lists.list_metric import ListMetric, MetricOfAllUsers, RecommendedLists
from receval.splits.split import Fold, Judgments
from receval.top_lists import NO_ITEM, TopLists

FIXTURES = Path("tests/metrics/whole_lists/fixtures")
LISTS = Path("tests/dialects/fixtures/lists.json")
THRESHOLD = 4
EXACT, SINGLE = 1e-12, 1e-6


class Ours(NamedTuple):
    """Our label of a tool's metric, and how its value follows from ours."""

    label: str
    form: str = ""
    """How the tool's value is computed from ours; one of :data:`FORMS`."""

    exact: float = EXACT


FORMS = {
    "complement": "1 minus {}",
    "number": "{}, times the number of items",
    "padding": "{}, with a padding item more in the catalogue",
    "of users": "{}, over the binary logarithm of the number of training users",
}
"""Templates of how a tool's value follows from ours, by their names."""

OURS: dict[str, dict[str, Ours]] = {
    "elliot": {
        "ItemCoverage": Ours("ItemCoverage", "number"),
        "Gini": Ours("Gini(denominator=others)", "complement"),
        "SEntropy": Ours("ShannonEntropy"),
        "PopREO": Ours("REO"),
        "PopRSP": Ours("RSP"),
        "REO groups=thirds": Ours("REO(feature=thirds)"),
        "RSP groups=thirds": Ours("RSP(feature=thirds)"),
        "ARP": Ours("ARP"),
        "APLT": Ours("APLT"),
        "ACLT": Ours("ACLT"),
        "EFD": Ours("EFD(discount=log,relevance=binary)"),
        "EPC": Ours("EPC(discount=log,relevance=binary)"),
    },
    "lenskit": {
        "ListGini": Ours("Gini"),
        "ExposureGini": Ours("ExposureGini(discount=rbp)", exact=SINGLE),
        "MeanPopRank": Ours("ARP(unit=quantile)"),
    },
    "recbole": {
        "itemcoverage": Ours("ItemCoverage", "padding"),
        "giniindex": Ours("Gini", "padding"),
        "shannonentropy": Ours("ShannonEntropy(base=e,denominator=recommended)"),
        "averagepopularity": Ours("ARP"),
        "tailpercentage tail_ratio=0.1": Ours("APLT(by=items,head=0.9)"),
        "tailpercentage tail_ratio=0.5": Ours("APLT(by=items,head=0.5)"),
        "tailpercentage tail_ratio=5": Ours("APLT(by=count,head=5)"),
    },
    "recpack": {"CoverageK": Ours("ItemCoverage")},
    "rectools": {
        "CatalogCoverage normalize=True": Ours("ItemCoverage"),
        "AvgRecPopularity": Ours("ARP"),
        "AvgRecPopularity normalize=True": Ours("ARP(unit=share)"),
        "MeanInvUserFreq": Ours("SelfInformation"),
        "IntraListDiversity groups=thirds": Ours("ILD(distance=hamming,feature=thirds)"),
    },
    "replay": {
        "Coverage": Ours("ItemCoverage(of=training)"),
        "Surprisal": Ours("SelfInformation", "of users"),
        "Unexpectedness": Ours("Unexpectedness"),
    },
    "warprec": {
        "ItemCoverage": Ours("ItemCoverage", "number"),
        "Gini": Ours("Gini(denominator=others)"),
        "ShannonEntropy": Ours("ShannonEntropy(base=e)"),
        "SRecall groups=thirds": Ours("SubtopicRecall(feature=thirds)"),
        "ARP": Ours("ARP"),
        "APLT": Ours("APLT"),
        "ACLT": Ours("ACLT"),
        "PopREO": Ours("REO"),
        "PopRSP": Ours("RSP"),
        "REO groups=thirds": Ours("REO(feature=thirds)"),
        "RSP groups=thirds": Ours("RSP(feature=thirds)"),
        "EFD": Ours("EFD(discount=log,relevance=binary)"),
        "EPC": Ours("EPC(discount=log,relevance=binary)"),
    },
    "rampisela2024": {
        "Jain_ori": Ours("Jain"),
        "Jain_our": Ours("Jain(corrected=true)"),
        "QF_ori": Ours("ItemCoverage"),
        "QF_our": Ours("ItemCoverage(corrected=true)"),
        "Ent_ori": Ours("ShannonEntropy(base=items)"),
        "Ent_our": Ours("ShannonEntropy(corrected=true)"),
        "Gini_ori": Ours("Gini"),
        "Gini_our": Ours("Gini(corrected=true)"),
        "Gini-w_ori": Ours("ExposureGini"),
        "FSat_ori": Ours("FSat"),
        "FSat_our": Ours("FSat(corrected=true)"),
        "AI-D_ori": Ours("AID"),
    },
    "rampisela2024-joint": {
        "IAA_true_ori": Ours("IAA"),
        "MME_ori": Ours("MME"),
        "II-F_ori": Ours("IIF"),
        "AI-F_ori": Ours("AIF"),
        "IBO_our": Ours("IBO"),
        "IWO_our": Ours("IWO"),
        "IFD_mul": Ours("IFD"),
    },
}
"""Our metrics by tool and by the tool's name, whose ``groups=thirds`` are the groups of items."""

TOOLS = {
    "elliot": "Elliot",
    "lenskit": "LensKit",
    "rampisela2024": "Rampisela et al. (2024)",
    "rampisela2024-joint": "Rampisela et al. (2024), joint",
    "recbole": "RecBole",
    "recpack": "RecPack",
    "rectools": "RecTools",
    "replay": "RePlay",
    "warprec": "WarpRec",
}

NOT_HERE = {"Gini-w_our", "VoCD_ori", "II-D_ori"}
"""Values of fixtures that no metric of ours has."""


class Difference(NamedTuple):
    """Values of a tool that are not ours: in which cases, of which metric, and why."""

    tool: str
    cases: frozenset[str]
    name: str
    why: str


DIFFERENCES = (
    Difference(
        "rampisela2024",
        frozenset({"plain", "no-relevant"}),
        "Ent_ori",
        "it is not a number if an item is not recommended; ours takes 0 log 0 as 0",
    ),
    Difference(
        "elliot",
        frozenset({"short"}),
        "SEntropy",
        "it averages the terms over lists first, which is the same for lists of one length",
    ),
    Difference(
        "replay",
        frozenset({"short"}),
        "Surprisal",
        "it divides by the cut-off where a list is shorter",
    ),
    Difference(
        "replay",
        frozenset({"short"}),
        "Unexpectedness",
        "it counts the missing items of a short list as unexpected",
    ),
)


@dataclass(frozen=True)
class ListValue:
    """A value that a tool computed for all lists of a case, or for one user, beside ours."""

    tool: str
    case: str
    name: str
    theirs: float | None
    ours: float

    @property
    def deviation(self) -> float:
        """The absolute difference, over ours if that is above 1; infinite for NaN of the tool."""
        if self.theirs is None:
            return float("inf")
        return abs(self.theirs - self.ours) / max(1.0, abs(self.ours))

    @property
    def difference(self) -> Difference | None:
        """Why it may differ, if it may."""
        for known in DIFFERENCES:
            if (known.tool, known.name) == (self.tool, self.name) and self.case in known.cases:
                return known
        return None


def recommended_in_case(case: Mapping[str, Any]) -> tuple[list[str], RecommendedLists]:
    """Return the users with a list, and the lists with all items as candidates."""
    users = sorted(case["run"])
    n_items = case["n_items"]
    code = {f"i{number:02d}": number for number in range(n_items)}
    rows = np.repeat(np.arange(len(users)), [len(case["train"][user]) for user in users])
    trained = [code[item] for user in users for item in case["train"][user]]
    judged = [
        (row, code[item], rating)
        for row, user in enumerate(users)
        for item, rating in sorted(case["test"].get(user, {}).items())
    ]
    rows_of, items_of, ratings_of = map(np.array, zip(*judged, strict=True))
    fold = Fold(
        summed_matrix(rows, np.array(trained), np.ones(len(rows)), (len(users), n_items)),
        Judgments.from_pairs(rows_of, items_of, ratings_of, n_users=len(users)),
    )
    length = max(len(case["run"][user]) for user in users)
    items = np.full((len(users), length), NO_ITEM, dtype=np.int32)
    scores = np.full((len(users), length), np.nan)
    for row, user in enumerate(users):
        own = case["run"][user]
        items[row, : len(own)] = [code[item] for item, _ in own]
        scores[row, : len(own)] = [score for _, score in own]
    thirds = csr_array(np.eye(3)[np.arange(n_items) % 3])
    lists = TopLists(np.arange(len(users)), items, scores)
    candidates = np.ones(n_items, dtype=bool)
    return users, RecommendedLists(lists, fold, THRESHOLD, candidates, {"thirds": thirds})


def list_values_of(tool: str, folder: Path = FIXTURES, lists: Path = LISTS) -> list[ListValue]:
    """Return every value of a tool's fixture beside ours."""
    cases = json.loads(lists.read_text(encoding="utf-8"))["cases"]
    fixture = json.loads((folder / f"{tool}.json").read_text(encoding="utf-8"))
    values = []
    for case, metrics in fixture["values"].items():
        users, recommended = recommended_in_case(cases[case])
        for label, entry in metrics.items():
            name, _, rest = label.partition("@")
            cutoff, _, options = rest.partition(" ")
            name = f"{name} {options}".strip()
            if name in NOT_HERE:
                continue
            own = OURS[tool][name]
            pairs = _compared(own, int(cutoff), users, recommended, entry)
            values += [ListValue(tool, case, name, theirs, ours) for theirs, ours in pairs]
    return values


def _compared(
    own: Ours, cutoff: int, users: list[str], lists: RecommendedLists, entry: Mapping[str, Any]
) -> Iterator[tuple[float | None, float]]:
    """Yield the values of the tool and ours: those of users, and the one of all lists."""
    metric = parse_any(f"{own.label}@{cutoff}")
    assert isinstance(metric, ListMetric)
    n_items = len(lists.is_candidate)
    lists = lists.cut(cutoff)
    if own.form == "padding":
        lists = replace(lists, is_candidate=np.ones(n_items + 1, dtype=bool))

    def as_theirs(value: float) -> float:
        if own.form == "complement":
            return 1 - value
        if own.form == "of users":
            return float(value / np.log2(len(users)))
        return value * n_items if own.form == "number" else value

    if isinstance(metric, MetricOfAllUsers):
        yield entry["mean"], as_theirs(metric.of_all(lists))
        return
    of_users = dict(zip(users, map(as_theirs, metric.per_user(lists).tolist()), strict=True))
    yield from ((value, of_users[user]) for user, value in (entry["per_user"] or {}).items())
    averaged = users
    if entry["users"] not in (None, len(users)):
        # The tool leaves out users without a relevant item.
        is_relevant = lists.fold.test.values >= THRESHOLD
        averaged = [users[row] for row in np.unique(lists.fold.test.users[is_relevant])]
        assert len(averaged) == entry["users"]
    elif entry["per_user"]:
        averaged = list(entry["per_user"])
    yield entry["mean"], float(np.mean([of_users[user] for user in averaged]))


def table_of_list_metrics(folder: Path = FIXTURES, lists: Path = LISTS) -> str:
    """Return a table of each tool's metrics and ours, and the differences."""
    parts = []
    for tool, title in TOOLS.items():
        values = list_values_of(tool, folder, lists)
        fixture = json.loads((folder / f"{tool}.json").read_text(encoding="utf-8"))
        version = fixture["version"].removeprefix("commit ")[:9]
        rows, n_equal = [], 0
        for name, own in OURS[tool].items():
            label = own.label.replace("thirds", "...")
            here = FORMS.get(own.form, "{}").format(f"`{label}`")
            here += "" if own.exact == EXACT else " (within 10⁻⁶)"
            n_equal += sum(v.name == name and v.deviation <= own.exact for v in values)
            said = name.replace("groups=thirds", "of groups of items")
            said = f"`{said.partition(' ')[0]}`{said[len(said.partition(' ')[0]) :]}"
            rows.append(f"- {said}: {here}")
        told = []
        for known in DIFFERENCES:
            if known.tool == tool:
                n = sum(v.difference is known and v.deviation > EXACT for v in values)
                told.append(f"{n} values of `{known.name}` differ: {known.why}.")
        parts += [f"### {title} {version} ({n_equal} values)", "\n".join(rows), " ".join(told)]
    return "\n\n".join(part for part in parts if part)
