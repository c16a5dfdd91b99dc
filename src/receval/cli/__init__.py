# SPDX-License-Identifier: MIT
"""Commands for users' own data: each writes one folder and needs no repository."""
