"""The raw formats that twins are written in."""

from __future__ import annotations

WRITERS = {
    "ml-1m": "receval.simulation.writers.movielens",
    "netflix": "receval.simulation.writers.netflix",
    "librarything": "receval.simulation.writers.librarything",
    "beeradvocate": "receval.simulation.writers.beeradvocate",
    "yahoo-r3": "receval.simulation.writers.yahoo",
    "cm100k": "receval.simulation.writers.cm100k",
    "lastfm-1k": "receval.simulation.writers.lastfm",
}
"""Module of each raw format, with the functions ``identifiers`` and ``write``."""
