# SPDX-License-Identifier: MIT
"""Write the paper, the site and the pages of studies: each figure and what it shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval.figures.display import heading, printed_name
from receval.figures.printed_numbers import in_text
from receval.figures.tables import escape_markdown
from receval.storage.files import read_results, write_atomically
from reproduction.publishing.site.site import SiteSources, write_site
from reproduction.publishing.site.study_pages import FOUND

if TYPE_CHECKING:
    from reproduction.claims.sources import ClaimSources

SHOWN = "*What it shows.*"
OF_TWINS = (
    "**The data of this edition are synthetic twins: what the figures show says nothing about the "
    "real datasets.**"
)

FINDINGS = 3
"""Statements with which the page of a study begins."""

ROOT = "../../.."
"""Relative path from the page of an accepted study to the repository."""

LEDGER = "../claims_{paper}.md"
"""Relative path from that page to all claims of a paper."""

_SYMBOL = re.compile(r"(?<![\w`{])(\|?)([A-Za-z]_\w(?:\^\w)?)(?!\w)(\|?)")
_FORMULA = re.compile(r"(\$`.+?`\$)")
_FILE = re.compile(r"\bdocs/\w+\.md\b|\bREADME\b(?!\.)")


def write_index(
    *,
    study: Mapping[str, Any],
    record: Path,
    results: Sequence[Path],
    verdicts: Sequence[Path],
    index: Path,
) -> None:
    """Write the page of a study from the verdicts on what its figures show."""
    from reproduction.claims.sources import ClaimSources

    sources = ClaimSources(
        {f"{study['name']}/{path.stem}": path for path in results}, {study["name"]: record}
    )
    rows = [row for path in verdicts for row in read_results(path).to_dict("records")]
    claims = {str(claim): list(own) for claim, own in groupby(rows, lambda row: row["claim"])}
    shown = _ShownText(study, claims, sources)
    parts = [f"# {_text(study['title'])}", _text(study["citation"])]
    if study["is_demo"]:
        parts.append(OF_TWINS)
    anchors = _anchors([_heading(artifact) for artifact in study["artifacts"]])
    parts += _findings(study, shown, anchors)
    parts.append("\n".join(f"- {_link(title, anchor)}" for title, anchor in anchors))
    for artifact in study["artifacts"]:
        of_figure = shown.paragraphs(artifact) if artifact["shows"] else None
        parts += _section(artifact, of_figure, shown.made_by(artifact))
    write_atomically(index, ("\n\n".join(parts) + "\n").encode())


class _ShownText:
    """What the figures of a study show, in words."""

    def __init__(
        self,
        study: Mapping[str, Any],
        claims: Mapping[str, list[dict[str, Any]]],
        sources: ClaimSources,
    ) -> None:
        self._study = study
        self._claims = claims
        self._sources = sources

    def paragraphs(self, artifact: Mapping[str, Any]) -> list[str]:
        """Return how to read a figure and what it shows: one statement, or a list of several."""
        said = [self.statement(artifact, shown) for shown in artifact["shows"]]
        reading = f"*How to read it.* {_text(artifact['reading'])}"
        if len(said) == 1:
            return [reading, f"{SHOWN} {said[0]}"]
        return [reading, SHOWN, "\n".join(f"- {one}" for one in said)]

    def made_by(self, artifact: Mapping[str, Any]) -> str:
        """Return where an artifact's code and configuration are, and which claims it decides."""
        study = self._study["name"]
        told = (
            f"*Made by* [{artifact['code']}]({ROOT}/src/reproduction/{artifact['code']}), with "
            f"the settings in [config/studies/{study}.yaml]({ROOT}/config/studies/{study}.yaml)."
        )
        own = f"{study}/{artifact['name']}"
        decided = [
            claim
            for claim, rows in self._claims.items()
            if any(own in re.findall(r"[\w/]+", str(row["artifact"])) for row in rows)
        ]
        return (
            f"{told} It decides {', '.join(map(self._links, _runs(decided)))}." if decided else told
        )

    def _links(self, run: Sequence[str]) -> str:
        """Return links to claims with successive numbers: the first and the last of many."""
        named = [
            f"[{claim}]({LEDGER.format(paper=self._claims[claim][0]['paper'])}#{claim})"
            for claim in run
        ]
        return f"{named[0]} to {named[-1]}" if len(named) > 2 else ", ".join(named)

    def statement(self, artifact: Mapping[str, Any], shown: Any, *, in_short: bool = False) -> str:
        """Return a thing that a figure shows, in words; ``shown`` is a claim's number or ours."""
        from reproduction.claims.ledger import own_statement, told_in_short, told_verdicts

        name = artifact["name"]
        where = f"{name} of {self._study['name']}"
        if isinstance(shown, str):
            rows = self._claims.get(shown)
            if rows is None:
                raise ValueError(
                    f"{where} shows the claim {shown}, which is not in the study's file in "
                    "config/claims. Correct its number in config/studies."
                )
            ledger = LEDGER.format(paper=rows[0]["paper"])
            link = f" ([{shown}]({ledger}#{shown}), {_text(rows[0]['where'])})"
        else:
            statement = own_statement(shown, where)
            rows, link = statement.judged(self._study["name"], name, self._sources), ""
        tell = told_in_short if in_short else told_verdicts
        told = tell(rows, self._title, of_paper=isinstance(shown, str))
        parts = [_text(rows[0]["statement"])]
        for verdict, said in told:
            parts.append(f"**{_text(self._own(verdict))}{':' if said else '.'}**")
            parts += [_text(self._own(said))] if said else []
        return f"{' '.join(parts)}{link}"

    def _title(self, dataset: str) -> str:
        title = str(self._study["datasets"].get(dataset, dataset))
        # The title of generated data is a description, not a name.
        is_name = dataset not in self._study["generated"]
        return title if is_name else f"{title[:1].lower()}{title[1:]}"

    def _own(self, text: str) -> str:
        """Return a text about our data, in which twins are called twins."""
        if not self._study["is_demo"]:
            return text
        real = [
            title
            for name, title in self._study["datasets"].items()
            if name not in self._study["generated"]
        ]
        return _as_twins(text, real)


