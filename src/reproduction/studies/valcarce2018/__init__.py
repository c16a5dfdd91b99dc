# SPDX-License-Identifier: MIT
"""valcarce2018: robustness and discriminative power of metrics (all artifacts are families)."""
