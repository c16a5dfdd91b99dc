# SPDX-License-Identifier: MIT
"""The workflow: the plan of a run, its jobs, and the provenance of its results."""
