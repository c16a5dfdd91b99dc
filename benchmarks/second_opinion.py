# SPDX-License-Identifier: MIT
"""A second coder's verdicts on claims, and how far they agree with those of the ledger.

    python benchmarks/second_opinion.py draw FOLDER --claims 60 --seed 1
    python benchmarks/second_opinion.py compare FOLDER

The first draws claims that are decided, and writes what a second coder needs: for each claim the
paper's sentence, the rule of its row in plain YAML, what other splits gave (numbers, and how often
the rule is met, but no verdict) and the names of the tables that decide it; copies of those tables;
and ``verdicts.csv`` to be filled in. The ledger's verdict stands in none of them. The second reads
the filled-in file and prints the agreement, Cohen's kappa and every disagreement.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml
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


def page_of(row: pd.Series, certainty: pd.DataFrame) -> Iterator[str]:
    """Yield the lines on a claim; none of them has its verdict or what was made of the cells."""
    claim, check = check_of(row)
    yield f"## {row['claim']} ({row['paper']}, {claim.where})\n"
    yield f"The paper: {claim.statement} Its value: {check.expected or claim.expected}.\n"
    tables = row["artifact"] or "none"
    yield f"Kind: {claim.kind}. Data: {row['dataset'] or 'any'}. Tables: {tables}.\n"
    decide = check.decide.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    rule = {"artifact": check.artifact, "where": check.where, "decide": decide}
    yield f"```yaml\n{yaml.safe_dump(rule, sort_keys=False, allow_unicode=True)}```\n"
    same = (certainty["claim"] == row["claim"]) & (certainty["dataset"] == row["dataset"])
    for found in certainty[same & (certainty["form"] == "")].to_dict("records"):
        yield f"Other splits: {_splits_in_words(found)}.\n"


def _splits_in_words(found: dict[Any, Any]) -> str:
    names = ("replications", "holding", "in_part", "published", "mean", "standard_deviation")
    numbers = [*names, "low", "high"]
    known = [name for name in numbers if str(found[name]) not in ("", "nan")]
    return ", ".join(f"{name} {found[name]}" for name in known)


def draw(folder: Path, claims: int, seed: int) -> None:
    """Write the pages, the tables and the file to be filled in."""
    rows = drawn_rows(read_results(RESULTS / "claims.csv"), claims, seed)
    certainty = read_results(RESULTS / "certainty.csv")
    (folder / "tables").mkdir(parents=True)
    given = [str(verdict) for verdict in ClaimVerdict if verdict is not ClaimVerdict.UNDECIDABLE]
    pages = [ABOUT.format(count=len(rows), verdicts=", ".join(given))]
    for _, row in rows.iterrows():
        pages += page_of(row, certainty)
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
    same = both["verdict_second"] == both["verdict"]
    low, high = wilson_interval(int(same.sum()), len(both))
    kappa = cohen_kappa_score(both["verdict_second"], both["verdict"])
    print(f"agreement {same.sum()} of {len(both)} ({low:.2f} to {high:.2f}), kappa {kappa:.3f}")
    for row in both[~same].to_dict("records"):
        print(f"{row['claim']} {row['dataset']}: {row['verdict']}; second: {row['verdict_second']}")
        print(f"  {row['reason_second']}")


def main(arguments: list[str]) -> int:
    """Draw, or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=["draw", "compare"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--claims", type=int, default=60, help="how many are drawn (60)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw (1)")
    asked = parser.parse_args(arguments)
    try:
        if asked.step == "draw":
            draw(asked.folder, asked.claims, asked.seed)
        else:
            compare(asked.folder)
    except (ValueError, OSError) as error:
        print(f"second_opinion.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
