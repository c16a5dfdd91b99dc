# SPDX-License-Identifier: MIT
"""What several artifacts of bellogin2017 share."""
