# SPDX-License-Identifier: MIT
"""Programs of pages in docs/ run and print what the page says, and their numbers are the code's."""

from __future__ import annotations

import re
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from receval.diagnosis import baselines, diagnose, metric_sensitivity, recommendation
from receval.diagnosis.diagnose import Diagnosis
from receval.multiverse.decisions import BOOTSTRAP_SAMPLES, GEOMETRIC_EPSILON, Configuration
from receval.multiverse.description import describe
from receval.multiverse.verdicts import LEVEL
from receval.sampled_metrics.rank_corrections import BIAS_VARIANCE
from receval.sampled_metrics.sampled_moments import RARE
from reproduction.claims.ledger import claims_of
from reproduction.claims.verdicts import verdict_in_words
from reproduction.config.settings import load_settings
from reproduction.simulation import complete_judgments

pytestmark = pytest.mark.repository

ROOT = Path(__file__).resolve().parents[2]


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def programs(name: str) -> list[str]:
    """Return the programs of a page."""
    return re.findall(r"```python\n(.*?)```", page(name), flags=re.DOTALL)


def program_with(name: str, text: str) -> str:
    """Return the one program of a page with this text, wherever it stands."""
    (found,) = (own for own in programs(name) if text in own)
    return found


def run(chosen: list[str]) -> list[list[str]]:
    """Run programs, each going on from those before, and return the lines that each prints."""
    names: dict[str, object] = {}
    printed = []
    for program in chosen:
        with redirect_stdout(StringIO()) as told:
            exec(compile(program, "page.md", "exec"), names)
        printed.append(told.getvalue().splitlines())
    return printed


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shown_on(name: str, line: str) -> list[str]:
    """Return the lines of output that a page shows, of one form."""
    return re.findall(rf"^ {{4}}({line})$", page(name), flags=re.MULTILINE)


@pytest.mark.costly
def test_the_programs_of_decisions_print_what_the_page_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    (name, sentence, *counts), flips = run(programs("decisions"))
    shown = shown_on("decisions", r"(?:[0-9a-f]{12} A1|\d+ universes|\w+: kNN).*")
    assert [name, *counts] == shown
    assert flips == shown_on("decisions", r"\w+: \d.* flip")
    assert sentence == describe(Configuration().replace(lists="condensed", metric={"name": "RBO"}))


def test_the_program_of_sampled_metrics_prints_what_the_page_shows() -> None:
    (printed,) = run(programs("sampled_metrics"))
    below = page("sampled_metrics").split("```")[-1]
    assert printed == re.findall(r"^ {4}(\w[\w ]*: .*)$", below, flags=re.MULTILINE)
    assert len(printed) == 3


def test_the_program_of_unbiased_tests_prints_what_the_page_shows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    (printed,) = run(programs("unbiased_tests"))
    assert printed == shown_on("unbiased_tests", r"\w+: real .+")


@pytest.mark.each(
    ("name", "words"),
    [
        ("decisions", f"the share of {BOOTSTRAP_SAMPLES} resampled sets"),
        ("decisions", f"significant at {LEVEL:g}"),
        ("decisions", f"({GEOMETRIC_EPSILON:.5f}"),
        ("sampled_metrics", f"the probability is below {RARE:g}"),
        ("sampled_metrics", f"with a weight of {BIAS_VARIANCE:g}"),
    ],
)
def test_a_number_that_a_page_names_is_that_of_the_code(name: str, words: str) -> None:
    assert re.sub(r"\b0\.", ".", words) in page(name)


def test_the_numbers_of_unbiased_tests_are_what_the_page_says_of_them() -> None:
    shown = [
        [tuple(map(float, pair)) for pair in re.findall(r"(0\.\d{3}) (0\.\d{3})", line)]
        for line in shown_on("unbiased_tests", r"\w+: real .+")
    ]
    real, by_random_items, observed = zip(*shown, strict=True)
    assert all(0.99 < precision + anti_precision <= 1 for precision, anti_precision in real)
    for values in (real, by_random_items):
        # From Random to Popularity precision rises and anti-precision falls.
        precision, anti_precision = zip(*values, strict=True)
        assert list(precision) == sorted(precision)
        assert list(anti_precision) == sorted(anti_precision, reverse=True)
    assert max(anti_precision for _, anti_precision in observed) == observed[-1][1]


