# SPDX-License-Identifier: MIT
"""The programs of docs/library.md run, and print what the page says they print."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "library.md").read_text(encoding="utf-8")


def examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def example_with(text: str) -> str:
    """Return the one program of the page with this text, wherever it stands."""
    (found,) = (own for own in examples() if text in own)
    return found


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
    first, second, third = map(
        example_with, ("SEED, RELEVANT =", "discriminative_power(", "precision_bounds(")
    )
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
    exec(compile(example_with("# everything as one"), "library.md", "exec"), names)
    printed = capsys.readouterr().out
    assert re.search(r"AR AI-AN +Pop +0\.\d{4} +0\.\d{4} +0\.\d{4}\n +kNN", printed)
    for name in ("averages.tex", "averages.svg", "report.html"):
        assert (tmp_path / name).stat().st_size > 500
    exec(compile(example_with("AlternatingLeastSquares"), "library.md", "exec"), names)
    printed = capsys.readouterr().out
    assert re.search(r"AR AI-AN +ALS +0\.\d+ +0\.\d+\n +SVD", printed)


@pytest.mark.costly
def test_systems_are_compared_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_ratings(tmp_path / "ratings.csv")
    names: dict[str, object] = {}
    exec(compile(example_with("# everything as one"), "library.md", "exec"), names)
    capsys.readouterr()
    exec(compile(example_with("result.pair_rows("), "library.md", "exec"), names)
    told = capsys.readouterr().out
    assert "paired t-test" in told
    assert "Ratings were split by user-ratio (train_ratio=0.8" in told
    assert re.search(r"^kNN [-+]0\.\d{4} True$", told, re.MULTILINE)
    assert r"\begin{table*}" in (tmp_path / "averages.tex").read_text(encoding="utf-8")


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
    exec(compile(example_with("rv.evaluate_runs("), "library.md", "exec"), {})
    printed = capsys.readouterr().out
    assert re.search(r"AR AI-AN +mine +0\.\d{4} +0\.\d{4} +0\.\d{4}\n +theirs", printed)
    assert "mine has no list for 1 of the 9 tested users: they count as 0." in printed
