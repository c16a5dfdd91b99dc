# SPDX-License-Identifier: MIT
"""Traces of searches taken from the accepted results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from reproduction.config.settings import load_settings
from reproduction.workflow.jobs.measurements import SearchDescription, take_accepted_trace

ROOT = Path(__file__).resolve().parents[2]
ACCEPTED = ROOT / "results" / "full" / "systems" / "searches.csv"
PUBLISHED = ROOT / "config" / "published" / "systems.csv"
NAMES = ("ml-1m", "user-80", "uir")
METRICS = ["P@10", "nDCG(depth=100)"]
PUBLISHED_OF_UIR = (0.2, 0.4)
HEADING = "system,setting,metric,published,ours,distance,chosen\n"


def trace_of(rows: list[tuple[float, float]], chosen: int) -> str:
    return HEADING + "".join(
        f'uir,"{{""smoothing"": {smoothing}}}",{metric},{published},0.1,{distance},'
        f"{'yes' if n == chosen else ''}\n"
        for n, (smoothing, distance) in enumerate(rows)
        for metric, published in zip(METRICS, PUBLISHED_OF_UIR, strict=True)
    )


UIR = "receval.recommenders.language_models:UIR"


def search_for(*smoothings: float, metrics: Sequence[str] = METRICS) -> SearchDescription:
    settings = tuple({"smoothing": smoothing} for smoothing in smoothings)
    return SearchDescription(UIR, settings, tuple(metrics), threshold=4.0)


def take(folder: Path, text: str, search: SearchDescription, first_published: float = 0.2) -> str:
    (folder / "accepted.csv").write_text(text, encoding="utf-8")
    (folder / "published.csv").write_text(
        "study,dataset,split,judgments,system,metric,published\n"
        f"paper,ml-1m,user-80,test,uir,P@10,{first_published}\n"
        "paper,ml-1m,user-80,test,uir,nDCG(depth=100),0.4\n",
        encoding="utf-8",
    )
    paths = (folder / "accepted.csv", folder / "published.csv")
    take_accepted_trace(*paths, search, NAMES, folder / "search.csv")
    return (folder / "search.csv").read_text(encoding="utf-8")


def test_the_rows_of_the_system_are_taken_as_they_are(tmp_path: Path) -> None:
    text = trace_of([(0.9, 0.3), (0.5, 0.125)], chosen=1)
    others = text.replace("uir", "plsa").removeprefix(HEADING)
    assert take(tmp_path, text + others, search_for(0.9, 0.5)) == text


@pytest.mark.each(
    ("search", "published", "chosen", "message"),
    [
        (search_for(0.9, 0.6), 0.2, 1, "of uir, because its rows have other settings"),
        (search_for(0.9), 0.2, 1, "other settings"),
        (search_for(0.5, 0.9), 0.2, 1, "other settings"),
        (search_for(0.9, 0.5, metrics=METRICS[::-1]), 0.2, 1, "other metrics than nDCG"),
        (search_for(0.9, 0.5), 0.2001, 1, "other published values"),
        (search_for(0.9, 0.5), 0.2, 0, r'do not choose the nearest setting, {"smoothing": 0.5}'),
    ],
)
def test_the_trace_of_another_search_is_refused(
    tmp_path: Path, search: SearchDescription, published: float, chosen: int, message: str
) -> None:
    text = trace_of([(0.9, 0.3), (0.5, 0.125)], chosen)
    with pytest.raises(ValueError, match=message):
        take(tmp_path, text, search, published)
    assert not (tmp_path / "search.csv").exists()


def test_the_accepted_traces_are_those_of_the_configured_searches(tmp_path: Path) -> None:
    searches = load_settings(ROOT / "config", "full").searches
    traces = []
    for system, spec in searches.systems.items():
        search = SearchDescription(UIR, tuple(spec.settings), searches.metrics, threshold=4.0)
        names = (searches.dataset, searches.split, system)
        take_accepted_trace(ACCEPTED, PUBLISHED, search, names, tmp_path / "search.csv")
        traces.append((tmp_path / "search.csv").read_text(encoding="utf-8").removeprefix(HEADING))
    assert HEADING + "".join(traces) == ACCEPTED.read_text(encoding="utf-8")
