# SPDX-License-Identifier: MIT
"""Code that several artifacts of canamares2020 share."""
