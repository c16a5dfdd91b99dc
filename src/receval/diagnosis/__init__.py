# SPDX-License-Identifier: MIT
"""Find out what can be measured with ratings, before any systems are compared on them."""
