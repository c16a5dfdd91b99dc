# SPDX-License-Identifier: MIT
"""Code that several artifacts of menamaldonado2021 share."""
