"""Why jobs run, in two words."""

from __future__ import annotations

import re

_KINDS = {
    "Missing output files": "not made yet",
    "Incomplete output files": "left incomplete",
    "Updated input files": "newer inputs",
    "Set of input files has changed": "other inputs",
    "Code has changed": "code changed",
    "Software environment definition has changed": "environment changed",
    "Forced execution": "forced",
    "Rules with ": "always",
}

FOLLOWS = "after another job"
"""The reason of a job that runs for no other reason than that its inputs are made again."""

_PARAMS = "Params have changed since last execution"
# The digest of code that every rule has among its parameters (receval.provenance.code_digest).
_DIGEST = r"'?[0-9a-f]{6,}-[0-9a-f]{8}'?"
_ONLY_DIGESTS = re.compile(rf".*before: {_DIGEST}(?:,{_DIGEST})* now: {_DIGEST}(?:,{_DIGEST})*\s*")


def kinds_of_reason(reason: str) -> list[str]:
    """Return the kinds of reasons that Snakemake gives for a job.

    A changed digest among the parameters is a change of code.

    Parameters
    ----------
    reason : str
        All reasons, as Snakemake words them.
    """
    kinds = []
    for part in reason.split("; "):
        if part.startswith(_PARAMS):
            kinds.append("code changed" if _ONLY_DIGESTS.fullmatch(part) else "parameters changed")
        kinds += [kind for start, kind in _KINDS.items() if part.startswith(start)]
    return list(dict.fromkeys(kinds)) or [FOLLOWS]
