# SPDX-License-Identifier: MIT
"""Configuration models: what the YAML files may say, checked when they are read."""