def test_what_unbiased_tests_names_is_there() -> None:
    text = page("unbiased_tests")
    splits = load_settings(ROOT / "config", "full").splits
    assert re.findall(r"split `([\w-]+)`", text) == ["opposed-familiarity-folds"]
    assert "opposed-familiarity-folds" in splits
    functions = re.findall(r"`reproduction\.simulation\.complete_judgments\.(\w+)`", text)
    assert functions
    assert all(hasattr(complete_judgments, name) for name in functions)
    for path in re.findall(r"`((?:config|tests)/[\w./]+)`", text):
        assert (ROOT / path).is_file(), path


def test_each_recommendation_has_its_evidence_and_says_how_sure_it_is() -> None:
    parts = re.split(r" ## \d+\. ", " ".join(page("recommendations").split()))[1:]
    assert len(parts) == 10
    for part in parts:
        assert "*Evidence:*" in part
        assert re.search(r"\*How sure:\* (sure|fairly sure|an indication)\b", part), part


def test_every_verdict_of_the_recommendations_is_that_of_the_ledger() -> None:
    ledger = pd.read_csv(ROOT / "results/full/claims.csv", dtype=str, keep_default_na=False)
    claims = claims_of(ledger)
    words = map(verdict_in_words, claims["paper"], claims["verdict"])
    verdicts = dict(zip(claims["claim"], words, strict=True))
    named = re.findall(
        r"\b([A-Z]\d{0,2}-\d{3}) \(([a-z ]+)\)", " ".join(page("recommendations").split())
    )
    assert len(named) > 30
    assert dict(named) == {name: verdicts[name] for name, _ in named}


SURENESS = ("an indication", "fairly sure", "sure")


def surest(claims: list[str], ledger: pd.DataFrame, certainty: pd.DataFrame) -> str:
    """How sure the scale of the page lets one be of evidence, from the splits that were tried."""
    own = ledger[ledger["claim"].isin(claims) & (ledger["verdict"] != "undecidable here")]
    theorems = set(own.loc[own["kind"] == "theorem", "claim"])
    rows = certainty[certainty["claim"].isin(claims) & (certainty["replications"] != "0")]
    always = (rows["location"] == "inside") | (
        (rows["location"] == "") & (rows["holding"] == rows["replications"])
    )
    depend = own.groupby("claim")["verdict"].agg(
        lambda all_of: "depends on the split" in set(all_of)
    )
    on_all_splits = set(rows["claim"]) - set(rows.loc[~always, "claim"])
    if not depend.all() and set(claims) - theorems - on_all_splits:
        return "an indication"
    several = theorems or len(own.drop_duplicates(["paper", "dataset"])) > 1
    return "sure" if several else "fairly sure"


def test_no_recommendation_is_surer_than_its_evidence() -> None:
    ledger, certainty = (
        pd.read_csv(ROOT / f"results/full/{name}.csv", dtype=str, keep_default_na=False)
        for name in ("claims", "certainty")
    )
    ledger, certainty = ledger[ledger["form"] == ""], certainty[certainty["form"] == ""]
    parts = re.split(r" ## \d+\. ", " ".join(page("recommendations").split()))[1:]
    for part in parts:
        evidence = re.search(r"\*Evidence:\* ((?:[A-Z]\d{0,2}-\d{3} \([a-z ]+\),? ?)+)", part)
        said = re.search(r"\*How sure:\* (sure|fairly sure|an indication)\b", part)
        assert evidence
        assert said
        most = surest(re.findall(r"[A-Z]\d{0,2}-\d{3}", evidence[1]), ledger, certainty)
        assert SURENESS.index(said[1]) <= SURENESS.index(most), part


# docs/library.md


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


def test_the_example_runs_on_a_file_of_ratings(folder: Path) -> None:
    write_ratings(folder / "ratings.csv")
    (lines,) = run([program_with("library", "SEED, RELEVANT =")])
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


LIBRARY = ("everything as one", "result.pair_rows(", "whole.lists()", "def lowest", "Alternating")
"""What stands in the first program of docs/library.md, and in those that go on from it."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder where these programs have run, and what each printed."""
    folder = tmp_path_factory.mktemp("library")
    write_ratings(folder / "ratings.csv")
    with chdir(folder):
        printed = run([program_with("library", text) for text in LIBRARY])
    return folder, ["\n".join(lines) for lines in printed]


