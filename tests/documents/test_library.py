# SPDX-License-Identifier: MIT
"""The programs of docs/library.md run, and print what the page says they print."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "library.md").read_text(encoding="utf-8")


def example(words: str) -> str:
    """Return the one program of the page that has some words."""
    programs = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    (found,) = (own for own in programs if words in own)
    return str(found)


def write_ratings(path: Path) -> None:
    """Write ratings of users with tastes, some popular items, and identifiers as people have."""
    rng = np.random.default_rng(5)
    taste = rng.normal(size=(150, 3)) @ rng.normal(size=(3, 200))
    chance = np.clip(0.6 / np.sqrt(1 + np.arange(200)) * np.exp(0.8 * taste), 0, 1)
    users, items = np.nonzero(rng.random(taste.shape) < chance)
    values = np.clip(np.round(3.5 + taste[users, items]), 1, 5)
    table = pd.DataFrame({"user": users + 1, "item": items, "rating": values})
    table["item"] = "film-" + table["item"].astype(str)
    table.to_csv(path, index=False)


def test_the_example_runs_on_a_file_of_ratings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_ratings(tmp_path / "ratings.csv")
    words = ("# 80 % of the ratings of each user train", "discriminative_power", "SamplingOdds")
    first, second, third = map(example, words)
    names: dict[str, object] = {}
    exec(compile(first, "library.md", "exec"), names)
    lines = capsys.readouterr().out.splitlines()
    exec(compile(second, "library.md", "exec"), names)
    further = capsys.readouterr().out.splitlines()
    assert len(further) == 4
    for line in further:
        assert re.fullmatch(r"[\w()=@]+: DP = \d\.\d{3}, tau = \[.+\]", line), line
    exec(compile(third, "library.md", "exec"), names)
    *densities, bounds, within = capsys.readouterr().out.splitlines()
    assert len(densities) == 3
    for line in densities:
        found = re.fullmatch(r".+: rho = (0\.\d{4}), Random = (0\.\d{4})", line)
        assert found, line
        assert found[1] == found[2]
    lower, value, upper, expected = map(float, re.findall(r"0\.\d{4}", bounds))
    assert lower <= value <= upper
    # Three standard errors of one draw of the samples are 9 % of the value.
    assert value == pytest.approx(expected, rel=0.09)
    assert float(within[-6:]) < 0.7 * value
    values = {}
    for line in lines:
        name, _, value = line.partition(" = ")
        assert re.fullmatch(r"0\.\d{4}", value), line
        values[name] = float(value)
    assert len(values) == len(lines) == 2 * 2 * 4
    assert values["PureSVD, AR AI-AN: P@10"] > 0.05
    for name, value in values.items():
        # With one relevant item in a list, precision is a tenth of recall.
        if "1R" in name and name.endswith(": P@10"):
            assert value == pytest.approx(values[name.replace("P@10", "Recall@10")] / 10, abs=1e-4)


@pytest.mark.costly
def test_one_call_evaluates_a_file_of_ratings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_ratings(tmp_path / "ratings.csv")
    names: dict[str, object] = {}
    exec(compile(example("result.report("), "library.md", "exec"), names)
    printed = capsys.readouterr().out
    assert re.search(r"AR AI-AN +Pop +0\.\d{4} +0\.\d{4} +0\.\d{4}\n +kNN", printed)
    for name in ("averages.tex", "averages.svg", "report.html"):
        assert (tmp_path / name).stat().st_size > 500
    exec(compile(example("AlternatingLeastSquares"), "library.md", "exec"), names)
    printed = capsys.readouterr().out
    assert re.search(r"AR AI-AN +ALS +0\.\d+ +0\.\d+\n +SVD", printed)


@pytest.mark.costly
def test_splits_and_runs_beside_systems_are_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_ratings(tmp_path / "ratings.csv")
    table = pd.read_csv("ratings.csv")
    table.assign(timestamp=10**9 + 7 * table.index).to_csv("timed.csv", index=False)
    lists = table.groupby("item").size().rename("score").reset_index()
    table[["user"]].drop_duplicates().merge(lists, how="cross").to_csv("mine.csv", index=False)
    names: dict[str, object] = {}
    exec(
        compile('import receval as rv\nratings = rv.read_ratings("ratings.csv")', "", "exec"), names
    )
    exec(compile(example("time-windows"), "library.md", "exec"), names)
    assert re.search(r"\n +0 +anybody +\d+ +\d+ +0\.0", capsys.readouterr().out)
    assert Path("for-lenskit/fold-2/test.parquet").is_file()
    exec(compile(example("runs={"), "library.md", "exec"), names)
    assert re.search(r"AR AI-AN +Pop +0\.\d+ +0\.\d+\n +mine", capsys.readouterr().out)


def test_one_call_evaluates_lists_that_others_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    items = [f"d{number}" for number in range(12)]
    judged = [f"u{user} 0 {item} {rng.integers(0, 3)}" for user in range(9) for item in items]
    Path("test.qrels").write_text("\n".join(judged) + "\n", encoding="utf-8")
    cells = [(f"u{user}", item, rng.random()) for user in range(8) for item in items[:8]]
    lines = [f"{user} Q0 {item} 1 {score} mine" for user, item, score in cells]
    Path("mine.run").write_text("\n".join(lines), encoding="utf-8")
    Path("theirs.tsv").write_text(
        "\n".join(f"{u}\t{i}\t{1 - score}" for u, i, score in cells), encoding="utf-8"
    )
    exec(compile(example("test.qrels"), "library.md", "exec"), {})
    printed = capsys.readouterr().out
    assert re.search(r"AR AI-AN +mine +0\.\d{4} +0\.\d{4} +0\.\d{4}\n +theirs", printed)
    assert "mine has no list for 1 of the 9 tested users: they count as 0." in printed
