# SPDX-License-Identifier: MIT
"""``docs/errata.md``: all errata, with the sizes of their effects on the accepted results."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from pathlib import Path

from receval.claims.errata import ERRATA, RESULTS, Erratum, ErratumForm, load_errata, sizes
from receval.claims.sources import ClaimSources
from receval.config.reading import read_yaml

_INTRODUCTION = """\
# Errata

Written by `receval repo errata` from `config/errata.yaml` and accepted results; edit the former.

This page could only be written because the authors of the five papers say exactly what they
did, and released data, code and the values of single systems. We thank them for it: papers that
say and release less would have a shorter page. Most of what follows is small and touches no
conclusion; where one hangs on it, the entry says so.

An *erratum* here is a place where a paper's text, its figures or tables and its released code
disagree with each other, or with the public data, or where a text leaves open what its
figures need (E-05). Each has both forms, with the names under
which the library or its configuration has them, the size of the effect on our data, a command
that shows it, and how certain we are: *certain*, if anyone can see it in what is printed or
released, *likely*, if it is inferred from that, *open*, if it is no more than possible. Code
that was released with a paper may be of a library that its authors did not write: E-38 and E-40 to
E-43 are of LibRec 2.0.0, which its paper names, and whose methods it cites and does not describe.
Numbers of ours are read from `results/full` when the page is written: MovieLens 1M and CM100k are
there, the other datasets are not. Claims have their numbers in the project's list of what the
papers claim. The papers were read as plain text, without their figures: what is said of a figure
is from its caption, from the sentences on it, or from released values.

**Correct us.** We may be wrong, or may have overlooked what explains a difference. Tell us the
number of the erratum and what the paper or its code does, or change the entry in
`config/errata.yaml` and run `receval repo errata`. Corrections by the authors are welcome
above all."""

_HEADINGS = ("", "paper", "where", "what", "size on our data", "certainty")


def errata_page(config: Path = ERRATA.parent, results: Path = RESULTS) -> str:
    """Return ``docs/errata.md``.

    Parameters
    ----------
    config : Path
        The folder of the configuration, with ``errata.yaml``.
    results : Path
        The accepted results of the full edition.

    Raises
    ------
    ValueError
        The errata cannot be read, or a number of theirs; the message names which, and what to do.
    """
    errata = load_errata(config / ERRATA.name)
    texts = sizes(errata, ClaimSources.of_folder(results))
    counts = Counter(erratum.certainty for erratum in errata.values())
    counted = ", ".join(f"{counts[word]} {word}" for word in ("certain", "likely", "open"))
    parts = [_INTRODUCTION, f"There are {len(errata)} errata: {counted}."]
    rows = [_HEADINGS, ("---",) * len(_HEADINGS)]
    for name, erratum in errata.items():
        link, paper = f"[{name}](#{name.lower()})", f"`{erratum.paper}`"
        short = texts[name][0]
        rows.append((link, paper, erratum.where, erratum.title, short, erratum.certainty))
    parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    for paper, names in groupby(errata, key=lambda name: errata[name].paper):
        study = read_yaml(config / "studies" / f"{paper}.yaml")
        parts.append(f"## {paper}\n\n{study['citation']}")
        parts += [_section(name, errata[name], texts[name][1]) for name in names]
    return "\n\n".join(parts) + "\n"


def _section(name: str, erratum: Erratum, size: str) -> str:
    one, other = erratum.text.source, erratum.other.source
    lines = [
        f"**Where:** {erratum.where}",
        _form(f"The {one}", erratum.text),
        _form(f"The {other}{', elsewhere' * (one == other)}", erratum.other),
        f"**Size:** {size}",
        f"**See it:** `{erratum.command}`",
        f"**{erratum.certainty.capitalize()}.** {erratum.because}",
    ]
    if erratum.claims:
        lines.append(f"**Claims:** {', '.join(erratum.claims)}")
    anchor = f'<a id="{name.lower()}"></a>'
    text = "\n".join(f"- {line}" for line in lines)
    return f"{anchor}\n\n### {name}: {erratum.title}\n\n{text}"


def _form(whose: str, form: ErratumForm) -> str:
    names = ", ".join(f"{name.kind} `{name.name}`" for name in form.here)
    here = f" Here: {names}." if names else ""
    return f"**{whose}** ({form.form}). {form.says}{here}"