@pytest.mark.costly
def test_one_call_evaluates_a_file_of_ratings(library: tuple[Path, list[str]]) -> None:
    folder, (first, *_, others) = library
    assert re.search(r"AR AI-AN +Pop +0\.\d{4} +0\.\d{4} +0\.\d{4}\n +kNN", first)
    for name in ("averages.tex", "averages.svg", "report.html"):
        assert (folder / name).stat().st_size > 500
    assert re.search(r"AR AI-AN +ALS +0\.\d+ +0\.\d+\n +SVD", others)


@pytest.mark.costly
def test_lists_models_and_own_metrics_are_had_as_the_page_says(
    library: tuple[Path, list[str]],
) -> None:
    folder, (_, _, lines, *_) = library
    assert re.search(r"AR AI-AN +MF +\d\.\d{4} +\d\.\d{4}\n +Avg", lines)
    assert {path.name for path in (folder / "runs").iterdir()} == {
        f"{name}.inter" for name in ("Pop", "kNN", "MF")
    }
    assert (folder / "tradeoffs.svg").stat().st_size > 500


@pytest.mark.costly
def test_systems_are_compared_as_the_page_says(library: tuple[Path, list[str]]) -> None:
    folder, (_, told, *_) = library
    assert "paired t-test" in told
    assert "Ratings were split by user-ratio (train_ratio=0.8" in told
    assert re.search(r"^kNN [-+]0\.\d{4} True$", told, re.MULTILINE)
    assert r"\begin{table*}" in (folder / "averages.tex").read_text(encoding="utf-8")


@pytest.mark.costly
@pytest.mark.processes
def test_one_call_tunes_systems_and_the_report_says_so(folder: Path) -> None:
    write_ratings(folder / "ratings.csv")
    (lines,) = run([program_with("library", "rv.tune(")])
    assert re.search(r"kNN +5 +0 0\.\d{4} +neighbours=\d+\n", "\n".join(lines))
    assert "<h2>Tuning</h2>" in (folder / "tuned.html").read_text(encoding="utf-8")
    assert len(list((folder / "trials" / "trials").iterdir())) == 10


@pytest.mark.costly
def test_splits_and_runs_beside_systems_are_as_the_page_says(folder: Path) -> None:
    write_ratings(folder / "ratings.csv")
    table = pd.read_csv("ratings.csv")
    table.assign(timestamp=10**9 + 7 * table.index).to_csv("timed.csv", index=False)
    lists = table.groupby("item").size().rename("score").reset_index()
    table[["user"]].drop_duplicates().merge(lists, how="cross").to_csv("mine.csv", index=False)
    before = 'import receval as rv\nratings = rv.read_ratings("ratings.csv")'
    chosen = [program_with("library", text) for text in ("time-windows", "runs={")]
    _, windows, beside = ("\n".join(lines) for lines in run([before, *chosen]))
    assert re.search(r"\n +0 +anybody +\d+ +\d+ +0\.0", windows)
    assert Path("for-lenskit/fold-2/test.parquet").is_file()
    assert re.search(r"AR AI-AN +Pop +0\.\d+ +0\.\d+\n +mine", beside)


def test_one_call_evaluates_lists_that_others_made(folder: Path) -> None:
    rng = np.random.default_rng(1)
    items = [f"d{number}" for number in range(12)]
    judged = [f"u{user} 0 {item} {rng.integers(0, 3)}" for user in range(9) for item in items]
    (folder / "test.qrels").write_text("\n".join(judged) + "\n", encoding="utf-8")
    cells = [(f"u{user}", item, rng.random()) for user in range(8) for item in items[:8]]
    lines = [f"{user} Q0 {item} 1 {score} mine" for user, item, score in cells]
    (folder / "mine.run").write_text("\n".join(lines), encoding="utf-8")
    (folder / "theirs.tsv").write_text(
        "\n".join(f"{u}\t{i}\t{1 - score}" for u, i, score in cells), encoding="utf-8"
    )
    (lines,) = run([program_with("library", "rv.evaluate_runs(")])
    printed = "\n".join(lines)
    assert re.search(r"AR AI-AN +mine +0\.\d{4} +0\.\d{4} +0\.\d{4}\n +theirs", printed)
    assert "mine has no list for 1 of the 9 tested users: they count as 0." in printed


