# SPDX-License-Identifier: MIT
"""The configuration is checked as a whole: every key, every name, every edition."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from config.copied_config import CONFIG, CopiedConfig

from reproduction.config.settings import EDITIONS, Settings, load_settings, merged


@pytest.fixture(scope="module", params=EDITIONS)
def settings(request: pytest.FixtureRequest) -> Settings:
    """The configuration of each edition."""
    return load_settings(CONFIG, request.param)


# --- unknown keys ---------------------------------------------------------------------------

PLACES = [
    ("config.yaml",),
    ("demo.yaml",),
    ("demo.yaml", "studies", "bellogin2017", "experiments", "lastfm"),
    ("datasets.yaml", "ml-1m"),
    ("datasets.yaml", "ml-1m", "scale"),
    ("datasets.yaml", "ml-1m", "expected"),
    ("twins.yaml", "ml-1m"),
    ("twins.yaml", "ml-1m", "exposure"),
    ("splits.yaml", "user-80"),
    ("systems.yaml", "plsa"),
    ("display.yaml",),
    ("display.yaml", "metrics", "P"),
    ("drift.yaml",),
    ("drift.yaml", "tolerances", "*"),
    ("studies/bellogin2017.yaml",),
    ("studies/bellogin2017.yaml", "experiments", "movielens"),
    ("studies/bellogin2017.yaml", "artifacts", "fig02"),
    ("studies/canamares2020.yaml", "artifacts", "fig01"),
    ("studies/followups.yaml", "artifacts", "time_orders"),
    ("studies/menamaldonado2021.yaml", "artifacts", "table2"),
    ("studies/multiverse.yaml", "artifacts", "universes"),
    ("studies/multiverse.yaml", "grids", "movielens"),
    ("studies/valcarce2018.yaml", "artifacts", "table2"),
    ("studies/valcarce2020.yaml", "judgment_samplings", "ratings"),
    ("studies/systems.yaml", "experiments", "valcarce"),
    ("searches.yaml",),
    ("replications.yaml",),
    ("replications.yaml", "studies", "bellogin2017"),
    ("replications.yaml", "crossed"),
    ("simulations.yaml", "skewed-popularity"),
]


def test_every_file_is_among_the_places() -> None:
    # Claims and errata are no settings: reproduction.claims reads them.
    others = {CONFIG / "errata.yaml", *(CONFIG / "claims").iterdir()}
    paths = (path for path in CONFIG.rglob("*.yaml") if path not in others)
    files = {path.relative_to(CONFIG).as_posix() for path in paths}
    assert files == {place[0] for place in PLACES}


@pytest.mark.costly
@pytest.mark.parametrize("place", PLACES, ids=".".join)
def test_an_unknown_key_is_refused_in_a_sentence_with_its_place(
    config: CopiedConfig, place: tuple[str, ...]
) -> None:
    file, *keys = place
    config.change(file, *keys, "treshold", value=3)
    with pytest.raises(ValueError, match=r"treshold: there is no such key") as raised:
        # The demo does not have all studies; demo.yaml is the demo's own.
        load_settings(config.folder, "demo" if file == "demo.yaml" else "full")
    (sentence,) = (line for line in str(raised.value).splitlines() if "treshold" in line)
    assert all(key in sentence for key in keys)
    assert sentence.endswith("remove it or correct its spelling.")


def test_an_unknown_key_of_a_protocol_is_refused(config: CopiedConfig) -> None:
    def add(content: Any) -> None:
        content["experiments"]["movielens"]["protocols"][0]["sample"] = 99

    config.edit("studies/bellogin2017.yaml", add)
    with pytest.raises(ValueError, match=r"protocols\.0\.sample: there is no such key"):
        load_settings(config.folder, "full")


def test_an_unknown_file_of_a_study_is_a_study_that_is_checked(config: CopiedConfig) -> None:
    (config.folder / "studies" / "steck2010.yaml").write_text("title: Training and testing\n")
    with pytest.raises(ValueError, match=r"studies\.steck2010\.artifacts: the key is missing"):
        load_settings(config.folder, "full")


# --- names ----------------------------------------------------------------------------------

STUDY = "studies/bellogin2017.yaml"
MOVIELENS = (STUDY, "experiments", "movielens")


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        ((*MOVIELENS, "dataset"), "ml-2m", "movielens of bellogin2017 names the dataset ml-2m"),
        ((*MOVIELENS, "split"), "user-90", "movielens of bellogin2017 names the split user-90"),
        ((*MOVIELENS, "systems"), ["pop", "itempop"], "movielens .* names the system itempop"),
        ((*MOVIELENS, "extra_systems"), ["itempop"], "movielens .* names the system itempop"),
        ((*MOVIELENS, "extra_systems"), ["pop"], "named twice among the systems: pop"),
        (
            (STUDY, "artifacts", "fig02", "experiments"),
            ["netflix"],
            "fig02 needs the experiment netflix, but the study has .*lastfm, ",
        ),
        (
            (STUDY, "artifacts", "fig07", "datasets"),
            ["ml-2m"],
            "artifact fig07 of bellogin2017 names the dataset ml-2m",
        ),
        (("config.yaml", "leave_out"), ["netfliks"], "leave_out names the dataset netfliks"),
        (("config.yaml", "leave_out"), ["Netflix"], r"leave_out\.0: "),
        (("config.yaml", "edition"), "complete", "no edition 'complete'; there are demo and full"),
        (("config.yaml", "seed"), -1, "seed: .*greater than or equal to 0"),
        (("splits.yaml", "user-80", "kind"), "per-user", r"splits\.user-80: .*'per-user'"),
        (("systems.yaml", "pop", "colour"), "orange", r"systems\.pop\.colour: "),
        (("searches.yaml", "systems"), {"ease": {"grids": [{}]}}, "names the system ease"),
        (
            ("searches.yaml", "systems"),
            {"librec-plsa": {"grids": [{"topics": [10]}]}},
            "a search for librec-plsa, which learns from grades in the order of appearance: "
            "searches",
        ),
    ],
)
def test_what_is_not_defined_is_refused_by_its_name(
    config: CopiedConfig, place: tuple[str, ...], value: object, sentence: str
) -> None:
    file, *keys = place
    config.change(file, *keys, value=value)
    with pytest.raises(ValueError, match=sentence):
        load_settings(config.folder)


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("partition_of", "folds", "of folds, which is not defined; defined are"),
        ("partition_of", "user-80", "of user-80, which is user-ratio: only k-fold splits have one"),
        (
            "partition_of",
            "random-folds-once-more",
            "of random-folds-once-more, which itself has that of random-folds: name a split with",
        ),
        ("partition_of", "random-folds-again", "of random-folds-again, which itself has that of"),
        ("folds", 4, "of random-folds, but another value of folds, which would make another"),
        ("balanced_per_user", True, "another value of balanced_per_user, which"),
        ("selection", {"min_user_ratings": 5}, "another value of selection, which"),
    ],
)
def test_a_partition_is_that_of_an_equal_split(
    config: CopiedConfig, key: str, value: object, sentence: str
) -> None:
    config.change("splits.yaml", "random-folds-again", key, value=value)
    with pytest.raises(ValueError, match=f"the split random-folds-again .*{sentence}"):
        load_settings(config.folder, "full")


def test_a_page_and_a_table_of_one_name_are_refused(config: CopiedConfig) -> None:
    # Both would be written as table1.md, by two rules.
    config.change("studies/canamares2020.yaml", "artifacts", "table1", "kind", value="page")
    with pytest.raises(ValueError, match=r"table1 is a table of \w+ and a page of another study"):
        load_settings(config.folder, "full")


def test_a_page_and_a_figure_may_have_one_name(config: CopiedConfig) -> None:
    def rename(content: Any) -> None:
        content["artifacts"]["fig02"] = {**content["artifacts"].pop("flips")}

    config.edit("studies/multiverse.yaml", rename)
    settings = load_settings(config.folder, "full")
    assert settings.studies["multiverse"].artifacts["fig02"].kind == "page"
    assert settings.studies["bellogin2017"].artifacts["fig02"].kind == "figure"


def test_a_grid_of_decisions_that_the_study_has_not_is_refused(config: CopiedConfig) -> None:
    config.change("studies/multiverse.yaml", "artifacts", "universes", "grid", value="netflix")
    with pytest.raises(
        ValueError, match="universes needs the grid of decisions netflix, but the stu"
    ):
        load_settings(config.folder, "full")


def test_a_grid_without_a_legal_universe_is_refused_with_the_reason(config: CopiedConfig) -> None:
    config.change("studies/multiverse.yaml", "grids", "movielens", "test", value=["t-log"])
    config.change("studies/multiverse.yaml", "grids", "movielens", "aggregation", value=["mean"])
    with pytest.raises(
        ValueError, match=r"movielens: .*no universe: t-log tests a geometric mean, n"
    ):
        load_settings(config.folder, "full")


def test_a_twin_of_an_undefined_dataset_is_refused(config: CopiedConfig) -> None:
    def copy(content: Any) -> None:
        content["ml-2m"] = content["ml-1m"]

    config.edit("twins.yaml", copy)
    with pytest.raises(ValueError, match=r"twins\.yaml names the dataset ml-2m"):
        load_settings(config.folder, "demo")


def test_undefined_names_come_with_the_defined_ones(config: CopiedConfig) -> None:
    config.change(*MOVIELENS, "split", value="user-90")
    with pytest.raises(ValueError, match="defined are coin-flip-80, user-temporal-80, "):
        load_settings(config.folder, "full")


def test_all_problems_are_told_at_once(config: CopiedConfig) -> None:
    config.change("systems.yaml", "pop", "coluor", value="#000000")
    config.change("splits.yaml", "user-80", "train_ratio", value=80)
    with pytest.raises(ValueError, match="coluor") as raised:
        load_settings(config.folder, "full")
    assert "train_ratio" in str(raised.value)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("seed: 1\nseed: 2\n", "the key seed occurs twice"),
        ("seed: [1\n", "is not valid YAML"),
        ("- seed\n", "must hold keys with values"),
        (None, "is missing"),
    ],
)
def test_an_unusable_file_is_named(config: CopiedConfig, content: str | None, reason: str) -> None:
    path = config.folder / "config.yaml"
    path.unlink()
    if content is not None:
        path.write_text(content)
    with pytest.raises(ValueError, match=rf"config\.yaml.*{reason}"):
        load_settings(config.folder)


# --- editions and overrides -----------------------------------------------------------------


def test_the_demo_is_laid_over_key_by_key() -> None:
    full = load_settings(CONFIG, "full").studies["bellogin2017"]
    demo = load_settings(CONFIG, "demo").studies["bellogin2017"]
    before, after = full.experiments["lastfm"], demo.experiments["lastfm"]
    assert [protocol.sampled for protocol in before.protocols] == [2500, 99]
    assert [protocol.sampled for protocol in after.protocols] == [250, 99]
    assert after.model_copy(update={"protocols": before.protocols}) == before
    assert demo.experiments["movielens"] == full.experiments["movielens"]
    differing = {name for name in full.artifacts if demo.artifacts[name] != full.artifacts[name]}
    # The notes of what stands beside real data alone, and the percentiles.
    assert differing == {"fig02", "fig05", "fig06", "fig08"}
    alike = full.artifacts["fig06"].model_copy(
        update={"note": "", "parameters": demo.artifacts["fig06"].parameters}
    )
    assert demo.artifacts["fig06"] == alike
    for name in ("fig02", "fig05", "fig08"):
        assert demo.artifacts[name] == full.artifacts[name].model_copy(update={"note": ""})


def test_everything_else_is_the_same_in_both_editions() -> None:
    laid_over = {"edition", "studies", "simulations", "systems", "twins"}
    full, demo = (load_settings(CONFIG, edition) for edition in ("full", "demo"))
    assert demo.model_dump(exclude=laid_over) == full.model_dump(exclude=laid_over)
    assert demo.systems.keys() == full.systems.keys()
    differing = {name for name in full.systems if demo.systems[name] != full.systems[name]}
    assert differing == {"knn-user-1000", "ranksys-mf", "ranksys-mf-text"}
    # The full edition makes no twin but that of no original.
    assert demo.twins.keys() == full.twins.keys()
    assert {n for n in full.twins if demo.twins[n] != full.twins[n]} == {"dated-twin"}


@pytest.mark.parametrize(
    ("overrides", "name", "expected"),
    [
        # Snakemake hands over words of the command line, some of them as they are.
        ({"network": "off"}, "network", False),
        ({"network": False}, "network", False),
        ({"network": "on"}, "network", True),
        ({"seed": "7"}, "seed", 7),
        ({"leave_out": ["netflix", "lastfm-1k"]}, "leave_out", ("netflix", "lastfm-1k")),
        ({"local_mirrors": ["../data"]}, "local_mirrors", ("../data",)),
        ({"edition": "demo"}, "edition", "demo"),
    ],
)
def test_the_command_line_has_the_last_word(
    overrides: dict[str, Any], name: str, expected: object
) -> None:
    assert getattr(load_settings(CONFIG, None, overrides), name) == expected


def test_an_edition_asked_for_counts_more_than_the_command_line() -> None:
    # The Snakefile plans both editions, whichever the command line names.
    assert load_settings(CONFIG, "full", {"edition": "demo"}).edition == "full"


def test_an_override_reaches_into_a_study() -> None:
    change = {"studies": {"bellogin2017": {"experiments": {"movielens": {"systems": ["pop"]}}}}}
    experiment = load_settings(CONFIG, "full", change).studies["bellogin2017"].experiments
    assert experiment["movielens"].systems == ("pop",)
    assert experiment["movielens"].split == "coin-flip-80"


@pytest.mark.parametrize("overrides", [{"netwrok": "off"}, {"network": "of"}])
def test_a_mistake_on_the_command_line_is_refused(overrides: dict[str, str]) -> None:
    (key,) = overrides
    with pytest.raises(ValueError, match=f"{key}: "):
        load_settings(CONFIG, None, overrides)


def test_merging_replaces_lists_and_leaves_its_arguments_alone() -> None:
    base = {"a": {"b": [1, 2], "c": 3}, "d": {"e": 1}}
    changes = {"a": {"b": [9]}, "d": 4, "f": {"g": 5}}
    assert merged(base, changes) == {"a": {"b": [9], "c": 3}, "d": 4, "f": {"g": 5}}
    assert base == {"a": {"b": [1, 2], "c": 3}, "d": {"e": 1}}


def test_settings_cannot_be_changed_afterwards(settings: Settings) -> None:
    with pytest.raises(ValueError, match="frozen"):
        settings.seed = 1


# --- what configuration names, exists -------------------------------------------------------


def test_mirrors_are_relative_to_the_repository(settings: Settings) -> None:
    assert settings.local_mirrors == ("../shared/datasets",)
    assert not any(Path(mirror).is_absolute() for mirror in settings.local_mirrors)
