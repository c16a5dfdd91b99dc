# SPDX-License-Identifier: MIT
"""The plan of an edition: what is made, from which files, and what each job depends on."""
