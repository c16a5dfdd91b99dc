# SPDX-License-Identifier: MIT
"""How claims are decided: one rule a module."""
