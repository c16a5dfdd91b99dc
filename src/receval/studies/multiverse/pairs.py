"""All pairs of a set of systems: who wins in how many worlds, and what decides it."""

from __future__ import annotations

from itertools import combinations

import pandas as pd

from receval.studies.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Compare all pairs of the systems in every world.

    Columns: first, second (systems); worlds (their number); wins, ties, losses (numbers of worlds,
    significant ones for the first system); ahead (worlds in which the first system has the higher
    value); one column a decision with the share of the variance of the standardised difference that
    it explains alone.
    """
    from receval.studies.pairs_of_worlds import explored
    from receval.studies.world_verdicts import explained, verdict_counts

    systems = inputs.parameters["systems"]
    pairs = list(combinations(systems, 2))
    worlds = explored(inputs, pairs)
    rows = []
    for (first, second), of_pair in worlds.groupby(["first", "second"], sort=False):
        counts = verdict_counts(of_pair)
        found = explained(of_pair, "effect")
        rows.append(
            {
                "first": first,
                "second": second,
                "worlds": len(of_pair),
                "wins": counts["first"],
                "ties": counts["tie"],
                "losses": counts["second"],
                "ahead": int((of_pair["difference"] > 0).sum()),
                **dict(zip(found.names, found.alone[0], strict=True)),
            }
        )
    return pd.DataFrame(rows)
