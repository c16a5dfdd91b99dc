"""On the robustness and discriminative power of metrics for top-N recommendation."""
