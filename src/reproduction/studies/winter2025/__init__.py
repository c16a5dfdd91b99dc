# SPDX-License-Identifier: MIT
"""Figures and tables of Winter (2025), on datasets without their less active users."""
