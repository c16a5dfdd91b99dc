"""Metrics from their labels."""

from __future__ import annotations

import re
from importlib import import_module

from receval.metrics.labels import read_parameters
from receval.metrics.metric import Metric
from receval.metrics.registry import METRICS, RELEASED, metric_of

_LABEL = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9_]*)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<cutoff>[1-9][0-9]*))?"
)


def metric_class(name: str) -> type[Metric]:
    """Return the class of a metric by its name in :data:`receval.metrics.registry.METRICS`."""
    module, _, symbol = METRICS[name].partition(":")
    found: type[Metric] = getattr(import_module(module), symbol)
    return found


def parse(label: str) -> Metric:
    """Return the metric of a label such as ``P@10`` or ``nDCG(gain=exp)@10``.

    Parameters
    ----------
    label : str
        ``name(parameter=value,...)@cutoff``; parameters and cut-off may be left out. The label of
        the returned metric has its parameters in alphabetical order, defaults left out. The names
        in :data:`receval.metrics.registry.RELEASED` are read too.

    Raises
    ------
    ValueError
        The label is not of that form, or names an unknown metric, parameter or value.
    """
    match = _LABEL.fullmatch(label.strip())
    if match is None:
        raise ValueError(
            f"{label!r} is not a metric's label; write name(parameter=value,...)@cutoff, "
            "for example nDCG(gain=exp)@10."
        )
    kind = metric_class(metric_of(match["name"]))
    fixed = RELEASED.get(match["name"], ("", {}))[1]
    values = read_parameters(kind, match["parameters"] or "", label, leave_out=("cutoff", *fixed))
    return kind(cutoff=int(match["cutoff"]) if match["cutoff"] else None, **fixed, **values)
