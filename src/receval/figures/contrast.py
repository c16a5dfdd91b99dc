"""Whether black or white print stands out from a ground."""

from __future__ import annotations

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.typing import ColorType


def ink_on(ground: ColorType) -> str:
    """Return "black" on light colours and "white" on dark ones, whichever has more contrast.

    Parameters
    ----------
    ground : colour
        Anything that matplotlib takes for an opaque colour.

    Notes
    -----
    Source: W3C, Web Content Accessibility Guidelines 2.1, contrast ratio and relative luminance.
    """
    colour = np.array(to_rgb(ground))
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    # The contrast is (lighter + .05) / (darker + .05): black and white have the same at .179.
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"
