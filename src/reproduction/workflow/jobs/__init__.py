# SPDX-License-Identifier: MIT
"""How jobs run, and the functions that the rules of the workflow call."""
