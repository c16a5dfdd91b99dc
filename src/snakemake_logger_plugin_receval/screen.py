"""Where lines are written: for good, and on terminals one that changes below them."""

from __future__ import annotations

import os
from typing import TextIO

_ERASE = "\r\x1b[2K"
RED, YELLOW = 31, 33


class Screen:
    """A stream with lines that stay, and on a terminal one live line under them.

    Parameters
    ----------
    stream : TextIO
        Standard error or output.
    colours : bool
        Whether a terminal may show colours.
    """

    def __init__(self, stream: TextIO, *, colours: bool) -> None:
        self.stream = stream
        self.is_live = (
            stream.isatty() and os.environ.get("TERM", "") != "dumb" and os.name == "posix"
        )
        self.colours = colours and self.is_live and "NO_COLOR" not in os.environ
        self._line = ""

    @property
    def can_draw(self) -> bool:
        """Whether the stream takes the characters of a smooth bar."""
        return (self.stream.encoding or "").lower().startswith("utf")

    def say(self, text: str, colour: int | None = None) -> None:
        """Write lines that stay."""
        if colour is not None and self.colours:
            text = f"\x1b[{colour}m{text}\x1b[0m"
        line, self._line = self._line, ""
        self.stream.write((_ERASE if line else "") + text + "\n")
        self.show(line)
        self.stream.flush()

    def show(self, line: str) -> None:
        """Replace the live line, cut to the terminal's width; an empty one goes away."""
        if not self.is_live or line == self._line:
            return
        line = line[: self._width() - 1]
        self.stream.write(_ERASE + line)
        self.stream.flush()
        self._line = line

    def _width(self) -> int:
        try:
            return os.get_terminal_size(self.stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80
