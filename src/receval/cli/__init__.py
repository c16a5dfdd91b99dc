# SPDX-License-Identifier: MIT
"""Commands for data of anybody's, which need no repository and write one folder each."""
