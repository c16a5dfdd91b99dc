# SPDX-License-Identifier: MIT
"""Measure the effects of errata from the results of an edition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from receval.storage.files import write_results


def measure_errata(
    *, errata: Path, results: Sequence[Path], records: Sequence[Path], table: Path
) -> None:
    """Write the numbers of all errata."""
    from reproduction.claims.errata import errata_table, load_errata
    from reproduction.claims.sources import ClaimSources

    sources = ClaimSources(
        {f"{path.parent.name}/{path.stem}": path for path in results},
        {path.parent.name: path for path in records},
    )
    write_results(errata_table(load_errata(errata), sources), table)
