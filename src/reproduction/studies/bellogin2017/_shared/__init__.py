# SPDX-License-Identifier: MIT
"""Code that several artifacts of bellogin2017 share."""
