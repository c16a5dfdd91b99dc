# SPDX-License-Identifier: MIT
"""What docs/implementations.md says of the accepted values by several packages."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from studies.accepted_results import FULL, ROOT

from reproduction.config.settings import load_settings

RESULTS = FULL / "systems" / "implementations.csv"
PAGE = (ROOT / "docs" / "implementations.md").read_text(encoding="utf-8")
PARAMETERS = load_settings(ROOT / "config", "full").studies["systems"].artifacts[
    "implementations"
].parameters  # fmt: skip
METRICS = ("P@10", "nDCG@10", "Recall@10")
NAMES = {"User kNN": "user kNN", "Item kNN": "item kNN"}
"""Of algorithms within a sentence."""

NUMBERS = ("none", "one", "two", "three", "four")

pytestmark = pytest.mark.skipif(
    not RESULTS.is_file(), reason="systems/implementations.csv is not accepted yet"
)


def algorithms() -> dict[str, tuple[str, str]]:
    """Return of every algorithm receval's system and the first one of another package."""
    names = PARAMETERS["algorithms"]
    assert isinstance(names, tuple)
    found = {}
    for name in map(str, names):
        systems = PARAMETERS[name]
        assert isinstance(systems, tuple)
        found[name] = (str(systems[0]), str(systems[1]))
    return found


def means(metric: str) -> pd.DataFrame:
    table = pd.read_csv(RESULTS, dtype={"fold": str})
    rows = table[(table["fold"] == "mean") & (table["metric"] == metric)]
    return rows[rows["package"] != "LibRec"].set_index("system")


def values(metric: str) -> dict[str, tuple[float, float]]:
    """Return the values of every algorithm, receval's first."""
    table = means(metric)["value"]
    return {name: (table[own], table[other]) for name, (own, other) in algorithms().items()}


def printed(value: float, digits: int, sign: str = "") -> str:
    # Adding 0 takes the sign off a difference that rounds to 0.
    return f"{round(value, digits) + 0:{sign}.{digits}f}".replace("0.", ".", 1)


def test_the_table_has_the_accepted_values() -> None:
    precision, overlap = means("P@10"), means("overlap@10")["value"]
    for own, other in algorithms().values():
        difference = printed(precision["difference"][other], 4, "+")
        half = precision["half_interval_of_difference"][other]
        if not math.isnan(half):
            difference += f" ± {printed(half, 4)}"
        itself = overlap.get(own, math.nan)
        cells = [
            f"`{own}`",
            f"`{other}`",
            printed(precision["value"][other], 4),
            printed(precision["value"][own], 4),
            difference,
            printed(overlap[other], 2),
            "" if math.isnan(itself) else "1" if itself == 1 else printed(itself, 2),
        ]
        assert f"| {' | '.join(cells)} |".replace("|  |", "| |") in PAGE, cells


@pytest.mark.each("metric", METRICS)
def test_the_package_decides_the_order_of_the_pairs_that_the_page_names(metric: str) -> None:
    found = values(metric)
    pairs = list(itertools.combinations(found, 2))
    decided = [
        f"{NAMES.get(a, a)} against {NAMES.get(b, b)}"
        for a, b in pairs
        if len({x > y for x in found[a] for y in found[b]}) > 1
    ]
    said = f"**Of the {len(pairs)} pairs of algorithms, the package decides the order of"
    text = " ".join(PAGE.split())
    assert f"{said} {NUMBERS[len(decided)]}**: " in text
    sentence = text.partition(said)[2].partition(".")[0]
    assert all(pair in sentence for pair in decided), decided


def test_differences_of_packages_are_as_small_as_the_page_says() -> None:
    found = values("P@10")
    of_algorithms = np.median(
        [abs(np.mean(found[a]) - np.mean(found[b])) for a, b in itertools.combinations(found, 2)]
    )
    of_packages = np.median([abs(own - other) for own, other in found.values()])
    text = " ".join(PAGE.split())
    assert (
        f"The median difference between two algorithms is {printed(float(of_algorithms), 3)} in "
        f"P@10, that between two implementations of one {printed(float(of_packages), 3)};"
    ) in text


@pytest.mark.each("metric", METRICS)
def test_implementations_have_the_share_of_the_variance_that_the_page_gives(metric: str) -> None:
    found = np.array(list(values(metric).values()))
    within = np.sum((found - found.mean(axis=1, keepdims=True)) ** 2)
    share = within / np.sum((found - found.mean()) ** 2)
    assert f"; {100 * share:.0f} % of the variance of P@10, nDCG@10 and Recall@10" in " ".join(
        PAGE.split()
    )
