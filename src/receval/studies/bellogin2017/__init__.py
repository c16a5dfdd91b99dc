"""Statistical biases in information retrieval metrics for recommender systems."""
