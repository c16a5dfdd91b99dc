# SPDX-License-Identifier: MIT
"""What remains of a comparison of systems when judgments are missing."""
