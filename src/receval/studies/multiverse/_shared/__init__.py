"""What several artifacts of the multiverse share."""
