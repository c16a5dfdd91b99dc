# SPDX-License-Identifier: MIT
"""Code that several artifacts of the follow-up questions share."""
