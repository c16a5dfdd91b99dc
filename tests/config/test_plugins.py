# SPDX-License-Identifier: MIT
"""Configuration names code of this package and of its plugins; nothing else is imported."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from config.copied_config import CopiedConfig

from reproduction.config.reading import check_name
from reproduction.config.settings import load_settings
from reproduction.workflow.plan.plan import Plan
from reproduction.workflow.provenance.code_digest import files_of_package

SYSTEM = "club_models.own:Own"
MODULE = """
from pathlib import Path
from receval.recommenders.non_personalised import Popularity

Path(__file__).with_name("imported").touch()

class Own(Popularity):
    pass
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that could be imported; its folder."""
    folder = tmp_path / "site" / "club_models"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text('"""Ours."""\n')
    (folder / "own.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path / "site")
    files_of_package.cache_clear()
    yield folder
    for name in [name for name in sys.modules if name.startswith("club_models")]:
        del sys.modules[name]


@pytest.mark.each(
    "name",
    [
        "os:system",
        "subprocess:run",
        "receval_other.x:Y",
        "receval.x:y:z",
        "receval..x:Y",
        "receval.x:Y()",
        "receval.x",
        f"os.{'x' * 20_000}:Y",
        f"receval.x:{'Y' * 20_000}()",
        "../receval:x",
        "",
        ":",
        "ｒeceval.x:Y",
    ],
)
def test_other_names_are_refused_in_a_short_sentence(name: str) -> None:
    with pytest.raises(
        ValueError, match=r"is not the name of code|neither in receval nor"
    ) as raised:
        check_name(name, plugins=["club_models"])
    assert len(str(raised.value)) <= 500


def test_all_modules_of_a_listed_package_may_be_named() -> None:
    check_name(SYSTEM, plugins=["club_models"])
    check_name("club_models:Own", plugins=["club_models"])


@pytest.mark.parametrize(
    ("file", "keys", "code"),
    [
        ("systems.yaml", ("pop", "recommender"), SYSTEM),
        ("systems.yaml", ("pop", "recommender"), "posixpath.os:system"),
        ("datasets.yaml", ("ml-1m", "variants", 0, "parser"), "club_models.own:parse"),
    ],
)
def test_configuration_that_names_other_code_is_refused(
    config: CopiedConfig, plugin: Path, file: str, keys: tuple[Any, ...], code: str
) -> None:
    config.change(file, *keys, value=code)
    with pytest.raises(ValueError, match=rf"{keys[0]}: {code} is neither in receval nor"):
        load_settings(config.folder, "demo")
    assert not (plugin / "imported").exists()


@pytest.mark.costly
def test_a_listed_plugin_is_planned_by_its_code_without_being_imported(
    config: CopiedConfig, plugin: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config.change("systems.yaml", "pop", "recommender", value=SYSTEM)
    config.change("config.yaml", "plugins", value=["club_models"])
    settings = load_settings(config.folder, "demo")
    code = Plan(settings, Path(__file__).resolve().parents[2]).code
    entry = "reproduction.workflow.jobs.systems:train_system"
    before = code.digest(entry, code.recommender_entry("pop"))
    assert before != code.digest(entry)
    (plugin / "own.py").write_text(f"{MODULE}\nCHANGED = True\n")
    files_of_package.cache_clear()
    assert code.digest(entry, code.recommender_entry("pop")) != before
    assert not (plugin / "imported").exists()


def test_a_plugin_that_is_not_installed_is_told() -> None:
    with pytest.raises(ValueError, match="of the package nowhere_to_be_found, which is not"):
        files_of_package("nowhere_to_be_found")
