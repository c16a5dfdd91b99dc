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


def test_an_unknown_file_of_a_study_is_a_study_that_is_checked(config: CopiedConfig) -> None:
    (config.folder / "studies" / "steck2010.yaml").write_text("title: Training and testing\n")
    with pytest.raises(ValueError, match=r"studies\.steck2010\.artifacts: the key is missing"):
        load_settings(config.folder, "full")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("seed: 1\nseed: 2\n", "the key seed occurs twice"),
        ("seed: [1\n", "is not valid YAML"),
        ("- seed\n", "must contain keys with values"),
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
    laid_over = {"edition", "figures", "studies", "simulations", "splits", "systems", "twins"}
    full, demo = (load_settings(CONFIG, edition) for edition in ("full", "demo"))
    assert demo.model_dump(exclude=laid_over) == full.model_dump(exclude=laid_over)
    assert demo.systems.keys() == full.systems.keys()
    differing = {name for name in full.systems if demo.systems[name] != full.systems[name]}
    of_size = {"knn-user-1000", "ranksys-mf", "ranksys-mf-text"}
    of_time = {"bprmf", "lda", "lda-10", "librec-wbpr", "sklearn-lda"}
    assert differing == of_size | of_time
    assert demo.splits.keys() == full.splits.keys()
    differing = {name for name in full.splits if demo.splits[name] != full.splits[name]}
    # The nine folds of canamares2020 have a share of ratings to train with each, which it is about.
    of_many = {name for name, spec in full.splits.items() if (spec.n_folds or 0) > 3}
    assert differing == of_many - {"training-shares"}
    assert {demo.splits[name].n_folds for name in differing} == {3}
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
