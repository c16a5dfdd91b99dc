"""Parts of messages that come from outside: shortened, so that the sentence can still be read."""

from __future__ import annotations

import errno
import os
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


def enumerated(names: Collection[object], most: int = 200) -> str:
    """Return names with commas between them; those beyond some characters are counted.

    Examples
    --------
    >>> enumerated(["ml-1m", "netflix"])
    'ml-1m, netflix'
    >>> enumerated(range(100, 200), most=25)
    '100, 101 and 98 more'
    """
    words = [shortened(str(name)) for name in names]
    whole = ", ".join(words)
    if len(whole) <= most:
        return whole
    shown = words[:1]
    while len(", ".join([*shown, words[len(shown)]])) <= most - len(" and 000,000 more"):
        shown.append(words[len(shown)])
    return f"{', '.join(shown)} and {len(words) - len(shown):,} more"


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


_ADVICE = {
    errno.ENOSPC: "there is no space left on the disk: free some, and run again",
    errno.EDQUOT: "your share of the disk is full: free some, and run again",
    errno.EROFS: "the file system is read-only: run where files can be written",
    errno.EACCES: "permission is denied: allow this user to read and write it",
    errno.EPERM: "permission is denied: allow this user to read and write it",
    errno.ENOENT: "there is no such file or folder",
    errno.EISDIR: "it is a folder, where a file was expected: move it away",
    errno.ENOTDIR: "it is a file, where a folder was expected: move it away",
}


def about_files(error: OSError) -> str:
    """Return what the system says of a file as a sentence that says what to do.

    Examples
    --------
    >>> print(about_files(PermissionError(errno.EACCES, "Permission denied", "results/demo")))
    results/demo: permission is denied: allow this user to read and write it.
    >>> print(about_files(OSError(errno.ENOSPC, "No space left on device")))
    There is no space left on the disk: free some, and run again.
    """
    words = _ADVICE.get(error.errno or 0) or error.strerror or str(error) or type(error).__name__
    words = shortened(words.strip().rstrip("."), 200)
    if error.filename is None:
        return f"{words[:1].upper()}{words[1:]}."
    return f"{shortened(os.fsdecode(error.filename), 200)}: {words}."
