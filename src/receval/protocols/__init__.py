# SPDX-License-Identifier: MIT
"""Protocols: the candidates of every list, and the ranks of judged items among them."""
