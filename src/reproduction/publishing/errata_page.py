# SPDX-License-Identifier: MIT
"""``docs/errata.md``: all errata, with the sizes of their effects in the accepted results."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from reproduction.claims.errata import ERRATA, RESULTS, Erratum, ErratumForm, load_errata, sizes
from reproduction.claims.sources import ClaimSources
from reproduction.config.reading import read_yaml

_INTRODUCTION = """\
# Errata

Written by `receval repo errata` from `config/errata.yaml` and accepted results; edit the former.

An *erratum* is a place where a paper's text, its figures or tables and its released code disagree
with each other or with the public data, or where the text leaves open what its figures need
(E-05). We could find these only because the authors say exactly what they did and released data,
code and values, for which we thank them. Most errata are small and change no conclusion.

Each entry has both forms, with the names that receval gives them, and

- **Effect:** its size on our data, MovieLens 1M and CM100k. The artifact in brackets has it;
  `snakemake --cores 2 -- work/full/artifacts/bellogin2017/fig02.csv` makes one again. In the YAML,
  `command` shows each erratum.
- **Certain**, if anyone can see it in what is printed or released; **likely**, if it is inferred
  from that; **open**, if it is only possible.

Released code may be of a library that the authors did not write: E-38 and E-40 to E-43 are about
LibRec 2.0.0. We read the papers as plain text, without figures: what we say about a figure comes
from its caption, the text or released values.

**Please correct us**: name the erratum and what the paper or its code does, or change
`config/errata.yaml` and run `receval repo errata`. Corrections by the authors are most welcome."""

_SHOWN_KINDS = ("metric", "average", "system", "split", "protocol")
"""Kinds of names for readers; columns, settings and functions are only in the YAML."""

_ARTIFACT = re.compile(r"(?:work/full/artifacts|results/full)/(\w+/\w+)\.csv")


def errata_page(config: Path = ERRATA.parent, results: Path = RESULTS) -> str:
    """Return ``docs/errata.md``; an error says which erratum or number cannot be read."""
    errata = load_errata(config / ERRATA.name)
    texts = sizes(errata, ClaimSources.of_folder(results))
    counts = Counter(erratum.certainty for erratum in errata.values())
    counted = ", ".join(f"{counts[word]} {word}" for word in ("certain", "likely", "open"))
    parts = [_INTRODUCTION, f"There are {len(errata)} errata: {counted}."]
    for paper, names in groupby(errata, key=lambda name: errata[name].paper):
        study = read_yaml(config / "studies" / f"{paper}.yaml")
        parts.append(f"## {paper}\n\n{study['citation']}")
        parts += [_section(name, errata[name], texts[name][1]) for name in names]
    return "\n\n".join(parts) + "\n"


def _section(name: str, erratum: Erratum, size: str) -> str:
    one, other = erratum.text.source, erratum.other.source
    artifact = _ARTIFACT.search(erratum.command)
    data = f" (`{artifact[1]}`)" if artifact else ""
    claims = f" ({_claims(erratum.claims)})" if erratum.claims else ""
    lines = [
        _form(one.capitalize(), erratum.text),
        _form("Elsewhere" if one == other else other.capitalize(), erratum.other),
        f"**Effect:** {size}{data}",
        f"**{erratum.certainty.capitalize()}:** {erratum.because}",
    ]
    anchor = f'<a id="{name.lower()}"></a>'
    text = "\n".join(f"- {line}" for line in lines)
    return f"{anchor}\n\n### {name}: {erratum.title}\n\n{erratum.where}{claims}\n\n{text}"


def _claims(claims: Sequence[str]) -> str:
    """Return the numbers of claims, with three or more consecutive ones as a range."""
    rows: list[list[str]] = []
    for claim in claims:
        number = int(claim.rpartition("-")[2])
        if rows and int(rows[-1][-1].rpartition("-")[2]) == number - 1:
            rows[-1].append(claim)
        else:
            rows.append([claim])
    return ", ".join(f"{row[0]} to {row[-1]}" if len(row) > 2 else ", ".join(row) for row in rows)


def _form(whose: str, form: ErratumForm) -> str:
    names = ", ".join(f"`{n.name}`" for n in form.here if n.kind in _SHOWN_KINDS)
    return f"**{whose}:** {form.says}" + (f" ({names})" if names else "")
