# SPDX-License-Identifier: MIT
"""What several artifacts of canamares2020 share."""
