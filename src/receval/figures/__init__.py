# SPDX-License-Identifier: MIT
"""One style for all figures and tables, and one way to save them."""
