# SPDX-License-Identifier: MIT
"""The multiverse: the winner under every combination of the decisions of canamares2020."""
