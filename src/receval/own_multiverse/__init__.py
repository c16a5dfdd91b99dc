# SPDX-License-Identifier: MIT
"""The multiverse of anybody's ratings and systems, from a table of ratings to a report."""
