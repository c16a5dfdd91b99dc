"""How much memory and time the jobs of an edition ask a cluster for, by the data they read."""

from __future__ import annotations

from itertools import chain

from receval.config.settings import Settings
from receval.workflow.plan.datasets import PlannedDatasets
from receval.workflow.plan.job_sizes import SMALL, JobSize, job_size


class PlannedSizes:
    """Sizes of jobs by the datasets whose ratings they read.

    Parameters
    ----------
    settings : Settings
        The edition's configuration.
    datasets : PlannedDatasets
    """

    def __init__(self, settings: Settings, datasets: PlannedDatasets) -> None:
        self.settings = settings
        self.datasets = datasets

    def of(self, *datasets: str, demanding: bool = False) -> JobSize:
        """Return the size of a job on some datasets.

        Parameters
        ----------
        *datasets : str
            Those whose ratings it may read; what cannot be had does not count.
        demanding : bool
            Whether it holds or tries much at once.
        """
        if self.settings.edition == "demo":
            return SMALL
        ratings = (
            self.settings.datasets[name].expected.ratings or 0
            for name in datasets
            if self.datasets.is_available(name)
        )
        return job_size(max(ratings, default=0), demanding=demanding)

    def artifact(self, study: str, artifact: str) -> JobSize:
        """Return the size of the job that computes the results of an artifact.

        The results of others that it reads are small, whatever they were computed from.
        """
        spec = self.settings.studies[study].artifacts[artifact]
        experiments = self.settings.studies[study].experiments
        sampled = (self._sampled(study, name) for name in spec.judgment_samplings)
        return self.of(
            *spec.datasets,
            *(experiments[name].dataset for name in spec.experiments),
            *chain.from_iterable(sampled),
            *(self.settings.simulations[name].dataset for name in spec.simulations),
            demanding=spec.grid is not None,
        )

    def judgment_sampling(self, study: str, judgment_sampling: str) -> JobSize:
        """Return the size of the job that computes the values of a judgment sampling."""
        return self.of(*self._sampled(study, judgment_sampling), demanding=True)

    def simulation(self, simulation: str) -> JobSize:
        """Return the size of the job that simulates ratings for one system."""
        return self.of(self.settings.simulations[simulation].dataset, demanding=True)

    def _sampled(self, study: str, judgment_sampling: str) -> list[str]:
        spec = self.settings.studies[study]
        names = spec.judgment_samplings[judgment_sampling].experiments
        return [spec.experiments[name].dataset for name in names]
