"""Every Kendall's tau of the figures, beside the one that the authors published."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle, printed_name
from receval.figures.printed_numbers import fixed, p_value
from receval.figures.tables import Column, Table, printed
from receval.studies._shared.inputs import ArtifactInputs


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return our tau beside every published one whose data is there.

    Columns: claim (its number in the list of statements); figure; experiment; dataset; split;
    x_evaluation, x_metric, y_evaluation, y_metric; systems (how many are ordered); published; tau
    (in the form of the text); p_value (of it); tau_released (in the form of the released code);
    tau_difference (the form nearer to the published value minus that value); within (``yes`` where
    that is at most the parameter ``tolerance``).
    """
    from receval.studies._shared.published import read_published_taus
    from receval.studies.menamaldonado2021._shared.metric_pairs import (
        Axis,
        Panel,
        correlation,
        means_of_values,
        panel_values,
    )

    if inputs.published is None:
        raise ValueError("The artifact needs the key published: the coefficients to compare with.")
    values = means_of_values(inputs)
    rows = []
    for row in read_published_taus(inputs.published).to_dict("records"):
        if row["experiment"] not in inputs.shown:
            raise ValueError(
                f"{inputs.published}: the coefficient of {row['claim']} is of the experiment "
                f"{row['experiment']}, but the study has {', '.join(inputs.shown)}."
            )
        if not inputs.shown[row["experiment"]]:
            continue
        panel = Panel(
            row["experiment"],
            Axis(row["x_evaluation"], row["x_metric"]),
            Axis(row["y_evaluation"], row["y_metric"]),
        )
        text = panel_values(values, panel, "text")
        assert text is not None
        released = panel_values(values, panel, "released")
        ours = correlation(text)
        theirs = ours if released is None else correlation(released)
        differences = [float(form["tau"]) - row["published"] for form in (ours, theirs)]
        nearest = min(differences, key=abs)
        first = text.iloc[0]
        rows.append(
            row
            | {
                "dataset": first["dataset"],
                "split": first["split"],
                "tau": ours["tau"],
                "p_value": ours["p_value"],
                "tau_released": theirs["tau"],
                "systems": ours["systems"],
                "tau_difference": nearest,
                # Coefficients of 16 systems come in steps of 1/120; published ones have 3 digits.
                "within": "yes" if abs(nearest) < inputs.parameters["tolerance"] + 5e-4 else "",
            }
        )
    columns = ["claim", "figure", "experiment", "dataset", "split"]
    columns += ["x_evaluation", "x_metric", "y_evaluation", "y_metric", "systems"]
    columns += ["published", "tau", "p_value", "tau_released", "tau_difference", "within"]
    return pd.DataFrame(rows)[columns]


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print published and own coefficients; those farther off than the tolerance are marked.

    Where the two forms have the same coefficients throughout, one column has both.
    """
    from receval.studies.menamaldonado2021.metric_scatter import axis_title

    texts, released = (
        [fixed(value, 3) for value in results[name]] for name in ("tau", "tau_released")
    )
    apart = texts != released
    columns = [
        Column(f"Within {fixed(display.parameters['tolerance'], 2)}"),
        Column("Figure"),
        Column("Dataset"),
        Column("x", width=0.18),
        Column("y", width=0.18),
        Column("Published", "right"),
        Column("Text's form" if apart else "Ours", "right"),
        Column("p", "right"),
    ]
    if apart:
        columns.append(Column("Released form", "right"))
    rows = [
        (
            row["within"] or "no",
            printed_name(row["figure"]).removeprefix("Figure "),
            display.datasets[row["dataset"]],
            axis_title(row["x_evaluation"], row["x_metric"], told=True),
            axis_title(row["y_evaluation"], row["y_metric"], told=True),
            fixed(row["published"], 3),
            text,
            p_value(row["p_value"]),
            *([of_released] if apart else []),
        )
        for row, text, of_released in zip(results.to_dict("records"), texts, released, strict=True)
    ]
    return printed(display, columns, rows)
