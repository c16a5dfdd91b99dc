# SPDX-License-Identifier: MIT
"""Format messages: escape and shorten text that comes from outside."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Collection, Sequence
from itertools import islice
from unicodedata import category

LONGEST = 500
"""Maximum number of characters of a message."""


_JOINING = re.compile("(?<=[^\\s\0-\u024f])[\u200c\u200d](?=[^\\s\0-\u024f])")
"""Invisible characters that join or separate letters in Persian and emoji, but not in Latin
text."""


def printable(text: str, kept: str = "") -> str:
    r"""Return a text with escapes in place of control and invisible characters.

    Escaped are control characters, overrides of the writing direction, line breaks, bytes of file
    names that are not UTF-8, and invisible characters such as zero-width spaces. All letters and
    visible spaces stay, and further characters to keep, such as the line breaks of a multi-line
    text.

    Examples
    --------
    >>> print(printable("Pop\x1b[2J\n\u202eé"))
    Pop\x1b[2J\n\u202eé
    """
    if text.isprintable():
        return text
    joining = {found.start() for found in _JOINING.finditer(text)}
    return "".join(
        sign
        if sign.isprintable() or sign in kept or place in joining or category(sign) == "Zs"
        else ascii(sign)[1:-1]
        for place, sign in enumerate(text)
    )


def shortened(text: str, most: int = 60, *, middle: bool = False) -> str:
    r"""Return a text as one printable line, shortened with three dots.

    The text may hold control characters, or megabytes sent by a server. The dots are at its end or,
    with ``middle``, before the last third of the shown text.

    Examples
    --------
    >>> shortened("a" * 70, most=10)
    'aaaaaaa...'
    >>> print(shortened("two\n lines \x1b[2J"))
    two lines \x1b[2J
    """
    words = " ".join(text.split())
    if len(words) <= most and len(shown := printable(words)) <= most:
        return shown
    kept = most - len("...")
    end = kept // 3 if middle else 0
    # Escapes are longer than the characters they replace.
    last = printable(words[len(words) - end :])
    return f"{printable(words[:kept])[: kept - end]}...{last[len(last) - end :]}"


def quoted(value: object, most: int = 60) -> str:
    """Return the ``repr`` of a value, shortened.

    Examples
    --------
    >>> quoted("a" * 70, most=10)
    "'aaaaaa..."
    """
    return shortened(repr(value), most)


def escaped(text: str, most: int = 60) -> str:
    r"""Return text from a server, of unknown encoding, as printable ASCII, shortened.

    Examples
    --------
    >>> print(escaped("Not\x1b[2J\r\nFound \xb2"))
    Not\x1b[2J\r\nFound \xb2
    """
    signs = (
        sign if " " <= sign <= "~" else sign.encode("unicode_escape").decode("ascii")
        for sign in text[: most + 1]
    )
    return shortened("".join(signs), most)


def enumerated(names: Collection[object], most: int = 200) -> str:
    """Return names separated by commas, and a count of those that exceed the length.

    Examples
    --------
    >>> enumerated(["ml-1m", "netflix"])
    'ml-1m, netflix'
    >>> enumerated(range(100, 200), most=25)
    '100, 101 and 98 more'
    """
    # Each name is followed by a comma and a space, and there may be millions of names.
    words = [shortened(str(name)) for name in islice(names, most)]
    whole = ", ".join(words)
    if len(words) == len(names) and len(whole) <= most:
        return whole
    shown = words[:1]
    while len(", ".join([*shown, words[len(shown)]])) <= most - len(" and 000,000 more"):
        shown.append(words[len(shown)])
    return f"{', '.join(shown)} and {len(names) - len(shown):,} more"


def joined(heading: str, problems: Sequence[str], most: int = LONGEST) -> str:
    """Return a heading and one line per problem, and a count of those that do not fit.

    Examples
    --------
    >>> print(joined("It cannot be used:", ["a: wrong.", "b: wrong."]))
    It cannot be used:
      a: wrong.
      b: wrong.
    """
    lines = [shortened(heading, most // 2)]
    room = most - len(lines[0]) - len("\n  ... and 000,000 more problems.")
    for number, problem in enumerate(problems):
        line = f"  {shortened(problem, most // 2)}"
        room -= len(line) + 1
        if room < 0:
            rest = len(problems) - number
            return "\n".join([*lines, f"  ... and {rest:,} more problem{'s' * (rest > 1)}."])
        lines.append(line)
    return "\n".join(lines)


_ADVICE = {
    errno.ENOSPC: "there is no space left on the disk: free some space, and run again",
    errno.EDQUOT: "your quota on the disk is used up: free some space, and run again",
    errno.EFBIG: "the file is larger than this user may write: allow larger files (ulimit -f)",
    errno.EIO: "the disk cannot be read or written: check the disk",
    errno.EROFS: "the file system is read-only: run where files can be written",
    errno.EACCES: "permission is denied: allow this user to read and write it",
    errno.EPERM: "permission is denied: allow this user to read and write it",
    errno.ENOENT: "there is no such file or folder",
    errno.EISDIR: "it is a folder, where a file was expected: move it away",
    errno.ENOTDIR: "it is a file, where a folder was expected: move it away",
}

_REFUSED_WITHOUT_NAME = (
    "permission is denied to a file that the system does not name: check that this user may write "
    "to /dev/shm, which processes share, and to the folder of temporary files"
)

REFUSED = frozenset(_ADVICE)
"""Error numbers of the disk or of permissions, which are not errors of a program."""


def about_files(error: OSError) -> str:
    """Turn a system error about a file into a sentence of advice.

    Examples
    --------
    >>> print(about_files(PermissionError(errno.EACCES, "Permission denied", "results/demo")))
    results/demo: permission is denied: allow this user to read and write it.
    >>> print(about_files(OSError(errno.ENOSPC, "No space left on device")))
    There is no space left on the disk: free some space, and run again.
    >>> about_files(PermissionError(errno.EACCES, "Permission denied")).partition(":")[0]
    'Permission is denied to a file that the system does not name'
    """
    words = _ADVICE.get(error.errno or 0) or error.strerror or str(error) or type(error).__name__
    if error.filename is None and error.errno in (errno.EACCES, errno.EPERM):
        words = _REFUSED_WITHOUT_NAME
    words = shortened(words.strip().rstrip("."), 250)
    if error.filename is None:
        return f"{words[:1].upper()}{words[1:]}."
    return f"{shortened(os.fsdecode(error.filename), 200)}: {words}."


def how_many(number: int, what: str) -> str:
    """Return a number with its noun, in the plural where needed.

    Examples
    --------
    >>> how_many(1, "user"), how_many(6040, "user")
    ('1 user', '6,040 users')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"
