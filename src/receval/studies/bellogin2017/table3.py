"""Table 3: the design alternatives, with the library's values for them."""

from __future__ import annotations

import pandas as pd

from receval.figures.display import DisplayStyle
from receval.figures.tables import Table, printed_text
from receval.studies._shared.inputs import ArtifactInputs

ALTERNATIVES = (
    (
        "Base candidate items",
        "AI",
        r"\mathcal{C} = \mathcal{I}",
        'candidates="AI"',
    ),
    (
        "Base candidate items",
        "TI",
        r"\mathcal{C} = \bigcup_{u \in \mathcal{U}} R_{test}(u)",
        'candidates="TI"',
    ),
    (
        "Item selection: relevant",
        "AR",
        r"T_u \supset PR_{test}(u)",
        'relevant="AR"',
    ),
    (
        "Item selection: relevant",
        "1R",
        r"|T_u^r \cap PR_{test}(u)| = 1",
        'relevant="1R"',
    ),
    (
        "Item selection: non-relevant",
        "AN",
        r"N_u = \mathcal{C} \setminus PR_{test}(u) \setminus R_{train}(u)",
        "sampled=None",
    ),
    (
        "Item selection: non-relevant",
        "NN",
        r"|N_u| \text{ fixed, drawn at random}",
        "sampled=99, or another size",
    ),
)


def data(inputs: ArtifactInputs) -> pd.DataFrame:
    """Return setting, alternative, definition (LaTeX) and the protocol's argument."""
    columns = ["Design setting", "Alternative", "Definition", "Protocol(...)"]
    return pd.DataFrame(ALTERNATIVES, columns=columns)


def tabulate(results: pd.DataFrame, display: DisplayStyle) -> Table:
    """Print the definitions as formulas."""
    shown = results.assign(Definition="$`" + results["Definition"] + "`$")
    return printed_text(display, shown, (0.22, 0.13, 0.36, 0.22))
