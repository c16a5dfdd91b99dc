# SPDX-License-Identifier: MIT
"""What the help of ``receval evaluate`` says there is."""

from __future__ import annotations

import re

from receval.cli.evaluate import EXAMPLES, SYSTEMS
from receval.evaluation.measuring import named_metrics
from receval.splits.kinds import SPLITTERS


def test_help_names_every_system_and_split_and_no_metric_that_is_none() -> None:
    names = EXAMPLES.partition("names:")[2].partition("examples:")[0]
    told = dict(re.findall(r"^  (\w+) {2,}((?:\S.*\n {14})*\S.*)$", names, re.M))
    systems, splits = (told[what].replace("\n", " ").split(",") for what in ("systems", "splits"))
    assert [name.strip() for name in systems] == list(SYSTEMS)
    assert [name.strip() for name in splits] == list(SPLITTERS)
    metrics = re.findall(r"\bn?[A-Z]\w*(?:@\d+)?|bpref|infAP|precision", told["metrics"])
    assert len(named_metrics(dict.fromkeys(metrics))) > 10
