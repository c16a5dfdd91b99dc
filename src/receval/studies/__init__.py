"""The papers: one package each, one module an artifact."""
