# SPDX-License-Identifier: MIT
"""Our recommenders compared with published values of recommenders of the same name."""
