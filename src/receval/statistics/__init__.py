"""Statistics of data and of comparisons."""
