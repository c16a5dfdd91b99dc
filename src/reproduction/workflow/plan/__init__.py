# SPDX-License-Identifier: MIT
"""The plan of an edition: its files, their inputs, and what each job depends on."""
