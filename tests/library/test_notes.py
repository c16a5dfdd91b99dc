# SPDX-License-Identifier: MIT
"""Notes beside results: their codes, their order, their page."""

from __future__ import annotations

import copy
import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import receval
from receval.evaluation.report import SETTINGS, Report
from receval.notes import GRAVITIES, MOST_SHOWN, NOTES, Note, gravest_first
from reproduction.commands.generated_files import GAP, notes_page

ROOT = Path(__file__).parents[2]


def report(*notes: Note) -> Report:
    return Report("Mine", (), {"rows": pd.DataFrame({"system": ["Pop"]})}, notes)


def test_a_note_has_a_kind_that_is_known() -> None:
    with pytest.raises(KeyError):
        Note("unheard-of", "Something.")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda note: pickle.loads(pickle.dumps(note))])
def test_a_copy_of_a_note_keeps_its_code(copied: object) -> None:
    assert callable(copied)
    own = copied(Note("no-times", "No times."))
    assert (own, own.code) == ("No times.", "no-times")


def test_the_gravest_notes_come_first_and_each_once() -> None:
    by_gravity = {kind.gravity: code for code, kind in NOTES.items()}
    assert list(GRAVITIES) == ["misleading", "doubtful", "information"]
    notes = [Note(by_gravity[gravity], gravity) for gravity in reversed(GRAVITIES)]
    assert gravest_first([*notes, *notes]) == tuple(GRAVITIES)


def test_six_notes_are_shown_and_the_others_counted() -> None:
    several = [Note("no-times", f"Note {number}.") for number in range(MOST_SHOWN + 2)]
    lines = report(*several).note_lines()
    assert len(lines) == MOST_SHOWN + 1
    assert lines[0] == "Note: Note 0. (no-times)"
    assert lines[-1] == "... and 2 further notes: see report.html."
    assert len(report(*several[:MOST_SHOWN]).note_lines()) == MOST_SHOWN


def test_the_page_has_all_notes_and_those_beyond_six_at_its_end() -> None:
    several = [Note("no-times", f"Note {number}.") for number in range(MOST_SHOWN + 1)]
    page = report(*several).page()
    assert page.index("Note 5.") < page.index("Further notes") < page.index("Note 6.")


def test_settings_have_every_note_with_its_code(tmp_path: Path) -> None:
    report(Note("no-times", "No times.")).write(tmp_path)
    told = json.loads((tmp_path / SETTINGS).read_text())["notes"]
    assert told == [{"code": "no-times", "gravity": "information", "text": "No times."}]


PAGE = (ROOT / "docs" / "warnings.md").read_text(encoding="utf-8")


def test_docs_warnings_has_every_kind_of_note() -> None:
    assert notes_page() == PAGE, "write docs/warnings.md: receval repo warnings"
    assert all(f"`{code}`" in PAGE for code in NOTES)


def test_every_kind_of_note_has_a_row_with_a_reason_and_a_remedy() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (\S.*) \| (\S.*) \|$", PAGE, flags=re.MULTILINE)
    assert sorted(code for code, _, _ in rows) == sorted(NOTES)
    assert all(text.endswith(".") for _, *texts in rows for text in texts)


@pytest.mark.each(
    "refused",
    [
        lambda: receval.split(receval.read_ratings({"user": ["a"], "item": ["x"]}), "k-fold"),
        lambda: receval.read_ratings({"user": ["a"]}),
        lambda: receval.dialect("terrier"),
        lambda: receval.protocol("AR XX"),
        lambda: receval.metric("nDCG@ten"),
        lambda: receval.explore_ratings(receval.read_ratings({"user": ["a"], "item": ["x"]}), {}),
    ],
)
def test_messages_of_refusals_are_found_on_the_page(refused: Callable[[], object]) -> None:
    with pytest.raises((ValueError, OSError)) as caught:
        refused()
    said = " ".join(str(caught.value).split())
    lines = re.findall(r"^- (.*)$", PAGE, re.MULTILINE)
    patterns = (".*".join(map(re.escape, line.split(GAP))) for line in lines if line.count(" ") > 4)
    assert any(re.fullmatch(own, said) for own in patterns), said
