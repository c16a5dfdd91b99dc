"""The searches for settings of an edition: their traces, and what these depend on."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from receval.config.settings import Settings
from receval.metrics.registry import module_of
from receval.splits.kinds import AnySplit
from receval.workflow.descriptions import SearchDescription, plain
from receval.workflow.plan.accepted import AcceptedResults


class PlannedSearches:
    """Searches for the settings of systems that come closest to published values.

    Parameters
    ----------
    settings : Settings
        The edition's configuration.
    accepted : AcceptedResults
        May stand for new searches.
    """

    def __init__(self, settings: Settings, accepted: AcceptedResults) -> None:
        self.settings = settings
        self.accepted = accepted

    def file(self, system: str) -> str:
        """Return the file with the trace of a system's search."""
        searches = self.settings.searches
        edition = self.settings.edition
        return f"work/{edition}/{searches.dataset}/{searches.split}/{system}/search.csv"

    def files(self) -> list[str]:
        """Return the traces of all searches."""
        return [self.file(system) for system in self.settings.searches.systems]

    def published_file(self) -> str:
        """Return the table of values that the searches try to come close to."""
        return f"config/published/{self.settings.searches.published}"

    def accepted_files(self) -> list[str]:
        """Return the accepted traces, where they are to stand for new ones.

        Raises
        ------
        ValueError
            They were made with another root seed or on another split.
        """
        if not self.settings.accepted_searches:
            return []
        config = self.accepted.record("systems").get("config", {})
        split = self.settings.searches.split
        recorded = config.get("splits", {}).get(split)
        same_split = recorded is not None and (
            TypeAdapter(AnySplit).validate_python(recorded) == self.settings.splits[split]
        )
        if config.get("seed") != self.settings.seed or not same_split:
            raise ValueError(
                "accepted_searches is on, but the accepted searches have another root seed or "
                f"another split {split} than this configuration: run the searches "
                "(accepted_searches=off)."
            )
        return [self.accepted.file("systems", "searches")]

    def description(self, system: str) -> dict[str, Any]:
        """Return a :class:`.SearchDescription` as plain values."""
        searches = self.settings.searches
        description = SearchDescription(
            recommender=self.settings.systems[system].recommender,
            settings=tuple(searches.systems[system].settings),
            metrics=searches.metrics,
            threshold=self.settings.datasets[searches.dataset].relevance_threshold,
        )
        values: dict[str, Any] = plain(description)
        return values

    def metric_entries(self) -> list[str]:
        """Return the modules of the metrics that the searches look at, for code digests."""
        return sorted({module_of(label) for label in self.settings.searches.metrics})
