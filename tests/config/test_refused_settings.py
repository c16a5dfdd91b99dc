# SPDX-License-Identifier: MIT
"""Settings that cannot be are refused in sentences that name the key, and what is known instead."""

from __future__ import annotations

from typing import Any

import pytest
from config.copied_config import CONFIG

from reproduction.config.reading import read_yaml
from reproduction.config.settings import load_settings


def at(path: str, value: object) -> dict[str, Any]:
    """Return overrides that set the value below some keys."""
    for key in reversed(path.split(".")):
        value = {key: value}
    assert isinstance(value, dict)
    return value


PLACES = (
    "",
    "datasets.ml-1m",
    "datasets.ml-1m.scale",
    "datasets.ml-1m.expected",
    "twins.ml-1m",
    "twins.ml-1m.exposure",
    "splits.user-80",
    "systems.plsa",
    "display",
    "display.metrics.P",
    "drift",
    "drift.tolerances.*",
    "studies.bellogin2017",
    "studies.bellogin2017.experiments.movielens",
    "studies.bellogin2017.artifacts.fig02",
    "studies.multiverse.grids.movielens",
    "studies.valcarce2020.judgment_samplings.ratings",
    "searches",
    "replications",
    "replications.studies.bellogin2017",
    "replications.crossed",
    "simulations.skewed-popularity",
)
"""Where a key can be of each model."""


@pytest.mark.parametrize("place", PLACES)
def test_an_unknown_key_is_refused_in_a_sentence_with_its_place(place: str) -> None:
    path = f"{place}.treshold".lstrip(".")
    with pytest.raises(ValueError, match=r"treshold: there is no such key") as raised:
        load_settings(CONFIG, "full", at(path, 3))
    (sentence,) = (line for line in str(raised.value).splitlines() if "treshold" in line)
    assert all(key in sentence for key in path.split("."))
    assert sentence.endswith("Remove it or correct its spelling.")


def test_an_unknown_key_of_a_protocol_is_refused() -> None:
    protocols = at("studies.bellogin2017.experiments.movielens.protocols", [{"sample": 99}])
    with pytest.raises(ValueError, match=r"protocols\.0\.sample: there is no such key"):
        load_settings(CONFIG, "full", protocols)


