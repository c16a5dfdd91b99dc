# SPDX-License-Identifier: MIT
"""What other tools mean by a metric, as parameters of ours."""
