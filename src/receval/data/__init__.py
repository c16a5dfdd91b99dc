# SPDX-License-Identifier: MIT
"""Tables of other programs: ratings, judgments and recommendations as these write them."""
