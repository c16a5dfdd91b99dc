# SPDX-License-Identifier: MIT
"""Writers of the raw formats of the rating datasets, one module per format."""
