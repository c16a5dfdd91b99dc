# SPDX-License-Identifier: MIT
"""Metrics of whole lists have the values that other tools gave for the same lists.

The fixtures are written by benchmarks/dialects/run_whole_lists.py.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from metrics.whole_lists.made_lists import made_fold, made_lists
from scipy.sparse import csr_array

from receval.metrics.registry import parse_any
from receval.metrics.whole_lists.list_metric import ListMetric, MetricOfAllUsers, RecommendedLists

FOLDER = Path(__file__).with_name("fixtures")
LISTS = Path(__file__).parents[2] / "dialects" / "fixtures" / "lists.json"
PAGE = Path(__file__).parents[3] / "docs" / "dialects.md"
THRESHOLD = 4
SINGLE = 1e-6


class Ours(NamedTuple):
    """Our label of a tool's metric, and how its value follows from ours."""

    label: str
    complement: bool = False  # the tool's value is 1 minus ours
    as_number: bool = False  # the tool's value is the number of items, and ours a share
    padding: bool = False  # the tool has one item more, which nobody gets
    exact: float = 1e-12


OURS = {
    "elliot": {
        "ItemCoverage": Ours("ItemCoverage", as_number=True),
        "Gini": Ours("Gini(denominator=others)", complement=True),
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
    "recbole": {
        "itemcoverage": Ours("ItemCoverage", padding=True),
        "giniindex": Ours("Gini", padding=True),
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
    },
}

NOT_HERE = {"Gini-w_our", "VoCD_ori", "II-D_ori"}

DIFFERENT = {
    # Their entropy is not a number if an item is not recommended; ours takes 0 log 0 as 0.
    ("rampisela2024", "plain", "Ent_ori"),
    ("rampisela2024", "no-relevant", "Ent_ori"),
    # Elliot averages the entropy's terms over lists first, which is the same for equal lengths.
    ("elliot", "short", "SEntropy"),
}


@cache
def _cases() -> dict[str, Any]:
    return json.loads(LISTS.read_text(encoding="utf-8"))["cases"]


@cache
def _lists(name: str) -> tuple[list[str], RecommendedLists]:
    """Return the users of a case, and their lists."""
    case = _cases()[name]
    users = sorted(case["run"])
    n_items = case["n_items"]
    code = {f"i{number:02d}": number for number in range(n_items)}
    fold = made_fold(
        [(row, code[item]) for row, user in enumerate(users) for item in case["train"][user]],
        [
            (row, code[item], rating)
            for row, user in enumerate(users)
            for item, rating in case["test"].get(user, {}).items()
        ],
        (len(users), n_items),
    )
    lists = made_lists(*([code[item] for item, _ in case["run"][user]] for user in users))
    thirds = np.eye(3)[np.arange(n_items) % 3]
    return users, RecommendedLists(
        lists, fold, THRESHOLD, np.ones(n_items, dtype=bool), {"thirds": csr_array(thirds)}
    )


def _fixture(tool: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{tool}.json").read_text(encoding="utf-8"))


def _name_and_cutoff(metric: str) -> tuple[str, int]:
    name, _, rest = metric.partition("@")
    cutoff, _, options = rest.partition(" ")
    return f"{name} {options}".strip(), int(cutoff)


@pytest.mark.parametrize("tool", OURS)
def test_every_value_of_a_tool_is_ours(tool: str) -> None:
    compared, differing = set(), set()
    for case, metrics in _fixture(tool)["values"].items():
        users, lists = _lists(case)
        for label, entry in metrics.items():
            name, cutoff = _name_and_cutoff(label)
            if name in NOT_HERE:
                continue
            own = OURS[tool][name]
            metric = parse_any(f"{own.label}@{cutoff}")
            assert isinstance(metric, ListMetric)
            measured = lists.cut(cutoff)
            if own.padding:
                measured = replace(
                    measured, is_candidate=np.ones(_cases()[case]["n_items"] + 1, bool)
                )
            if isinstance(metric, MetricOfAllUsers):
                ours, per_user = metric.of_all(measured), None
            else:
                per_user = dict(zip(users, metric.per_user(measured).tolist(), strict=True))
                of_tool = entry["per_user"] or per_user
                ours = np.mean([per_user[user] for user in of_tool])
                if entry["users"] not in (len(users), len(of_tool)):
                    # The tool leaves out users without a relevant item.
                    liked = np.unique(lists.fold.test.users[lists.fold.test.values >= THRESHOLD])
                    assert len(liked) == entry["users"]
                    ours = np.mean([per_user[users[row]] for row in liked])
            ours = 1 - ours if own.complement else ours
            ours = ours * _cases()[case]["n_items"] if own.as_number else ours
            is_equal = ours == pytest.approx(entry["mean"], rel=own.exact, abs=own.exact)
            if entry["per_user"] and per_user is not None:
                is_equal &= all(
                    per_user[user] == pytest.approx(value, rel=own.exact, abs=own.exact)
                    for user, value in entry["per_user"].items()
                )
            compared.add(name)
            if not is_equal:
                differing.add((tool, case, name))
    assert differing == {known for known in DIFFERENT if known[0] == tool}
    assert compared == set(OURS[tool])


def test_the_page_names_our_metric_for_each_one_of_a_tool() -> None:
    page = PAGE.read_text(encoding="utf-8").partition("## Metrics of whole lists")[2]
    rows = [line for line in page.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    for tool, metrics in OURS.items():
        if tool.startswith("rampisela2024"):
            continue
        of_tool = "\n".join(row for row in rows if row.lower().startswith(f"| {tool} "))
        for name, own in metrics.items():
            assert f"`{name.partition(' ')[0]}`" in of_tool, (tool, name)
            label = own.label.replace("thirds", "...")
            assert f"`{label}`" in of_tool or "head=0.5" in label, (tool, own.label)
