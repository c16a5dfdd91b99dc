# SPDX-License-Identifier: MIT
"""Compute artifacts, draw and write them, record their provenance, and report drift.

Jobs that make or show results take the name of a function of the artifact's family: ``data`` or,
depending on the kind of artifact, ``draw``, ``tabulate`` or ``write``.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
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

# Functions import what only one kind of file needs, so that it is part of that file's digest only.


def compute_artifact(
    *, function: str, description: Mapping[str, Any], results: Path, **inputs: Sequence[Path]
) -> None:
    """Call an artifact's ``data`` and write what it returns."""
    from reproduction.experiments.experiment import InputFiles
    from reproduction.studies._shared.inputs import ArtifactDescription, ArtifactInputs

    data = _named(function)
    read = ArtifactInputs(InputFiles(**inputs), ArtifactDescription.of(description))
    table: pd.DataFrame = data(read)
    if table.empty:
        raise ValueError(f"{results.stem} has no rows ({function}), so there is nothing to show.")
    write_results(table, results)


def draw_figure(*, function: str, results: Path, display: Mapping[str, Any], drawing: Path) -> None:
    """Draw a figure from its CSV, with its title and caption, as a byte-stable SVG or PDF."""
    from receval.figures.finish import save_figure
    from receval.figures.style import figure_style

    with collection_put_off(), figure_style():
        style = DisplayStyle.of(display)
        title, described = heading(results.stem, style.title), style.described
        figure: Figure = _named(function)(read_results(results), style)
        save_figure(figure, drawing, title=title, description=described)


def write_table(
    *,
    function: str,
    results: Path,
    display: Mapping[str, Any],
    markdown: Path,
    latex: Path,
    shown: Path | None = None,
) -> None:
    """Write a table from its CSV as Markdown, TeX and HTML."""
    from receval.figures.tables import save_table, to_markdown
    from reproduction.publishing.html_page import as_html_page

    table: Table = _named(function)(read_results(results), DisplayStyle.of(display))
    save_table(table, markdown, latex)
    if shown is not None:
        title = heading(results.stem, table.title)
        write_atomically(shown, as_html_page(to_markdown(table), title))


def write_page(
    *,
    function: str,
    results: Path,
    display: Mapping[str, Any],
    page: Path,
    shown: Path | None = None,
) -> None:
    """Write a page of text from its CSV as Markdown and HTML."""
    from reproduction.publishing.html_page import as_html_page

    text: str = _named(function)(read_results(results), DisplayStyle.of(display))
    write_atomically(page, text.encode())
    if shown is not None:
        write_atomically(shown, as_html_page(text, str(display["title"])))


def _named(function: str) -> Callable[..., Any]:
    """Return the function that a rule names as ``module:function``."""
    module, _, name = function.partition(":")
    return getattr(import_module(module), name)


@contextmanager
def collection_put_off() -> Iterator[None]:
    """Put off the collection of cyclic garbage, which takes a quarter of drawing a figure."""
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

    ``results`` are the CSVs of the artifacts; the record is rewritten whenever one of them is. Each
    artifact has digests of all code behind its ``results``, including parsers and systems, and of
    the code that has ``shown`` them. ``versions`` are those of the libraries when the plan was
    made; the versions of this process are recorded.
    """
    from receval.splits.split import Split
    from reproduction.datasets.prepare import read_summary
    from reproduction.workflow.provenance.versions import provenance_record, write_json

    metadata = {
        f"{path.parts[-3]}/{path.parts[-2]}": dict(Split.read(path).metadata) for path in splits
    }
    datasets = {path.parent.name: read_summary(path) for path in summaries}
    for summary in datasets.values():
        # Prepared files follow from raw files, code and versions, all of which are recorded.
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
    from reproduction.drift.comparison import as_markdown, compare_folders
    from reproduction.drift.spec import DriftSpec

    for folder, files in zip(map(Path, folders), (fresh, accepted), strict=True):
        outside = [path.as_posix() for path in files if not path.is_relative_to(folder)]
        if outside:
            raise ValueError(
                f"{', '.join(outside)} is not in {folder.as_posix()}, so it would not be "
                "compared. The rule must declare folders that contain the files."
            )
    own, theirs = map(Path, folders)
    compared = compare_folders(
        own, theirs, DriftSpec.model_validate(drift), artifacts, one_sided_datasets
    )
    folders_of_datasets = dict.fromkeys(path.parent for path in prepared)
    problems = [problem for folder in folders_of_datasets for problem in not_as_recorded(folder)]
    write_atomically(report, "\n\n".join([*problems, as_markdown(compared)]))
