# SPDX-License-Identifier: MIT
"""The site of an edition: static pages of claims, studies, documents and the library."""

from __future__ import annotations

ROOTS = ("receval", "reproduction")
"""The packages whose public names the site shows; no two packages in them have the same name."""
