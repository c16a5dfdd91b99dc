# SPDX-License-Identifier: MIT
"""Experiments, their values per user, averages and expectations, from judged ranks."""
