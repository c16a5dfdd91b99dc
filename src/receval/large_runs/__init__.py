# SPDX-License-Identifier: MIT
"""Evaluate lists that are larger than memory: block by block of users, on cores or on a cluster."""
