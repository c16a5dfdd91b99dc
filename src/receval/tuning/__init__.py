# SPDX-License-Identifier: MIT
"""Choose the parameters of systems on a validation part of the training ratings."""
