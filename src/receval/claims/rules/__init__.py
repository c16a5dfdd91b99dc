"""How claims are decided: one rule a module."""