def test_the_program_of_groups_runs_on_files_of_ratings_and_features(folder: Path) -> None:
    write_ratings(folder / "ratings.csv")
    rows = "".join(f"film-{n},{'Action|Comedy' if n % 3 else 'War'}\n" for n in range(201))
    (folder / "films.csv").write_text(f"item,genre\n{rows}", encoding="utf-8")
    rows = "".join(f"{n},{'FM'[n % 2]}\n" for n in range(1, 151))
    (folder / "people.csv").write_text(f"user,gender\n{rows}", encoding="utf-8")
    (lines,) = run(programs("groups"))
    printed = "\n".join(lines)
    assert re.search(r"group +F +M", printed)
    assert re.search(r"group +Action +Comedy +War", printed)
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Items by genre" in page
    assert (folder / "kNN-minus-Pop.svg").stat().st_size > 500


# docs/whole_evaluation.md


@pytest.mark.costly
@pytest.mark.processes
def test_the_whole_evaluation_runs_on_files_like_those_of_movielens(folder: Path) -> None:
    rng = np.random.default_rng(7)
    (folder / "ml-1m").mkdir()
    users, items = np.nonzero(rng.random((120, 90)) < 0.3 / np.sqrt(1 + np.arange(90) / 9))
    lines = {
        "ratings": [
            f"{user + 1}::{item + 1}::{rng.integers(1, 6)}::97830{user:04d}"
            for user, item in zip(users, items, strict=True)
        ],
        "movies": [f"{n}::Film {n}::{'Drama|War' if n % 3 else 'Comedy'}" for n in range(1, 91)],
        "users": [f"{n}::{'FM'[n % 2]}::25::4::02139" for n in range(1, 121)],
    }
    for name, own in lines.items():
        text = "\n".join(own) + "\n"
        (folder / "ml-1m" / f"{name}.dat").write_text(text, encoding="latin-1")
    (folder / "cm100k").mkdir()
    rows = [f"{u}\t{70 + i}\t{rng.integers(1, 5)}\t0" for u, i in zip(users, items, strict=True)]
    (folder / "cm100k" / "ratings.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")
    rows = [f"{70 + i}\thttp://x\tSong {i}\tBand {i % 9}" for i in range(90)]
    text = "\n".join(["Item\tUrl\tTitle\tArtist", *rows])
    (folder / "cm100k" / "items.txt").write_text(text, encoding="utf-8")
    plays = pd.DataFrame({"user": users, "item": items, "plays": rng.poisson(20, len(users)) + 1})
    plays.to_csv(folder / "plays.csv", index=False)
    printed, others = run(programs("whole_evaluation"))
    assert re.search(r"ILD\(feature=Artist\)@10", "\n".join(others))
    assert re.search(r"SelfInformation@10", "\n".join(others))
    told = "\n".join(printed)
    assert re.search(r"MF +4 +0 +0\.\d{4}", told)
    assert "Miscalibration(feature=genres)@10" in told
    assert "p_holm" in told
    page_text = (folder / "report.html").read_text(encoding="utf-8")
    for title in ("<h2>Tuning</h2>", "gender"):
        assert title in page_text


# docs/time_and_bias.md


def write_timed_ratings(path: Path) -> None:
    """Write ratings of two years, of items some of which are popular."""
    rng = np.random.default_rng(6)
    chance = np.tile(0.7 / np.sqrt(1 + np.arange(90)), (120, 1))
    users, items = np.nonzero(rng.random(chance.shape) < chance)
    start, day = 1_041_379_200, 86_400  # the beginning of 2003
    table = pd.DataFrame({"user": users, "item": items})
    table["rating"] = rng.integers(1, 6, len(table))
    table["timestamp"] = start + rng.integers(0, 365 * day, len(table))
    table.to_csv(path, index=False)


def test_the_programs_of_time_and_bias_go_on_from_each_other(folder: Path) -> None:
    write_timed_ratings(folder / "ratings.csv")
    leaks, result, pairs = run(programs("time_and_bias")[:-1])
    random, last, cut, metadata = leaks
    assert cut == "cut {'anybody': 0.0, 'same user': 0.0, 'same item': 0.0}"
    assert "'same user': 0.0" in last
    assert "'anybody': 1.0" in random
    assert "'cut': '2003-06-01 00:00:00'" in metadata
    assert int(re.search(r"'left_in_gap': (\d+)", metadata)[1]) > 0
    # Among items that are as popular, recommending by popularity gains less.
    uniform, weighted = (float(line.split()[-1]) for line in result if " Pop " in line)
    assert "1R AI-NN by=popularity sampled=20" in "\n".join(result)
    assert weighted < 0.9 * uniform
    assert re.search(r"Pop +kNN +\d+ +\d+ +\d+ ", "\n".join(pairs))


