# SPDX-License-Identifier: MIT
"""Messages call datasets and systems what the figures call them."""

from __future__ import annotations

import pytest
from studies.accepted_results import ROOT

from receval.config.settings import load_settings
from receval.studies._shared.message import DATASETS, in_a_row
from receval.studies.bellogin2017._shared.messages_of_systems import NAMES as OF_BELLOGIN2017
from receval.studies.canamares2020._shared.curve_messages import SYSTEMS as OF_CANAMARES2020
from receval.studies.multiverse.messages import NAMES as OF_THE_MULTIVERSE

SETTINGS = load_settings(ROOT / "config", "full")


def test_datasets_have_their_short_titles() -> None:
    titles = {name: spec.short_title for name, spec in SETTINGS.datasets.items()}
    assert {name: titles[name] for name in DATASETS} == DATASETS


@pytest.mark.parametrize("names", [OF_BELLOGIN2017, OF_CANAMARES2020, OF_THE_MULTIVERSE])
def test_systems_have_their_short_titles(names: dict[str, str]) -> None:
    titles = {name: spec.short_title or spec.title for name, spec in SETTINGS.systems.items()}
    assert {name: titles[name] for name in names} == names


def test_no_words_are_no_part_of_a_sentence() -> None:
    with pytest.raises(ValueError, match="no words to be joined"):
        in_a_row([])
