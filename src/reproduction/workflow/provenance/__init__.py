# SPDX-License-Identifier: MIT
"""Where a result comes from: the code, the versions and the data behind it."""
