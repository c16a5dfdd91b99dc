# SPDX-License-Identifier: MIT
"""Questions that the five papers opened and others have pursued since."""
