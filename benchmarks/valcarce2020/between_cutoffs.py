# SPDX-License-Identifier: MIT
"""Why figure 1 of valcarce2018 differs from ours: an experiment of docs/robustness.md.

    python benchmarks/valcarce2020/between_cutoffs.py work/full/ml-1m
      [--ranked work/full-r14/ml-1m ...]

The folder is that of the prepared MovieLens 1M after a run of the full edition; with --ranked, the
lists are those of replications. It takes a few seconds a folder.

Prints how the coefficients between cut-offs of nDCG compare with the published ones, with our
values of systems and with released ones in place of some of them, and how near our systems are at
each cut-off.
"""

from __future__ import annotations

from receval.arithmetic import use_one_arithmetic

use_one_arithmetic()

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from lists_of_systems import ALL, FOUR, SYSTEMS, lists_of, measured_users
from numpy.typing import NDArray

from receval.statistics.correlation import TOLERANCE_OF_MEANS, kendall_tau_b

Values = NDArray[np.float64]
RELEASED = pd.read_csv(Path(__file__).with_name("released_cutoffs.csv"), comment="#", index_col=0)
LABELS = list(RELEASED.columns)
FAR = 0.038
"""Two root mean squares of what another split does, and half a unit of the last printed digit."""
FIRST, SECOND = np.triu_indices(len(LABELS), k=1)


def coefficients(values: Values) -> Values:
    """Return tau of each pair of cut-offs, of values (n_cutoffs, n_systems)."""
    every = [np.ravel(kendall_tau_b(one, values, TOLERANCE_OF_MEANS)) for one in values]
    return np.asarray(np.stack(every)[FIRST, SECOND])


def compared(label: str, values: Values, published: Values) -> None:
    found = coefficients(values)
    away = np.abs(found - published)
    shallow = FIRST == 0
    print(
        f"{label:44} {away.mean():7.4f} {np.sum(away > FAR):7d} {found.min():7.3f}"
        f" {away[shallow].mean():9.4f} {away[~shallow].mean():7.4f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("prepared", type=Path)
    parser.add_argument("--ranked", type=Path, nargs="+", default=[None])
    arguments = parser.parse_args()
    released = RELEASED.loc[SYSTEMS].to_numpy().T
    published = np.round(coefficients(released), 2)
    others = [system for system in ALL if system not in FOUR]
    print(f"{'':44} {'away':>7} {'outside':>7} {'lowest':>7} {'with @5':>9} {'others':>7}")
    for ranked in arguments.ranked:
        data, lists = lists_of(arguments.prepared, "user-80", SYSTEMS, ranked)[0]
        ours = measured_users(data, lists, LABELS).values.mean(axis=2)
        print(f"\n{ranked or arguments.prepared}")
        compared("ours", ours, published)
        for label, chosen in (
            ("the four with released values", FOUR),
            ("all others with released values", others),
            ("all with released values", ALL),
        ):
            mixed = np.round(ours, 4)
            mixed[:, chosen] = released[:, chosen]
            compared(label, mixed, published)
        gains = {}
        for system in ALL:
            mixed = np.round(ours, 4)
            mixed[:, system] = released[:, system]
            gains[SYSTEMS[system]] = np.abs(coefficients(mixed) - published).mean()
        best = sorted(gains, key=gains.__getitem__)[:5]
        print("one with released values:", ", ".join(f"{name} {gains[name]:.4f}" for name in best))
        shares = pd.DataFrame(ours.T / released.T, SYSTEMS, LABELS)
        print(shares.iloc[:, [0, 1, 2, 6, 10]].round(3).to_string())


if __name__ == "__main__":
    main()
