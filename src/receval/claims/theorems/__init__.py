"""What theorems, identities and definitions of the papers come to, worked out on small random data."""
