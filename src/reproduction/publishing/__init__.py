# SPDX-License-Identifier: MIT
"""Publish the results: the site, and the pages generated from the ledger."""
