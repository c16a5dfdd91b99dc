# SPDX-License-Identifier: MIT
"""The tables of a diagnosis, and the report made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from receval.diagnosis.drawings import draw_designs, draw_metrics, draw_popularity
from receval.diagnosis.metrics_on_these_data import TOLD_PERCENT
from receval.diagnosis.printed_tables import (
    designs_table,
    judgments_table,
    lead_table,
    metrics_table,
    size_table,
    splits_table,
)
from receval.diagnosis.recommendation import Advice
from receval.evaluation.report import Report
from receval.evaluation.report_parts import ReportFigure, ReportPart, ReportTable, ReportText
from receval.notes import Note


@dataclass(frozen=True)
class Diagnosis:
    """What ratings allow to be measured, and how to design an experiment on them.

    Attributes
    ----------
    size, time : DataFrame
        ``quantity``, ``value``, ``meaning``
        (:func:`receval.diagnosis.size_and_skew.size_and_skew`,
        :func:`receval.diagnosis.timestamps.time_span`).
    popularity : DataFrame
        :func:`receval.diagnosis.size_and_skew.popularity_curve`.
    cold : DataFrame
        :func:`receval.diagnosis.compared_splits.cold_start`.
    future : DataFrame or None
        :func:`receval.diagnosis.timestamps.future_training`; None without timestamps.
    designs, shares : DataFrame
        :func:`receval.diagnosis.random_precision.precision_of_designs`, and
        :func:`receval.diagnosis.random_precision.popularity_or_sparsity`.
    metrics, levels : DataFrame
        :func:`receval.diagnosis.metrics_on_these_data.metrics_on_these_data`.
    judgments, agreement : DataFrame or None
        :func:`receval.diagnosis.unbiased_judgments.liked_and_disliked` and
        :func:`receval.diagnosis.unbiased_judgments.agreement_of_judgments`; None if liked and
        disliked items cannot be told apart.
    disagreeing_pairs : float or None
        :func:`receval.diagnosis.unbiased_judgments.disagreeing_item_pairs`.
    per_user : DataFrame
        Values of users by system, under AR AI-AN on the random split.
    advice : tuple of Advice
    notes : tuple of Note
        Notes on what was left out and why, and on sampling.
    settings : mapping
        What is needed to repeat the call.
    """

    size: pd.DataFrame
    time: pd.DataFrame
    popularity: pd.DataFrame
    cold: pd.DataFrame
    future: pd.DataFrame | None
    designs: pd.DataFrame
    shares: pd.DataFrame
    metrics: pd.DataFrame
    levels: pd.DataFrame
    judgments: pd.DataFrame | None
    agreement: pd.DataFrame | None
    disagreeing_pairs: float | None
    per_user: pd.DataFrame
    advice: tuple[Advice, ...]
    notes: tuple[Note, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def recommendation(self) -> pd.DataFrame:
        """The experimental section: ``subject``, ``sentence``, ``reason``."""
        rows = [(own.subject, own.sentence, own.reason) for own in self.advice]
        return pd.DataFrame(rows, columns=["subject", "sentence", "reason"])

    def __str__(self) -> str:
        return "\n".join(
            f"{own.subject}: {own.sentence} (Why: {own.reason})" for own in self.advice
        )

    def report(self, title: str = "Diagnosis") -> Report:
        """Return the whole diagnosis as a report, with the recommendations first."""
        section = " ".join(own.sentence for own in self.advice)
        reasons = tuple(f"{own.subject}. {own.reason}" for own in self.advice)
        systems = self.per_user["system"].nunique()
        parts: list[ReportPart] = [
            ReportText("Recommended experimental section", (section,)),
            ReportText("Reasons, measured on these ratings", reasons),
            ReportTable("size", size_table(self.size, self.time)),
            ReportFigure.drawn(
                "popularity",
                lambda: draw_popularity(self.popularity),
                "Ratings of the items by their rank",
            ),
            ReportTable("splits", splits_table(self.cold, self.future)),
            ReportTable("designs", designs_table(self.designs)),
            ReportFigure.drawn(
                "designs",
                lambda: draw_designs(self.designs),
                "P@10 of Random and of the most popular items by design, with Pop's multiple of "
                "Random",
            ),
        ]
        if len(self.shares):
            parts.append(ReportTable("shares", lead_table(self.shares)))
        parts.append(ReportTable("metrics", metrics_table(self.metrics, systems)))
        if self.metrics["tau"].notna().any():
            parts.append(
                ReportFigure.drawn(
                    "metrics",
                    lambda: draw_metrics(self.metrics, TOLD_PERCENT),
                    "Robustness to missing judgments (above is better) against discriminative "
                    "power (left is better)",
                )
            )
        if self.agreement is not None:
            parts.append(
                ReportTable("judgments", judgments_table(self.agreement, self.disagreeing_pairs))
            )
        return Report(title, tuple(parts), self._data(), self.notes, self.settings)

    def _data(self) -> dict[str, pd.DataFrame]:
        tables = {
            "recommendation": self.recommendation,
            "size": self.size,
            "time": self.time,
            "popularity": self.popularity,
            "cold": self.cold,
            "future": self.future,
            "designs": self.designs,
            "shares": self.shares,
            "metrics": self.metrics,
            "levels": self.levels,
            "judgments": self.judgments,
            "agreement": self.agreement,
            "per_user": self.per_user,
        }
        return {name: table for name, table in tables.items() if table is not None}
