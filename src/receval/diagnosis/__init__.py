# SPDX-License-Identifier: MIT
"""Find out what ratings allow to be measured, before any systems are compared on them."""
