# SPDX-License-Identifier: MIT
"""Questions that follow up on the five papers."""
