# SPDX-License-Identifier: MIT
"""What remains of a comparison when judgments are missing, at random or by choice of users."""
