# SPDX-License-Identifier: MIT
"""Code that several artifacts of the study of systems share."""
