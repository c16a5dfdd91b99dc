# SPDX-License-Identifier: MIT
"""The studies: one package per paper or question, one module per artifact."""
