# SPDX-License-Identifier: MIT
"""The reproduction of five papers: data, experiments, studies, claims and the workflow.

It is built on the library (:mod:`receval`), which never imports it, and is run from a checkout.
"""
