# SPDX-License-Identifier: MIT
"""What artifacts of every study read."""