STUDY = "studies.bellogin2017"
MOVIELENS = f"{STUDY}.experiments.movielens"
AGAIN = "splits.random-folds-again"
PAIRED = "studies.menamaldonado2021"
SAMPLED = "studies.valcarce2020"
RATINGS = f"{SAMPLED}.judgment_samplings.ratings"
SIMULATION = "simulations.skewed-popularity"
GRADES = "learns from grades in the order of appearance. Systems in "


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("edition", "complete", "no edition 'complete'. The editions are demo and full"),
        ("seed", -1, "seed: .*greater than or equal to 0"),
        ("network", "of", "network: "),
        ("leave_out", ["netfliks"], "leave_out names the dataset netfliks"),
        ("leave_out", ["Netflix"], r"leave_out\.0: "),
        *(("plugins", names, "plugins") for names in (["a.b"], ["os; x"], "os", [3], [""])),
        *(("shards", value, "shards") for value in (0, "many", {"nowhere": 2}, {"ml-1m": 0})),
        *(
            ("repeat", word, "is not a replication. Use names from r01 to r100")
            for word in ("r101", "r1", "r00", "r02..r01", "r01..r101", "full-r01", "none")
        ),
        # Of datasets, twins, splits and systems.
        ("datasets.trec-qrels.access", "generated", "trec-qrels is generated, but twins.yaml has"),
        (
            "twins.ml-2m",
            read_yaml(CONFIG / "twins.yaml")["ml-1m"],
            r"twins\.yaml names the dataset ml-2m",
        ),
        ("splits.user-80.kind", "per-user", r"splits\.user-80: .*'per-user'"),
        (
            f"{AGAIN}.partition_of",
            "folds",
            "again .*of folds, which is not defined. The defined splits are",
        ),
        (f"{AGAIN}.partition_of", "user-80", "kind is user-ratio. Only k-fold splits have"),
        (
            f"{AGAIN}.partition_of",
            "random-folds-once-more",
            "of random-folds-once-more, which itself uses the partition of random-folds. Name",
        ),
        (
            f"{AGAIN}.partition_of",
            "random-folds-again",
            "-again, which itself uses the partition of",
        ),
        (
            f"{AGAIN}.folds",
            4,
            "of random-folds, but differs from it in folds, which would give anot",
        ),
        (f"{AGAIN}.balanced_per_user", True, "differs from it in balanced_per_user, which"),
        (f"{AGAIN}.selection", {"min_user_ratings": 5}, "differs from it in selection, which"),
        ("systems.pop.colour", "orange", r"systems\.pop\.colour: "),
        ("searches.systems", {"ease": {"grids": [{}]}}, r"searches\.yaml names the system ease"),
        (
            "searches.systems",
            {"librec-plsa": {"grids": [{"topics": [10]}]}},
            f"a search for librec-plsa, which {GRADES}searches must train on ratings",
        ),
        # Of studies.
        (f"{MOVIELENS}.dataset", "ml-2m", "movielens of bellogin2017 names the dataset ml-2m"),
        (
            f"{MOVIELENS}.split",
            "user-90",
            "movielens of bellogin2017 names the split user-90, which is not defined. The "
            "defined names are coin-flip-80, user-temporal-80, ",
        ),
        (f"{MOVIELENS}.fallback_splits", ["random-folds", "coins"], "names the split coins"),
        (f"{MOVIELENS}.systems", ["pop", "itempop"], "movielens .* names the system itempop"),
        (f"{MOVIELENS}.extra_systems", ["itempop"], "movielens .* names the system itempop"),
        (
            f"{MOVIELENS}.extra_systems",
            ["pop"],
            "systems and extra_systems name pop more than once. Name each system once",
        ),
        (f"{MOVIELENS}.evaluations", [], "at least 1 item"),
        (f"{MOVIELENS}.evaluations", ["published"], "'observed' or 'real'"),
        (
            f"{STUDY}.artifacts.fig02.experiments",
            ["netflix"],
            "fig02 needs the experiment netflix, but the study has .*lastfm, ",
        ),
        (f"{STUDY}.artifacts.fig02.only_experiments", ["films"], "fig02 needs the experiment film"),
        (f"{STUDY}.artifacts.fig07.datasets", ["ml-2m"], "fig07 of bellogin2017 names the dataset"),
        (f"{STUDY}.artifacts.fig08.results_of", ["fig99"], "the artifact that reads no other fig"),
        (f"{STUDY}.artifacts.fig06.splits", ["coins"], "names the split coins, which is not defin"),
        (
            f"{PAIRED}.artifacts.fig11.splits",
            {"ml-1m": ["random-folds"]},
            "the splits are of ml-1m, but the datasets of the artifact are cm100k",
        ),
        (f"{PAIRED}.artifacts.fig11.splits", {"cm100k": ["coins"]}, "names the split coins"),
        (
            f"{STUDY}.artifacts.fig05.simulations",
            ["skewness"],
            "the artifact fig05 of bellogin2017 names the simulation skewness, which is not "
            "defined. The defined names are skewed-popularity",
        ),
        # Both would be written as table1.md, by two rules.
        (
            "studies.canamares2020.artifacts.table1.kind",
            "page",
            r"table1 is a table of \w+ and a page of another study",
        ),
        (
            "studies.multiverse.artifacts.universes.grid",
            "netflix",
            "universes needs the grid of decisions netflix, but the study has movielens",
        ),
        (
            "studies.multiverse.grids.movielens",
            {"test": ["t-log"], "aggregation": ["mean"]},
            "movielens: .*no universe: t-log tests a geometric mean, n",
        ),
        # Of judgment samplings.
        (
            f"{RATINGS}.experiments",
            ["movielens", "netflix"],
            "ratings needs the experiment netflix, "
            "but the study has beeradvocate, beeradvocate-other-folds, librarything, ",
        ),
        (
            f"{SAMPLED}.artifacts.fig03.judgment_samplings",
            ["rating"],
            "fig03 needs the judgment sampling rating, but the study has items, largest-users, "
            "popular-items, ratings, users",
        ),
        (
            "studies.canamares2020.artifacts.fig01.judgment_samplings",
            ["users"],
            "judgment sampling users, but the study has none",
        ),
        (
            f"{RATINGS}.levels",
            {"highest": 50, "lowest": 60, "step": 1},
            "the lowest level, 60, is above the highest, 50",
        ),
        (
            f"{RATINGS}.levels",
            {"lowest": 25, "step": 20},
            "steps of 20 from 100 end at 40 and do not r",
        ),
        (f"{RATINGS}.levels.lowest", 0, r"ratings\.levels\.lowest: .*greater than 0"),
        (f"{RATINGS}.levels.highest", 101, r"levels\.highest: .*less than or equal to 100"),
        (f"{RATINGS}.levels.step", 0, r"levels\.step: .*greater than 0"),
        (f"{RATINGS}.samples", 0, r"ratings\.samples: "),
        (f"{RATINGS}.unit", "ranks", r"ratings\.unit: "),
        (f"{RATINGS}.experiments", [], r"ratings\.experiments: "),
        (f"{RATINGS}.averages", {"arithmetic": []}, r"ratings\.averages\.arithmetic: "),
        # Of simulations.
        (f"{SIMULATION}.dataset", "ml-2m", "skewed-popularity names the dataset ml-2m, which is"),
        (f"{SIMULATION}.systems", ["pop", "ease"], "skewed-popularity names the system ease"),
        (f"{SIMULATION}.systems", ["pop", "pop"], "the system pop is named more than once"),
        (
            f"{SIMULATION}.systems",
            ["librec-plsa"],
            f"has the system librec-plsa, which {GRADES}simulations must train on ratings",
        ),
        (f"{SIMULATION}.systems", [], r"skewed-popularity\.systems: "),
        (f"{SIMULATION}.metrics", ["P@10", "P@10"], "the metric P@10 is named more than once"),
        (f"{SIMULATION}.metrics", [], r"skewed-popularity\.metrics: "),
        (f"{SIMULATION}.skewness", [1, 0], "skewness must increase, but are 1, 0"),
        (f"{SIMULATION}.skewness", [1, 1], "must increase, but are 1, 1"),
        (f"{SIMULATION}.skewness", [-1], r"skewness.*greater than or equal to 0"),
        (f"{SIMULATION}.skewness", [21], r"skewness.*less than or equal to 20"),
        (f"{SIMULATION}.skewness", [], r"skewed-popularity\.skewness: "),
        (f"{SIMULATION}.repetitions", 0, r"skewed-popularity\.repetitions: "),
        (f"{SIMULATION}.train_ratio", 1, r"train_ratio: .*less than 1"),
        (f"{SIMULATION}.protocols", [], r"skewed-popularity\.protocols: "),
    ],
)
def test_what_cannot_be_is_refused_by_its_name(path: str, value: object, sentence: str) -> None:
    edition = None if path == "edition" else "full"
    with pytest.raises(ValueError, match=sentence):
        load_settings(CONFIG, edition, at(path, value))


def test_all_problems_are_told_at_once() -> None:
    changes = at("systems.pop.coluor", "#000000") | at("splits.user-80.train_ratio", 80)
    with pytest.raises(ValueError, match="coluor") as raised:
        load_settings(CONFIG, "full", changes)
    assert "train_ratio" in str(raised.value)


def test_a_page_and_a_figure_may_have_one_name() -> None:
    page = read_yaml(CONFIG / "studies" / "multiverse.yaml")["artifacts"]["flips"]
    settings = load_settings(CONFIG, "full", at("studies.multiverse.artifacts.fig02", page))
    assert settings.studies["multiverse"].artifacts["fig02"].kind == "page"
    assert settings.studies["bellogin2017"].artifacts["fig02"].kind == "figure"
