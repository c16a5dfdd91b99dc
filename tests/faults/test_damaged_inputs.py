# SPDX-License-Identifier: MIT
"""Damaged files of ratings and runs are read whole or refused in a sentence, never in part."""

from __future__ import annotations

import csv
import gzip
import io
import random
import re
import warnings
from pathlib import Path

import pytest

from faults.answers import searched
from receval.interchange.errors import SuspiciousTableWarning, TableError
from receval.interchange.ratings_table import read_ratings
from receval.interchange.run_files import read_run
