# SPDX-License-Identifier: MIT
"""The papers: one package each, one module an artifact."""
