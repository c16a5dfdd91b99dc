# SPDX-License-Identifier: MIT
"""A second coder's verdicts on claims, and how far they agree with those of the ledger.

    python benchmarks/second_opinion.py draw FOLDER --claims 60 --seed 1
    python benchmarks/second_opinion.py draw FOLDER --blind --texts PAPERS
    python benchmarks/second_opinion.py compare FOLDER

The first draws claims that are decided, and writes what a second coder needs: for each claim the
paper's sentence, the rule of its row in plain YAML, what other splits gave (numbers, and how often
the rule is met, but no verdict) and the names of the tables that decide it; copies of those tables;
and ``verdicts.csv`` to be filled in. The ledger's verdict stands in none of them. With ``--blind``
neither the rule nor how often it is met is given, but the paper's own words: of ``<paper>.txt`` in
the folder ``--texts``, the sentences that are nearest to the statement. The last reads the
filled-in file and prints the agreement, Cohen's kappa and every disagreement; and, as the tables
are of one split, the agreement with the verdicts on that split.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import cohen_kappa_score

from receval.storage.files import read_results
from reproduction.claims.spec import CheckSpec, ClaimSpec, read_claims
from reproduction.claims.verdicts import ClaimVerdict, of_five_papers, wilson_interval

RESULTS = Path("results/full")
CLAIMS = Path("config/claims")
KEYS = ["claim", "dataset"]

ABOUT = """\
# A second opinion on {count} claims

Each claim below has a verdict to be given: one of {verdicts}. docs/claims.md
says when each is due; the tables are in `tables/`, and nothing else of the results is to be read.
Tables are of one split. Where other splits are given without an interval, judge that one.
Write the verdict of each claim, and a reason where it is not plain, into `verdicts.csv`.
"""


def drawn_rows(ledger: pd.DataFrame, claims: int, seed: int) -> pd.DataFrame:
    """Return one decided row each of some claims of the rebuilt papers, in the ledger's order."""
    decided = of_five_papers(ledger)
    decided = decided[(decided["form"] == "") & (decided["verdict"] != ClaimVerdict.UNDECIDABLE)]
    generator = np.random.default_rng(seed)
    names = decided["claim"].unique()
    if claims > len(names):
        raise ValueError(f"{claims} claims are asked for, and {len(names)} are decided.")
    wanted = generator.choice(names, size=claims, replace=False)
    rows = decided[decided["claim"].isin(wanted)]
    place = pd.Series(generator.random(len(rows)), index=rows.index)
    return rows.loc[sorted(place.groupby(rows["claim"]).idxmin())]


def check_of(row: pd.Series) -> tuple[ClaimSpec, CheckSpec]:
    """Return the claim of a row, and what decides it."""
    claim = read_claims(CLAIMS / f"{row['paper']}.yaml").claims[row["claim"]]
    found = [
        check
        for check in claim.checks
        if (check.dataset or "") == row["dataset"] and not check.form
    ]
    return claim, found[0]


def page_of(row: pd.Series, certainty: pd.DataFrame, own_words: OwnWords | None) -> Iterator[str]:
    """Yield the lines on a claim; none of them has its verdict or what was made of the cells.

    With the ``own_words`` of papers, they stand in place of the rule and of how often it is met.
    """
    claim, check = check_of(row)
    yield f"## {row['claim']} ({row['paper']}, {claim.where})\n"
    if own_words is not None:
        for section, sentence in own_words.nearest(row["paper"], claim):
            yield f"> {sentence} ({section})\n"
        yield f"In our words: {claim.statement} Its value: {check.expected or claim.expected}.\n"
    else:
        yield f"The paper: {claim.statement} Its value: {check.expected or claim.expected}.\n"
    tables = row["artifact"] or "none"
    yield f"Kind: {claim.kind}. Data: {row['dataset'] or 'any'}. Tables: {tables}.\n"
    if own_words is not None and not row["artifact"]:
        # Settings and theorems are in no table, and nobody can judge them without a number.
        yield f"What was computed: {row['ours']}\n"
    if own_words is None:
        decide = check.decide.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
        rule = {"artifact": check.artifact, "where": check.where, "decide": decide}
        yield f"```yaml\n{yaml.safe_dump(rule, sort_keys=False, allow_unicode=True)}```\n"
    same = (certainty["claim"] == row["claim"]) & (certainty["dataset"] == row["dataset"])
    for found in certainty[same & (certainty["form"] == "")].to_dict("records"):
        names = _OF_SPLITS if own_words is None else [n for n in _OF_SPLITS if n not in _BY_RULE]
        known = [name for name in names if str(found[name]) not in ("", "nan")]
        yield f"Other splits: {', '.join(f'{name} {found[name]}' for name in known)}.\n"


_BY_RULE = ("holding", "in_part")
_OF_SPLITS = (
    *("replications", *_BY_RULE, "published", "mean", "standard_deviation", "low", "high"),
    "beside",
)

_HEADING = re.compile(r"^(\d+(?:\.\d+)*)\.? +[A-Z][^.]*$")

_END = re.compile(r"(?<=[.?!]) +(?=[A-Z])")


