# SPDX-License-Identifier: MIT
"""The workflow: the plan of a run, its jobs, and the record of what they were made with."""