def _heading(artifact: Mapping[str, Any]) -> str:
    return in_text(heading(artifact["name"], artifact["title"]))


def _runs(claims: Iterable[str]) -> list[list[str]]:
    """Divide claims, in ascending order, into runs of successive numbers.

    Examples
    --------
    >>> _runs(["B-001", "B-002", "B-004"])
    [['B-001', 'B-002'], ['B-004']]
    """
    runs: list[list[str]] = []
    for claim in claims:
        number = int(claim.rpartition("-")[2])
        if not runs or int(runs[-1][-1].rpartition("-")[2]) + 1 != number:
            runs.append([])
        runs[-1].append(claim)
    return runs


def _anchors(headings: Sequence[str]) -> list[tuple[str, str]]:
    """Return the headings of sections with the anchors that GitHub gives them."""
    found, taken = [], dict[str, int]()
    for title in headings:
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        again = taken[anchor] = taken.get(anchor, -1) + 1
        found.append((title, f"{anchor}-{again}" if again else anchor))
    return found


def _link(title: str, anchor: str) -> str:
    return f"[{escape_markdown(title)}](#{anchor})"


def _findings(
    study: Mapping[str, Any], shown: _ShownText, anchors: Sequence[tuple[str, str]]
) -> Iterator[str]:
    """Yield what the page begins with: statements of figures, and the first figure.

    There are three statements, if the figures have as many: the first of each, then the second.
    """
    places = {artifact["name"]: at for at, artifact in enumerate(study["artifacts"])}
    # Without its datasets a figure is not made.
    found = [places[name] for name in study["findings"] if name in places]
    if found:
        artifacts = study["artifacts"]
        said = [(n, at) for at in found for n in range(len(artifacts[at]["shows"]))]
        said = sorted(said, key=lambda one: (one[0], found.index(one[1])))[:FINDINGS]
        yield FOUND
        yield "\n".join(
            f"- {shown.statement(own, own['shows'][n], in_short=True)} {_link(*anchors[at])}"
            for n, at in said
            for own in [artifacts[at]]
        )
        title, _ = anchors[found[0]]
        yield f"![{escape_markdown(title)}]({artifacts[found[0]]['name']}.svg)"


def _as_twins(text: str, datasets: Sequence[str]) -> str:
    """Replace names of datasets in a text by the twins that stand for them.

    Examples
    --------
    >>> _as_twins("On ML-1M .5; on the twin of ML-1M .5.", ["ML-1M"])
    'On the twin of ML-1M .5; on the twin of ML-1M .5.'
    """
    names = "|".join(map(re.escape, datasets)) or "(?!)"
    return re.sub(rf"(?<!twin of )(?<![\w-])({names})(?![\w-])", r"the twin of \1", text)


