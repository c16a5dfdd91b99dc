# SPDX-License-Identifier: MIT
"""The provenance of results: the code, the versions and the data behind them."""
