# SPDX-License-Identifier: MIT
"""Tables print their texts as they are, in Markdown and in LaTeX."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from receval.figures.tables import (
    LONGEST_CELL,
    PAGE_ROWS,
    CellStyle,
    Column,
    Table,
    continued,
    escape_latex,
    escape_markdown,
    save_table,
    to_latex,
    to_markdown,
)

TABLE = Table(
    title="Table 2",
    caption="Statistics, 100 % of the data.",
    columns=(
        Column("Dataset"),
        Column("Users", "right"),
        Column("$`|T_u|`$", "center"),
        Column("Remark", width=0.3),
    ),
    rows=(("MovieLens 1M", "6,040.5", "\u2212.5", "a_b & c"), ("[R3]", "15,400", "", "x | y")),
    notes=("Absent: Netflix (see README)",),
    label="tab:statistics",
)

MARKDOWN = r"""**Table 2**

Statistics, 100 % of the data.

| Dataset      |    Users | $`\|T_u\|`$ | Remark  |
| ------------ | -------: | :---------: | ------- |
| MovieLens 1M |  6,040.5 |     \u2212.5     | a_b & c |
| \[R3\]       | 15,400\u2008\u2007 |             | x \| y  |

Absent: Netflix (see README)
""".replace(r"\u2212", "\u2212").replace(r"\u2008\u2007", "\u2008\u2007")

LATEX = r"""\begin{table}
\centering
\small
\caption{\textbf{Table 2.} Statistics, 100 \% of the data.}
\label{tab:statistics}
\par\smallskip
\begin{tabular}{lrc>{\raggedright\arraybackslash}p{\dimexpr0.3\linewidth-2\tabcolsep\relax}}
\toprule
Dataset & Users & $|T_u|$ & Remark \\
\midrule
MovieLens 1M & 6,040.5 & $-$.5 & a\_b \& c \\
{}[R3] & 15,400\phantom{.}\phantom{0} &  & x \textbar{} y \\
\bottomrule
\end{tabular}
\par\smallskip{\footnotesize Absent: Netflix (see README)\par}
\end{table}
"""


def test_a_table_is_written_in_markdown_and_latex(tmp_path: Path) -> None:
    markdown, latex = tmp_path / "folder" / "t.md", tmp_path / "folder" / "t.tex"
    save_table(TABLE, markdown, latex)
    assert markdown.read_text(encoding="utf-8") == MARKDOWN
    assert latex.read_text(encoding="utf-8") == LATEX
    assert len(list(markdown.parent.iterdir())) == 2


def test_letters_that_pdflatex_lacks_stay_and_are_told(tmp_path: Path) -> None:
    latex = tmp_path / "t.tex"
    sigma = "\N{GREEK SMALL LETTER SIGMA}"
    save_table(Table(sigma, (Column("a"),), ()), tmp_path / "t.md", latex)
    written = latex.read_text(encoding="utf-8")
    assert written.startswith("% Has letters beyond Latin")
    assert sigma in written


@pytest.mark.each(
    ("text", "markdown", "latex"),
    [
        ("50 % #1", "50 % #1", r"50 \% \#1"),
        ("a_b_", r"a_b\_", r"a\_b\_"),
        ("__init__", r"\_\_init\_\_", r"\_\_init\_\_"),
        ("*x* `y`", r"\*x\* \`y\`", r"*x* \textasciigrave{}y\textasciigrave{}"),
        (r"a\b{c}", r"a\\b{c}", r"a\textbackslash{}b\{c\}"),
        ("1 < 2 > 0 ~ ^", r"1 < 2 > 0 \~ ^",
         r"1 \textless{} 2 \textgreater{} 0 \textasciitilde{} \textasciicircum{}"),
        ("<b> </b>", r"\<b> \</b>",
         r"\textless{}b\textgreater{} \textless{}/b\textgreater{}"),
        ("$5", r"\$5", r"\$5"),
        ("&amp; & R&D", r"\&amp; & R&D", r"\&amp; \& R\&D"),
        ("a--b---c", "a--b---c", "a-{}-b-{}-{}-c"),
        ("±1 \u00d7 2 ≥ \u22123", "±1 \u00d7 2 ≥ \u22123", r"$\pm$1 $\times$ 2 $\geq$ $-$3"),
        ("Castells, Cañamares", "Castells, Cañamares", "Castells, Cañamares"),
        ('"One", ("two")', '"One", ("two")', "``One'', (``two'')"),
        (r"is $`\sigma_u\delta`$, $`x_1`$ & y", r"is $`\sigma_u\delta`$, $`x_1`$ & y",
         r"is $\sigma_u\delta$, $x_1$ \& y"),
    ],
)  # fmt: skip
def test_text_is_escaped_and_formulas_are_kept(text: str, markdown: str, latex: str) -> None:
    assert escape_markdown(text) == markdown
    assert escape_latex(text) == latex


def test_a_bar_of_a_formula_is_escaped_in_a_cell_and_is_no_double_bar_in_a_note() -> None:
    formula = r"$`p(\mathrm{rel}|\cdot)`$"
    lines = to_markdown(Table("t", (Column(formula),), (), notes=(formula,))).splitlines()
    assert lines[2] == rf"| {formula.replace('|', chr(92) + '|')} |"
    assert lines[-1] == formula


@pytest.mark.each("text", ["- item", "# heading", "1. first", "> quoted", "= rule"])
def test_note_that_looks_like_markup_stays_a_paragraph(text: str) -> None:
    printed = to_markdown(Table("t", (Column("a"),), (), notes=(text,))).splitlines()[-1]
    assert re.match(r"\\[-#>=]|1\\\.", printed)
    assert printed.replace("\\", "") == text


@pytest.mark.each(
    ("options", "message"),
    [
        ({"columns": ()}, "no columns"),
        ({"rows": (("a",),)}, "Row 1 .* has 1 cells for 4 columns"),
        ({"rows": (("a", "b", "c", 4),)}, "holds 4, which is not a text"),
        ({"label": "tab{1}"}, r"label \"tab\{1\}\""),
        ({"columns": (Column("a", width=1.5),), "rows": ()}, "has the width 1.5"),
    ],
)
def test_malformed_table_is_refused(options: dict[str, object], message: str) -> None:
    fields = {"title": "Table 1", "columns": TABLE.columns, "rows": TABLE.rows}
    with pytest.raises(ValueError, match=message):
        Table(**{**fields, **options})


def columns_of(*headers: str) -> tuple[Column, ...]:
    return tuple(Column(header, "right") for header in headers)


def test_a_long_table_goes_on_on_the_next_page_with_its_head() -> None:
    rows = tuple(("1", "2") for _ in range(PAGE_ROWS + 1))
    table = Table("Long", columns_of("a", "b"), rows, caption="All.", notes=("Absent: x",))
    text = to_latex(table)
    assert text.count("a & b") == 2
    assert text.index(r"\caption{\textbf{Long.} All.} \\") < text.index(r"\endfirsthead")
    assert text.index(r"\end{longtable}") < text.index("Absent: x") < text.index(r"\endgroup")
    short = to_latex(Table("Short", columns_of("a", "b"), rows[1:]))
    assert "longtable" not in short
    assert short.count("a & b") == 1


def test_a_table_whose_cells_take_many_lines_is_long_too() -> None:
    columns = (Column("text", width=0.2),)
    words = " ".join(["word"] * 20)
    assert "longtable" in to_latex(Table("t", columns, ((words,),) * 20))
    assert "longtable" not in to_latex(Table("t", columns, (("word",),) * 20))


def test_heads_of_wide_tables_are_set_on_several_lines() -> None:
    narrow = Table("t", columns_of("Random pairs"), (("1",),))
    assert r"\toprule" + "\nRandom pairs" in to_latex(narrow)
    wide = Table("t", columns_of(*["Random pairs"] * 12), (("1",) * 12,))
    assert to_latex(wide).count(r"\shortstack[r]{Random \\ pairs}") == 12
    assert r"\footnotesize" in to_latex(wide)
    assert r"\footnotesize" not in to_latex(narrow)
    widest = Table("t", columns_of(*["Random pairs"] * 18), (("1",) * 18,))
    assert r"\scriptsize" in to_latex(widest)


def test_names_of_the_library_may_be_broken() -> None:
    row = ("receval.splits.split_kinds", "1.5")
    text = to_latex(Table("t", columns_of("a", "b"), (row,)))
    assert r"receval.\allowbreak{}splits.\allowbreak{}split\_\allowbreak{}kinds" in text
    assert "1.5" in text


@pytest.mark.each("title", ["Why?", "Stop.", ""])
def test_a_title_has_one_stop(title: str) -> None:
    text = to_latex(Table(title, columns_of("a"), (), caption="All."))
    assert (rf"\caption{{\textbf{{{title}}} All.}}" if title else r"\caption{All.}") in text


def test_a_long_cell_goes_on_in_the_next_row() -> None:
    items = [f"item number {number}" for number in range(20)]
    rows = continued(["x", ", ".join(items), "y"])
    assert [row[0] for row in rows] == ["x", *[""] * (len(rows) - 1)]
    assert [row[2] for row in rows] == ["y", *[""] * (len(rows) - 1)]
    assert " ".join(row[1] for row in rows) == ", ".join(items)
    assert len(rows) > 1
    assert all(len(row[1]) <= LONGEST_CELL for row in rows)
    assert continued(["a", ""]) == [["a", ""]]


def test_a_table_without_rows_can_be_printed() -> None:
    table = Table("t", columns_of("a", "b"), ())
    assert to_markdown(table).splitlines()[-1] == "| --: | --: |"
    assert r"\toprule" in to_latex(table)


def test_styled_cells_are_bold_and_raised_with_equal_space_in_their_column() -> None:
    rows = (("Pop", ".25ab"), ("kNN", ".50a"), ("MF", ".10"))
    styles = {(0, 1): CellStyle(raised=2), (1, 1): CellStyle(True, 1), (2, 1): CellStyle()}
    table = Table("t", (Column("System"), Column("P", "right")), rows, styles=styles)
    text = to_latex(table)
    assert r"Pop & .25\textsuperscript{ab} \\" in text
    phantom = r"\phantom{\textsuperscript{ab}}"
    assert rf"kNN & \textbf{{.50}}\rlap{{\textsuperscript{{a}}}}{phantom} \\" in text
    assert rf"MF & .10{phantom} \\" in text
    assert "textbf{.50" not in to_markdown(table)


def test_a_table_of_two_columns_is_never_broken_and_names_what_it_needs() -> None:
    short = Table("t", columns_of("a"), (("x",),))
    text = to_latex(short, two_columns=True, names_packages=True)
    assert text.startswith("% Needs \\usepackage{booktabs,graphicx}.\n\\begin{table*}\n")
    assert text.endswith("\\end{table*}\n")
    long = Table("t", columns_of("a"), (("x",),) * 60)
    assert to_latex(long, names_packages=True).startswith(
        "% Needs \\usepackage{booktabs,longtable}.\n"
    )
    whole = to_latex(long, two_columns=True, names_packages=True)
    assert "longtable" not in whole
    assert "% Its 60 rows may not fit on a page" in whole
    assert "% Needs" not in to_latex(short)


def test_a_table_that_is_too_wide_for_a_column_says_so() -> None:
    wide = Table("t", columns_of(*"abcdefghijklmn"), (("number.12",) * 14,))
    note = "% It is too wide for a narrow column: then set two_columns=True.\n"
    assert note in to_latex(wide, names_packages=True)
    assert note not in to_latex(wide, names_packages=True, two_columns=True)
    assert note not in to_latex(Table("t", columns_of("a"), (("x",),)), names_packages=True)
    unnamed = Table("t", columns_of("", "the width of a column of text"), (("x" * 30, ""),))
    assert "\\\\\n\\midrule" in to_latex(unnamed, names_packages=True)


def test_a_table_with_long_labels_is_scaled_down_to_its_column() -> None:
    label = "nDCG(discount=log-after-2,gain=exp-relevant,ideal=filled)@100"
    table = Table("t", columns_of("System", label), (("item-knn " * 4, ".25"),))
    text = to_latex(table, names_packages=True)
    begin, end = r"{!}{%" + "\n\\begin{tabular}", r"\end{tabular}}"
    assert r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}" + begin in text
    assert end in text
    assert text.count("{") == text.count("}")
    assert "resizebox" not in to_latex(table)
    lines = [
        "nDCG",
        "(discount=",
        "log-after-",
        "2,",
        "gain=exp-",
        "relevant,",
        "ideal=",
        "filled)",
        "@100",
    ]
    stacked = r" \\ ".join(lines)
    assert rf"\shortstack[r]{{{stacked}}}" in text
    signed = replace(table, columns=columns_of("System", f"{label} → 0"))
    assert rf"\shortstack[r]{{{stacked} \\ $\rightarrow$ 0}}" in to_latex(
        signed, names_packages=True
    )


def test_tau_and_raised_digits_of_powers_are_set_by_pdflatex() -> None:
    raised = r"10\textsuperscript{$-$}\textsuperscript{6}"
    assert escape_latex("τ of 10⁻⁶") == rf"$\tau$ of {raised}"


@pytest.mark.processes
@pytest.mark.parametrize("two_columns", [False, True])
def test_a_table_with_long_labels_is_set_by_latex_within_its_column(
    two_columns: bool, tmp_path: Path
) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("No pdflatex here: install the system's package texlive-latex-recommended.")
    labels = ["nDCG(gain=exp-steps-from-0)@10", "AP(denominator=cutoff,terms=ranks)@10", "P@5"]
    styles = {(0, 1): CellStyle(is_bold=True, raised=1), (1, 2): CellStyle(raised=2)}
    rows = ((f"{'A_long & named ' * 4}x", ".25a", ".1", ".2"), ("Pop", ".5", ".25ab", ".125"))
    table = Table("t", columns_of("System", *labels), rows, "Words. " * 20, styles=styles)
    text = to_latex(table, two_columns=two_columns, names_packages=True)
    needed = text.partition("\n")[0].removeprefix("% Needs ").removesuffix(".")
    document = [r"\documentclass[twocolumn]{article}", needed, r"\begin{document}", text, "x"]
    (tmp_path / "one.tex").write_text("\n".join([*document, r"\end{document}"]), encoding="utf-8")
    command = ["pdflatex", "-draftmode", "-interaction=nonstopmode", "-no-shell-escape", "one"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
    log = (tmp_path / "one.log").read_text(encoding="latin-1")
    assert done.returncode == 0, log
    assert "Overfull" not in log
