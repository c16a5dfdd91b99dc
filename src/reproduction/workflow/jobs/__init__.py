# SPDX-License-Identifier: MIT
"""What the workflow and the command use: how jobs run, and the functions that rules name."""
