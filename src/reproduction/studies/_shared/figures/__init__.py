# SPDX-License-Identifier: MIT
"""What figures of several studies draw."""
