# SPDX-License-Identifier: MIT
"""From judged ranks to tables: experiments, their per-user values, averages, expectations."""
