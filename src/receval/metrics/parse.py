"""Metrics from their labels."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module

from receval.metrics.metric import Metric

METRICS = {
    "P": "receval.metrics.precision:Precision",
    "antiP": "receval.metrics.precision:AntiPrecision",
    "Recall": "receval.metrics.precision:Recall",
    "Fallout": "receval.metrics.precision:Fallout",
    "AP": "receval.metrics.average_precision:AveragePrecision",
    "nDCG": "receval.metrics.ndcg:NDCG",
    "Coverage": "receval.metrics.coverage:Coverage",
    "Unjudged": "receval.metrics.coverage:Unjudged",
}
"""Class of each metric by name, imported when it is asked for."""

_LABEL = re.compile(
    r"(?P<name>[A-Za-z]+)(?:\((?P<parameters>[^()]*)\))?(?:@(?P<cutoff>[1-9][0-9]*))?"
)


def module_of(label: str) -> str:
    """Return the module that defines the metric of a label, for code digests.

    Raises
    ------
    ValueError
        The label names no metric.
    """
    name = label.strip().partition("@")[0].partition("(")[0]
    if name not in METRICS:
        raise ValueError(f"There is no metric {name!r}; there are {', '.join(METRICS)}.")
    return METRICS[name].partition(":")[0]


def parse(label: str) -> Metric:
    """Return the metric of a label such as ``P@10`` or ``nDCG(gain=exponential)@10``.

    Parameters
    ----------
    label : str
        ``name(parameter=value,...)@cutoff``; parameters and cut-off may be left out. The label of
        the returned metric has its parameters in alphabetical order, defaults left out.

    Raises
    ------
    ValueError
        The label is not of that form, or names an unknown metric, parameter or value.
    """
    match = _LABEL.fullmatch(label.strip())
    if match is None:
        raise ValueError(
            f"{label!r} is not a metric's label; write name(parameter=value,...)@cutoff, "
            "for example nDCG(gain=exponential)@10."
        )
    name = match["name"]
    metric_class: type[Metric] = getattr(
        import_module(module_of(label)), METRICS[name].partition(":")[2]
    )
    accepted = {field.name: field for field in fields(metric_class) if field.name != "cutoff"}
    values: dict[str, object] = {}
    for word in filter(None, (match["parameters"] or "").split(",")):
        parameter, equals, text = (part.strip() for part in word.partition("="))
        if not equals or parameter not in accepted or parameter in values:
            raise ValueError(
                f"In {label!r}, {word.strip()!r} is not a parameter of {name} given once as "
                f"parameter=value; its parameters are {', '.join(accepted)}."
            )
        values[parameter] = _value(label, parameter, text)
    cutoff = int(match["cutoff"]) if match["cutoff"] else None
    return metric_class(cutoff=cutoff, **values)  # type: ignore[arg-type]


def _value(label: str, parameter: str, text: str) -> object:
    if parameter == "condensed":
        if text not in ("true", "false"):
            raise ValueError(f"In {label!r}, condensed must be true or false, not {text!r}.")
        return text == "true"
    if parameter == "depth":
        if not text.isdigit():
            raise ValueError(f"In {label!r}, depth must be a whole number, not {text!r}.")
        return int(text)
    return text
