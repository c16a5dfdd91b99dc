"""What several artifacts of bellogin2017 share."""
