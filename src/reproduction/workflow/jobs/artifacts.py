# SPDX-License-Identifier: MIT
"""The files of an artifact: results, what is shown of them alone, their record and their drift.

Functions that make or show results take the name of the module of the artifact's family, which has
``data`` and, by its kind, ``draw``, ``tabulate`` or ``write``.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.figures.display import DisplayStyle, heading
from receval.storage.files import read_results, write_atomically, write_results

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from receval.figures.tables import Table

# What one kind of file alone needs is imported where it is made, and is part of its digest alone.


def compute_artifact(
    *, module: str, description: Mapping[str, Any], results: Path, **inputs: Sequence[Path]
) -> None:
    """Call an artifact's ``data`` and write what it returns."""
    from reproduction.experiments.input_files import InputFiles
    from reproduction.studies._shared.inputs import ArtifactDescription, ArtifactInputs

    read = ArtifactInputs(InputFiles(**inputs), ArtifactDescription.of(description))
    table: pd.DataFrame = import_module(module).data(read)
    if table.empty:
        raise ValueError(f"{results.stem} has no rows ({module}): there is nothing to show.")
    write_results(table, results)


def draw_figure(
    *, module: str, results: Path, display: Mapping[str, Any], svg: Path, pdf: Path
) -> None:
    """Draw a figure as SVG and PDF from its CSV alone, byte-stable, with its title and caption."""
    from receval.figures.finish import save_figure
    from receval.figures.style import figure_style

    style = DisplayStyle.of(display)
    with collection_put_off(), figure_style():
        figure: Figure = import_module(module).draw(read_results(results), style)
        title = heading(results.stem, style.title)
        save_figure(figure, svg, pdf, title, style.described)


def write_table(
    *,
    module: str,
    results: Path,
    display: Mapping[str, Any],
    markdown: Path,
    latex: Path,
    shown: Path | None = None,
) -> None:
    """Write a table as Markdown and TeX, and for browsers, from its CSV alone."""
    from receval.figures.latex_tables import save_table
    from receval.figures.tables import to_markdown
    from reproduction.publishing.html_page import as_html_page

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
    """Write a page of text as Markdown, and for browsers, from its CSV alone."""
    from reproduction.publishing.html_page import as_html_page

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


def record_provenance(
    *,
    summaries: Sequence[Path],
    splits: Sequence[Path],
    results: Sequence[Path],
    record: Path,
    config: Mapping[str, Any],
    absent: Sequence[str],
    digests: Mapping[str, Mapping[str, str]],
    versions: Mapping[str, str],
) -> None:
    """Record what the artifacts of a study were made from.

    Parameters
    ----------
    results : sequence of Path
        The CSVs of its artifacts: the record is of these, and made again whenever one of them is.
    digests : mapping of str to mapping of str to str
        Of the code of each artifact: of all that is behind its ``results``, from parsers and
        systems on, and of what has ``shown`` them.
    versions : mapping
        Of the libraries when the plan was made; what is recorded is what is at work here.
    """
    from receval.splits.split import Split
    from reproduction.datasets.prepare import read_summary
    from reproduction.workflow.provenance.versions import provenance_record, write_json

    metadata = {
        f"{path.parts[-3]}/{path.parts[-2]}": dict(Split.read(path).metadata) for path in splits
    }
    datasets = {path.parent.name: read_summary(path) for path in summaries}
    for summary in datasets.values():
        # What they are follows from raw files, code and versions, all of which are recorded.
        del summary["prepared_files"]
    settings = {**config, "metadata of the splits": metadata}
    write_json(record, provenance_record(settings, datasets, absent, digests, results))


def report_drift(
    *,
    fresh: Sequence[Path],
    accepted: Sequence[Path],
    prepared: Sequence[Path],
    report: Path,
    folders: tuple[str, str],
    drift: Mapping[str, Any],
    artifacts: Sequence[str],
    one_sided_datasets: Sequence[str],
) -> None:
    """Compare the fresh artifacts of an edition with the accepted ones."""
    from reproduction.datasets.prepare import not_as_recorded
    from reproduction.drift.comparison import compare_folders
    from reproduction.drift.report import as_markdown
    from reproduction.drift.spec import DriftSpec

    for folder, files in zip(map(Path, folders), (fresh, accepted), strict=True):
        outside = [path.as_posix() for path in files if not path.is_relative_to(folder)]
        if outside:
            raise ValueError(
                f"{', '.join(outside)} would not be compared, as it is not in {folder.as_posix()}: "
                "the rule declares files and folders that do not belong together."
            )
    own, theirs = map(Path, folders)
    compared = compare_folders(
        own, theirs, DriftSpec.model_validate(drift), artifacts, one_sided_datasets
    )
    folders_of_datasets = dict.fromkeys(path.parent for path in prepared)
    problems = [problem for folder in folders_of_datasets for problem in not_as_recorded(folder)]
    write_atomically(report, "\n\n".join([*problems, as_markdown(compared)]))
