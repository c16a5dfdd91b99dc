"""Tables print their texts as they are, in Markdown and in LaTeX."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from receval.figures.escaping import escape_latex, escape_markdown
from receval.figures.latex_tables import save_table, to_latex
from receval.figures.tables import Column, Table, to_markdown

TABLE = Table(
    title="Table 2",
    caption="Statistics, 100 % of the data.",
    columns=(
        Column("Dataset"),
        Column("Users", "right"),
        Column("$`|T_u|`$", "center"),
        Column("Remark", width=0.3),
    ),
    rows=(
        ("MovieLens 1M", "6,040", "-0.5", "a_b & c"),
        ("[R3]", "15,400", "", "x | y"),
    ),
    notes=("Absent: Netflix (see README)",),
    label="tab:statistics",
)

MARKDOWN = r"""**Table 2**

Statistics, 100 % of the data.

| Dataset      |  Users | $`\|T_u\|`$ | Remark  |
| ------------ | -----: | :---------: | ------- |
| MovieLens 1M |  6,040 |     -0.5    | a_b & c |
| \[R3\]       | 15,400 |             | x \| y  |

Absent: Netflix (see README)
"""

LATEX = r"""\begin{table}
\centering
\caption{\textbf{Table 2} Statistics, 100 \% of the data.}
\label{tab:statistics}
\begin{tabular}{lrc>{\raggedright\arraybackslash}p{0.3\linewidth}}
\toprule
Dataset & Users & $|T_u|$ & Remark \\
\midrule
MovieLens 1M & 6,040 & $-$0.5 & a\_b \& c \\
{}[R3] & 15,400 &  & x \textbar{} y \\
\bottomrule
\end{tabular}
\par\smallskip{\footnotesize Absent: Netflix (see README)\par}
\end{table}
"""


def test_markdown_of_a_table() -> None:
    assert to_markdown(TABLE) == MARKDOWN


def test_latex_of_a_table() -> None:
    assert to_latex(TABLE) == LATEX


def test_both_files_are_written_or_none(tmp_path: Path) -> None:
    markdown, latex = tmp_path / "folder" / "t.md", tmp_path / "folder" / "t.tex"
    save_table(TABLE, markdown, latex)
    assert markdown.read_bytes() == MARKDOWN.encode()
    assert latex.read_bytes() == LATEX.encode()
    with pytest.raises(ValueError, match="GREEK SMALL LETTER SIGMA"):
        save_table(Table("\N{GREEK SMALL LETTER SIGMA}", (Column("a"),), ()), markdown, latex)
    assert markdown.read_bytes() == MARKDOWN.encode()
    assert len(list(markdown.parent.iterdir())) == 2


@pytest.mark.parametrize(
    ("text", "markdown", "latex"),
    [
        ("50 % #1", "50 % #1", r"50 \% \#1"),
        ("a_b_", r"a_b\_", r"a\_b\_"),
        ("__init__", r"\_\_init\_\_", r"\_\_init\_\_"),
        ("*x* `y`", r"\*x\* \`y\`", r"*x* \textasciigrave{}y\textasciigrave{}"),
        (r"a\b{c}", r"a\\b{c}", r"a\textbackslash{}b\{c\}"),
        ("1 < 2 > 0 ~ ^", r"1 \< 2 > 0 \~ ^",
         r"1 \textless{} 2 \textgreater{} 0 \textasciitilde{} \textasciicircum{}"),
        ("$5", r"\$5", r"\$5"),
        ("&amp; & R&D", r"\&amp; & R&D", r"\&amp; \& R\&D"),
        ("a--b---c", "a--b---c", "a-{}-b-{}-{}-c"),
        ("±1 \u00d7 2 ≥ \u22123", "±1 \u00d7 2 ≥ \u22123", r"$\pm$1 $\times$ 2 $\geq$ $-$3"),
        ("Castells, Cañamares", "Castells, Cañamares", "Castells, Cañamares"),
        (r"is $`\sigma_u\delta`$, $`x_1`$ & y", r"is $`\sigma_u\delta`$, $`x_1`$ & y",
         r"is $\sigma_u\delta$, $x_1$ \& y"),
    ],
)  # fmt: skip
def test_text_is_escaped_and_formulas_are_kept(text: str, markdown: str, latex: str) -> None:
    assert escape_markdown(text) == markdown
    assert escape_latex(text) == latex


@pytest.mark.parametrize("text", ["- item", "# heading", "1. first", "> quoted", "= rule"])
def test_note_that_looks_like_markup_stays_a_paragraph(text: str) -> None:
    printed = to_markdown(Table("t", (Column("a"),), (), notes=(text,))).splitlines()[-1]
    assert re.match(r"\\[-#>=]|1\\\.", printed)
    assert printed.replace("\\", "") == text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ()}, "no columns"),
        ({"rows": (("a",),)}, "Row 1 .* has 1 cells for 4 columns"),
        ({"rows": (("a", "b", "c", 4),)}, "holds 4, which is no text"),
        ({"notes": ("a\nb",)}, "with a line break"),
        ({"label": "tab{1}"}, r"label \"tab\{1\}\""),
        ({"columns": (Column("a", width=1.5),), "rows": ()}, "has the width 1.5"),
    ],
)
def test_malformed_table_is_refused(options: dict[str, object], message: str) -> None:
    fields = {"title": "Table 1", "columns": TABLE.columns, "rows": TABLE.rows}
    with pytest.raises(ValueError, match=message):
        Table(**{**fields, **options})
