# SPDX-License-Identifier: MIT
"""The first screen: what README.md shows and says is so, and its commands can be given."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from real_files import MIRROR, MOVIELENS, needs

from receval.cli import main as cli
from reproduction.claims.verdicts import in_prose, is_newer, is_rebuilt, of_five_papers
from reproduction.config.settings import load_settings

pytestmark = pytest.mark.repository

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FULL = ROOT / "results" / "full"
PROGRAM = re.compile(r"```python\n((?:.*\n)*?)```\n\n((?: {4}.+\n)+)")


def plain(text: str) -> str:
    """Return a text without the breaks of its lines."""
    return " ".join(text.split())


def test_it_is_short_and_its_picture_comes_first() -> None:
    assert len(README.splitlines()) <= 175, "Move details to docs/, and link to them."
    first_screen, _, _ = README.partition("\n## ")
    (picture,) = re.findall(r'<img [^>]*src="([^"]+)"', first_screen)
    assert (ROOT / picture).is_file()
    assert re.search(r'alt="[^"]{50,}"', first_screen), "Say what the picture shows."


def test_its_finding_is_what_the_accepted_results_have() -> None:
    shares = pd.read_csv(FULL / "multiverse" / "shares.csv")
    (everything,) = shares[shares["decision"].isna()].to_dict("records")
    kept = [f"{100 * everything[name]:.1f} %" for name in ("first", "second", "tie")]
    sentence = (
        f"There are {everything['universes']:,} valid ways to compare the same two systems on the "
        f"same ratings (MovieLens 1M). In {kept[0]} of them kNN is significantly better, in "
        f"{kept[1]} matrix factorisation, in {kept[2]} neither."
    )
    assert sentence in plain(README), "The accepted results say something else: change README.md."


def test_the_finding_is_of_the_systems_that_it_names() -> None:
    settings = load_settings(ROOT / "config", "full")
    pair = settings.studies["multiverse"].artifacts["shares"].parameters["pair"]
    assert [settings.systems[name].short_title for name in pair] == ["kNN", "MF"]


def test_it_counts_the_claims_of_the_ledger() -> None:
    claims = of_five_papers(pd.read_csv(FULL / "claims.csv"))["claim"].nunique()
    assert f"judges each of the {claims} statements" in plain(README)


@pytest.mark.costly
@needs(MOVIELENS)
def test_five_lines_of_code_print_what_stands_below_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ((program, shown),) = PROGRAM.findall(README)
    assert len(program.splitlines()) <= 5 + 2  # with the import, and the empty line after it
    monkeypatch.chdir(MIRROR)
    exec(compile(program, "README.md", "exec"), {})
    assert plain(capsys.readouterr().out) == plain(shown)


def test_commands_for_data_of_ones_own_are_understood() -> None:
    lines = re.findall(r"^    receval (.+)$", README, re.MULTILINE)
    assert len(lines) >= 2
    for line in lines:
        chosen = cli.command_parser(with_tasks=False).parse_args(line.split())
        assert callable(chosen.run)


def test_every_study_has_its_page_of_figures_and_a_page_of_what_holds() -> None:
    lines = re.findall(r"^\| (\[[^]]+\]\(results/.+?) \| (.+) \| (.+) \|$", README, re.MULTILINE)
    rows = [
        (*link, paper, holds)
        for links, paper, holds in lines
        for link in re.findall(r"\[([^]]+)\]\(results/full/(\w+)/index.md\)", links)
    ]
    studies = load_settings(ROOT / "config", "full").studies
    assert sorted(study for _, study, _, _ in rows) == sorted(studies)
    for name, study, paper, holds in rows:
        assert re.sub(r"[()]", "", name) == (in_prose(study) if is_rebuilt(study) else study)
        is_titled = not is_newer(study)
        assert not is_titled or studies[study].title.lower() in paper.lower()
        assert "](docs/" in holds


def test_every_page_of_the_docs_is_found_from_it() -> None:
    linked = set(re.findall(r"\]\((docs/\w+\.md)\)", README))
    # From docs/cluster.md and docs/running.md, and from docs/library.md.
    further = {"docs/snakemake_scheduler.md"}
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")}
    assert pages - linked == further


def test_commands_of_receval_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    commands = re.findall(r"`\.venv/bin/receval ([^`]+)`", README)
    assert len(commands) >= 2
    for command in commands:
        assert cli.main(command.split()) == 0


def test_what_the_demo_is_said_to_make_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    (page,) = re.findall(r"`work/demo/artifacts/(\w+/index\.md)`", README)
    assert (ROOT / "results" / "demo" / page).is_file()
