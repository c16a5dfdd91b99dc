# SPDX-License-Identifier: MIT
"""Every table of the accepted results keeps to the limits of a printed page."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from studies.accepted_tables import Accepted, accepted
from studies.prepared import ROOT

from receval.figures.tables import LONGEST_CELL, Table, to_latex, to_markdown
from reproduction.config.settings import load_settings

LONGEST_HEAD = 20
MOST_DIGITS = 4
"""Significant digits of a number with a point: as many as papers print."""

EXACT = {("searches", "Setting")}
"""Columns of an artifact whose numbers are parameters, and are printed with all their digits."""

FIRST = {
    "bellogin2017": {"fig08_relations": "Verdict"},
    "canamares2020": {"relations": "Verdict"},
    "menamaldonado2021": {"table3": "Outcome", "table4": "Outcome", "taus": "Verdict"},
}
"""The heads of the columns that say what came of a check: they stand first."""

WIDEST_OVERRUN = 3.0
"""Points that a line may stand out of its box in print: less than a letter."""

DOCUMENT = r"""\documentclass[10pt,a4paper]{article}
\usepackage[margin=2cm]{geometry}
\usepackage{array,booktabs,longtable,amsmath,amssymb}
\begin{document}
%s
\end{document}
"""

TABLES = accepted("table")

_FULL = load_settings(ROOT / "config", "full")
KEYS = {
    key for key in (*_FULL.systems, *_FULL.datasets, *_FULL.splits) if re.search(r"[-_\d]", key)
}
"""Keys that are no words, such as chi2 and lm-wsr-ub."""


def by_study(kind: str) -> dict[str, list[Accepted]]:
    """Return the artifacts of a kind by edition and study."""
    found: dict[str, list[Accepted]] = {}
    for one in accepted(kind):
        found.setdefault(f"{one.edition}-{one.study}", []).append(one)
    return found


of_tables = pytest.mark.each("tables", by_study("table").values(), ids=by_study("table"))
of_pages = pytest.mark.each("pages", by_study("page").values(), ids=by_study("page"))


def words_of(table: Table) -> str:
    """Return all that is printed of a table, without formulas."""
    heads = [column.header for column in table.columns]
    cells = [cell for row in table.rows for cell in row]
    texts = [table.title, table.caption, *table.notes, *heads, *cells]
    return "\n".join(re.sub(r"\$`.+?`\$", "x", text) for text in texts)


def printed_length(text: str) -> int:
    """Return how many characters are seen: commands of formulas are one each."""
    return len(re.sub(r"[{}$`^_\\]", "", re.sub(r"\\[a-zA-Z]+", "x", text)))


def assert_numbers_are_well_printed(text: str) -> None:
    """Fail for a zero before a point, a hyphen before a number, or a power of ten in e-notation."""
    assert re.findall(r"(?<![\d.,])0\.\d", text) == []
    assert re.findall(r"(?<![\w)\]}.-])-\.?\d", text) == []
    assert re.findall(r"\d[eE][+-]?\d", text) == []
    assert re.findall(r"\d%", text) == []
    assert "nan" not in text.lower().split()


@of_tables
def test_heads_and_cells_are_short(tables: list[Accepted]) -> None:
    for one in tables:
        table = one.table()
        assert [c.header for c in table.columns if len(c.header) > LONGEST_HEAD] == []
        assert [c for row in table.rows for c in row if printed_length(c) > LONGEST_CELL] == []


@of_tables
def test_numbers_have_significant_digits_no_leading_zero_and_a_true_minus(
    tables: list[Accepted],
) -> None:
    for one in tables:
        table = one.table()
        assert_numbers_are_well_printed(words_of(table))
        for index, column in enumerate(table.columns):
            if (one.artifact, column.header) in EXACT:
                continue
            for row in table.rows:
                for number in re.findall(r"\d*\.\d+", row[index]):
                    digits = number.replace(".", "").lstrip("0")
                    assert len(digits) <= MOST_DIGITS, (column.header, row[index])


@of_tables
def test_cells_have_no_keys_of_the_configuration(tables: list[Accepted]) -> None:
    for one in tables:
        for column, *cells in zip(one.table().columns, *one.table().rows, strict=True):
            words = set(re.findall(r"(?<![\w-])[a-z][\w-]*", " ".join(cells)))
            # This column names what a program calls.
            assert column.header == "In the library" or words & KEYS == set(), column.header


@of_tables
def test_p_values_below_a_thousandth_are_not_told_apart(tables: list[Accepted]) -> None:
    for one in tables:
        table = one.table()
        for index, column in enumerate(table.columns):
            if column.header == "p" or column.header.startswith("p, "):
                cells = {row[index] for row in table.rows}
                assert all(re.fullmatch(r"[01]?\.\d{3}|< \.001|–", cell) for cell in cells), cells
                assert ".000" not in cells


@of_tables
def test_captions_do_not_repeat_titles_and_outcomes_stand_first(tables: list[Accepted]) -> None:
    for one in tables:
        table = one.table()
        assert table.caption.endswith(".")
        assert not table.caption.lower().startswith(table.title.lower())
        assert "{" not in re.sub(r"\$`.+?`\$", "", table.caption)
        assert not table.caption.startswith(("Table of", "Comparison between", "Statistics of"))
        first = FIRST.get(one.study, {}).get(one.artifact)
        heads = [column.header for column in table.columns]
        if first:
            assert heads[0] == first
        assert not {"Outcome", "Winner", "Verdict"} & set(heads[1:])
        assert bool(one.display.absence) == any(note.startswith("Absent: ") for note in table.notes)


@of_tables
def test_lines_of_markdown_fit_a_screen(tables: list[Accepted]) -> None:
    for one in tables:
        lines = to_markdown(one.table()).splitlines()
        widths = {len(line) for line in lines if line.startswith("| ")}
        assert len(widths) == 1
        assert max(widths) < 6 * LONGEST_CELL


@of_pages
def test_pages_print_numbers_as_tables_do_and_have_no_empty_clause(pages: list[Accepted]) -> None:
    for one in pages:
        page = one.page()
        assert_numbers_are_well_printed(re.sub(r"\$`.+?`\$", "x", page))
        assert re.findall(r"\b0 of (?:these|them)\b|\bin 0\b", page) == []
        rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")]
        assert rows[0][1].strip() == "Winner"
        assert max(len(cell.strip()) for row in rows for cell in row) <= LONGEST_CELL


@of_tables
def test_latex_has_rules_of_booktabs_alone_and_a_stop_behind_the_title(
    tables: list[Accepted],
) -> None:
    for one in tables:
        table = one.table()
        text = to_latex(table)
        assert r"\hline" not in text
        assert "|" not in re.sub(r"\$.*?\$", "", text)
        assert len(re.findall(r"\\(?:top|mid|bottom)rule", text)) in (3, 5)
        title = re.search(r"\\caption\{\\textbf\{(.*?)\} ", text)
        assert title is not None
        assert title[1].endswith(".")


def skip_without_latex() -> None:
    """Skip a test where LaTeX is not installed, or without a package that the tables need."""
    if shutil.which("pdflatex") is None:
        pytest.skip("No pdflatex here: install the system's package texlive-latex-recommended.")
    used = re.findall(r"\\usepackage(?:\[.*?\])?\{(.*?)\}", DOCUMENT)
    files = [f"{package}.sty" for package in ",".join(used).split(",")]
    found = subprocess.run(["kpsewhich", *files], capture_output=True, text=True, check=False)
    if missing := sorted({*files} - {Path(line).name for line in found.stdout.splitlines()}):
        pytest.skip(
            f"LaTeX has no {', no '.join(missing)} here: install the system's package "
            "texlive-latex-recommended, or the packages of CTAN."
        )


@pytest.mark.processes
def test_every_table_is_set_by_latex_within_the_page(tmp_path: Path) -> None:
    skip_without_latex()
    parts = [
        rf"\typeout{{Next: {one.edition} {one.study} {one.artifact}}}{to_latex(one.table())}"
        r"\clearpage"
        for one in TABLES
    ]
    (tmp_path / "tables.tex").write_text(DOCUMENT % "\n".join(parts), encoding="utf-8")
    command = ["pdflatex", "-draftmode", "-interaction=nonstopmode", "-no-shell-escape", "tables"]
    # Widths of long tables are known after the first run.
    for _ in range(3):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
        if b"Rerun LaTeX" not in done.stdout:
            break
    log = (tmp_path / "tables.log").read_text(encoding="latin-1")
    problems = []
    table = ""
    for line in log.splitlines():
        if line.startswith("Next: "):
            table = line
        overrun = re.match(r"Overfull \\[hv]box \((\d+\.?\d*)pt too", line)
        if overrun and float(overrun[1]) > WIDEST_OVERRUN:
            problems.append(f"{table}: {line}")
        if line.startswith("! ") or "Float too large" in line:
            problems.append(f"{table}: {line}")
    assert problems == []
    assert done.returncode == 0
    assert log.count("Next: ") >= len(TABLES)
