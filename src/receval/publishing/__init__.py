"""What is written for readers from accepted results: pages, and more to come."""
