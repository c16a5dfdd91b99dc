# SPDX-License-Identifier: MIT
"""WarpRec's own files of metrics, without its recommenders and all that they need.

Importing warprec loads them, so the folders of the metrics are made packages here.
"""

from __future__ import annotations

import importlib
import sys
import types
from importlib.metadata import files
from pathlib import Path
from typing import Any

for _line in files("warprec") or []:
    if str(_line) == "warprec/__init__.py":
        _folder = Path(str(_line.locate())).parent
_METRICS = (
    *("accuracy", "bias", "coverage", "debiased", "diversity", "fairness", "multiobjective"),
    *("novelty", "rating"),
)
for _name in ("", "evaluation", "evaluation.metrics", "utils"):
    _package = types.ModuleType(f"warprec.{_name}".rstrip("."))
    _package.__path__ = [str(_folder.joinpath(*_name.split(".")))]
    sys.modules[_package.__name__] = _package
for _name in _METRICS:
    _package = types.ModuleType(f"warprec.evaluation.metrics.{_name}")
    _package.__path__ = [str(_folder / "evaluation" / "metrics" / _name)]
    sys.modules[_package.__name__] = _package


def metric_class(name: str, module: str) -> Any:
    """Return a class of metrics from a module such as ``accuracy.ndcg``."""
    return getattr(importlib.import_module(f"warprec.evaluation.metrics.{module}"), name)