class OwnWords:
    """The sentences of papers, read from ``<paper>.txt`` in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, list[tuple[str, str]]] = {}

    def nearest(self, paper: str, claim: ClaimSpec, most: int = 2) -> list[tuple[str, str]]:
        """Return the sentences nearest to a claim, with their sections.

        They share most rare words with it; those at the place that it names count twice.
        """
        if paper not in self._known:
            path = self._folder / f"{paper}.txt"
            self._known[paper] = list(sentences_of(path.read_text(encoding="utf-8")))
        sentences = self._known[paper]
        words = TfidfVectorizer(token_pattern=r"[\w@.]*\w")
        of_paper = words.fit_transform([sentence for _, sentence in sentences])
        likeness = (of_paper @ words.transform([claim.statement]).T).toarray().ravel()
        places = re.findall(r"(Section|Fig|Table)[a-z.]* ([\d.]*\d)", claim.where)
        at_place = [
            any(
                section == f"section {number}" or re.search(rf"\b{kind}[a-z.]* {number}\b", said)
                for kind, number in places
            )
            for section, said in sentences
        ]
        likeness[at_place] *= 2
        return [sentences[at] for at in np.argsort(-likeness, kind="stable")[:most]]


def sentences_of(text: str) -> Iterator[tuple[str, str]]:
    r"""Yield the sentences of a text after the numbers of their sections.

    Examples
    --------
    >>> list(sentences_of("2 METRICS\n\nP is robust. So is\nnDCG."))
    [('section 2', 'P is robust.'), ('section 2', 'So is nDCG.')]
    """
    section, paragraph = "before section 1", ""
    for line in [*map(str.strip, text.splitlines()), ""]:
        heading = _HEADING.match(line)
        if line and not heading:
            paragraph += f" {line}"
            continue
        yield from ((section, one) for one in _END.split(paragraph.strip()) if one)
        paragraph = ""
        section = f"section {heading[1]}" if heading else section


def draw(folder: Path, claims: int, seed: int, texts: Path | None = None) -> None:
    """Write the pages, the tables and the file to be filled in.

    ``texts`` is the folder of the papers' texts, for a coder who is to see no rule.
    """
    own_words = None if texts is None else OwnWords(texts)
    rows = drawn_rows(read_results(RESULTS / "claims.csv"), claims, seed)
    certainty = read_results(RESULTS / "certainty.csv")
    (folder / "tables").mkdir(parents=True)
    given = [str(verdict) for verdict in ClaimVerdict if verdict is not ClaimVerdict.UNDECIDABLE]
    pages = [ABOUT.format(count=len(rows), verdicts=", ".join(given))]
    for _, row in rows.iterrows():
        pages += page_of(row, certainty, own_words)
        for artifact in filter(None, row["artifact"].split("; ")):
            copy = folder / "tables" / f"{artifact.replace('/', '_')}.csv"
            shutil.copy(RESULTS / f"{artifact}.csv", copy)
    (folder / "claims.md").write_text("\n".join(pages), encoding="utf-8")
    rows[KEYS].assign(verdict="", reason="").to_csv(folder / "verdicts.csv", index=False)
    print(f"wrote {folder}: {len(rows)} claims; fill in verdicts.csv")


def compare(folder: Path) -> None:
    """Print how far the verdicts of a folder agree with the ledger's."""
    given = pd.read_csv(folder / "verdicts.csv", dtype=str, keep_default_na=False)
    known = list(map(str, ClaimVerdict))
    if unknown := sorted(set(given["verdict"]) - set(known)):
        raise ValueError(f"{folder / 'verdicts.csv'} has {unknown[0]!r}; verdicts are {known}.")
    ledger = read_results(RESULTS / "claims.csv")
    ledger = ledger[ledger["form"] == ""]
    both = given.merge(ledger, on=KEYS, suffixes=("_second", ""), validate="one_to_one")
    if len(both) < len(given):
        raise ValueError(f"{len(given) - len(both)} rows of verdicts.csv are not in the ledger.")
    # A number has an interval, which the coder was given; a share of splits is in no table.
    has_share = both["splits"].str.startswith("Holds on")
    of_tables = both["verdict"].mask(has_share, both["one_split"])
    print(f"agreement {_agreement(both['verdict_second'], both['verdict'])}")
    print(f"on the split of the tables {_agreement(both['verdict_second'], of_tables)}")
    same = both["verdict_second"] == both["verdict"]
    for row in both[~same].to_dict("records"):
        print(f"{row['claim']} {row['dataset']}: {row['verdict']}; second: {row['verdict_second']}")
        print(f"  {row['reason_second']}")


def _agreement(one: pd.Series, other: pd.Series) -> str:
    """Return how many verdicts are the same, and Cohen's kappa."""
    same = int((one == other).sum())
    low, high = wilson_interval(same, len(one))
    kappa = cohen_kappa_score(one, other)
    return f"{same} of {len(one)} ({low:.2f} to {high:.2f}), kappa {kappa:.3f}"


def main(arguments: list[str]) -> int:
    """Draw, or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["draw", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--claims", type=int, default=60, help="how many are drawn (60)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    parser.add_argument("--blind", action="store_true", help="without our rules; needs --texts")
    parser.add_argument("--texts", type=Path, help="the folder of the papers' texts, <paper>.txt")
    asked = parser.parse_args(arguments)
    try:
        if asked.step == "draw" and asked.blind != (asked.texts is not None):
            raise ValueError("--blind and --texts belong together: give both, or neither.")
        if asked.step == "draw":
            draw(asked.folder, asked.claims, asked.seed, asked.texts)
        else:
            compare(asked.folder)
    except (ValueError, OSError) as error:
        print(f"second_opinion.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
