"""Parts of messages that come from outside: shortened, so that the sentence can still be read."""

from __future__ import annotations

from collections.abc import Collection, Sequence

LONGEST = 500
"""The most characters of a message."""


def shortened(text: str, most: int = 60) -> str:
    r"""Return a text of at most some characters, its end replaced by three dots if need be.

    Characters that a terminal would not show as they are, are escaped.

    Examples
    --------
    >>> shortened("a" * 70, most=10)
    'aaaaaaa...'
    >>> print(shortened("two\nlines"))
    two\nlines
    """
    # No more than can be shown is escaped: the text may be megabytes.
    kept = text[: most + 1]
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in kept)
    return shown if len(shown) <= most else f"{shown[: most - 3]}..."


def listed(names: Collection[object], most: int = 200) -> str:
    """Return names with commas between them; those beyond some characters are counted.

    Examples
    --------
    >>> listed(["ml-1m", "netflix"])
    'ml-1m, netflix'
    >>> listed(range(100, 200), most=20)
    '100, 101 and 98 more'
    """
    words = [shortened(str(name)) for name in names]
    whole = ", ".join(words)
    if len(whole) <= most:
        return whole
    shown: list[str] = []
    while len(", ".join([*shown, words[len(shown)]])) <= most - len(" and 000,000 more"[:-3]):
        shown.append(words[len(shown)])
    return f"{', '.join(shown)} and {len(words) - len(shown):,} more".strip()


def joined(heading: str, problems: Sequence[str], most: int = LONGEST) -> str:
    """Return a heading and one line a problem, and count those for which there is no room.

    Examples
    --------
    >>> print(joined("It cannot be used:", ["  a: wrong.", "  b: wrong."]))
    It cannot be used:
      a: wrong.
      b: wrong.
    """
    lines = [shortened(heading, most // 2)]
    room = most - len(lines[0]) - len("\n  ... and 000,000 more problems.")
    for number, problem in enumerate(problems):
        line = shortened(problem, most // 2)
        room -= len(line) + 1
        if room < 0:
            rest = len(problems) - number
            return "\n".join([*lines, f"  ... and {rest:,} more problem{'s' * (rest > 1)}."])
        lines.append(line)
    return "\n".join(lines)