def test_the_world_of_time_and_bias_prints_what_the_page_shows() -> None:
    (printed,) = run(programs("time_and_bias")[-1:])
    shown = page("time_and_bias").partition("It prints\n\n")[2].partition("\n\n")[0]
    assert [line.strip() for line in printed] == [line.strip() for line in shown.splitlines()]


def test_the_numbers_of_time_and_bias_are_what_the_page_says_of_them() -> None:
    row = r"^ +(Average|Pop) +(\w+) +(known|popularity|MAR sample)? +([\d.]+) +([\d.]+) +[\d.]+$"
    found = {
        (system, estimator, own): (float(value), float(error))
        for system, estimator, own, value, error in re.findall(
            row, page("time_and_bias"), flags=re.MULTILINE
        )
    }
    real = dict(re.findall(r"(Average|Pop): real P@10 ([\d.]+)", page("time_and_bias")))
    assert len(found) == 2 * 8
    for system, value in real.items():
        for key in (("IPS", "known"), ("SNIPS", "known"), ("MAR", "")):
            estimate, error = found[system, *key]
            assert abs(estimate - float(value)) < 2 * error
        assert found[system, "naive", ""][0] < 0.25 * float(value)
    assert float(real["Average"]) > float(real["Pop"])
    assert found["Average", "naive", ""] < found["Pop", "naive", ""]

    def advantage(*key: str) -> float:
        return found["Pop", *key][0] / found["Average", *key][0]

    assert advantage("SNIPS", "popularity") < 0.35 * advantage("naive", "")
    assert advantage("SNIPS", "MAR sample") > advantage("naive", "")


# docs/diagnosis.md


@pytest.fixture(scope="module")
def diagnosed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    folder = tmp_path_factory.mktemp("example")
    rng = np.random.default_rng(1)
    users, items = np.nonzero(rng.random((90, 60)) < 0.9 / np.sqrt(np.arange(1, 61)))
    table = {"user": users, "item": items, "rating": rng.integers(1, 6, len(users))}
    times = rng.integers(0, 10_000_000, len(users))
    pd.DataFrame({**table, "timestamp": times}).to_csv(folder / "ratings.csv", index=False)
    (example,) = programs("diagnosis")
    found: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(example, "diagnosis.md", "exec"), found)
    return found


@pytest.mark.costly
def test_every_number_of_diagnosis_is_one_of_the_tables(diagnosed: dict[str, object]) -> None:
    found = diagnosed["found"]
    assert isinstance(found, Diagnosis)
    table = ""
    rows = re.findall(r"^\| (`\w+`)? ?\| (`.+?`) \| ", page("diagnosis"), flags=re.MULTILINE)
    assert len(rows) > 15
    for named, cell in rows:
        table = named.strip("`") or table
        frame = getattr(found, table)
        there = {*frame.columns, *frame.get("quantity", ())}
        assert set(re.findall(r"`(\w+)`", cell)) <= there, (table, cell)


def test_sizes_and_limits_of_diagnosis_are_those_of_the_code() -> None:
    text = " ".join(page("diagnosis").split())
    assert f"at most {diagnose.MOST_RATINGS:,}" in text
    assert f"at most {diagnose.MOST_SCORES:,} pairs" in text
    assert f"at least {diagnose.FEWEST_USERS} users are taken" in text
    assert f"{metric_sensitivity.PERMUTATIONS:,} samples" in text
    assert f"{metric_sensitivity.SAMPLES} random samples" in text
    assert f"more than {100 * recommendation.MUCH_FUTURE:g} %" in text
    assert f"fewer than {recommendation.FEW_USERS} users" in text
    assert recommendation.MANY_COLD == 0.5
    assert recommendation.MUCH_POPULARITY == 0.25
    assert f"above {recommendation.MOST_P_VALUE:g}".replace("0.", ".") in text
    assert {name.split()[0] for name in baselines.BASELINES} == {
        "Random", "Pop", "ItemKNN", "UserKNN", "PureSVD", "WRMF",
    }  # fmt: skip
