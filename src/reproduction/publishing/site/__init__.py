# SPDX-License-Identifier: MIT
"""The site of an edition: static pages of claims, studies, documents and the library."""
