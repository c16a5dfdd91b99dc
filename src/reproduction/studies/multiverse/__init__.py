# SPDX-License-Identifier: MIT
"""The multiverse: the winner under every combination of Cañamares et al.'s (2020) decisions."""
