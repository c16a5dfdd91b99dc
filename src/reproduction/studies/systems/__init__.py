# SPDX-License-Identifier: MIT
"""The recommenders against the published values of the same names."""
