# SPDX-License-Identifier: MIT
"""Parts of figures that several studies share."""
