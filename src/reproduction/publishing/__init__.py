# SPDX-License-Identifier: MIT
"""What readers get of the results: the site, and the pages that are written from the ledger."""
