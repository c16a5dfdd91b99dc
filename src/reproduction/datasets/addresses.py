# SPDX-License-Identifier: MIT
"""Check web addresses of files, and resolve redirects."""

from __future__ import annotations

import re
import string
from urllib.parse import quote, urldefrag, urljoin, urlsplit

from receval.storage.messages import escaped

_LONGEST = 500
# File stores redirect to signed addresses, which are long.
_LONGEST_REDIRECT = 8_000
_HOST_AND_PORT = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{0,5})?")


def check_address(address: str, longest: int = _LONGEST) -> str:
    """Return an address if a request can be sent there.

    Examples
    --------
    >>> check_address("https://example.org/ratings.zip")
    'https://example.org/ratings.zip'
    >>> check_address("ftp://example.org/ratings.zip")
    Traceback (most recent call last):
    ...
    ValueError: the address 'ftp://example.org/ratings.zip' is neither of http nor of https
    """
    problem = _problem(address, longest)
    if problem:
        raise ValueError(f"the address '{escaped(address)}' {problem}")
    return address


def _problem(address: str, longest: int) -> str:
    """Return what is wrong with an address; empty if it is valid."""
    if len(address) > longest:
        return f"has {len(address):,} characters; {longest:,} are allowed"
    if not re.fullmatch("[!-~]+", address):
        return "is not of printable ASCII: write other signs percent-encoded"
    try:
        parts = urlsplit(address)
        # Reading the port checks it.
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        return f"cannot be read ({escaped(str(error))})"
    if parts.scheme not in {"http", "https"}:
        return "is neither of http nor of https"
    # DNS cannot look up names with longer labels.
    lengths = [len(label) for label in host.removesuffix(".").split(".")]
    if not (_HOST_AND_PORT.fullmatch(parts.netloc) and min(lengths) and max(lengths) < 64):
        return "has no host that can be asked, such as example.org"
    if port == 0 or len(host) > 253:
        return "has no host and port that can be asked"
    return ""


def redirected(address: str, location: str) -> str:
    """Return the address that a redirect leads to.

    Parameters
    ----------
    location : str
        The server's ``Location``: an absolute or a relative address.

    Raises
    ------
    ValueError
        If it is not an address of http or https, or leads from https to http, where others could
        replace the file.

    Examples
    --------
    >>> redirected("https://example.org/a/old.zip", "new.zip")
    'https://example.org/a/new.zip'
    """
    if len(location) > _LONGEST_REDIRECT:
        raise ValueError(f"the address '{escaped(location)}' has {len(location):,} characters")
    try:
        # Some servers send raw bytes, which http.client reads as Latin-1.
        joined = urljoin(address, quote(location, safe=string.punctuation, encoding="latin-1"))
    except ValueError as error:
        message = f"the address '{escaped(location)}' cannot be read ({escaped(str(error))})"
        raise ValueError(message) from error
    target = check_address(urldefrag(joined).url, _LONGEST_REDIRECT)
    if urlsplit(address).scheme == "https" and urlsplit(target).scheme != "https":
        raise ValueError(f"the address '{escaped(target)}' is of http, after one of https")
    return target
