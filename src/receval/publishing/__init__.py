"""What is made for readers: pages and documents from results alone."""
