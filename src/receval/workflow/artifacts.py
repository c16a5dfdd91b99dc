"""The files of an artifact: its results, and how they are drawn, tabulated or told from them alone.

Every function takes the name of the module of the artifact's family, which has ``data`` and, by
its kind, ``draw``, ``tabulate`` or ``write``.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.evaluation.input_files import InputFiles
from receval.figures.display import DisplayStyle
from receval.storage.files import read_results, write_atomically, write_results

if TYPE_CHECKING:
    import pandas as pd

    from receval.figures.tables import Table

# What one kind of file alone needs is imported where it is made, and is part of its digest alone.


def compute_artifact(
    *, module: str, description: Mapping[str, Any], results: Path, **inputs: Sequence[Path]
) -> None:
    """Call an artifact's ``data`` and write what it returns.

    Parameters
    ----------
    module : str
        Of the artifact's family.
    description : mapping
        From :meth:`receval.workflow.plan.descriptions.ArtifactDescriptions.results`.
    results : Path
        The CSV to write: one row an observation, numbers with ten significant digits.
    **inputs : sequence of Path
        The attributes of :class:`receval.evaluation.input_files.InputFiles`: all files that may be
        read.

    Raises
    ------
    ValueError
        There are no rows, or the artifact reads what is not among its inputs.
    """
    from receval.studies._shared.inputs import ArtifactDescription, ArtifactInputs

    read = ArtifactInputs(InputFiles(**inputs), ArtifactDescription.of(description))
    table: pd.DataFrame = import_module(module).data(read)
    if table.empty:
        raise ValueError(f"{results.stem} has no rows ({module}): there is nothing to show.")
    write_results(table, results)


def draw_figure(
    *, module: str, results: Path, display: Mapping[str, Any], svg: Path, pdf: Path
) -> None:
    """Draw a figure as SVG and PDF from its CSV alone, byte-stable.

    Parameters
    ----------
    module : str
        Of the artifact's family.
    results : Path
        The artifact's CSV.
    display : mapping
        From :meth:`receval.workflow.plan.descriptions.ArtifactDescriptions.display`.
    svg, pdf : Path
        Targets.
    """
    from receval.figures.finish import save_figure
    from receval.figures.style import figure_style

    with collection_put_off(), figure_style():
        save_figure(
            import_module(module).draw(read_results(results), DisplayStyle.of(display)), svg, pdf
        )


def write_table(
    *,
    module: str,
    results: Path,
    display: Mapping[str, Any],
    markdown: Path,
    latex: Path,
    shown: Path | None = None,
) -> None:
    """Write a table as Markdown and TeX, and for browsers, from its CSV alone.

    Parameters
    ----------
    module : str
        Of the artifact's family.
    results : Path
        The artifact's CSV.
    display : mapping
        From :meth:`receval.workflow.plan.descriptions.ArtifactDescriptions.display`.
    markdown, latex : Path
        Targets.
    shown : Path, optional
        Target of a page that Snakemake's report shows.
    """
    from receval.figures.html_page import as_html_page, heading
    from receval.figures.tables import save_table, to_markdown

    table: Table = import_module(module).tabulate(read_results(results), DisplayStyle.of(display))
    save_table(table, markdown, latex)
    if shown is not None:
        title = heading(results.stem, table.title)
        write_atomically(shown, as_html_page(to_markdown(table), title))


def write_page(
    *,
    module: str,
    results: Path,
    display: Mapping[str, Any],
    page: Path,
    shown: Path | None = None,
) -> None:
    """Write a page of text as Markdown, and for browsers, from its CSV alone.

    Parameters
    ----------
    module : str
        Of the artifact's family.
    results : Path
        The artifact's CSV.
    display : mapping
        From :meth:`receval.workflow.plan.descriptions.ArtifactDescriptions.display`.
    page : Path
        Target.
    shown : Path, optional
        Target of a page that Snakemake's report shows.
    """
    from receval.figures.html_page import as_html_page

    text: str = import_module(module).write(read_results(results), DisplayStyle.of(display))
    write_atomically(page, text.encode())
    if shown is not None:
        write_atomically(shown, as_html_page(text, str(display["title"])))


@contextmanager
def collection_put_off() -> Iterator[None]:
    """Look for no cyclic garbage inside a ``with`` block.

    For work of a second or two that makes many objects, such as drawing a figure, which is a
    quarter faster so. After the block all is as it was before.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
