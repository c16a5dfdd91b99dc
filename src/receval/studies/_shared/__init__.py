"""What artifacts of every study read."""
