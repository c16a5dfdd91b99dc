# SPDX-License-Identifier: MIT
"""Find, download, parse and prepare datasets."""
