# SPDX-License-Identifier: MIT
"""What metrics on sampled candidates say of given lists, against their full ranking."""
