"""What README.md shows works, and what it lists is all there is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from receval.config.settings import load_settings

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SETTINGS = load_settings(ROOT / "config", "full")
DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff")


def examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)


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
    exec(compile(first, "README.md", "exec"), names)
    lines = capsys.readouterr().out.splitlines()
    exec(compile(second, "README.md", "exec"), names)
    further = capsys.readouterr().out.splitlines()
    assert len(further) == 4
    for line in further:
        assert re.fullmatch(r"[\w()=@]+: DP = \d\.\d{3}, tau = \[.+\]", line), line
    exec(compile(third, "README.md", "exec"), names)
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


def test_the_table_of_studies_has_every_artifact_of_the_configuration() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .+ \| (.+) \|$", README, flags=re.MULTILINE)
    listed = {study: re.findall(r"`(\w+)`", artifacts) for study, artifacts in rows}
    without = {study for study, artifacts in listed.items() if not artifacts}
    configured = {name: list(spec.artifacts) for name, spec in SETTINGS.studies.items()}
    assert {s: a for s, a in listed.items() if a} == configured
    assert len(listed) == 5 + 2
    assert not without & set(configured)


def test_datasets_got_by_hand_have_their_files_and_places() -> None:
    manual = {n: spec for n, spec in SETTINGS.datasets.items() if spec.access == "manual"}
    assert manual
    for name, spec in manual.items():
        for variant in spec.variants:
            for file in variant.files:
                assert f"`work/raw/{name}/{file.name}`" in README
            if variant.pattern:
                assert f"`work/raw/{name}/`" in README
        assert spec.page in README


def test_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, flags=re.MULTILINE))
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        named = set(re.findall(r"^ {4}make ([a-z]+)|`make ([a-z]+)", text, flags=re.MULTILINE))
        assert {name for pair in named for name in pair if name} <= targets, document


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_of_the_repository_that_is_named_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|config|tests|workflow|envs|profiles|benchmarks)/[\w./-]*)`", text)
    assert named or document in ("CHANGELOG.md", "CITATION.cff")
    missing = [path for path in named if not (ROOT / path).exists()]
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_documents_name_no_place_of_one_machine(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.`/<>-])/(?:home|root|work|tmp|usr|opt|mnt)/", text)


def test_options_are_keys_of_the_configuration() -> None:
    _, _, rest = README.partition("| option | meaning |")
    table, _, _ = rest.partition("\n\n")
    options = re.findall(r"^\| `(\w+)=", table, flags=re.MULTILINE)
    assert len(options) == 6
    assert set(options) <= set(type(SETTINGS).model_fields)


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
    section = README.partition("A run made elsewhere")[2]
    own, _, after = section.partition("`rank_judged(Run(")
    described, intervals = indented(own), indented(after.partition("asked of several")[0])
    names: dict[str, object] = {}
    exec(compile(until_split + described, "README.md", "exec"), names)
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
