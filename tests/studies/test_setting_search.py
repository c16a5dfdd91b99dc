# SPDX-License-Identifier: MIT
"""The search for settings, and tables of published values."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from declared_files import table_in
from studies.prepared import generated_ratings

from receval.metrics.registry import parse
from receval.protocols.evaluation import rank_judged
from receval.protocols.protocol import Protocol
from receval.recommenders.base import make
from receval.seeds import generator, integer_seed
from receval.splits.split import TEST, TRAIN, Split, fold
from reproduction.config.settings import load_settings
from reproduction.studies._shared.published import read_published
from reproduction.workflow.jobs.measurements import search_settings

ROOT = Path(__file__).resolve().parents[2]
HEADING = "study,dataset,split,judgments,system,metric,published\n"
NAMES = ("ml-1m", "user-80", "plsa")
SEARCH: dict[str, Any] = {
    "recommender": "receval.recommenders.plsa:PLSA",
    "settings": [{"topics": topics, "iterations": 5} for topics in (1, 3, 6)],
    "metrics": ["P@10", "nDCG(depth=100)"],
    "threshold": 4.0,
}


def published_in(folder: Path, values: dict[str, float]) -> Path:
    rows = [f"paper,ml-1m,user-80,test,plsa,{metric},{value}" for metric, value in values.items()]
    path = folder / "published.csv"
    path.write_text("# of a paper\n" + HEADING + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def prepare_in(folder: Path) -> None:
    ratings = generated_ratings()
    ratings.write(folder / "ml-1m")
    codes = np.random.default_rng(1).choice([TRAIN, TEST], len(ratings)).astype(np.uint8)
    Split((codes,)).write(folder / "split.npz")


def search_in(
    folder: Path, published: Path, accepted: tuple[Path, ...] = (), **changes: Any
) -> pd.DataFrame:
    """Search with what lies in a folder; return the trace."""
    trace = folder / "trace.csv"
    search_settings(
        ratings=table_in(folder / "ml-1m"),
        split=folder / "split.npz",
        published=published,
        accepted=accepted,
        trace=trace,
        search={**SEARCH, **changes},
        seed=5,
        names=NAMES,
    )
    return pd.read_csv(trace, keep_default_na=False)


def values_of(setting: dict[str, Any], folder: Path) -> list[float]:
    """Train and rank as the workflow does, and average by hand."""
    ratings = generated_ratings()
    data = fold(ratings, Split.read(folder / "split.npz"), 0)
    model = make(SEARCH["recommender"], setting, integer_seed(5, *NAMES, 0)).fit(data.train)
    (outcome,) = rank_judged(
        model, data, [Protocol()], partial(generator, 5, "ml-1m", "user-80", 0)
    )
    users = data.test.users
    tested = np.unique(users)
    hits = (outcome.ranks > 0) & (outcome.ranks <= 10) & (data.test.values >= 4)
    return [np.bincount(users[hits], minlength=ratings.n_users)[tested].mean() / 10]


def test_the_setting_closest_to_the_published_values_is_chosen(tmp_path: Path) -> None:
    prepare_in(tmp_path)
    # The second setting's own values are "published", so its distance is 0.
    anything = published_in(tmp_path, dict.fromkeys(SEARCH["metrics"], 0.5))
    any_trace = search_in(tmp_path, anything)
    wanted = json.dumps(SEARCH["settings"][1], sort_keys=True)
    own = any_trace[any_trace["setting"] == wanted].set_index("metric")["ours"]
    published = published_in(tmp_path, own.to_dict())
    trace = search_in(tmp_path, published)
    assert len(trace) == 3 * 2
    assert trace[trace["chosen"] == "yes"]["setting"].unique().tolist() == [wanted]
    assert trace[trace["setting"] == wanted]["distance"].max() < 1e-8
    others = trace[trace["setting"] != wanted]
    expected = others.groupby("setting").apply(
        lambda rows: np.sqrt(((rows["ours"] / rows["published"] - 1) ** 2).mean())
    )
    distances = others.groupby("setting")["distance"].first()
    np.testing.assert_allclose(distances, expected, rtol=1e-8)
    assert (distances > 0).all()


def test_a_search_has_the_values_of_the_trained_system(tmp_path: Path) -> None:
    prepare_in(tmp_path)
    published = published_in(tmp_path, dict.fromkeys(SEARCH["metrics"], 0.5))
    trace = search_in(tmp_path, published)
    for setting in SEARCH["settings"]:
        rows = trace[trace["setting"] == json.dumps(setting, sort_keys=True)].set_index("metric")
        assert rows.loc["P@10", "ours"] == pytest.approx(values_of(setting, tmp_path)[0])


def test_an_accepted_trace_is_taken_instead_of_a_search(tmp_path: Path) -> None:
    prepare_in(tmp_path)
    published = published_in(tmp_path, dict.fromkeys(SEARCH["metrics"], 0.5))
    searched = search_in(tmp_path, published)
    accepted = tmp_path / "searches.csv"
    (tmp_path / "trace.csv").rename(accepted)
    # Nothing is left to train on.
    (tmp_path / "split.npz").unlink()
    pd.testing.assert_frame_equal(search_in(tmp_path, published, (accepted,)), searched)
    others = [{"topics": 2, "iterations": 5}]
    with pytest.raises(ValueError, match="other settings than the search tries"):
        search_in(tmp_path, published, (accepted,), settings=others)


def test_a_bad_setting_is_refused_before_any_data_is_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="PLSA: the parameter topics is 0"):
        search_in(tmp_path, tmp_path / "nowhere", settings=[{"topics": 3}, {"topics": 0}])
    assert list(tmp_path.iterdir()) == []


def test_a_search_without_a_value_to_come_close_to_is_refused(tmp_path: Path) -> None:
    published = published_in(tmp_path, {"P@10": 0.5})
    with pytest.raises(ValueError, match=r"has no nDCG\(depth=100\) of plsa on ml-1m"):
        search_in(tmp_path, published)


@pytest.mark.each(
    ("text", "message"),
    [
        ("study,dataset,metric,published\na,b,P@10,0.1\n", "it must have study, dataset, split"),
        (HEADING + "a,b,c,test,d,P@10,much\n", "every value in the column published"),
        (HEADING + "a,b,c,test,d,P@10,0.1\na,b,c,test,d,P@10,0.2\n", "gives a value twice: a b c"),
        (HEADING + "a,b,c,test,d,P@10,\na,b,c,test,d,P@5,0.2\n", "every value in the column"),
    ],
)
def test_a_malformed_table_of_published_values_is_refused(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_published(path)


def test_published_values_of_our_systems_name_known_systems_datasets_splits_and_metrics() -> None:
    settings = load_settings(ROOT / "config", "full")
    table = read_published(ROOT / "config" / "published" / settings.searches.published)
    assert set(table["system"]) <= set(settings.systems)
    assert set(table["dataset"]) <= set(settings.datasets)
    assert set(table["split"]) <= set(settings.splits)
    for label in table["metric"].unique():
        assert parse(label).label == label


def test_searches_look_at_p_at_10_and_ndcg_alone_and_name_systems_with_such_values() -> None:
    searches = load_settings(ROOT / "config", "full").searches
    assert searches.metrics == ("P@10", "nDCG(depth=100)")
    table = read_published(ROOT / "config" / "published" / searches.published)
    rows = table[(table["dataset"] == searches.dataset) & (table["split"] == searches.split)]
    for system in searches.systems:
        known = set(rows[rows["system"] == system]["metric"])
        assert known >= set(searches.metrics), system
