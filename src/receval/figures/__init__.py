# SPDX-License-Identifier: MIT
"""Draw and save figures and tables in one common style."""
