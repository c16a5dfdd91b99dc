# SPDX-License-Identifier: MIT
"""What several artifacts of menamaldonado2021 share."""
