# SPDX-License-Identifier: MIT
"""Models of the YAML configuration files, which check them when they are read."""
