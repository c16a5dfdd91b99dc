# SPDX-License-Identifier: MIT
"""Exact expectations over sampled candidates, compared with drawn samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from receval.figures.display import DisplayStyle
from receval.figures.printed_numbers import fixed
from receval.figures.tables import Table, printed
from receval.protocols.evaluation import Scorer
from receval.sampled_metrics.weighted_candidates import refuse_without_weight, scored_candidates
from receval.seeds import generator
from receval.splits.split import Fold
from receval.storage.files import real_values
from receval.storage.kernel_cache import njit
from reproduction.studies._shared.inputs import ArtifactInputs
from reproduction.studies.followups.sampled_orders import POPULARITY, SAMPLINGS, SampledMoments


def simulated_hits(
    system: Scorer,
    fold: Fold,
    rows: NDArray[np.int64],
    relevant: NDArray[np.bool_],
    priority: NDArray[np.uint32],
    sampled: int,
    samples: int,
    rng: np.random.Generator,
    weights: NDArray[np.float64] | None = None,
) -> NDArray[np.int64]:
    """Count the sampled candidates above each relevant item, sample by sample.

    Candidates are all items without a training or relevant test rating of the user; `sampled` of
    them are drawn for each relevant item. With `weights`, of shape (n_all_items,), they are drawn
    in proportion to these with replacement. Without, they are drawn uniformly without replacement,
    and a user with fewer gets all. The counts have shape (samples, n_rows), and are -1 for items
    that are not ranked.
    """
    hits = np.full((samples, len(rows)), -1, dtype=np.int64)
    weighted = np.empty(0) if weights is None else weights
    for users in scored_candidates(system, fold, rows, relevant):
        if weights is not None:
            refuse_without_weight(users, weights, fold.test.users[rows])
        _draw(*users, weighted, priority, sampled, rng, hits)
    return hits


@njit(cache=True)
def _draw(
    scores: NDArray[np.floating],
    candidates: NDArray[np.bool_],
    asked: NDArray[np.int64],
    owners: NDArray[np.int64],
    items: NDArray[np.int64],
    weights: NDArray[np.float64],
    priority: NDArray[np.uint32],
    sampled: int,
    rng: np.random.Generator,
    hits: NDArray[np.int64],
) -> None:
    n_items = scores.shape[1]
    pool = np.empty(n_items, dtype=np.int64)
    bounds = np.empty(n_items, dtype=np.float64)
    for row, own_item, place in zip(owners, items, asked):  # noqa: B905
        score = scores[row, own_item]
        if score != score:
            continue
        size = 0
        total = 0.0
        for item in range(n_items):
            if candidates[row, item]:
                pool[size] = item
                if len(weights):
                    total += weights[item]
                    bounds[size] = total
                size += 1
        for sample in range(hits.shape[0]):
            count = 0
            for drawn in range(sampled if len(weights) else min(sampled, size)):
                if len(weights):
                    point = rng.random() * total
                    chosen = int(np.searchsorted(bounds[:size], point, side="right"))
                    other = pool[min(chosen, size - 1)]
                else:
                    # The first items of a pool, whose shuffling continues from sample to sample.
                    chosen = drawn + int(rng.random() * (size - drawn))
                    pool[drawn], pool[chosen] = pool[chosen], pool[drawn]
                    other = pool[drawn]
                value = scores[row, other]
                if value > score or (value == score and priority[other] < priority[own_item]):
                    count += 1
            hits[sample, place] = count


DECIMALS = 4


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return expected and simulated values for some systems and relevant items.

    Parameters of the artifact: ``names`` and ``metrics``; ``systems``; ``negatives``, numbers of
    candidates; ``every`` (every n-th relevant test rating of a fold is taken); ``samples``, how
    often candidates are drawn for each of these, independently for each system.

    Columns: dataset; sampling; system; negatives; metric; relevant_items (number averaged);
    expected (exact, for these items); simulated (mean over the samples); standard_error (of this
    mean); samples.
    """
    from receval.protocols.candidates import popularity_weights
    from receval.sampled_metrics.weighted_candidates import expected_of_weighted_ranks

    metrics = inputs.named_metrics()
    moments = SampledMoments(inputs, metrics)
    (experiment,) = inputs.experiments.values()
    samples, every = int(inputs.parameters["samples"]), int(inputs.parameters["every"])
    tables = moments.uniform.tables
    found = []
    for system in map(str, inputs.parameters["systems"]):
        models = [inputs.model(experiment, system, number) for number in experiment.folds]
        for sampling in SAMPLINGS:
            for size in map(int, inputs.parameters["negatives"]):
                rng = generator(inputs.seed, "followups", "samples", system, sampling, size)
                hits, taken, before = [], [], 0
                for number, model in zip(experiment.folds, models, strict=True):
                    fold = experiment.fold(number)
                    relevant = fold.test.values >= experiment.threshold
                    asked = np.flatnonzero(relevant).astype(np.int64)
                    drawn = simulated_hits(
                        model,
                        fold,
                        asked[::every],
                        relevant,
                        moments.ties(number),
                        size,
                        samples,
                        rng,
                        popularity_weights(fold, 1.0) if sampling == POPULARITY else None,
                    )
                    hits.append(drawn)
                    taken.append(before + np.arange(0, len(asked), every))
                    before += len(asked)
                items = np.concatenate(taken)
                if sampling == POPULARITY:
                    shares = moments.shares_of(system)[items]
                    exact = expected_of_weighted_ranks(shares, tables, size)
                else:
                    exact = moments.uniform.items(system, size)[items, : len(metrics)]
                means = tables[1 + np.concatenate(hits, axis=1)].mean(axis=1)
                found.append(
                    pd.DataFrame(
                        {
                            "dataset": experiment.dataset,
                            "sampling": sampling,
                            "system": system,
                            "negatives": size,
                            "metric": list(metrics),
                            "relevant_items": len(items),
                            "expected": exact.mean(axis=0),
                            "simulated": means.mean(axis=0),
                            "standard_error": means.std(axis=0, ddof=1) / np.sqrt(samples),
                            "samples": samples,
                        }
                    )
                )
    return pd.concat(found, ignore_index=True)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print one row per sampling, system and number of candidates.

    The last column has the largest difference of the metrics, in standard errors.
    """
    metrics = list(dict.fromkeys(results["metric"]))
    rows = []
    for (sampling, system, negatives), own in results.groupby(
        ["sampling", "system", "negatives"], sort=False
    ):
        cells, gaps = [], []
        for metric in metrics:
            numbers = own[own["metric"] == metric]
            exact, mean, error = (
                float(real_values(numbers[name])[0])
                for name in ("expected", "simulated", "standard_error")
            )
            gaps.append(abs(mean - exact) / error if error else 0.0)
            cells += [fixed(exact, DECIMALS), f"{fixed(mean, DECIMALS)} ± {fixed(error, DECIMALS)}"]
        title = display.short_titles[str(system)]
        rows.append(
            (str(sampling).capitalize(), title, f"{int(negatives):,}", *cells, fixed(max(gaps), 1))
        )
    heads = [head for metric in metrics for head in (metric, "Simulated")]
    heads = ["Candidates", *heads, "Largest gap (SE)"]
    return printed(display, ("Drawn", "System"), heads, rows)
