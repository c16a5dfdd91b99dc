# SPDX-License-Identifier: MIT
"""What several artifacts of the study of systems share."""
