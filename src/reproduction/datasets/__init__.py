# SPDX-License-Identifier: MIT
"""Datasets: where they are found, how they are fetched, and one parser per raw format."""
