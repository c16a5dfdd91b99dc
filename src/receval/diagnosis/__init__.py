# SPDX-License-Identifier: MIT
"""What ratings of one's own allow to be measured, before any system is compared on them."""
