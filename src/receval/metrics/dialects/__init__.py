# SPDX-License-Identifier: MIT
"""Dialects: the metrics of other tools, as parameters of receval's metrics."""