def _section(
    artifact: Mapping[str, Any], shown: Sequence[str] | None, made_by: str
) -> Iterator[str]:
    name, title = artifact["name"], _heading(artifact)
    yield f"## {escape_markdown(title)}"
    if shown is not None:
        yield f"![{escape_markdown(title)}]({name}.svg)"
    yield _text(artifact["caption"])
    if shown is not None:
        yield from shown
    yield made_by
    # GitHub displays Markdown, so link to it by name.
    words = {"md": f"{printed_name(name) or artifact['title']} (md)"}
    files = (
        f"[{escape_markdown(words.get(suffix, suffix))}]({name}.{suffix})"
        for suffix in artifact["suffixes"]
    )
    yield f"Files: {' · '.join(files)}"


def _text(text: str) -> str:
    """Return a text for GitHub, with numbers and symbols formatted and files linked."""
    parts = _FORMULA.split(in_text(text))
    marked = (part if _FORMULA.fullmatch(part) else _SYMBOL.sub(_set, part) for part in parts)
    return _FILE.sub(
        lambda file: f"[{file[0]}]({ROOT}/{file[0]}{'.md' * (file[0] == 'README')})",
        escape_markdown("".join(marked)),
    )


def _set(symbol: re.Match[str]) -> str:
    before, name, after = symbol.groups()
    if before and after:
        # No plain bars: they would be escaped as in a table.
        return rf"$`\lvert {name} \rvert`$"
    return f"{before}$`{name}`${after}"


def build_paper(
    *,
    text: Sequence[Path],
    numbers: Path,
    ledger: Path,
    results: Sequence[Path],
    records: Sequence[Path],
    errata: Path,
    documents: Sequence[Path],
    figures: Sequence[Path],
    certainty: Sequence[Path],
    variance: Sequence[Path],
    names_of_figures: Sequence[str],
    counts: Mapping[str, int],
    synthetic: bool,
    pdf: Path,
    table: Path,
    contents: Path,
    configuration: Sequence[Path] = (),
) -> None:
    """Write the paper of an edition, its numbers as a table, and all data that its text reads."""
    from receval.storage.files import write_results
    from reproduction.publishing.paper import (
        PaperInputs,
        paper_numbers,
        read_paper_spec,
        table_of_numbers,
        typeset,
    )
    from reproduction.workflow.provenance.versions import write_json

    found = paper_numbers(
        read_paper_spec(numbers),
        PaperInputs(
            ledger=ledger,
            results=results,
            records=records,
            errata=errata,
            documents=documents,
            certainty=next(iter(certainty), None),
            variance=next(iter(variance), None),
            counts=counts,
            figures=names_of_figures,
            synthetic=synthetic,
        ),
    )
    drawn = dict(zip(names_of_figures, figures, strict=True))
    pages = typeset(text, found, drawn)
    write_json(contents, found)
    write_results(table_of_numbers(found), table)
    write_atomically(pdf, pages)


def build_site(
    *,
    claims: Path,
    indexes: tuple[Path, ...],
    records: tuple[Path, ...],
    files: tuple[Path, ...],
    documents: tuple[Path, ...],
    pictures: tuple[Path, ...],
    sources: tuple[Path, ...],
    modules: tuple[Path, ...],
    templates: tuple[Path, ...],
    assets: tuple[Path, ...],
    edition: str,
    papers: tuple[Path, ...],
    certainty: tuple[Path, ...],
    certainty_figures: tuple[Path, ...],
    datasets: Mapping[str, str],
    elsewhere: Mapping[str, str],
    statements: tuple[Path, ...],
    site: Path,
) -> None:
    """Write the site of an edition, with the accepted results of the replications, if any."""
    write_site(
        SiteSources(
            edition=edition,
            claims=claims,
            studies=tuple(index.parent for index in indexes),
            documents={_in_repository(path): path for path in documents},
            pictures={_in_repository(path): path for path in pictures},
            sources={_in_repository(path): path for path in sources},
            modules=modules,
            templates=templates[0].parent,
            assets=assets[0].parent,
            datasets=datasets,
            elsewhere=elsewhere,
            statements=statements,
            report=papers[0] if papers else None,
            certainty=certainty[0] if certainty else None,
            certainty_figures={
                path.stem.removeprefix("replications_"): path
                for path in certainty_figures
                if path.suffix == ".svg"
            },
        ),
        site,
    )


def _in_repository(path: Path) -> str:
    """Return the path of a file in the repository, wherever that is."""
    parts = path.parts
    tops = [at for at, part in enumerate(parts) if part in ("config", "docs", "src")]
    return Path(*parts[tops[-1] :]).as_posix() if tops else path.name
