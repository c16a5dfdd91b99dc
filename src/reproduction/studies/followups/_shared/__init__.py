# SPDX-License-Identifier: MIT
"""What several artifacts of the questions that came after share."""
