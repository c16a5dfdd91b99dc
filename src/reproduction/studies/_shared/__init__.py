# SPDX-License-Identifier: MIT
"""Code that the artifacts of all studies share."""
