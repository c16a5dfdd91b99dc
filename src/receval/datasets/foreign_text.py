"""Text that others have written, such as a server's words, as messages show it."""

from __future__ import annotations


def escaped(text: str, most: int = 60) -> str:
    r"""Return foreign text on one line of printable ASCII, shortened.

    Parameters
    ----------
    text : str
        Anything: a terminal obeys control characters, and a server may send megabytes of them.
    most : int
        Characters shown; what is longer ends in three dots.

    Examples
    --------
    >>> print(escaped("Not\x1b[2J\r\nFound"))
    Not\x1b[2J\r\nFound
    >>> escaped("x" * 100, most=10)
    'xxxxxxx...'
    """
    shown = "".join(
        sign if " " <= sign <= "~" else sign.encode("unicode_escape").decode("ascii")
        for sign in text[: most + 1]
    )
    return shown if len(shown) <= most else shown[: most - 3] + "..."
