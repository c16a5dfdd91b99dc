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
    first, second, third = examples()
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
    assert value == pytest.approx(expected, rel=0.02)
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


def test_the_program_on_a_run_made_elsewhere_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_ratings(tmp_path / "ratings.csv")
    table = pd.read_csv("ratings.csv", dtype=str)
    held_out = table.groupby("user").head(5)
    held_out[["user", "item"]].to_csv("held_out.tsv", sep="\t", header=False, index=False)
    scores = np.random.default_rng(1).random(len(table)).round(3)
    table[["user", "item"]].assign(score=scores).to_csv("run.csv", index=False)

    until_split, _, rest = examples()[0].partition("# 80 % of the ratings")
    asked = rest[rest.index("protocols = [") : rest.index("for system in")]
    section = PAGE.partition("A run made elsewhere")[2]
    own, _, after = section.partition("`rank_judged(Run(")
    described, intervals = indented(own), indented(after.partition("asked of several")[0])
    names: dict[str, object] = {}
    exec(compile(until_split + described, "library.md", "exec"), names)
    exec("data = fold(ratings, split, 0)\n" + asked, names)
    ranked = """
generator_for = partial(generator, SEED, "mine", "own", 0)
lists, others = (
    JudgedLists.of(
        data.test, rank_judged(system, data, protocols, generator_for)[0], RELEVANT, protocols[0]
    )
    for system in (Run("run.csv"), PureSVD(factors=5).fit(data.train))
)
"""
    exec(ranked + intervals, names)
    means, half, p_values = (np.asarray(names[name]) for name in ("means", "half", "p_values"))
    assert means.shape == half.shape == (4, 2)
    assert p_values.shape == (4, 1)
    # All that a user held out is in this run, and nothing else: its recall is 1 for all.
    assert (half >= 0).all()
    assert (half[:, 1] > 0).all()
    assert ((p_values >= 0) & (p_values <= 1)).all()


def indented(text: str) -> str:
    """Return the program that stands indented in a text."""
    lines = [line for line in text.splitlines() if line.startswith("    ") or not line.strip()]
    return "\n".join(line[4:] for line in lines) + "\n"
